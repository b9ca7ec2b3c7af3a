interface Limits<Item> {
  /** The maximum number of items in a group. */
  readonly most?: number;
  /** Items for which it returns the same text never share a group. */
  readonly identify?: (item: Item) => string;
}

interface QueuedItem<Item, Result> {
  readonly item: Item;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Processes items in groups, without a timer: the items that are added while one group is processed form the next one.
 * `work` returns a result for each item. If it throws, all items of that group fail with the error.
 */
export class InGroups<Item, Result> {
  readonly #work: (items: readonly Item[]) => Promise<readonly Result[]>;
  readonly #limits: Limits<Item>;
  readonly #queue: QueuedItem<Item, Result>[] = [];
  #draining: Promise<void> | null = null;

  constructor(work: (items: readonly Item[]) => Promise<readonly Result[]>, limits: Limits<Item> = {}) {
    this.#work = work;
    this.#limits = limits;
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
      const group = this.#nextGroup();
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

  /** Takes the items from the front of the queue that may share a group. */
  #nextGroup(): QueuedItem<Item, Result>[] {
    const { most = Number.POSITIVE_INFINITY, identify } = this.#limits;
    const seen = new Set<string>();
    const end = this.#queue.findIndex(
      ({ item }, before) => before >= most || (identify && seen.add(identify(item)).size === before),
    );
    return this.#queue.splice(0, end < 0 ? this.#queue.length : end);
  }
}
