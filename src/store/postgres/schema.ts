import { SrqError } from '../../request/words/errors.ts';
import type { Database, Query } from './database.ts';
import { isForbidden } from './failures.ts';
import schema from './schema.sql?raw';

/** The version of the tables that this program needs. */
const VERSION = 1;
/** The key of the advisory lock ("srq" and a number) under which one process at a time makes the tables. */
const LOCK = [0x737271, 1] as const;

/**
 * Looks for our tables in the catalogue itself, because `to_regclass` may use what the connection cached before it had
 * the lock.
 */
const TABLE = `select 1 from pg_class c join pg_namespace n on n.oid = c.relnamespace
  where n.nspname = 'srq' and c.relname = 'meta'`;

/** Returns the version of the tables, or 0 for a database without them. Throws `SrqError('log')` if it is another one. */
export async function schemaVersion(query: Query, shown: string): Promise<number> {
  const [found] = await query(TABLE);
  if (!found) return 0;
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
export async function makeTables(database: Database): Promise<boolean> {
  const { shown } = database;
  if ((await schemaVersion(database.query, shown)) > 0) return false;
  const make = async (query: Query) => {
    await query('select pg_advisory_xact_lock($1, $2)', LOCK);
    if ((await schemaVersion(query, shown)) > 0) return false;
    await query(schema);
    return true;
  };
  return database.transaction(make).catch((error: unknown) => {
    if (!isForbidden(error)) throw error;
    const message = `The store ${shown} has no tables of srq yet, and this role may not create them. Nothing was sent.`;
    const hint = 'Let the owner of the database run: srq store migrate --store postgres://OWNER@HOST/DATABASE';
    throw new SrqError('store.not-ready', message, hint, error);
  });
}
