/**
 * Runs `work` on each item, up to `limit()` at once (asked again before each start), and yields the results in the order
 * in which they become ready. No item is taken before there is room for it. When `items` or `work` throws, or the
 * consumer leaves, nothing new is started and what is under way is waited for.
 */
export async function* runConcurrently<Item, Result>(
  items: AsyncIterator<Item>,
  limit: () => number,
  work: (item: Item) => Promise<Result>,
): AsyncGenerator<Result> {
  const ready: Result[] = [];
  let underWay = 0;
  let failure: { error: unknown } | null = null;
  let wake = () => {};
  const settled = () => {
    underWay -= 1;
    wake();
  };
  const start = (item: Item) => {
    const running = work(item);
    underWay += 1;
    running
      .then(
        (result) => {
          ready.push(result);
        },
        (error) => {
          failure ??= { error };
        },
      )
      .finally(settled);
  };
  const somethingSettles = () => new Promise<void>((resolve) => (wake = resolve));

  try {
    for (let exhausted = false; ; ) {
      while (!exhausted && !failure && underWay < limit()) {
        const next = await items.next();
        if (next.done) exhausted = true;
        else if (!failure) start(next.value);
      }
      while (ready.length > 0) yield* ready.splice(0);
      if (failure) throw (failure as { error: unknown }).error;
      if (exhausted && underWay === 0 && ready.length === 0) return;
      if (ready.length === 0) await somethingSettles();
    }
  } finally {
    while (underWay > 0) await somethingSettles();
    await items.return?.();
  }
}
