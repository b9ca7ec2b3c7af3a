import { KeyIndex } from './key-index.ts';
import { type Counts, noCounts, STATUSES, type Status } from './outcome.ts';

const NO_KEY = 0xffffffff;

/**
 * What an import knows of each of its rows, in about 37 bytes a row: its key and its status. Rows are consecutive from
 * the first one added.
 */
export class Ledger {
  readonly #keys = new KeyIndex();
  #entries = new Uint32Array(4096);
  #statuses = new Uint8Array(4096);
  #firstRow = 1;
  #rows = 0;

  get rows(): number {
    return this.#rows;
  }

  /** Notes a row without a request. */
  addInvalid(row: number): void {
    this.#add(row, NO_KEY, 'invalid');
  }

  /** Notes a row and returns the first row of the file with the same content: itself, if the content is new. */
  add(row: number, key: string, status: Status): number {
    const entry = this.#keys.findOrAdd(key, row);
    const first = this.#keys.valueAt(entry);
    this.#add(row, entry, first === row ? status : 'repeated');
    return first;
  }

  status(row: number): Status {
    return STATUSES[this.#statuses[row - this.#firstRow] ?? 0] ?? 'failed';
  }

  setStatus(row: number, status: Status): void {
    this.#statuses[row - this.#firstRow] = STATUSES.indexOf(status);
  }

  has(row: number): boolean {
    return row >= this.#firstRow && row < this.#firstRow + this.#rows;
  }

  key(row: number): string | null {
    const entry = this.#entries[row - this.#firstRow] ?? NO_KEY;
    return entry === NO_KEY ? null : this.#keys.keyAt(entry);
  }

  /** The first row with this row's content. */
  firstRow(row: number): number {
    const entry = this.#entries[row - this.#firstRow] ?? NO_KEY;
    return entry === NO_KEY ? row : this.#keys.valueAt(entry);
  }

  counts(): Counts {
    const counts = noCounts();
    for (let index = 0; index < this.#rows; index++) counts[STATUSES[this.#statuses[index] ?? 0] ?? 'failed'] += 1;
    return counts;
  }

  #add(row: number, entry: number, status: Status): void {
    if (this.#rows === 0) this.#firstRow = row;
    if (this.#rows === this.#entries.length) this.#grow();
    this.#entries[this.#rows] = entry;
    this.#statuses[this.#rows] = STATUSES.indexOf(status);
    this.#rows += 1;
  }

  #grow(): void {
    const length = Math.ceil(this.#entries.length * 1.5);
    const entries = new Uint32Array(length);
    const statuses = new Uint8Array(length);
    entries.set(this.#entries);
    statuses.set(this.#statuses);
    this.#entries = entries;
    this.#statuses = statuses;
  }
}
