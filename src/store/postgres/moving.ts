import type { RecordedNote } from '../../request/log/log-store.ts';
import type { LoggedState } from '../../request/log/status.ts';
import type { LogRecord } from '../../request/ports.ts';
import { storedBy } from '../stored-by.ts';
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
    const { ids, ms, ref, message, raw, event } = record;
    const by = storedBy(event, record);
    const isBare = Object.keys(ids).length === 0;
    const texts = { ref: storable(ref), message: storable(message), raw: storable(raw) };
    return { ...record, ...texts, by, state, ids: isBare ? undefined : ids, ms: ms === null ? null : Math.round(ms) };
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

/** Number of ids that one statement covers. Statements stay short, and little is lost if one is cut off. */
const IDS_AT_ONCE = 50_000;

/**
 * Selects records that may be deleted: a later record says what became of the request, and they hold no identifier.
 * Records of living processes are kept, because a process looks for its own after a fail-over.
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
  /** Its size. A log only grows, so that one of the same size has no more than the store was told. */
  readonly bytes: number;
}

/** Tells whether the store was told of a log in a file, and the log has not grown since. */
export async function knowsFileLog(query: Query, { log, newestKey, bytes }: FileLogState): Promise<boolean> {
  const text = 'select srq.knows_file_log($1, $2, $3) as known';
  const rows = await query<{ known: boolean }>(text, [log, newestKey, bytes]);
  return rows[0]?.known === true;
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
  await query('select srq.note_file_log($1, $2, $3, $4, $5)', [log, name, isImported, newestKey, bytes]);
}

/**
 * Moving from the log in a file to a store. `srq.file_log` has the logs in files that the store was told of, so that
 * nothing is sent by a store that does not know what was sent before. Its functions belong to the owner of the tables,
 * so that roles which only send need no more rights than before.
 */
export const MOVING_SQL = `
create table srq.file_log (
  -- A digest of its first record.
  id uuid primary key,
  name text not null,
  -- False if a person decided that the store begins without it.
  imported boolean not null,
  -- The newest request that it had then.
  newest uuid not null,
  bytes bigint not null,
  at timestamptz not null default clock_timestamp()
);

create function srq.note_file_log(p_id uuid, p_name text, p_imported boolean, p_newest uuid, p_bytes bigint) returns void
language sql security definer set search_path = pg_catalog, pg_temp as $$
  insert into srq.file_log (id, name, imported, newest, bytes) values (p_id, p_name, p_imported, p_newest, p_bytes)
  on conflict (id) do update set name = excluded.name, imported = excluded.imported, newest = excluded.newest,
    bytes = excluded.bytes, at = clock_timestamp()
$$;

-- A log that has grown since the store was told of it is not known, whatever its newest request is: the store may know
-- that one by another way, and none of those before it.
create function srq.knows_file_log(p_id uuid, p_newest uuid, p_bytes bigint) returns boolean
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
  select exists (select 1 from srq.file_log f where f.id = p_id and f.newest = p_newest and f.bytes = p_bytes)
$$;

-- Whether a state in another log replaces the state in the store. The stronger state is the one that keeps a request from
-- being sent again.
create function srq.outranks(p_told srq.log_state, p_known srq.log_state) returns boolean
language sql immutable as $$
  select case p_told
    when 'created' then p_known <> 'created'
    when 'duplicate' then p_known not in ('created', 'duplicate')
    when 'parked' then p_known not in ('created', 'duplicate', 'parked')
    when 'sending' then p_known in ('failed', 'rejected', 'licensed')
    when 'unknown' then p_known in ('failed', 'rejected', 'licensed')
    else false end
$$;

-- Takes over the last record and the state of each request of another log, whose runs are p_runs; no key occurs twice.
-- Returns the number of requests of which the store has learned something.
create function srq.take_over(p_runs text[], p_requests json) returns integer
language plpgsql as $$
#variable_conflict use_column
declare
  v_count integer;
begin
  insert into srq.worker (run, holder, left_at)
    select u.run, 'srq store import', clock_timestamp() from unnest(p_runs) as u (run)
    where not exists (select 1 from srq.worker w where w.run = u.run) on conflict do nothing;
  with input as materialized (
    select o.*, nextval('srq.record_id') as id
    from (
      select i.*, w.id as worker, s.state as before
      from rows from (
        json_to_recordset(p_requests) as (
          run text, key uuid, state srq.log_state, event srq.log_event, at timestamptz, "row" integer, ref text,
          market text, ids json, http integer, ms integer, message text, raw text, by text, again boolean
        )
      ) with ordinality as i (
        run, key, state, event, at, "row", ref, market, ids, http, ms, message, raw, by, again, place
      )
        join srq.worker w on w.run = i.run
        left join srq.state s on s.key = i.key
      where s.state is null or srq.outranks(i.state, s.state)
      order by i.place
    ) o
  ), changed as (
    -- A licence allows one more send after the one that the store knew of. It does not cover another send in doubt.
    update srq.state s
    set record = i.id, worker = i.worker,
      state = case when s.state = 'licensed' and i.state in ('sending', 'unknown') then 'parked' else i.state end
    from input i
    where s.key = i.key and srq.outranks(i.state, s.state)
    returning s.key
  ), added as (
    insert into srq.state as s (key, state, record, worker)
    select i.key, i.state, i.id, i.worker from input i where i.before is null
    order by i.key
    on conflict do nothing
    returning s.key
  ), written as (
    insert into srq.record (
      id, at, key, worker, entry, "row", event, http, ms, again, market, ref, ids, message, raw, by
    )
    select i.id, i.at, i.key, i.worker, 0, i."row", i.event, i.http, i.ms, i.again, i.market, i.ref, i.ids,
      i.message, i.raw, i.by
    from input i join (select key from changed union all select key from added) w on w.key = i.key
    returning key
  )
  select count(*) into v_count from written;
  return v_count;
end $$;
`;
