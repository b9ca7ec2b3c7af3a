/** pg-boss keeps the queue in a schema of its own, under versions of its own. */
export const QUEUE_SCHEMA = 'srq_queue';

/**
 * Who has which job of the queue in hand, which pg-boss does not note; and the way for roles that may not make tables to a
 * queue for their account. The index lets a worker take the oldest jobs without looking at all the others.
 */
export const QUEUE_TABLES = {
  number: 3,
  name: 'queue',
  sql: `
create table srq.queue_claim (
  queue text not null,
  job uuid not null,
  worker integer not null,
  primary key (queue, job)
);
create index queue_claim_worker on srq.queue_claim (worker);

create function srq.open_queue(p_name text) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_table text;
begin
  if p_name !~ '^(requests|doubts)-[0-9a-f]{32}$' then
    raise exception 'no name of a queue: %', p_name;
  end if;
  perform pg_advisory_xact_lock(7565937, 2);
  if exists (select 1 from ${QUEUE_SCHEMA}.queue where name = p_name) then
    return;
  end if;
  perform ${QUEUE_SCHEMA}.create_queue(p_name, '{"policy": "standard"}');
  select partition_name into v_table from ${QUEUE_SCHEMA}.queue where name = p_name;
  execute format(
    'create index %I on ${QUEUE_SCHEMA}.%I (created_on, id) where state < ''active''', left(v_table, 56) || '_oldest', v_table);
end $$;
`,
};
