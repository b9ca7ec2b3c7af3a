import type { Database } from './database.ts';

/** pg-boss keeps the queue in a schema of its own, with its own version numbers: see `boss.ts`. */
export const QUEUE_SCHEMA = 'srq_queue';

/**
 * Tells whether the engine's tables exist. It uses the catalogue, so that roles without access to the engine's schema
 * can ask as well.
 */
export async function isInstalled({ query }: Pick<Database, 'query'>): Promise<boolean> {
  const text = `select 1 from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where n.nspname = $1 and c.relname = 'version'`;
  return (await query(text, [QUEUE_SCHEMA])).length > 0;
}

/**
 * Functions that take rows of the queue with a claim, and that end rows with their claims, in one round trip each. They
 * work on the table of pg-boss 10. pg-boss does everything else.
 *
 * While a transaction holds an old snapshot (a backup, for example), the index entries of all jobs that were taken since
 * stay, and every search for the oldest job would walk past them. `p_from` lets a worker begin where it took last. Jobs
 * before that position, which were put back or added late, are found if that search finds too few, or if `p_from` is null.
 */
export const QUEUE_FUNCTIONS = {
  number: 6,
  name: 'queue functions',
  sql: `
-- A claim lives as long as its row is being sent. Through the index by worker, ending a claim walked past all dead claims
-- of the worker. The default settings vacuum a table that is almost empty too rarely.
drop index srq.queue_claim_worker;
alter table srq.queue_claim set (autovacuum_vacuum_threshold = 2000, autovacuum_vacuum_scale_factor = 0);

-- The settings of both functions make the server use the indexes by key and by age. Its statistics of tables that fill and
-- empty are always out of date, and with them it would sort or read whole tables. The settings also raise its estimates, so
-- that it would compile the statements each time: jit is off. A generic plan would look into the tables of all queues.
create function srq.take_jobs(p_queue text, p_worker integer, p_count integer, p_from timestamptz, p_from_id uuid)
returns table (
  id uuid, created_on timestamptz, started_on timestamptz, data jsonb, retry_count integer, retry_limit integer,
  keep_until timestamptz
)
language plpgsql set enable_sort = off set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
set jit = off set plan_cache_mode = force_custom_plan as $$
#variable_conflict use_column
declare
  v_from timestamptz;
  v_found integer;
  v_left integer := p_count;
begin
  foreach v_from in array array[p_from, '-infinity'] loop
    continue when v_from is null;
    return query
      with next as (
        select j.id from ${QUEUE_SCHEMA}.job j
        where j.name = p_queue and j.state < 'active' and j.start_after < now() and (j.created_on, j.id) > (
          v_from, case when v_from = p_from then p_from_id else '00000000-0000-0000-0000-000000000000' end)
        order by j.created_on, j.id limit v_left for update skip locked
      ), taken as (
        update ${QUEUE_SCHEMA}.job j set state = 'active', started_on = now(),
          retry_count = j.retry_count + case when j.started_on is null then 0 else 1 end
        from next where j.name = p_queue and j.id = next.id
        returning j.id, j.created_on, j.started_on, j.data, j.retry_count, j.retry_limit, j.keep_until
      ), claimed as (
        insert into srq.queue_claim (queue, job, worker) select p_queue, t.id, p_worker from taken t
        on conflict (queue, job) do update set worker = excluded.worker
      )
      select * from taken t order by t.created_on, t.id;
    get diagnostics v_found = row_count;
    v_left := v_left - v_found;
    exit when v_left <= 0;
  end loop;
end $$;

-- Ends claims of a worker, and deletes their jobs. A job that was given to another worker stays.
create function srq.end_jobs(p_queue text, p_worker integer, p_jobs uuid[]) returns void
language plpgsql set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
set jit = off set plan_cache_mode = force_custom_plan as $$
begin
  with own as (
    delete from srq.queue_claim c where c.queue = p_queue and c.job = any(p_jobs) and c.worker = p_worker returning c.job
  )
  delete from ${QUEUE_SCHEMA}.job j where j.name = p_queue and j.id in (select job from own);
end $$;
`,
};

/**
 * The table of how many rows each queue holds. Triggers keep it, so that nobody has to count millions of rows. Each
 * queue has a few rows in it, so that workers seldom wait for each other.
 */
export const QUEUE_COUNTS_SQL = `
create table srq.queue_count (
  queue text not null,
  slot integer not null,
  rows bigint not null,
  primary key (queue, slot)
) with (fillfactor = 10);

create function srq.count_queued() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  insert into srq.queue_count as q (queue, slot, rows)
    select name, pg_backend_pid() % 16, case tg_op when 'INSERT' then count(*) else -count(*) end
    from changed group by name order by name
    on conflict (queue, slot) do update set rows = q.rows + excluded.rows;
  return null;
end $$;

create function srq.queue_totals(p_names text[]) returns table (queue text, total bigint)
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
  select q.queue, sum(q.rows)::bigint from srq.queue_count q where q.queue = any(p_names) group by q.queue
$$;

create or replace function srq.open_queue(p_name text) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_table text;
begin
  if p_name !~ '^(requests|doubts)-[0-9a-f]{32}$' then
    raise exception 'no name of a queue: %', p_name;
  end if;
  perform pg_advisory_xact_lock(7565937, 2);
  if not exists (
    select 1 from pg_trigger where tgrelid = '${QUEUE_SCHEMA}.job'::regclass and tgname = 'srq_count_inserted'
  ) then
    -- From here to the end of the transaction nobody else changes the table.
    create trigger srq_count_inserted after insert on ${QUEUE_SCHEMA}.job
      referencing new table as changed for each statement execute function srq.count_queued();
    create trigger srq_count_deleted after delete on ${QUEUE_SCHEMA}.job
      referencing old table as changed for each statement execute function srq.count_queued();
    insert into srq.queue_count (queue, slot, rows) select name, 0, count(*) from ${QUEUE_SCHEMA}.job group by name;
  end if;
  if exists (select 1 from ${QUEUE_SCHEMA}.queue where name = p_name) then
    return;
  end if;
  perform ${QUEUE_SCHEMA}.create_queue(p_name, '{"policy": "standard"}');
  select partition_name into v_table from ${QUEUE_SCHEMA}.queue where name = p_name;
  execute format(
    'create index %I on ${QUEUE_SCHEMA}.%I (created_on, id) where state < ''active''', left(v_table, 56) || '_oldest', v_table);
end $$;
`;
