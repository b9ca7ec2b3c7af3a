import type { RecordedNote } from '../../request/log-store.ts';
import type { LogRecord } from '../../request/ports.ts';
import type { LoggedState } from '../../request/status.ts';
import type { Database, Query } from './database.ts';
import { storable } from './recent-records.ts';

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
  const rows = requests.map(({ record, state }) => {
    const { ids, ms, ref, message, raw } = record;
    const isBare = Object.keys(ids).length === 0;
    const texts = { ref: storable(ref), message: storable(message), raw: storable(raw) };
    return { ...record, ...texts, state, ids: isBare ? undefined : ids, ms: ms === null ? null : Math.round(ms) };
  });
  const runs = [...new Set(requests.map(({ record }) => record.run))];
  const text = 'select srq.take_over($1, $2) as learned';
  const [row] = await query<{ learned: number }>(text, [runs, JSON.stringify(rows)]);
  return row?.learned ?? 0;
}

/** Adds the notes on runs of which the store has none. */
export async function takeOverNotes(query: Query, notes: readonly RecordedNote[]): Promise<void> {
  const runs = [...new Set(notes.map(({ run }) => run))];
  const known = await query<{ run: string }>('select distinct run from srq.run_note where run = any($1)', [runs]);
  const fresh = notes.filter((note) => !known.some(({ run }) => run === note.run));
  const bare = fresh.map(({ run: _, at: __, ...note }) => JSON.stringify(note));
  await query(
    `insert into srq.run_note (run, at, note)
    select run, at, note from unnest($1::text[], $2::timestamptz[], $3::json[]) with ordinality as n (run, at, note, place)
    order by place`,
    [fresh.map(({ run }) => run), fresh.map(({ at }) => at), bare],
  );
}

/** How many ids one statement goes through, so that each is short and a break loses little. */
const IDS_AT_ONCE = 50_000;

/**
 * Records that nothing follows from: a later one says what became of the request, and they hold no identifier. Those of
 * processes that live stay, because a process looks for its own after a fail-over.
 */
const REPLACED = `srq.record r
  where r.id >= $1 and r.id < $2 and r.at < $3 and r.ids is null and r.event not in ('created', 'duplicate')
    and exists (select 1 from srq.state s where s.key = r.key and s.record <> r.id)
    and not exists (select 1 from srq.worker w where w.id = r.worker and w.left_at is null
      and w.seen_at > clock_timestamp() - interval '1 day')`;

/**
 * Goes through the records from before `before` that a later one has replaced, some at a time, and yields the numbers of
 * those that were found. With `deletes` it deletes them.
 */
export async function* replacedRecords(
  { query }: Database,
  before: Date,
  deletes: boolean,
): AsyncGenerator<number, void> {
  const text = deletes
    ? `with gone as (delete from ${REPLACED} returning 1) select count(*)::integer as count from gone`
    : `select count(*)::integer as count from ${REPLACED}`;
  const [ends] = await query<{ oldest: number; newest: number }>(
    'select min(id)::float8 as oldest, max(id)::float8 as newest from srq.record',
  );
  const { oldest = 0, newest = 0 } = ends ?? {};
  for (let from = oldest; from <= newest; from += IDS_AT_ONCE) {
    const [row] = await query<{ count: number }>(text, [from, from + IDS_AT_ONCE, before.toISOString()]);
    yield row?.count ?? 0;
  }
}

/** A log in a file as it is at this moment. */
export interface FileLogState {
  /** Identifies the log: 32 hex digits. */
  readonly log: string;
  /** The key of its newest request. */
  readonly newestKey: string;
}

/** Tells whether the store was told of a log in a file, and knows its newest request. */
export async function knowsFileLog(query: Query, { log, newestKey }: FileLogState): Promise<boolean> {
  const rows = await query<{ known: boolean }>('select srq.knows_file_log($1, $2) as known', [log, newestKey]);
  return rows[0]?.known === true;
}

/** A log in a file that a person has decided about. */
export interface NotedFileLog extends FileLogState {
  /** Its path, for people. */
  readonly name: string;
  readonly isImported: boolean;
}

/** Remembers what was decided about a log in a file. */
export async function noteFileLog(query: Query, { log, name, isImported, newestKey }: NotedFileLog): Promise<void> {
  await query('select srq.note_file_log($1, $2, $3, $4)', [log, name, isImported, newestKey]);
}
