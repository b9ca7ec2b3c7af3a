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
  /** Those of the settings that keep commits through a power cut which are off. */
  readonly off: string[];
  readonly standbys: number;
  readonly synchronous: string;
}

const ASKED = `select current_setting('server_version') as version,
  current_setting('server_version_num')::integer as number, current_user as role, pg_is_in_recovery() as standby,
  current_setting('transaction_read_only')::boolean as read_only,
  array(select name from pg_settings where name in ('fsync', 'full_page_writes') and setting = 'off' order by name) as "off",
  (select count(*)::integer from pg_stat_replication) as standbys,
  current_setting('synchronous_standby_names') as synchronous`;

/** Examines a store without changing anything. Throws `SrqError('log')` if it cannot be used. */
export async function examineStore({ query, shown }: Database): Promise<StoreFindings> {
  const [server] = await query<Server>(ASKED);
  if (!server || server.number < MIN_VERSION) {
    const message = `The store ${shown} is PostgreSQL ${server?.version ?? 'of an unknown version'}; 13 or later is needed.`;
    throw new SrqError('store.version', message, 'Name a newer server: --store postgres://USER@HOST:5432/DATABASE');
  }
  const { role, standbys, synchronous } = server;
  if (server.standby) {
    const hint = 'Name the primary server: --store postgres://USER@HOST:5432/DATABASE';
    throw new SrqError('store.read-only', `The store ${shown} is a standby and takes no writes.`, hint);
  }
  if (server.read_only) {
    const message = `The store ${shown} takes no writes: its database, or the role ${role}, is set to read only.`;
    throw new SrqError('store.read-only', message, READ_ONLY_HINT);
  }
  const isBehind = (await schemaVersion(query, shown)) === 0;
  const lacking = isBehind ? [] : await query<{ lacked: string }>(LACKING);
  if (lacking.length > 0) {
    const names = lacking.map(({ lacked }) => lacked).join(', ');
    const hint = 'Let its owner grant them; docs/scale.md lists them. Then: srq doctor';
    throw new SrqError('store.not-ready', `The role ${role} lacks rights in the store ${shown}: ${names}.`, hint);
  }
  const isHeld = !isBehind && (await standing(query)).held !== null;
  const mayLose = standbys > 0 && synchronous === '';
  return {
    server: `PostgreSQL ${server.version}`,
    role,
    isBehind,
    replication: replicationOf(server),
    dangers: [
      ...(isHeld ? [HELD] : []),
      ...(server.off.length > 0 ? [mayForget(server.off.join(' and '))] : []),
      ...(mayLose ? [MAY_LOSE] : []),
    ],
  };
}

const HELD = {
  message: 'Nothing is sent through it: its server was replaced, and it may lack what was sent last.',
  hint: 'Look up at the service what was created last. Then: srq store resume',
};
const MAY_LOSE = {
  message: 'If one of them takes over, the last commits can be missing there; a person is asked then.',
  hint: 'Set synchronous_standby_names on the server; docs/scale.md says what else a fail-over does.',
};
const mayForget = (off: string) => ({
  message: `The server runs with ${off} off: a power cut can lose records.`,
  hint: 'Turn both on in postgresql.conf; otherwise a power cut could make srq send a request twice.',
});

function replicationOf({ standbys, synchronous }: Server): string {
  if (synchronous !== '') return `Each commit waits for a standby (${synchronous}).`;
  if (standbys === 0) return 'It has no standby.';
  return `It has ${standbys} ${standbys === 1 ? 'standby' : 'standbys'}, which commits do not wait for.`;
}

const LACKING = `select need || ' on ' || c.oid::regclass as lacked
  from pg_class c cross join unnest(array['SELECT', 'INSERT', 'UPDATE', 'DELETE']) as t (need)
  where c.relnamespace = 'srq'::regnamespace and c.relkind = 'r' and not has_table_privilege(c.oid, need)
  order by c.relname, need`;
