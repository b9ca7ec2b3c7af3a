import type { LoggedState } from '../../request/log/status.ts';
import type { LogRecord } from '../../request/ports.ts';

/** A record of this process that the store has confirmed. */
export interface ConfirmedRecord extends Omit<LogRecord, 'run' | 'by' | 'ids' | 'wireForm' | 'wasClear' | 'looked'> {
  readonly id: number;
  /** JSON as text, or null if there are none. */
  readonly ids: string | null;
  /** What the table keeps as `by`. */
  readonly by: string | null;
  /** Its number among the records of this process. */
  readonly entry: number;
  /** The state of its request after this record. */
  readonly state: LoggedState;
}

/** Replaces what PostgreSQL's text type cannot hold: NUL, and halves of a character. */
export function storable(text: string | null): string | null {
  return text === null ? null : text.toWellFormed().replaceAll('\0', '\uFFFD');
}

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

  /** Sets the new ids of records that were written again, by their entry. */
  renumber(ids: ReadonlyMap<number, number>): void {
    this.#records = this.#records.map((record) => ({ ...record, id: ids.get(record.entry) ?? record.id }));
    for (const id of ids.values()) this.sawId(id);
  }
}
