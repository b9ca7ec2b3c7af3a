import { digestOf } from '../request/lead/service-request.ts';
import { KeyIndex } from '../request/log/key-index.ts';
import type { Ledger } from '../request/log/ledger.ts';
import type { LogRecord } from '../request/ports.ts';

/** Share of the rows of a file that may have the reference of another row. With more, references name something else. */
const MAX_SHARED = 0.1;
/** The entry of a reference that several rows have. */
const SEVERAL = 0;

/** What a log knows of the requests that were created at one service. */
export type CreatedRecords = AsyncIterable<Pick<LogRecord, 'key' | 'ref'>>;

/** The references of the rows of a file, in some 33 bytes a row. */
export class References {
  readonly #refs = new KeyIndex();
  readonly #rows: number[] = [];
  #shared = 0;

  add(row: number, ref: string): void {
    const entry = this.#refs.findOrAdd(digestOf([ref]));
    if (entry === this.#rows.length) this.#rows.push(row);
    else {
      this.#rows[entry] = SEVERAL;
      this.#shared += 1;
    }
  }

  /**
   * Finds the ready rows whose reference was created before, and returns them with the keys of those requests. A reference
   * counts only if no other row of the file has it.
   */
  async createdBefore(created: CreatedRecords, ledger: Ledger): Promise<ReadonlyMap<number, string>> {
    const found = new Map<number, string>();
    if (this.#rows.length === 0 || this.#shared > this.#rows.length * MAX_SHARED) return found;
    for await (const { key, ref } of created) {
      const entry = ref === null ? -1 : this.#refs.find(digestOf([ref]));
      const row = this.#rows[entry] ?? SEVERAL;
      if (row !== SEVERAL && ledger.status(row) === 'ready') found.set(row, key);
    }
    return found;
  }
}
