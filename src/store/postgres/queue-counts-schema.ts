/**
 * How many rows each queue holds, kept by triggers, so that nobody has to count millions of them. Of each queue there are
 * a few rows here, so that workers seldom wait for each other.
 */
export function queueCountsSql(queueSchema: string): string {
  return `
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
    select 1 from pg_trigger where tgrelid = '${queueSchema}.job'::regclass and tgname = 'srq_count_inserted'
  ) then
    -- From here to the end of the transaction nobody else changes the table.
    create trigger srq_count_inserted after insert on ${queueSchema}.job
      referencing new table as changed for each statement execute function srq.count_queued();
    create trigger srq_count_deleted after delete on ${queueSchema}.job
      referencing old table as changed for each statement execute function srq.count_queued();
    insert into srq.queue_count (queue, slot, rows) select name, 0, count(*) from ${queueSchema}.job group by name;
  end if;
  if exists (select 1 from ${queueSchema}.queue where name = p_name) then
    return;
  end if;
  perform ${queueSchema}.create_queue(p_name, '{"policy": "standard"}');
  select partition_name into v_table from ${queueSchema}.queue where name = p_name;
  execute format(
    'create index %I on ${queueSchema}.%I (created_on, id) where state < ''active''', left(v_table, 56) || '_oldest', v_table);
end $$;
`;
}
