-- The tables and functions of a store, made by one transaction in a database that has none of them. A role that may not
-- create schemas can use one that somebody else has created.
do $$ begin
  if to_regnamespace('srq') is null then create schema srq; end if;
end $$;

-- Identifies the server. A standby that has taken over, a dump that was restored and an upgraded server are other ones.
create function srq.server() returns text
language plpgsql stable as $$
declare
  v_system text := '';
begin
  if pg_is_in_recovery() then
    raise exception 'the server is a standby' using errcode = '25006';
  end if;
  -- Some hosts forbid the function to their customers.
  if has_function_privilege('pg_control_system()', 'execute') then
    select system_identifier::text into v_system from pg_control_system();
  end if;
  return v_system || '/' || left(pg_walfile_name(pg_current_wal_lsn()), 8);
end $$;

-- One row. A dump, a copy and a backup have the same store.
create table srq.meta (
  one boolean primary key default true check (one),
  version integer not null,
  store uuid not null default gen_random_uuid(),
  -- Rises with each loss. A process that began before it may send nothing more.
  epoch integer not null default 1,
  -- The server on which sending goes on.
  server text not null default srq.server(),
  -- Another server that was met, until all processes that lived have said what they know. forked is the last sign of life
  -- from the time before.
  met text,
  met_at timestamptz,
  forked timestamptz,
  -- Why nobody may send before a person says so: lost or missing.
  held text
);

-- One row for each process that has sent. It lives as long as it gives signs of life.
create table srq.process (
  id integer generated always as identity primary key,
  run text not null unique,
  -- The name of the process for people: command, process, machine.
  holder text not null,
  since timestamptz not null default clock_timestamp(),
  seen timestamptz not null default clock_timestamp(),
  left_at timestamptz,
  -- The server that has all records which this process knows to be kept.
  server text
);

create type srq.log_event as enum ('sending', 'licence', 'created', 'duplicate', 'rejected', 'failed', 'unknown');
create type srq.log_state as enum
  ('none', 'sending', 'created', 'duplicate', 'rejected', 'failed', 'unknown', 'licensed', 'parked');

create sequence srq.record_id as bigint;

-- The log: append-only. The details have the names of FORMAT.md.
create table srq.record (
  id bigint primary key,
  at timestamptz(3) not null,
  key uuid not null,
  process integer not null,
  event srq.log_event not null,
  ids json,
  details json not null
);

-- Few records say that an outcome is unknown, so that those which still are can be counted.
create index record_unknown on srq.record (key) where event = 'unknown';

-- Finds the requests with a reference. An index holds no text of any length.
create index record_ref on srq.record (left(details ->> 'ref', 200)) where details ->> 'ref' is not null;

-- One row for each request. It is the claim on the request, because the primary key lets only one process begin it. The
-- fill factor leaves room on each page for the new version of a row, so that a change of state touches no index.
create table srq.request (
  key uuid primary key,
  record bigint not null,
  process integer not null,
  -- The number of the record among those of its process, so that one whose answer was lost is not written twice.
  entry integer not null default 0,
  state srq.log_state not null
) with (fillfactor = 70);

-- The queue: what waits to be sent. Personal data.
create table srq.waiting (
  key uuid primary key,
  -- A digest of base URL and client id.
  account uuid not null,
  since timestamptz not null default clock_timestamp(),
  due timestamptz not null default clock_timestamp(),
  tries integer not null default 0,
  -- The process that has it in hand.
  process integer,
  "row" integer not null,
  -- JSON as text, because PostgreSQL's own JSON cannot hold NUL.
  request text not null
) with (fillfactor = 70, autovacuum_vacuum_threshold = 2000, autovacuum_vacuum_scale_factor = 0.01);
create index waiting_oldest on srq.waiting (account, since, key) where process is null;
create index waiting_taken on srq.waiting (process) where process is not null;

-- What the processes of an account share: what is known of the service, and the encrypted token.
create table srq.account (
  account uuid not null,
  name text not null,
  kept text,
  primary key (account, name)
);

create table srq.note (
  id bigint generated always as identity primary key,
  run text not null,
  at timestamptz(3) not null,
  note json not null
);

-- The logs in files that the store was told of, as they were then: what they have was taken over, or a person has decided
-- that the store begins without it.
create table srq.file_log (
  id uuid primary key,
  state uuid not null
);

insert into srq.meta (version) values (1);

-- A process is gone when it has left, or was silent for a minute in which it could have been heard.
create function srq.is_gone(p_process srq.process) returns boolean
language sql stable as $$
  select p_process.left_at is not null
    or greatest(p_process.seen, pg_postmaster_start_time(), (select m.met_at from srq.meta m))
      < clock_timestamp() - interval '60 seconds'
$$;

-- A row that was tried nine times, or has waited for 30 days, is not tried again.
create function srq.is_over(p_row srq.waiting) returns boolean
language sql stable as $$
  select p_row.tries >= 9 or p_row.since < clock_timestamp() - interval '30 days'
$$;

-- When a row that was tried so many times is due again: after 5 to 10 seconds, doubled each time. The times differ, so that
-- a row which ends its workers is soon alone.
create function srq.due_again(p_tries integer) returns timestamptz
language sql volatile as $$
  select clock_timestamp() + interval '10 seconds' * 2 ^ least(p_tries, 9) * (1 + random()) / 2
$$;

-- The processes that lived when the server was replaced and have not come back. One that was silent for a minute by then
-- was dead. A shorter time would not do: a process may be frozen, wake, and send in what the new server has lost.
create function srq.missing() returns setof srq.process
language sql stable as $$
  select p.* from srq.process p, srq.meta m
  where m.met is not null and p.left_at is null and p.server is distinct from m.met
    and p.seen > m.forked - interval '60 seconds'
  order by p.id
$$;

-- Returns the server. Another one than that on which sending goes on is met by this.
create function srq.meet() returns text
language sql as $$
  update srq.meta set met = srq.server(), met_at = clock_timestamp(), forked = case when met is null
      then coalesce((select max(seen) from srq.process), clock_timestamp()) else forked end
    where server <> srq.server() and met is distinct from srq.server();
  select srq.server()
$$;

-- Enters a process, and is its sign of life. p_server is the server that has all which the process knows to be kept; it is
-- null for a process that begins. Sending goes on when is_settled is true. A process is known by its run, so that one of
-- which a server has never heard gets a new number. Processes that lived when the server was replaced are waited for.
create function srq.join_store(p_run text, p_holder text, p_server text) returns table (
  process integer, store uuid, epoch integer, server text, is_settled boolean, held text, missing text[],
  forked timestamptz, now_ms float8, newest bigint
)
language plpgsql as $$
#variable_conflict use_column
declare
  v_meta srq.meta;
  v_server text := srq.meet();
  v_process integer;
  v_missing text[] := '{}';
begin
  select * into v_meta from srq.meta for update;
  insert into srq.process as p (run, holder, server) values (p_run, p_holder, coalesce(p_server, v_server))
    on conflict (run) do update
    set holder = excluded.holder, seen = excluded.seen, left_at = null, server = excluded.server
    returning p.id into v_process;
  if v_meta.server <> v_server then
    v_missing := array(select m.holder from srq.missing() m);
    update srq.meta set server = v_server, met = null where held is null and v_missing = '{}';
    update srq.meta set held = 'missing', epoch = epoch + 1
      where held is null and met_at < clock_timestamp() - interval '30 seconds' and v_missing <> '{}';
  end if;
  select * into v_meta from srq.meta;
  return query select v_process, v_meta.store, v_meta.epoch, v_server, v_meta.server = v_server and v_meta.held is null,
    v_meta.held, v_missing, v_meta.forked, extract(epoch from clock_timestamp())::float8 * 1000,
    (select max(r.id) from srq.record r);
end $$;

-- What this transaction writes is on the disk when it ends, whatever the server, the role or a pooler has set. An intent must be
-- there before the first byte is sent, and nobody may be told of what a crash would take back.
create function srq.keep_durable() returns void
language sql as $$
  select set_config('synchronous_commit', 'on', true)
    where current_setting('synchronous_commit') in ('off', 'local', 'remote_write')
$$;

-- Appends a group of records by compare and set; no key occurs twice. Refuses a process that has to find out first what this
-- server has (SRQ01): on another server than the one that it has joined, if its number is not its own here, or if the newest
-- record is not here that it knows to be kept. A server that was set back gives out the same numbers again, for the same
-- rows, and only the run is nobody else's. What begins something (seen is not null) is also refused in another epoch.
--
-- seen is the state that the key must have, or null for the outcome of an own send, which is a fact. next is the state after
-- the record, and next_licensed the same if the state was licensed or parked. A group whose answer was lost is tried again:
-- what has its process and its entry in the request is recorded already.
--
-- The outcome of a request that waits takes it off the queue. The settings make the server use the keys: its statistics of
-- tables that fill and empty are always out of date.
create function srq.append(
  p_process integer, p_run text, p_epoch integer, p_server text, p_last bigint, p_last_key uuid, p_entries json
) returns table (key uuid, recorded boolean, state srq.log_state, record bigint)
language plpgsql set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set jit = off as $$
#variable_conflict use_column
declare
  v_at timestamptz(3);
  v_keys uuid[] := array(select (e ->> 'key')::uuid from json_array_elements(p_entries) e);
  v_entries integer[] := array(select (e ->> 'entry')::integer from json_array_elements(p_entries) e);
begin
  perform srq.keep_durable();
  if srq.server() <> p_server
    or not exists (select 1 from srq.process p where p.id = p_process and p.run = p_run)
    or p_last is not null and not exists (
      select 1 from srq.record r where r.id = p_last and r.key = p_last_key and r.process = p_process
    )
    or p_epoch is not null and exists (select 1 from srq.meta m where m.epoch <> p_epoch or m.held is not null)
  then
    raise exception 'this process has to look first at what the server has' using errcode = 'SRQ01';
  end if;
  update srq.process p set seen = clock_timestamp(), left_at = null
    where p.id = p_process and (p.seen < clock_timestamp() - interval '5 seconds' or p.left_at is not null);
  -- Always in the order of keys, so that two groups never wait for each other in a circle.
  perform 1 from srq.request s where s.key = any(v_keys) order by s.key for update;
  v_at := clock_timestamp();
  with input as materialized (
    -- Numbered in the order in which they were handed over.
    select i.*, nextval('srq.record_id') as id from json_to_recordset(p_entries) as i (
      key uuid, entry integer, event srq.log_event, seen srq.log_state, next srq.log_state, next_licensed srq.log_state,
      ids text, details json
    )
    where not exists (
      select 1 from srq.request s where s.key = i.key and s.process = p_process and s.entry = i.entry
    )
  ), changed as (
    update srq.request s
    set state = case when s.state in ('licensed', 'parked') then i.next_licensed else i.next end,
        record = i.id, process = p_process, entry = i.entry
    from input i
    where s.key = i.key and case
      when i.seen is not null then s.state = i.seen
      when s.process = p_process or i.event in ('created', 'duplicate') then true
      else i.event = 'unknown' and s.state not in ('created', 'duplicate') end
    returning s.key
  ), added as (
    insert into srq.request as s (key, state, record, process, entry)
    select i.key, i.next, i.id, p_process, i.entry from input i
    where (i.seen is null or i.seen = 'none') and not exists (select 1 from srq.request s where s.key = i.key)
    order by i.key
    on conflict do nothing
    returning s.key
  ), written as (
    insert into srq.record (id, at, key, process, event, ids, details)
    select i.id, v_at, i.key, p_process, i.event, i.ids::json, i.details
    from input i
    where i.key = any(array(select key from changed union all select key from added))
    returning key, event
  ), settled as (
    delete from srq.waiting w using written x
    where w.key = x.key
      and (x.event in ('created', 'duplicate', 'rejected', 'unknown') or x.event = 'failed' and srq.is_over(w))
  )
  update srq.waiting w set process = null, tries = w.tries + 1, due = srq.due_again(w.tries)
  from written x
  where w.key = x.key and x.event = 'failed' and not srq.is_over(w) and coalesce(w.process, p_process) = p_process;
  return query
    select i.key, coalesce(s.process = p_process and s.entry = i.entry, false), coalesce(s.state, 'none'), s.record
    from unnest(v_keys, v_entries) as i (key, entry) left join srq.request s on s.key = i.key;
end $$;

-- Gives a process the oldest rows that are due. Rows of a process that is gone are due again; each of them may be what ended
-- it, so one that was tried before waits. p_hand is what the process has in hand: other rows of its own were handed over
-- in an answer that it never got.
create function srq.take(p_account uuid, p_process integer, p_count integer, p_hand uuid[])
returns table (key uuid, "row" integer, request text, is_over boolean)
language sql set enable_sort = off set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
set jit = off as $$
  with free as (
    select w.key, w.process <> p_process as is_tried
    from srq.waiting w join srq.process p on p.id = w.process
    where w.process is not null and w.account = p_account
      and case when w.process = p_process then w.key <> all(p_hand) else srq.is_gone(p) end
    for update of w skip locked
  )
  update srq.waiting w set process = null, tries = w.tries + f.is_tried::integer,
    due = case when f.is_tried and w.tries > 0 then srq.due_again(w.tries) else w.due end
  from free f where w.key = f.key;
  with next as (
    select w.key from srq.waiting w
    where w.account = p_account and w.process is null and w.due <= now()
    order by w.account, w.since, w.key limit p_count for update skip locked
  ), taken as (
    update srq.waiting w set process = p_process from next where w.key = next.key
    returning w.key, w."row", w.request, w.since, w as whole
  )
  select t.key, t."row", t.request, srq.is_over(t.whole) from taken t order by t.since, t.key
$$;

-- What is told of a request from elsewhere. Without a state the record alone is kept.
create type srq.told as (
  id bigint, at timestamptz, key uuid, process integer, entry integer, event srq.log_event, state srq.log_state, ids json,
  details json
);

-- Writes what was told, whatever the states were. Its caller has locked the table of requests.
create function srq.write(p_told srq.told[]) returns void
language sql as $$
  insert into srq.record (id, at, key, process, event, ids, details)
    select t.id, t.at, t.key, t.process, t.event, t.ids, t.details from unnest(p_told) t;
  insert into srq.request (key, state, record, process, entry)
    select distinct on (t.key) t.key, t.state, t.id, t.process, t.entry from unnest(p_told) t
    where t.state is not null order by t.key, t.id desc
    on conflict (key) do update set state = excluded.state, record = excluded.record, process = excluded.process,
      entry = excluded.entry;
  delete from srq.waiting w using unnest(p_told) t
    where w.key = t.key and t.state is not null and t.event in ('created', 'duplicate', 'rejected', 'unknown');
$$;

-- Takes over the last record and the state of each request of another log, whose runs are p_runs; no key occurs twice.
-- Returns the number of requests of which the store has learned something.
create function srq.take_over(p_runs text[], p_requests json) returns integer
language plpgsql as $$
declare
  v_told srq.told[];
begin
  perform srq.keep_durable();
  insert into srq.process (run, holder, left_at)
    select u.run, 'srq store import', clock_timestamp() from unnest(p_runs) as u (run) on conflict do nothing;
  lock table srq.request in exclusive mode;
  -- A licence allows one more send after the one that the store knew of. It does not cover another unknown send.
  v_told := array(
    select row(nextval('srq.record_id'), i.at, i.key, p.id, 0, i.event,
      case when s.state = 'licensed' and i.state in ('sending', 'unknown') then 'parked' else i.state end,
      i.ids, i.details)::srq.told
    from json_to_recordset(p_requests) as i (
      run text, key uuid, state srq.log_state, event srq.log_event, at timestamptz, ids text, details json,
      place integer
    ) join srq.process p on p.run = i.run left join srq.request s on s.key = i.key
    -- Of two states the one counts that keeps a request from being sent again.
    where s.state is null or i.state = 'created' and s.state <> 'created'
      or i.state in ('duplicate', 'parked') and s.state not in ('created', 'duplicate', i.state)
      or i.state in ('sending', 'unknown') and s.state in ('failed', 'rejected', 'licensed')
        -- A person has spoken about what was taken over before.
        and not exists (select 1 from srq.record o where o.key = i.key and o.event = 'unknown' and o.at = i.at)
    order by i.place
  );
  perform srq.write(v_told);
  return cardinality(v_told);
end $$;

-- Writes again what a process knows to be kept and the server lacks, and stops everybody until a person has spoken: others
-- may have lost something that nobody knows. Ids up to p_newest are not given out again, because readers may be past them.
-- A state that was recorded after the lost record stays, unless the request is now known to be taken.
create function srq.put_back(p_process integer, p_newest bigint, p_records json) returns integer
language plpgsql as $$
declare
  v_told srq.told[];
begin
  perform srq.keep_durable();
  update srq.meta set epoch = epoch + 1, held = 'lost' where held is null;
  lock table srq.request in exclusive mode;
  perform nextval('srq.record_id') from generate_series(1, p_newest - nextval('srq.record_id'));
  v_told := array(
    select row(nextval('srq.record_id'), i.at, i.key, p_process, i.entry, i.event,
      case when s.key is null or i.event in ('created', 'duplicate')
        or s.state not in ('created', 'duplicate') and r.at <= i.at then i.state end, i.ids, i.details)::srq.told
    from json_to_recordset(p_records) as i (
      id bigint, key uuid, entry integer, event srq.log_event, state srq.log_state, at timestamptz, ids text, details json
    ) left join srq.request s on s.key = i.key left join srq.record r on r.id = s.record
    where not exists (select 1 from srq.record o where o.id = i.id and o.key = i.key and o.process = p_process)
      and not coalesce(s.process = p_process and s.entry >= i.entry, false)
    order by i.entry
  );
  perform srq.write(v_told);
  return cardinality(v_told);
end $$;

-- Sending goes on by the word of a person. What a missing process had in hand may have been sent. So may every row that
-- waited, if a worker is missing or records were lost: the server may lack that a row was taken. The person may know that
-- no worker did. Without a word yet (null) nothing is changed, and doubtful is how many rows wait. The record has the present
-- time, because a row may have been sent up to then, and its duration leads back to the first try.
create function srq.resume(p_has_all boolean, p_message text) returns table (missing text[], doubtful integer)
language plpgsql as $$
#variable_conflict use_column
declare
  v_server text := srq.meet();
  v_missing srq.process[];
  v_worker integer;
  v_may_lack boolean;
  v_told srq.told[];
begin
  perform srq.keep_durable();
  v_missing := array(select m from srq.missing() m);
  select max(m.id) into v_worker from unnest(v_missing) m where m.holder like 'srq work%';
  v_may_lack := v_worker is not null or (select m.held is not distinct from 'lost' from srq.meta m);
  if p_has_all is null then
    return query select array(select m.holder from unnest(v_missing) m),
      (select count(*)::integer from srq.waiting where v_may_lack);
    return;
  end if;
  update srq.process set left_at = clock_timestamp() where id in (select m.id from unnest(v_missing) m);
  -- A backup may know no worker at all.
  if v_may_lack and v_worker is null then
    insert into srq.process (run, holder, left_at) values (gen_random_uuid()::text, 'srq store resume', clock_timestamp())
      returning id into v_worker;
  end if;
  lock table srq.request in exclusive mode;
  v_told := array(
    select row(nextval('srq.record_id'), clock_timestamp(), w.key, coalesce(w.process, v_worker), 0, 'unknown',
      case when s.state in ('licensed', 'parked') then 'parked' else 'unknown' end, null,
      coalesce(r.details, json_build_object('row', w."row"))::jsonb || jsonb_build_object('message', p_message, 'ms',
        round(extract(epoch from clock_timestamp() - coalesce(r.at, w.since)) * 1000 + coalesce((r.details ->> 'ms')::numeric, 0))
      ))::srq.told
    from srq.waiting w left join srq.request s on s.key = w.key left join srq.record r on r.id = s.record
    where coalesce(s.state, 'none') not in ('created', 'duplicate')
      and (w.process in (select m.id from unnest(v_missing) m) or not p_has_all and v_may_lack)
  );
  perform srq.write(v_told);
  update srq.meta set server = v_server, met = null, held = null, epoch = epoch + 1
    where held is not null or server <> v_server;
  return query select array(select m.holder from unnest(v_missing) m), cardinality(v_told);
end $$;
