import PgBoss from 'pg-boss';
import { SrqError } from '../../request/errors.ts';
import type { Database, Query } from './database.ts';
import { isForbidden } from './failures.ts';
import { QUEUE_SCHEMA } from './migrations.ts';

/**
 * Number of times that a failed request is tried again. The first delay is 5 to 10 seconds, and all of them take about
 * an hour.
 */
const RETRIES = 9;
const FIRST_RETRY_S = 5;
/** What nobody has sent for so long holds personal data that nobody waits for. It becomes `failed` when it is taken. */
export const QUEUED_LIFE_DAYS = 30;

/**
 * The queue engine on our connections. Its own clearing up stays off, because it drops what it finds too old without a
 * word; a job leaves the queue by our decision alone.
 */
export async function startBoss(database: Database): Promise<PgBoss> {
  const boss = new PgBoss({
    db: { executeSql: (text, values) => executeSql(database, text, values) },
    schema: QUEUE_SCHEMA,
    schedule: false,
    supervise: false,
    retentionDays: QUEUED_LIFE_DAYS,
    retryLimit: RETRIES,
    retryDelay: FIRST_RETRY_S,
    retryBackoff: true,
  });
  // Whatever it does is awaited, and fails there.
  boss.on('error', () => {});
  try {
    return await boss.start();
  } catch (error) {
    throw isForbidden(error) && !(await isInstalled(database)) ? forbidden(database.shown, error) : error;
  }
}

/**
 * Tells whether the engine's tables exist. It uses the catalogue, so that roles without access to the engine's schema
 * can ask as well.
 */
async function isInstalled({ query }: Database): Promise<boolean> {
  const text = `select 1 from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where n.nspname = $1 and c.relname = 'version'`;
  return (await query(text, [QUEUE_SCHEMA])).length > 0;
}

/** Creates or updates the engine's own tables. */
export async function installBoss(database: Database): Promise<void> {
  const boss = await startBoss(database);
  await boss.stop({ graceful: false, close: false });
}

/**
 * Runs a statement of the engine. A text without values contains several statements with their own transaction, which
 * must not stay open on a shared connection.
 */
async function executeSql(database: Database, text: string, values?: unknown[]): Promise<{ rows: unknown[] }> {
  if (values !== undefined) return { rows: await database.query(text, values) };
  if (!/\bbegin\b/i.test(text)) return { rows: await database.query(text) };
  const session = await database.connect({ patient: true });
  try {
    return { rows: (await session.query(text)) ?? [] };
  } finally {
    await session.close();
  }
}

/** Runs the engine within a transaction. The engine ignores what `fetch` throws, so `failure` returns it. */
export function within(query: Query): { readonly db: PgBoss.Db; failure(): unknown } {
  let failure: unknown = null;
  const executeSql = async (text: string, values: unknown[]) => {
    try {
      return { rows: await query(text, values) };
    } catch (error) {
      failure = error;
      throw error;
    }
  };
  return { db: { executeSql }, failure: () => failure };
}

function forbidden(shown: string, cause: unknown): SrqError {
  return new SrqError(
    'store.not-ready',
    `The store ${shown} has no queue yet, and this role may not create one. Nothing was queued or sent.`,
    'Let the owner of the database run: srq store migrate --store postgres://OWNER@HOST/DATABASE',
    cause,
  );
}
