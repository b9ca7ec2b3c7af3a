/**
 * Processes items in groups, without a timer: the items that are added while one group is processed form the next one.
 * `work` returns a result for each item. If it throws, all items of that group fail with the error.
 */
export class InGroups<Item, Result> {
  readonly #work: (items: readonly Item[]) => Promise<readonly Result[]>;
  readonly #split: (items: readonly QueuedItem<Item, Result>[]) => number;
  #queue: QueuedItem<Item, Result>[] = [];
  #draining: Promise<void> | null = null;

  /**
   * `most` is the maximum number of items in a group. Items for which `identify` returns the same text never share a
   * group.
   */
  constructor(
    work: (items: readonly Item[]) => Promise<readonly Result[]>,
    {
      most = Number.POSITIVE_INFINITY,
      identify,
    }: { readonly most?: number; readonly identify?: (item: Item) => string } = {},
  ) {
    this.#work = work;
    this.#split = (queue) => groupLength(queue.slice(0, most), identify);
  }

  add(item: Item): Promise<Result> {
    const done = new Promise<Result>((resolve, reject) => {
      this.#queue.push({ item, resolve, reject });
    });
    this.#draining ??= this.#drain();
    return done;
  }

  /** Resolves when no items are waiting any more. */
  async idle(): Promise<void> {
    while (this.#draining) await this.#draining;
  }

  async #drain(): Promise<void> {
    // Everything that is added in this turn of the event loop is part of the first group.
    await Promise.resolve();
    while (this.#queue.length > 0) {
      const group = this.#queue.splice(0, this.#split(this.#queue));
      try {
        const results = await this.#work(group.map(({ item }) => item));
        group.forEach(({ resolve }, at) => {
          resolve(results[at] as Result);
        });
      } catch (error) {
        for (const { reject } of group) reject(error);
      }
    }
    this.#draining = null;
  }
}

interface QueuedItem<Item, Result> {
  readonly item: Item;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
}

/** Returns the number of items from the front of the queue that may share a group. */
function groupLength<Item>(
  queue: readonly { readonly item: Item }[],
  identify: ((item: Item) => string) | undefined,
): number {
  const seen = new Set<string>();
  const at = identify ? queue.findIndex(({ item }, before) => seen.add(identify(item)).size === before) : -1;
  return at < 0 ? queue.length : at;
}
