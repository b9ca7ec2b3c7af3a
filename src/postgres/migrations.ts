import { SrqError } from '../model/errors.ts';
import type { Database, Query } from './database.ts';
import { isForbidden } from './failures.ts';
import { LOG_TABLES } from './log-tables.ts';
import { QUEUE_TABLES } from './queue-tables.ts';

/** One step of the schema. Steps are never changed once they were released; the next one has the next number. */
interface Migration {
  readonly number: number;
  readonly name: string;
  /** Statements; done in one transaction. */
  readonly sql: string;
}

/**
 * What the processes of one account share: pace, breaker, what validate has shown, the token (encrypted). Small, and changed
 * many times a second: there is room on the page for many versions of a row, and what is dead goes soon.
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

/** In their order. */
const MIGRATIONS: readonly Migration[] = [LOG_TABLES, ACCOUNT_TABLES, QUEUE_TABLES];

/** The number of the schema that this program needs. */
export const NEWEST_SCHEMA = MIGRATIONS.at(-1)?.number ?? 0;
/** The advisory lock, "srq" and a number, under which one process at a time changes the schema. */
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
  throw new SrqError('log', message, 'Bring this srq up to date: npm install --global srq@latest');
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
    'log',
    `The store ${shown} ${what}, and this role may not make them. Nothing was sent.`,
    'Let the owner of the database run: srq store migrate --store postgres://OWNER@HOST/DATABASE',
    cause,
  );
}
