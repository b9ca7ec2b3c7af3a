import { SrqError } from '../../request/words/errors.ts';
import type { Database, Query } from './database.ts';
import { isForbidden, READ_ONLY_HINT } from './failures.ts';
import { standing } from './figures.ts';
import schema from './schema.sql?raw';

/** The version of the tables that this program needs. */
const VERSION = 1;

/** Returns the version of the tables, or 0 for a database without them. Throws `SrqError('log')` if it is another one. */
export async function schemaVersion(query: Query, shown: string): Promise<number> {
  if ((await query("select 1 where to_regclass('srq.meta') is not null")).length === 0) return 0;
  const [meta] = await query<{ version: number }>('select version from srq.meta');
  const version = meta?.version ?? 0;
  if (version === VERSION) return version;
  const message = `The store ${shown} was set up by ${version > VERSION ? 'a newer' : 'an older'} srq (tables ${version}, this one knows ${VERSION}). Nothing was sent.`;
  throw new SrqError('store.version', message, 'Update srq: npm install --global srq@latest');
}

/**
 * Makes the tables if there are none. Two processes that do so at once wait for each other. Returns whether they were made.
 * Throws `SrqError('log')` if the role may not make them.
 */
export async function makeTables({ query, shown }: Database): Promise<boolean> {
  if ((await schemaVersion(query, shown)) > 0) return false;
  try {
    await query(schema);
    return true;
  } catch (error) {
    // What another process makes is waited for, and then cannot be made again.
    if ((await schemaVersion(query, shown)) > 0) return false;
    if (!isForbidden(error)) throw error;
    const message = `The store ${shown} has no tables of srq yet, and this role may not create them. Nothing was sent.`;
    const hint = 'Let the owner of the database run: srq store migrate --store postgres://OWNER@HOST/DATABASE';
    throw new SrqError('store.not-ready', message, hint, error);
  }
}

const MIN_VERSION = 130_000;

/** `off` names the settings that keep commits through a power cut and are off. */
const ASKED = `select current_setting('server_version') as version,
  current_setting('server_version_num')::integer as number, current_user as role,
  current_setting('transaction_read_only')::boolean as read_only,
  array(select name from pg_settings where name in ('fsync', 'full_page_writes') and setting = 'off' order by name) as "off"`;

/** The statements that grant what `enqueue` and `work` need, for what this role lacks. */
const LACKING = `with srq as (select c.oid, c.relname as name from pg_class c where c.relnamespace = to_regnamespace('srq'))
  select format('grant %s to %I;', what, current_user) as grant from (
    select 'usage on schema srq' as what where not has_schema_privilege(to_regnamespace('srq'), 'usage')
    union all select format('%s on %s', needed, string_agg('srq.' || name, ', ' order by name))
      from (values ('select', 'meta process record request waiting account note file_log'),
        ('insert', 'process record request waiting account note file_log'),
        ('update', 'meta process request waiting account file_log'), ('delete', 'waiting')) as n (needed, names)
      join srq on name = any(string_to_array(names, ' ')) where not has_table_privilege(oid, needed) group by needed
    union all select 'usage on sequence srq.record_id' from srq
      where case when name = 'record_id' then not has_sequence_privilege(oid, 'usage') end
    union all select 'execute on all functions in schema srq' where exists (select from pg_proc p
      where p.pronamespace = to_regnamespace('srq') and not has_function_privilege(p.oid, 'execute'))
  ) as lacking`;

/** Examines a store without changing anything. Throws `SrqError('log')` if it cannot be used. */
export async function examineStore({ query, shown }: Database) {
  type Server = { version: string; number: number; role: string; read_only: boolean; off: string[] };
  const [server] = await query<Server>(ASKED);
  if (!server || server.number < MIN_VERSION) {
    const message = `The store ${shown} is PostgreSQL ${server?.version ?? 'of an unknown version'}; 13 or later is needed.`;
    throw new SrqError('store.version', message, 'Name a newer server: --store postgres://USER@HOST:5432/DATABASE');
  }
  const { role } = server;
  if (server.read_only) {
    const message = `The store ${shown} takes no writes: it is a standby, or its database or the role ${role} is set to read only.`;
    throw new SrqError('store.read-only', message, READ_ONLY_HINT);
  }
  const lacking = await query<{ grant: string }>(LACKING);
  if (lacking.length > 0) {
    const message = `The role ${role} lacks rights in the store ${shown}.`;
    const hint = `Let the owner of its tables run: ${lacking.map(({ grant }) => grant).join(' ')}`;
    throw new SrqError('store.not-ready', message, hint);
  }
  const isBehind = (await schemaVersion(query, shown)) === 0;
  const isHeld = !isBehind && (await standing(query)).held !== null;
  return {
    server: `PostgreSQL ${server.version}`,
    role,
    /** Whether the next command that sends creates the tables. */
    isBehind,
    /** Dangers for records that were reported as recorded. */
    dangers: [...(isHeld ? [HELD] : []), ...(server.off.length > 0 ? [mayForget(server.off.join(' and '))] : [])],
  };
}

const HELD = {
  message: 'Nothing is sent through it: its server was replaced, and it may lack what was sent last.',
  hint: 'Look up at the service what was created last. Then: srq store resume',
};
const mayForget = (off: string) => ({
  message: `The server runs with ${off} off: a power cut can lose records.`,
  hint: 'Turn both on in postgresql.conf; otherwise a power cut could make srq send a request twice.',
});
