import { KeyIndex } from './key-index.ts';
import { type Counts, noCounts, STATUSES, type Status } from './status.ts';

/**
 * Bits of a row's byte that hold the number of its status. The other two bits say whether the row has no key, and
 * whether an earlier row has the same content.
 */
const STATUS_BITS = 0x3f;
const NO_KEY = 0x40;
const SAME_CONTENT = 0x80;
const UNKNOWN = STATUSES.indexOf('unknown');

/**
 * The ledger keeps the key and the status of each row of an import, in at most 25 bytes a row. Rows are consecutive,
 * starting with the first one added.
 */
export class Ledger {
  /**
   * Holds one entry for each row. The entry of a row without a key holds the place of the row itself, and that of a
   * repeated row holds the place of the first row with the same content.
   */
  readonly #keys = new KeyIndex();
  #bytes = new Uint8Array(4096);
  #firstRow = 1;
  #rows = 0;

  get rows(): number {
    return this.#rows;
  }

  /** Adds a row without a request, or whose request cannot be known. */
  addWithoutKey(row: number, status: Status): void {
    const place = this.#begin(row);
    this.#keys.addNumber(place);
    this.#bytes[place] = NO_KEY | STATUSES.indexOf(status);
  }

  /**
   * Adds a row and returns the first row of the file with the same content, which is the row itself if the content is
   * new.
   */
  add(row: number, key: string, status: Status): number {
    const place = this.#begin(row);
    const first = this.#keys.findOrAdd(key);
    if (first === place) this.#bytes[place] = STATUSES.indexOf(status);
    else {
      this.#keys.addNumber(first);
      this.#bytes[place] = SAME_CONTENT | STATUSES.indexOf('repeated');
    }
    return this.#firstRow + first;
  }

  status(row: number): Status {
    return statusOf(this.#byte(row));
  }

  setStatus(row: number, status: Status): void {
    this.#bytes[row - this.#firstRow] = (this.#byte(row) & ~STATUS_BITS) | STATUSES.indexOf(status);
  }

  /** Makes a row unknown for what became of another request, so that nobody settles it by its own key. */
  holdAsUnknown(row: number): void {
    this.#bytes[row - this.#firstRow] = NO_KEY | UNKNOWN;
  }

  has(row: number): boolean {
    return row >= this.#firstRow && row < this.#firstRow + this.#rows;
  }

  /** Tells whether the request of a row is known. */
  hasKey(row: number): boolean {
    return this.has(row) && (this.#byte(row) & NO_KEY) === 0;
  }

  /** Tells whether a row of the file is this request. */
  hasRequest(key: string): boolean {
    return this.#keys.find(key) >= 0;
  }

  key(row: number): string | null {
    if (!this.hasKey(row)) return null;
    return this.#keys.keyAt(this.firstRow(row) - this.#firstRow);
  }

  /** Returns the first row with the same content. */
  firstRow(row: number): number {
    if ((this.#byte(row) & SAME_CONTENT) === 0) return row;
    return this.#firstRow + this.#keys.numberAt(row - this.#firstRow);
  }

  /** Returns the number of rows in doubt whose request is known, so that it can be settled. */
  doubts(): number {
    let count = 0;
    for (let place = 0; place < this.#rows; place++) {
      if (((this.#bytes[place] ?? 0) & (NO_KEY | STATUS_BITS)) === UNKNOWN) count += 1;
    }
    return count;
  }

  counts(): Counts {
    const counts = noCounts();
    for (let place = 0; place < this.#rows; place++) counts[statusOf(this.#bytes[place] ?? 0)] += 1;
    return counts;
  }

  #byte(row: number): number {
    return this.#bytes[row - this.#firstRow] ?? 0;
  }

  /** Makes room for a row and returns its place. */
  #begin(row: number): number {
    if (this.#rows === 0) this.#firstRow = row;
    if (this.#rows === this.#bytes.length) {
      const bytes = new Uint8Array(Math.ceil(this.#bytes.length * 1.5));
      bytes.set(this.#bytes);
      this.#bytes = bytes;
    }
    return this.#rows++;
  }
}

function statusOf(byte: number): Status {
  return STATUSES[byte & STATUS_BITS] ?? 'failed';
}
