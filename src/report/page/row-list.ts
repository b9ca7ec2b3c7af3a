import type { RunRow } from '../../model/run-row.ts';
import { STATUS } from '../../model/status.ts';

/** A row of the list with the indexes of its reasons. */
export interface ListedRow extends RunRow {
  readonly reasons: readonly number[];
}

/** Keeps at most `limit` rows for the page: first those that a person must look at; of equal priority the last ones. */
export class RowList {
  readonly #limit: number;
  readonly #ranks: ListedRow[][] = [[], [], [], []];
  /** The number of rows at the front of each rank that are dropped but not yet removed. */
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

  /** Returns the kept rows in the order of their row numbers. */
  rows(): ListedRow[] {
    return this.#ranks.flatMap((rows, rank) => rows.slice(this.#dropped[rank])).sort((a, b) => a.row - b.row);
  }

  #dropOne(): void {
    for (let rank = this.#ranks.length - 1; rank >= 0; rank--) {
      const rows = this.#ranks[rank] ?? [];
      const dropped = this.#dropped[rank] ?? 0;
      if (rows.length === dropped) continue;
      this.#kept -= 1;
      // Removing the front at each row would take time quadratic in the number of rows.
      if (dropped + 1 > this.#limit / 8) {
        rows.splice(0, dropped + 1);
        this.#dropped[rank] = 0;
      } else this.#dropped[rank] = dropped + 1;
      return;
    }
  }
}
