import type { RunRow } from '../../model/run-row.ts';
import { STATUS } from '../../model/status.ts';

/** A row of the list with the numbers of its reasons. */
export interface ListedRow extends RunRow {
  readonly reasons: readonly number[];
}

/** The rows a page lists: at most `limit`, those that need a look before the others, of equals the last. */
export class RowList {
  readonly #limit: number;
  readonly #ranks: ListedRow[][] = [[], [], [], []];
  /** How many of each rank were dropped from its front. */
  readonly #dropped = [0, 0, 0, 0];
  #kept = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  add(row: ListedRow): void {
    this.#ranks[STATUS[row.status].rank]?.push(row);
    this.#kept += 1;
    if (this.#kept > this.#limit) this.#dropOne();
  }

  /** In the order of rows. */
  rows(): ListedRow[] {
    return this.#ranks.flatMap((rows, rank) => rows.slice(this.#dropped[rank])).sort((a, b) => a.row - b.row);
  }

  #dropOne(): void {
    for (let rank = this.#ranks.length - 1; rank >= 0; rank--) {
      const rows = this.#ranks[rank] ?? [];
      const dropped = this.#dropped[rank] ?? 0;
      if (rows.length === dropped) continue;
      this.#kept -= 1;
      // Cutting the front off at each row would cost the square of their number.
      if (dropped + 1 > this.#limit / 8) {
        rows.splice(0, dropped + 1);
        this.#dropped[rank] = 0;
      } else this.#dropped[rank] = dropped + 1;
      return;
    }
  }
}
