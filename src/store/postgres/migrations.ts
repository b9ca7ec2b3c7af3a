import { SrqError } from '../../request/words/errors.ts';
import type { Database, Query } from './database.ts';
import { isForbidden } from './failures.ts';
import { MOVING_SQL } from './moving.ts';
import { QUEUE_COUNTS_SQL, QUEUE_FUNCTIONS, QUEUE_SCHEMA } from './queue-schema.ts';
import { TIMELINE_TABLES } from './timeline.ts';

/**
 * The tables of the log. `record` is append-only and has the same content as the lines of FORMAT.md. `state` has one
 * row for each request. The row is the claim on the request, because the primary key lets only one process begin it.
 * The columns are ordered so that no space is wasted for alignment.
 */
const LOG_TABLES = {
  number: 1,
  name: 'log',
  sql: `
do $$ begin
  -- A role that may not create schemas can use one that somebody else created.
  if to_regnamespace('srq') is null then create schema srq; end if;
end $$;

create table srq.migration (
  number integer primary key,
  name text not null,
  at timestamptz not null default clock_timestamp()
);

-- One row for each process that has sent. It is alive as long as it holds the advisory lock (WORKER_LOCK, id), shared.
create table srq.worker (
  id integer generated always as identity primary key,
  run text not null unique,
  -- The name of the process for people: command, process, machine.
  holder text not null,
  since timestamptz not null default clock_timestamp(),
  seen_at timestamptz not null default clock_timestamp(),
  left_at timestamptz
);

create type srq.log_event as enum ('sending', 'licence', 'created', 'duplicate', 'rejected', 'failed', 'unknown');
create type srq.log_state as enum
  ('none', 'sending', 'created', 'duplicate', 'rejected', 'failed', 'unknown', 'licensed', 'parked');

create sequence srq.record_id as bigint;

create table srq.record (
  id bigint primary key,
  at timestamptz(3) not null,
  key uuid not null,
  worker integer not null,
  -- The number of the record among those of its worker, so that a record whose answer was lost is not written twice.
  entry integer not null,
  "row" integer not null,
  event srq.log_event not null,
  http integer,
  ms integer,
  again boolean not null,
  market text,
  ref text,
  ids json,
  message text,
  raw text,
  by text
);

-- The fill factor leaves room on each page for the new version of a row, so that a change of state touches no index.
create table srq.state (
  key uuid primary key,
  record bigint not null,
  worker integer not null,
  state srq.log_state not null
) with (fillfactor = 70);

create table srq.run_note (
  id bigint generated always as identity primary key,
  run text not null,
  at timestamptz(3) not null,
  note json not null
);

-- Appends a group of records by compare and set; no key occurs twice. seen is the state that the key must have, or null for
-- the outcome of an own send. next is the state after the record, and next_licensed the same if the state was licensed or
-- parked. since is set when the group is tried again because its answer was lost: entries behind that record id that exist
-- already are returned as recorded.
create function srq.append(
  p_worker integer, p_since bigint, p_keys uuid[], p_entries integer[], p_events srq.log_event[],
  p_seen srq.log_state[], p_next srq.log_state[], p_next_licensed srq.log_state[],
  p_rows integer[], p_refs text[], p_markets text[], p_ids json[], p_http integer[], p_ms integer[],
  p_messages text[], p_raws text[], p_by text[], p_again boolean[]
) returns table (key uuid, recorded boolean, state srq.log_state, record bigint)
language plpgsql as $$
#variable_conflict use_column
declare
  v_at timestamptz(3);
  v_written uuid[];
begin
  -- Always in the order of keys, so that two groups never wait for each other in a circle.
  perform 1 from srq.state s where s.key = any(p_keys) order by s.key for update;
  v_at := clock_timestamp();
  with input as materialized (
    -- Numbered in the order in which they were handed over.
    select i.*, nextval('srq.record_id') as id from unnest(
      p_keys, p_entries, p_events, p_seen, p_next, p_next_licensed, p_rows, p_refs, p_markets, p_ids, p_http, p_ms,
      p_messages, p_raws, p_by, p_again
    ) as i (key, entry, event, seen, next, next_licensed, "row", ref, market, ids, http, ms, message, raw, by, again)
    where p_since is null or not exists (
      select 1 from srq.record r where r.id > p_since and r.worker = p_worker and r.entry = i.entry
    )
  ), changed as (
    update srq.state s
    set state = case when s.state in ('licensed', 'parked') then i.next_licensed else i.next end,
        record = i.id, worker = p_worker
    from input i
    where s.key = i.key and case
      when i.seen is not null then s.state = i.seen
      when s.worker = p_worker or i.event in ('created', 'duplicate') then true
      else i.event = 'unknown' and s.state not in ('created', 'duplicate') end
    returning s.key
  ), added as (
    insert into srq.state as s (key, state, record, worker)
    select i.key, i.next, i.id, p_worker from input i
    where (i.seen is null or i.seen = 'none') and not exists (select 1 from srq.state s where s.key = i.key)
    order by i.key
    on conflict do nothing
    returning s.key
  ), written as (
    insert into srq.record (
      id, at, key, worker, entry, "row", event, http, ms, again, market, ref, ids, message, raw, by
    )
    select i.id, v_at, i.key, p_worker, i.entry, i."row", i.event, i.http, i.ms, i.again, i.market, i.ref, i.ids,
      i.message, i.raw, i.by
    from input i join (select key from changed union all select key from added) w on w.key = i.key
    returning key
  )
  select array_agg(key) into v_written from written;
  return query
    select i.key, w.key is not null or (p_since is not null and exists (
        select 1 from srq.record r where r.id > p_since and r.worker = p_worker and r.entry = i.entry
      )), coalesce(s.state, 'none'), s.record
    from unnest(p_keys, p_entries) as i (key, entry)
    left join unnest(v_written) as w (key) on w.key = i.key
    left join srq.state s on s.key = i.key;
end $$;
`,
};

/**
 * The claims of processes on jobs of the queue, which pg-boss does not record, and a function that creates a queue for
 * roles that may not create tables. The index lets a worker take the oldest jobs without reading all others.
 */
const QUEUE_TABLES = {
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

/** One step of the schema. A released step is never changed, and each new step has the next number. */
interface Migration {
  readonly number: number;
  readonly name: string;
  /** The statements, which run in one transaction. */
  readonly sql: string;
}

/**
 * What the processes of one account share: the rate, the breaker, the knowledge about validate, and the encrypted
 * token. The table is small and changes many times a second, so each page has room for many versions of a row, and dead
 * ones are removed early.
 */
const ACCOUNT_TABLES: Migration = {
  number: 2,
  name: 'account',
  sql: `
create table srq.account (
  -- A digest of base URL and client id.
  account uuid not null,
  name text not null,
  kept text,
  primary key (account, name)
) with (fillfactor = 10, autovacuum_vacuum_threshold = 2000, autovacuum_vacuum_scale_factor = 0);
`,
};

/** Moving from a log in a file, and the kept counts of the queue. */
const MOVING_TABLES: Migration = {
  number: 5,
  name: 'moving',
  sql: MOVING_SQL + QUEUE_COUNTS_SQL,
};

/** What identifies the store, to the profiles that send through it. A dump, a copy and a backup have the same. */
const IDENTITY: Migration = {
  number: 7,
  name: 'identity',
  sql: `
create table srq.meta (store uuid not null default gen_random_uuid());
insert into srq.meta default values;
create function srq.identity() returns uuid
language sql stable security definer set search_path = pg_catalog, pg_temp as $$ select store from srq.meta $$;
`,
};

/** The number of the schema since which a store has an identity. */
export const IDENTITY_SCHEMA = IDENTITY.number;

/** The migrations, in their order. */
const MIGRATIONS: readonly Migration[] = [
  LOG_TABLES,
  ACCOUNT_TABLES,
  QUEUE_TABLES,
  TIMELINE_TABLES,
  MOVING_TABLES,
  QUEUE_FUNCTIONS,
  IDENTITY,
];

/** The number of the schema that this program needs. */
export const NEWEST_SCHEMA = MIGRATIONS.at(-1)?.number ?? 0;
/** The key of the advisory lock ("srq" and a number) under which one process at a time changes the schema. */
const LOCK = [0x737271, 1] as const;

/**
 * Looks for our tables in the catalogue itself, because `to_regclass` may use what the connection cached before it had
 * the lock.
 */
const TABLE = `select 1 from pg_class c join pg_namespace n on n.oid = c.relnamespace
  where n.nspname = 'srq' and c.relname = 'migration'`;

/** Returns the number of the last migration that was applied, or 0 for a database without our tables. */
export async function schemaVersion(query: Query): Promise<number> {
  const [found] = await query(TABLE);
  if (!found) return 0;
  const [last] = await query<{ number: number | null }>('select max(number) as number from srq.migration');
  return last?.number ?? 0;
}

/** Throws `SrqError('log')` if the schema is newer than this program. */
export function requireKnownSchema(number: number, shown: string): void {
  if (number <= NEWEST_SCHEMA) return;
  const message = `The store ${shown} was set up by a newer srq (tables ${number}, this one knows ${NEWEST_SCHEMA}). Nothing was sent.`;
  throw new SrqError('store.version', message, 'Update srq: npm install --global srq@latest');
}

/**
 * Brings the tables up to date, each migration in a transaction of its own. Two processes that do so at once wait for each
 * other. Returns the names of the migrations that were applied. Throws `SrqError('log')` if the role may not apply them.
 */
export async function migrate(database: Database): Promise<string[]> {
  const done: string[] = [];
  const found = await schemaVersion(database.query);
  requireKnownSchema(found, database.shown);
  if (found === NEWEST_SCHEMA) return done;
  for (const step of MIGRATIONS) {
    const isDone = await database
      .transaction((query) => takeStep(query, step, database.shown))
      .catch((error: unknown) => Promise.reject(isForbidden(error) ? forbidden(database.shown, found, error) : error));
    if (isDone) done.push(step.name);
  }
  return done;
}

/** Applies a migration, or returns false if it was applied before. */
async function takeStep(query: Query, { number, name, sql }: Migration, shown: string): Promise<boolean> {
  // The statement timeout is off, because the lock may be held by a process whose migration takes long.
  await query('set local statement_timeout = 0');
  await query('select pg_advisory_xact_lock($1, $2)', LOCK);
  const now = await schemaVersion(query);
  requireKnownSchema(now, shown);
  if (now >= number) return false;
  await query(sql);
  await query('insert into srq.migration (number, name) values ($1, $2)', [number, name]);
  return true;
}

function forbidden(shown: string, found: number, cause: unknown): SrqError {
  const what =
    found === 0 ? 'has no tables of srq yet' : `has tables of an older srq (${found}, needed: ${NEWEST_SCHEMA})`;
  return new SrqError(
    'store.not-ready',
    `The store ${shown} ${what}, and this role may not create them. Nothing was sent.`,
    'Let the owner of the database run: srq store migrate --store postgres://OWNER@HOST/DATABASE',
    cause,
  );
}
