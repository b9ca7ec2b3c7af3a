import type { RecordedNote } from '../../request/log/log-store.ts';
import type { LoggedState } from '../../request/log/status.ts';
import type { LogRecord } from '../../request/ports.ts';
import type { Query } from './database.ts';
import { jsonOf, rowOf } from './rows.ts';

/** What a log knows of a request: its state, and its last record. */
export interface KnownRequest {
  readonly state: LoggedState;
  readonly record: LogRecord;
}

/**
 * Takes over requests of another log; no key occurs twice. Returns the number of those of which the store has learned
 * something. The same again changes nothing.
 */
export async function takeOver(query: Query, requests: readonly KnownRequest[]): Promise<number> {
  const rows = requests.map(({ record, state }, place) => {
    return { ...rowOf(record), state, at: record.at, run: record.run, place };
  });
  const runs = [...new Set(requests.map(({ record }) => record.run))];
  const text = 'select srq.take_over($1, $2) as learned';
  const [row] = await query<{ learned: number }>(text, [runs, jsonOf(rows)]);
  return row?.learned ?? 0;
}

/** Adds the notes on runs of which the store has none. */
export async function takeOverNotes(query: Query, notes: readonly RecordedNote[]): Promise<void> {
  const runs = [...new Set(notes.map(({ run }) => run))];
  const known = await query<{ run: string }>('select distinct run from srq.note where run = any($1)', [runs]);
  const fresh = notes.filter((note) => !known.some(({ run }) => run === note.run));
  const bare = fresh.map(({ run: _, at: __, ...note }) => JSON.stringify(note));
  await query(
    `insert into srq.note (run, at, note)
    select run, at, note from unnest($1::text[], $2::timestamptz[], $3::json[]) with ordinality as n (run, at, note, place)
    order by place`,
    [fresh.map(({ run }) => run), fresh.map(({ at }) => at), bare],
  );
}

/** A log in a file as it is at this moment. */
export interface FileLogState {
  /** Identifies the log: 32 hex digits. */
  readonly log: string;
  /** The key of its newest request. */
  readonly newestKey: string;
  /** Its size. A log only grows, so that one of the same size has no more than the store was told. */
  readonly bytes: number;
}

/**
 * Tells whether the store was told of a log in a file, and the log has not grown since. Whatever its newest request is: the
 * store may know that one by another way, and none of those before it.
 */
export async function knowsFileLog(query: Query, { log, newestKey, bytes }: FileLogState): Promise<boolean> {
  const text = 'select 1 from srq.file_log where id = $1 and newest = $2 and bytes = $3';
  return (await query(text, [log, newestKey, bytes])).length > 0;
}

/** A log in a file that a person has decided about. */
export interface NotedFileLog extends FileLogState {
  /** Its path, for people. */
  readonly name: string;
  readonly isImported: boolean;
}

/** Remembers what was decided about a log in a file. */
export async function noteFileLog(query: Query, noted: NotedFileLog): Promise<void> {
  const { log, name, isImported, newestKey, bytes } = noted;
  await query(
    `insert into srq.file_log (id, name, imported, newest, bytes) values ($1, $2, $3, $4, $5)
    on conflict (id) do update set name = excluded.name, imported = excluded.imported, newest = excluded.newest,
      bytes = excluded.bytes, at = clock_timestamp()`,
    [log, name, isImported, newestKey, bytes],
  );
}

/** The effect of a person's decision to go on. */
export interface Resumed {
  /** The processes that are no longer waited for. */
  readonly missing: readonly string[];
  /** Number of requests that are unknown now, because one of these processes may have sent them; before: that wait. */
  readonly doubtful: number;
}

const MAY_HAVE_SENT =
  'A process that did not come back when the server was replaced may have sent this. Look it up at the service.';

/** Lets sending go on. `hasAll` is the person's word that the server has each commit; null: it only looks. */
export async function resume(query: Query, hasAll: boolean | null): Promise<Resumed> {
  const text = 'select missing, doubtful from srq.resume($1, $2)';
  const [row] = await query<Resumed>(text, [hasAll, MAY_HAVE_SENT]);
  return row ?? { missing: [], doubtful: 0 };
}
