/**
 * Processes items in groups, without a timer: the items that are added while one group is processed form the next one.
 * `work` returns a result for each item. If it throws, all items of that group fail with the error. A group has at most `most`
 * items, and never two for which `identify` returns the same text.
 */
export function inGroups<Item, Result>(
  work: (items: readonly Item[]) => Promise<readonly Result[]>,
  most = Number.POSITIVE_INFINITY,
  identify?: (item: Item) => string,
) {
  const queue: { item: Item; resolve: (result: Result) => void; reject: (error: unknown) => void }[] = [];
  let draining: Promise<void> | null = null;

  /** Takes the items from the front of the queue that may share a group. */
  const nextGroup = () => {
    const seen = new Set<string>();
    const end = queue.findIndex(
      ({ item }, before) => before >= most || (identify && seen.add(identify(item)).size === before),
    );
    return queue.splice(0, end < 0 ? queue.length : end);
  };
  const drain = async () => {
    // Everything that is added in this turn of the event loop is part of the first group.
    await Promise.resolve();
    while (queue.length > 0) {
      const group = nextGroup();
      try {
        const results = await work(group.map(({ item }) => item));
        group.forEach(({ resolve }, at) => {
          resolve(results[at] as Result);
        });
      } catch (error) {
        for (const { reject } of group) reject(error);
      }
    }
    draining = null;
  };
  return {
    add: (item: Item) => {
      const done = new Promise<Result>((resolve, reject) => {
        queue.push({ item, resolve, reject });
      });
      draining ??= drain();
      return done;
    },
    /** Resolves when no items are waiting any more. */
    idle: async () => {
      while (draining) await draining;
    },
  };
}
