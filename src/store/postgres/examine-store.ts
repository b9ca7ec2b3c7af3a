import { SrqError } from '../../request/words/errors.ts';
import type { Database } from './database.ts';
import { READ_ONLY_HINT } from './failures.ts';
import { NEWEST_SCHEMA, requireKnownSchema, schemaVersion } from './migrations.ts';
import { QUEUE_SCHEMA } from './queue-schema.ts';

/** The suitability of a store. */
export interface StoreFindings {
  /** The server's version: `PostgreSQL 15.4`. */
  readonly server: string;
  readonly role: string;
  /** Whether the next command that sends creates or updates tables. */
  readonly isBehind: boolean;
  /** How commits are replicated to other servers: `no standby`. */
  readonly replication: string;
  /** Dangers for records that were reported as recorded, each with a hint on what to do. */
  readonly dangers: readonly { readonly message: string; readonly hint: string }[];
}

const MIN_VERSION = 130_000;

interface Server {
  readonly version: string;
  readonly number: number;
  readonly role: string;
  readonly standby: boolean;
  readonly read_only: boolean;
  readonly fsync: string;
  readonly full_page_writes: string;
  readonly standbys: number;
  readonly synchronous: string;
  /** Tables that are empty after a crash of the server, as `SCHEMA.NAME`. */
  readonly unlogged: string[] | null;
}

/** Examines a store without changing anything. Throws `SrqError('log')` if it cannot be used. */
export async function examineStore({ query, shown }: Database): Promise<StoreFindings> {
  const [server] = await query<Server>(`select current_setting('server_version') as version,
    current_setting('server_version_num')::integer as number, current_user as role, pg_is_in_recovery() as standby,
    current_setting('transaction_read_only')::boolean as read_only,
    current_setting('fsync') as fsync, current_setting('full_page_writes') as full_page_writes,
    (select count(*)::integer from pg_stat_replication) as standbys,
    current_setting('synchronous_standby_names') as synchronous,
    (select array_agg(n.nspname || '.' || c.relname order by 1) from pg_class c join pg_namespace n on n.oid = c.relnamespace
      where n.nspname in ('srq', '${QUEUE_SCHEMA}') and c.relkind = 'r' and c.relpersistence = 'u') as unlogged`);
  if (!server || server.number < MIN_VERSION) {
    const message = `The store ${shown} is PostgreSQL ${server?.version ?? 'of an unknown version'}; 13 or later is needed.`;
    throw new SrqError('store.version', message, 'Name a newer server: --store postgres://USER@HOST:5432/DATABASE');
  }
  if (server.standby) {
    const message = `The store ${shown} is a standby and takes no writing.`;
    throw new SrqError(
      'store.read-only',
      message,
      'Name the primary server: --store postgres://USER@HOST:5432/DATABASE',
    );
  }
  if (server.read_only) {
    const message = `The store ${shown} takes no writing: its database, or the role ${server.role}, is set to read only.`;
    throw new SrqError('store.read-only', message, READ_ONLY_HINT);
  }
  const number = await schemaVersion(query);
  requireKnownSchema(number, shown);
  if (number > 0) await requireRights(query, shown, server.role);
  return {
    server: `PostgreSQL ${server.version}`,
    role: server.role,
    isBehind: number < NEWEST_SCHEMA,
    replication: replicationOf(server),
    dangers: dangersOf(server),
  };
}

function replicationOf({ standbys, synchronous }: Server): string {
  if (synchronous !== '') return `Each commit waits for a standby (${synchronous}).`;
  if (standbys === 0) return 'It has no standby.';
  return standbys === 1
    ? 'It has 1 standby, which commits do not wait for.'
    : `It has ${standbys} standbys, which commits do not wait for.`;
}

function dangersOf({ fsync, full_page_writes, standbys, synchronous, unlogged }: Server): StoreFindings['dangers'] {
  const off = Object.entries({ fsync, full_page_writes }).flatMap(([name, value]) => (value === 'off' ? [name] : []));
  const dangers: { message: string; hint: string }[] = [];
  if (off.length > 0) {
    const message = `The server runs with ${off.join(' and ')} off: a power cut can lose records.`;
    dangers.push({
      message,
      hint: 'Turn both on in postgresql.conf; otherwise a power cut could make srq send a request twice.',
    });
  }
  if (unlogged) {
    const message = `These tables are unlogged, and empty after a crash of the server: ${unlogged.join(', ')}.`;
    dangers.push({ message, hint: `Let their owner do, for each: alter table ${unlogged[0]} set logged` });
  }
  if (standbys > 0 && synchronous === '') {
    const message =
      'If one of them takes over, the last commits can be missing there; srq then waits for all processes that lived.';
    dangers.push({
      message,
      hint: 'Set synchronous_standby_names on the server; docs/scale.md says what a fail-over does else.',
    });
  }
  return dangers;
}

async function requireRights(query: Database['query'], shown: string, role: string): Promise<void> {
  const lacking = await query<{ lacked: string }>(
    `select need || ' on srq.' || name as lacked
    from (values ('state', 'SELECT'), ('state', 'INSERT'), ('state', 'UPDATE'), ('record', 'SELECT'), ('record', 'INSERT'),
      ('worker', 'SELECT'), ('worker', 'INSERT'), ('worker', 'UPDATE'), ('run_note', 'SELECT'), ('run_note', 'INSERT'),
      ('migration', 'SELECT'), ('account', 'SELECT'), ('account', 'INSERT'), ('account', 'UPDATE'), ('queue_claim', 'SELECT'),
      ('queue_claim', 'INSERT'), ('queue_claim', 'UPDATE'), ('queue_claim', 'DELETE')) as t (name, need)
    where to_regclass('srq.' || name) is not null and not has_table_privilege('srq.' || name, need)
    union all
    select 'USAGE on srq.record_id' where not has_sequence_privilege('srq.record_id', 'USAGE')
    union all
    select 'USAGE on schema ' || nspname from pg_namespace where nspname = $1 and not has_schema_privilege(oid, 'USAGE')`,
    [QUEUE_SCHEMA],
  );
  if (lacking.length === 0) return;
  throw new SrqError(
    'store.not-ready',
    `The role ${role} lacks rights in the store ${shown}: ${lacking.map(({ lacked }) => lacked).join(', ')}.`,
    'Let its owner grant them; docs/scale.md lists them. Then: srq doctor',
  );
}
