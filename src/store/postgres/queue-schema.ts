/** pg-boss keeps the queue in a schema of its own, with its own version numbers: see `boss.ts`. */
export const QUEUE_SCHEMA = 'srq_queue';

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
