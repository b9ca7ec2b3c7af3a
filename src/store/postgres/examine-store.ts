import { SrqError } from '../../request/words/errors.ts';
import type { Database } from './database.ts';
import { READ_ONLY_HINT } from './failures.ts';
import { standing } from './figures.ts';
import { schemaVersion } from './schema.ts';

/** The suitability of a store. */
export interface StoreFindings {
  /** The server's version: `PostgreSQL 15.4`. */
  readonly server: string;
  readonly role: string;
  /** Whether the next command that sends creates the tables. */
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
}

/** Examines a store without changing anything. Throws `SrqError('log')` if it cannot be used. */
export async function examineStore({ query, shown }: Database): Promise<StoreFindings> {
  const [server] = await query<Server>(`select current_setting('server_version') as version,
    current_setting('server_version_num')::integer as number, current_user as role, pg_is_in_recovery() as standby,
    current_setting('transaction_read_only')::boolean as read_only,
    current_setting('fsync') as fsync, current_setting('full_page_writes') as full_page_writes,
    (select count(*)::integer from pg_stat_replication) as standbys,
    current_setting('synchronous_standby_names') as synchronous`);
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
  const version = await schemaVersion(query, shown);
  if (version > 0) await requireRights(query, shown, server.role);
  const { held } = version > 0 ? await standing(query) : { held: null };
  return {
    server: `PostgreSQL ${server.version}`,
    role: server.role,
    isBehind: version === 0,
    replication: replicationOf(server),
    dangers: [...(held === null ? [] : [HELD]), ...dangersOf(server)],
  };
}

const HELD = {
  message: 'Nothing is sent through it: its server was replaced, and it may lack what was sent last.',
  hint: 'Look up at the service what was created last. Then: srq store resume',
};

function replicationOf({ standbys, synchronous }: Server): string {
  if (synchronous !== '') return `Each commit waits for a standby (${synchronous}).`;
  if (standbys === 0) return 'It has no standby.';
  return standbys === 1
    ? 'It has 1 standby, which commits do not wait for.'
    : `It has ${standbys} standbys, which commits do not wait for.`;
}

function dangersOf({ fsync, full_page_writes, standbys, synchronous }: Server): StoreFindings['dangers'] {
  const off = Object.entries({ fsync, full_page_writes }).flatMap(([name, value]) => (value === 'off' ? [name] : []));
  const dangers: { message: string; hint: string }[] = [];
  if (off.length > 0) {
    const message = `The server runs with ${off.join(' and ')} off: a power cut can lose records.`;
    dangers.push({
      message,
      hint: 'Turn both on in postgresql.conf; otherwise a power cut could make srq send a request twice.',
    });
  }
  if (standbys > 0 && synchronous === '') {
    const message = 'If one of them takes over, the last commits can be missing there; a person is asked then.';
    dangers.push({
      message,
      hint: 'Set synchronous_standby_names on the server; docs/scale.md says what a fail-over does else.',
    });
  }
  return dangers;
}

async function requireRights(query: Database['query'], shown: string, role: string): Promise<void> {
  const lacking = await query<{ lacked: string }>(
    `select need || ' on ' || c.oid::regclass as lacked
    from pg_class c cross join unnest(array['SELECT', 'INSERT', 'UPDATE', 'DELETE']) as t (need)
    where c.relnamespace = 'srq'::regnamespace and c.relkind = 'r' and not has_table_privilege(c.oid, need)
    order by c.relname, need`,
  );
  if (lacking.length === 0) return;
  throw new SrqError(
    'store.not-ready',
    `The role ${role} lacks rights in the store ${shown}: ${lacking.map(({ lacked }) => lacked).join(', ')}.`,
    'Let its owner grant them; docs/scale.md lists them. Then: srq doctor',
  );
}
