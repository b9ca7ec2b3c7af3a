import { setImmediate as nextTurn } from 'node:timers/promises';
import type { KeptContent } from './received-request.ts';
import { type Filter, fitsContent, fitsHead, type Head } from './request-filter.ts';

/** The numbers of the requests that match a filter, among the first `looked` entries of the list. */
interface View {
  readonly numbers: number[];
  looked: number;
}

/**
 * Maximum number of filters whose results are kept. Whoever pages through a list asks for the same filter again and
 * again, and a few lists may be open at once.
 */
const MAX_VIEWS = 8;
/** Number of entries that are examined before other work of the sandbox gets its turn. */
const BATCH_ENTRIES = 1_000;

/**
 * Finds the numbers that match a filter in a list that only grows. A further search with the same filter examines only
 * new entries.
 */
export class FilteredNumbers<Entry extends Head> {
  readonly #entries: () => readonly Entry[];
  readonly #contentOf: (entry: Entry) => KeptContent;
  readonly #views = new Map<string, View>();

  constructor(entries: () => readonly Entry[], contentOf: (entry: Entry) => KeptContent) {
    this.#entries = entries;
    this.#contentOf = contentOf;
  }

  /** Returns the matching numbers in the order of the list. */
  async find(filter: Filter): Promise<readonly number[]> {
    const view = this.#viewOf(filter);
    while (this.#lookOn(view, filter)) await nextTurn();
    return view.numbers;
  }

  /** Forgets all results. It must be called when the list starts again. */
  clear(): void {
    this.#views.clear();
  }

  #viewOf(filter: Filter): View {
    const name = JSON.stringify(filter);
    const view = this.#views.get(name) ?? { numbers: [], looked: 0 };
    // Each use moves the filter to the end, so that the first one is the least recently used.
    this.#views.delete(name);
    this.#views.set(name, view);
    const [oldest] = this.#views.keys();
    if (oldest !== undefined && this.#views.size > MAX_VIEWS) this.#views.delete(oldest);
    return view;
  }

  /** Examines the next batch of entries, and returns false once there are none left. */
  #lookOn(view: View, filter: Filter): boolean {
    const entries = this.#entries();
    const some = entries.slice(view.looked, view.looked + BATCH_ENTRIES);
    view.looked += some.length;
    for (const entry of some) {
      const fits = fitsHead(filter, entry) && fitsContent(filter, entry, () => this.#contentOf(entry));
      if (fits) view.numbers.push(entry.number);
    }
    return view.looked < entries.length;
  }
}
