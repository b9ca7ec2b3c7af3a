import { setImmediate as nextTurn } from 'node:timers/promises';
import type { KeptContent } from './received-request.ts';
import { type Filter, fitsContent, fitsHead, type Head } from './request-filter.ts';

/** The requests that fit a filter, as far as the list was looked through. */
interface View {
  readonly numbers: number[];
  looked: number;
}

/** Whoever pages through a list asks for the same filter again and again; a few lists may be looked at. */
const MOST_VIEWS = 8;
/** Between so many the marketplace gets its turn. */
const LOOKED_AT_ONCE = 1_000;

/** Finds the numbers that fit a filter in a list that only grows. Asked again, it looks only through what is new. */
export class FilteredNumbers<Entry extends Head> {
  readonly #entries: () => readonly Entry[];
  readonly #contentOf: (entry: Entry) => KeptContent;
  readonly #views = new Map<string, View>();

  constructor(entries: () => readonly Entry[], contentOf: (entry: Entry) => KeptContent) {
    this.#entries = entries;
    this.#contentOf = contentOf;
  }

  /** In the order of the list. */
  async find(filter: Filter): Promise<readonly number[]> {
    const view = this.#viewOf(filter);
    while (this.#lookOn(view, filter)) await nextTurn();
    return view.numbers;
  }

  /** To be called when the list begins anew. */
  clear(): void {
    this.#views.clear();
  }

  #viewOf(filter: Filter): View {
    const name = JSON.stringify(filter);
    const view = this.#views.get(name) ?? { numbers: [], looked: 0 };
    // The one that was not asked for the longest is the first.
    this.#views.delete(name);
    this.#views.set(name, view);
    const [oldest] = this.#views.keys();
    if (oldest !== undefined && this.#views.size > MOST_VIEWS) this.#views.delete(oldest);
    return view;
  }

  /** Looks through some that were not looked at; false once there are none. */
  #lookOn(view: View, filter: Filter): boolean {
    const entries = this.#entries();
    const some = entries.slice(view.looked, view.looked + LOOKED_AT_ONCE);
    view.looked += some.length;
    for (const entry of some) {
      const fits = fitsHead(filter, entry) && fitsContent(filter, entry, () => this.#contentOf(entry));
      if (fits) view.numbers.push(entry.number);
    }
    return view.looked < entries.length;
  }
}
