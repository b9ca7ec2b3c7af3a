import { SrqError } from '../model/errors.ts';
import type { Database } from './database.ts';
import { NEWEST, requireKnown, schemaNumber } from './migrations.ts';

/** What a store is fit for. */
export interface StoreFindings {
  /** `PostgreSQL 15.4`. */
  readonly server: string;
  readonly role: string;
  /** Whether the next command that sends makes tables, or brings them up to date. */
  readonly isBehind: boolean;
  /** What endangers records that are told as recorded. */
  readonly danger: string | null;
}

const LEAST_VERSION = 130_000;

interface Server {
  readonly version: string;
  readonly number: number;
  readonly role: string;
  readonly standby: boolean;
  readonly fsync: string;
  readonly full_page_writes: string;
}

/** Looks without changing anything. Throws `SrqError('log')` for what cannot be used. */
export async function examineStore({ query, shown }: Database): Promise<StoreFindings> {
  const [server] = await query<Server>(`select current_setting('server_version') as version,
    current_setting('server_version_num')::integer as number, current_user as role, pg_is_in_recovery() as standby,
    current_setting('fsync') as fsync, current_setting('full_page_writes') as full_page_writes`);
  if (!server || server.number < LEAST_VERSION) {
    const message = `The store ${shown} is PostgreSQL ${server?.version ?? 'of an unknown version'}; 13 or later is needed.`;
    throw new SrqError('log', message, 'Name a newer server: --store postgres://USER@HOST:5432/DATABASE');
  }
  if (server.standby) {
    const message = `The store ${shown} is a standby and takes no writing.`;
    throw new SrqError('log', message, 'Name the primary server: --store postgres://USER@HOST:5432/DATABASE');
  }
  const number = await schemaNumber(query);
  requireKnown(number, shown);
  if (number > 0) await requireRights(query, shown, server.role);
  const off = (['fsync', 'full_page_writes'] as const).filter((name) => server[name] === 'off');
  return {
    server: `PostgreSQL ${server.version}`,
    role: server.role,
    isBehind: number < NEWEST,
    danger: off.length === 0 ? null : `The server runs with ${off.join(' and ')} off: a power cut can lose records.`,
  };
}

async function requireRights(query: Database['query'], shown: string, role: string): Promise<void> {
  const lacking = await query<{ table: string; right: string }>(`
    select name as table, need as right
    from (values ('state', 'SELECT'), ('state', 'INSERT'), ('state', 'UPDATE'), ('record', 'SELECT'), ('record', 'INSERT'),
      ('worker', 'SELECT'), ('worker', 'INSERT'), ('worker', 'UPDATE'), ('run_note', 'SELECT'), ('run_note', 'INSERT'),
      ('migration', 'SELECT')) as t (name, need)
    where not has_table_privilege('srq.' || name, need)`);
  if (lacking.length === 0) return;
  const named = lacking.map(({ table, right }) => `${right} on srq.${table}`);
  throw new SrqError(
    'log',
    `The role ${role} lacks rights in the store ${shown}: ${named.join(', ')}.`,
    'Let its owner grant them; docs/scale.md lists them. Then: srq doctor',
  );
}
