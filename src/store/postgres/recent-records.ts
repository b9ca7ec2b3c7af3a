import type { ConfirmedRecord } from './rows.ts';

/** Number of records that are kept in any case. They are enough for three minutes at a hundred records per second. */
const KEPT = 20_000;

/** The latest records of this process. If the server is replaced by one that lacks them, they are written again. */
export class RecentRecords {
  #records: ConfirmedRecord[] = [];
  #newestId = 0;

  /**
   * The largest id in the log that this process knows of, or 0. Ids that are given out later are larger, also on a server
   * that takes over.
   */
  get newestId(): number {
    return this.#newestId;
  }

  /** The newest record, or null. */
  get newest(): ConfirmedRecord | null {
    return this.#records.at(-1) ?? null;
  }

  /** All kept records, in their order. */
  get all(): readonly ConfirmedRecord[] {
    return this.#records;
  }

  add(record: ConfirmedRecord): void {
    this.#records.push(record);
    this.sawId(record.id);
    if (this.#records.length >= KEPT + KEPT / 4) this.#records = this.#records.slice(-KEPT);
  }

  /** Notes that the log has a record with this id, perhaps of another process. */
  sawId(id: number): void {
    this.#newestId = Math.max(this.#newestId, id);
  }

  clear(): void {
    this.#records = [];
  }
}
