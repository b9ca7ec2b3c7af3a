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
  at timestamptz not null default clock_timestamp()
);

create function srq.note_file_log(p_id uuid, p_name text, p_imported boolean, p_newest uuid) returns void
language sql security definer set search_path = pg_catalog, pg_temp as $$
  insert into srq.file_log (id, name, imported, newest) values (p_id, p_name, p_imported, p_newest)
  on conflict (id) do update
  set name = excluded.name, imported = excluded.imported, newest = excluded.newest, at = clock_timestamp()
$$;

-- A log that has grown since the store was told of it is not known.
create function srq.knows_file_log(p_id uuid, p_newest uuid) returns boolean
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
  select exists (
    select 1 from srq.file_log f
    where f.id = p_id
      and (f.newest = p_newest or f.imported and exists (select 1 from srq.state s where s.key = p_newest))
  )
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
