import type { LoggedState } from '../../request/log/status.ts';
import type { LogRecord } from '../../request/ports.ts';
import { detailsOf, type NewRecord, recordFrom, someIds } from '../stored-record.ts';

/** A record as the functions of the store take it. Identifiers are JSON as text, since they may hold NUL. */
export function rowOf(record: NewRecord) {
  const ids = someIds(record.ids);
  return { key: record.key, event: record.event, ids: ids ? JSON.stringify(ids) : null, details: detailsOf(record) };
}

/** A record of this process that the store has confirmed. */
export interface ConfirmedRecord extends ReturnType<typeof rowOf> {
  readonly id: number;
  /** Its number among the records of this process. */
  readonly entry: number;
  /** The state of its request after this record. */
  readonly state: LoggedState;
  readonly at: string;
}

/** Returns a text without what PostgreSQL's text cannot hold: NUL, and halves of a character. */
export const storedText = (text: string): string => text.toWellFormed().replaceAll('\0', '\uFFFD');

export const jsonOf = (rows: readonly object[]): string =>
  JSON.stringify(rows, (_, value) => (typeof value === 'string' ? storedText(value) : value));

/** A row of `srq.record r` with the run of its process `w`. */
export interface RecordRow extends Pick<LogRecord, 'key' | 'event' | 'at' | 'run'> {
  readonly id: string | null;
  readonly ids: LogRecord['ids'] | null;
  readonly details: object | null;
}

export const RECORD_COLUMNS = `r.id, replace(r.key::text, '-', '') as key, r.event, r.ids, r.details, w.run,
  to_char(r.at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as at`;

export const recordOf = (row: RecordRow): LogRecord => recordFrom(row, { ...row.details, run: row.run, ids: row.ids });
