/** The last `count` items of a stream, in their order, and what the stream returned. Keeps no more than those. */
export async function lastOf<Item, End>(
  stream: AsyncGenerator<Item, End>,
  count: number,
): Promise<{ readonly items: readonly Item[]; readonly end: End }> {
  const ring: Item[] = [];
  for (let seen = 0; ; seen++) {
    const { value, done } = await stream.next();
    if (done) {
      const oldest = seen % Math.max(1, ring.length);
      return { items: [...ring.slice(oldest), ...ring.slice(0, oldest)], end: value };
    }
    if (count > 0) ring[seen % count] = value;
  }
}
