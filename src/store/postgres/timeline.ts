import { SrqError } from '../../request/words/errors.ts';
import type { Query } from './database.ts';
import { isInstalled } from './queue-schema.ts';
import type { ConfirmedRecord, RecentRecords } from './recent-records.ts';

/** Time without a sign of life before a fail-over after which a process certainly had nothing under way. */
const SILENCE_S = 60;
/** Time to wait for processes that may have died, if they cannot have known more than the new server. */
const PATIENCE_S = 30;
const MAX_RECORDS = 2_000;

/** The records that a process found missing on a server and has written again. */
export interface PutBack {
  readonly records: number;
  /** Number of requests that another process had begun again before. */
  readonly late: number;
  /** False if more records are missing than the process remembers. */
  readonly isWhole: boolean;
}

/** Records that this server has come into use. Returns the time from which it is in use, by its clock. */
export async function joinTimeline(query: Query, timeline: number | null, isLossy = false): Promise<string> {
  const [row] = await query<{ since: string }>('select srq.join_timeline($1, $2)::text as since', [timeline, isLossy]);
  return row?.since ?? '';
}

/** Returns null if sending may continue, or the names of the processes that are waited for. */
export async function missingProcesses(query: Query, timeline: number | null): Promise<readonly string[] | null> {
  const text = 'select settled, missing from srq.settle_timeline($1, $2, $3)';
  const [row] = await query<{ settled: boolean; missing: string[] }>(text, [timeline, SILENCE_S, PATIENCE_S]);
  return row?.settled === false ? row.missing : null;
}

/** Returns the error for a process that must not send before the missing processes are back. The error is temporary. */
export function heldBack(shown: string, missing: readonly string[]): SrqError {
  return new SrqError(
    'store.failed-over',
    `The store ${shown} has failed over to a server that may lack the last commits. It waits for what these processes know: ${missing.join('; ')}. If they will not come back: srq store resume.`,
    'Start nothing by hand that they may have sent. Before srq store resume, look up at the service what it created last.',
    Object.assign(new Error('held back after a fail-over'), { code: '08006' }),
  );
}

/** Writes the records of a process again that a server lacks. Usually there are none. */
export async function putBack(
  query: Query,
  worker: number,
  timeline: { readonly number: number | null; readonly since: string },
  recent: RecentRecords,
): Promise<PutBack> {
  if (recent.all.length === 0 || (await knows(query, recent.all.at(-1)))) return { records: 0, late: 0, isWhole: true };
  await joinTimeline(query, timeline.number, true);
  const isWhole = recent.isWhole || (await knows(query, recent.all[0]));
  let [records, late] = [0, 0];
  const { all, newestId } = recent;
  for (let from = 0; from < all.length; from += MAX_RECORDS) {
    const group = JSON.stringify(all.slice(from, from + MAX_RECORDS));
    const text = 'select entry, id::float8 as id, is_late from srq.put_back($1, $2, $3, $4)';
    const rows = await query<WrittenAgain>(text, [worker, newestId, timeline.since, group]);
    recent.renumber(new Map(rows.map(({ entry, id }) => [entry, id])));
    late += rows.filter(({ is_late }) => is_late).length;
    records += rows.length;
  }
  return { records, late, isWhole };
}

/** Makes a server that has taken over give out only ids above `newestId`. */
export async function passIds(query: Query, newestId: number): Promise<void> {
  const text = `select count(nextval('srq.record_id')) from generate_series(1, $1::bigint - nextval('srq.record_id'))`;
  await query(text, [newestId]);
}

interface WrittenAgain {
  readonly entry: number;
  readonly id: number;
  readonly is_late: boolean;
}

/**
 * Tells whether the server has a record. Commits are kept or lost in their order, so a server that has a record has all
 * that were confirmed before it.
 */
async function knows(query: Query, record: ConfirmedRecord | undefined): Promise<boolean> {
  if (!record) return true;
  const text = 'select 1 from srq.record where id = $1 and key = $2';
  return (await query(text, [record.id, record.key])).length > 0;
}

/** The effect of a person's decision to continue. */
export interface Resumed {
  /** The processes that are no longer waited for. */
  readonly missing: readonly string[];
  /** Number of requests that are in doubt now, because one of these processes was working on them. */
  readonly doubtful: number;
}

const IN_HAND =
  'A process that ended as the server lost its last commits had this in hand, and may have sent it, perhaps once more. Look it up at the service.';

/**
 * Records once more each request in doubt that a missing process had in hand. The process may have sent it again in the
 * moments that the server lost, so the new record has the present time. Its duration still leads back to the first try. A
 * request whose state is only an intent counts as in doubt unless the process that wrote it has come back.
 */
const DOUBT_AGAIN = `
  with held as materialized (
    select distinct on (s.key) r.*, w.id as holder, nextval('srq.record_id') as new_id, clock_timestamp() as now
    from srq.missing_workers($1, $2) w
      join srq.queue_claim c on c.worker = w.id
      join srq.state s on s.key = c.job
      join srq.record r on r.id = s.record
    where s.state = 'unknown'
      or (s.state = 'sending' and coalesce((select o.timeline from srq.worker o where o.id = s.worker), 0) < $1)
  ), changed as (
    update srq.state s set state = 'unknown', record = h.new_id, worker = h.holder
    from held h where s.key = h.key and s.record = h.id
    returning s.key
  )
  insert into srq.record (id, at, key, worker, entry, "row", event, http, ms, again, market, ref, ids, message, raw, by)
  select new_id, now, key, holder, 0, "row", 'unknown', http,
    least(extract(epoch from now - at) * 1000 + coalesce(ms, 0), 2147483647)::integer,
    again, market, ref, ids, $3, raw, by
  from held join changed using (key)`;

/**
 * Records what missing processes had in hand and was not in doubt. They may have sent it from the moment on at which they
 * took it, so that the time since then is its duration. The function `resume_timeline` would record none.
 */
const DOUBT_IN_HAND = `
  with held as materialized (
    select distinct on (c.job) c.job as key, w.id as holder, nextval('srq.record_id') as id, clock_timestamp() as now,
      j.started_on, coalesce((j.data ->> 'row')::integer, 0) as "row"
    from srq.missing_workers($1, $2) w
      join srq.queue_claim c on c.worker = w.id
      join srq_queue.job j on j.name = c.queue and j.id = c.job
  ), changed as (
    insert into srq.state as s (key, state, record, worker)
    select key, 'unknown', id, holder from held order by key
    on conflict (key) do update set record = excluded.record, worker = excluded.worker,
      state = case when s.state = 'licensed' then 'parked'::srq.log_state else 'unknown' end
      where s.state in ('failed', 'rejected', 'licensed')
    returning s.key
  )
  insert into srq.record (id, at, key, worker, entry, "row", event, ms, again, message)
  select id, now, key, holder, 0, "row", 'unknown',
    least(extract(epoch from now - started_on) * 1000, 2147483647)::integer, false, $3
  from held join changed using (key)
  returning key`;

/** Lets sending continue without the processes that have not come back. It is to run in one transaction. */
export async function resume(query: Query, timeline: number | null): Promise<Resumed> {
  await query(DOUBT_AGAIN, [timeline, SILENCE_S, IN_HAND]);
  const inHand = (await isInstalled({ query })) ? await query(DOUBT_IN_HAND, [timeline, SILENCE_S, IN_HAND]) : [];
  const [row] = await query<Resumed>('select missing, doubtful from srq.resume_timeline($1, $2)', [SILENCE_S, IN_HAND]);
  return { missing: row?.missing ?? [], doubtful: inHand.length + (row?.doubtful ?? 0) };
}

/**
 * These tables and functions tell processes that the server was replaced by one that may lack the last commits. Each
 * server on which a standby became the primary has its own timeline, which has a row here from the first connection on.
 * Nothing is begun on it before every process that was alive has written its missing records again, which its row in
 * `srq.worker` shows.
 *
 * The functions that use this table belong to the owner of the tables, so that roles which only send need no additional
 * rights.
 */
export const TIMELINE_TABLES = {
  number: 4,
  name: 'timeline',
  sql: `
create table srq.timeline (
  number integer primary key,
  since timestamptz not null default clock_timestamp(),
  -- The last sign of life of a process that this server knows from the time before.
  forked_at timestamptz not null,
  -- Whether a commit on it waited for a standby.
  synchronous boolean not null,
  -- Whether a process has found that records from the time before are missing.
  lossy boolean not null default false,
  -- Since when sending may go on.
  settled_at timestamptz
);

alter table srq.worker add column timeline integer;

create function srq.join_timeline(p_number integer, p_lossy boolean) returns timestamptz
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_synchronous boolean := current_setting('synchronous_standby_names') <> '';
  v_since timestamptz;
begin
  -- The first one is where everything began.
  insert into srq.timeline (number, forked_at, synchronous, settled_at)
    select p_number, coalesce((select max(seen_at) from srq.worker), clock_timestamp()), v_synchronous,
      case when not exists (select 1 from srq.timeline) then clock_timestamp() end
    where not exists (select 1 from srq.timeline where number = p_number)
    on conflict do nothing;
  update srq.timeline set synchronous = v_synchronous, lossy = lossy or p_lossy
    where number = p_number and (synchronous <> v_synchronous or (p_lossy and not lossy))
    returning since into v_since;
  return coalesce(v_since, (select since from srq.timeline where number = p_number));
end $$;

-- The processes that lived when the server was replaced and have not said what they know. One without a sign of life for
-- p_silence_s before that had nothing under way.
create function srq.missing_workers(p_number integer, p_silence_s float8) returns setof srq.worker
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
  select w.* from srq.worker w, srq.timeline t
  where t.number = p_number and t.settled_at is null and w.left_at is null and coalesce(w.timeline, 0) < p_number
    and w.seen_at > t.forked_at - make_interval(secs => p_silence_s)
  order by w.id
$$;

-- Whether sending may go on. Where each commit was on a standby, nothing is lost that a dead process knew, so that none is
-- waited for longer than p_patience_s.
create function srq.settle_timeline(p_number integer, p_silence_s float8, p_patience_s float8)
returns table (settled boolean, missing text[])
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_timeline srq.timeline;
  v_missing text[];
  v_keeps_all boolean;
begin
  select * into v_timeline from srq.timeline where number = p_number;
  if v_timeline.settled_at is not null then
    return query select true, '{}'::text[];
    return;
  end if;
  select array_agg(w.holder) into v_missing from srq.missing_workers(p_number, p_silence_s) w;
  select t.synchronous and not v_timeline.lossy into v_keeps_all
    from srq.timeline t where t.number < p_number order by t.number desc limit 1;
  if v_missing is null
    or (v_keeps_all and v_timeline.since < clock_timestamp() - make_interval(secs => p_patience_s)) then
    update srq.timeline set settled_at = clock_timestamp() where number = p_number and settled_at is null;
    return query select true, '{}'::text[];
  else
    return query select false, v_missing;
  end if;
end $$;

-- Sending goes on by the word of a person. What the missing processes had in hand may have been sent, and is in doubt.
create function srq.resume_timeline(p_silence_s float8, p_message text) returns table (missing text[], doubtful integer)
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_number integer;
  v_missing text[];
  v_doubtful integer := 0;
begin
  select t.number into v_number from srq.timeline t where t.settled_at is null order by t.number desc limit 1;
  select coalesce(array_agg(w.holder), '{}') into v_missing from srq.missing_workers(v_number, p_silence_s) w;
  if to_regclass('srq_queue.job') is not null then
    with held as materialized (
      select c.job as key, w.id as worker, nextval('srq.record_id') as id, (j.data ->> 'row')::integer as "row"
      from srq.missing_workers(v_number, p_silence_s) w
        join srq.queue_claim c on c.worker = w.id
        join srq_queue.job j on j.name = c.queue and j.id = c.job
        left join srq.state s on s.key = c.job
      where coalesce(s.state, 'none') in ('none', 'failed', 'rejected', 'licensed')
    ), written as (
      insert into srq.record (id, at, key, worker, entry, "row", event, again, message)
      select id, clock_timestamp(), key, worker, 0, "row", 'unknown', false, p_message from held
      returning key, id, worker
    ), known as (
      insert into srq.state as s (key, state, record, worker)
      select key, 'unknown', id, worker from written
      on conflict (key) do update set record = excluded.record, worker = excluded.worker,
        state = case when s.state = 'licensed' then 'parked'::srq.log_state else 'unknown' end
      returning key
    )
    select count(*) into v_doubtful from known;
  end if;
  update srq.timeline set settled_at = clock_timestamp() where settled_at is null;
  return query select v_missing, v_doubtful;
end $$;

-- When a standby took over for the last time; null if none did.
create function srq.replaced_at() returns timestamptz
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
  select max(t.since) from srq.timeline t where t.number > (select min(number) from srq.timeline)
$$;

-- Writes again what a process has recorded and the server has not heard of. p_newest is the newest id that the process
-- knows: ids up to it are not given out again, because readers may be past them. Of a request that somebody else has begun
-- since, the record is added and the state stays, unless it is now known to be taken; is_late is then true.
create function srq.put_back(p_worker integer, p_newest bigint, p_since timestamptz, p_records json)
returns table (entry integer, id bigint, is_late boolean)
language plpgsql as $$
#variable_conflict use_column
begin
  perform 1 from srq.state s
    where s.key in (select (r ->> 'key')::uuid from json_array_elements(p_records) as r) order by s.key for update;
  perform nextval('srq.record_id') from generate_series(1, p_newest - nextval('srq.record_id'));
  return query
  with input as materialized (
    select * from json_to_recordset(p_records) as i (
      id bigint, key uuid, entry integer, event srq.log_event, state srq.log_state, at timestamptz, "row" integer,
      ref text, market text, ids json, http integer, ms integer, message text, raw text, by text, again boolean
    )
  ), lost as materialized (
    select i.*, nextval('srq.record_id') as new_id from input i
    where not exists (select 1 from srq.record r where r.id = i.id and r.key = i.key and r.worker = p_worker)
      and not exists (
        select 1 from srq.state s join srq.record r on r.id = s.record
        where s.key = i.key and r.worker = p_worker and r.entry >= i.entry
      )
    order by i.entry
  ), last as materialized (
    select distinct on (key) key, new_id, event, state from lost order by key, entry desc
  ), changed as (
    update srq.state s set state = l.state, record = l.new_id, worker = p_worker
    from last l
    where s.key = l.key and case when l.event in ('created', 'duplicate') then true
      else s.state not in ('created', 'duplicate') and (select r.at from srq.record r where r.id = s.record) < p_since end
    returning s.key
  ), added as (
    insert into srq.state as s (key, state, record, worker)
    select l.key, l.state, l.new_id, p_worker from last l
    where not exists (select 1 from srq.state s where s.key = l.key)
    order by l.key
    on conflict do nothing
    returning s.key
  ), written as (
    insert into srq.record (
      id, at, key, worker, entry, "row", event, http, ms, again, market, ref, ids, message, raw, by
    )
    select new_id, at, key, p_worker, entry, "row", event, http, ms, again, market, ref, ids, message, raw, by from lost
  )
  select l.entry, l.new_id, d.key is null and l.new_id = n.new_id
  from lost l join last n on n.key = l.key
    left join (select key from changed union all select key from added) as d on d.key = l.key;
end $$;
`,
};
