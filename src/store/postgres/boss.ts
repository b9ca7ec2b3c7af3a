import PgBoss from 'pg-boss';
import { SrqError } from '../../request/words/errors.ts';
import type { Database, Query } from './database.ts';
import { isForbidden } from './failures.ts';
import { isInstalled, QUEUE_SCHEMA } from './queue-schema.ts';

/**
 * Number of times that a failed request is tried again. The first delay is 5 to 10 seconds, and all of them take about
 * an hour.
 */
export const RETRIES = 9;
export const FIRST_RETRY_S = 5;
/**
 * Days for which a request may wait to be sent. After that it is personal data that nobody waits for, and it becomes
 * `failed` when it is taken.
 */
export const QUEUED_LIFE_DAYS = 30;
/**
 * The version of pg-boss's tables that our functions and indexes on them are made for (`version.json` of the library).
 * The library itself would change older tables under running workers, and use newer ones as if it knew them.
 */
export const ENGINE_SCHEMA = 24;

/** Throws `SrqError('log')` if the queue's tables are of another version than this srq knows. */
async function requireKnownEngine({ query, shown }: Database): Promise<void> {
  const text = `select version from ${QUEUE_SCHEMA}.version`;
  const rows = (await isInstalled({ query })) ? await query<{ version: number }>(text) : [];
  const other = rows.find(({ version }) => version !== ENGINE_SCHEMA);
  if (!other) return;
  throw new SrqError(
    'store.version',
    `The queue in the store ${shown} has tables of pg-boss ${other.version}, this srq knows ${ENGINE_SCHEMA}. Nothing was queued or sent.`,
    other.version > ENGINE_SCHEMA
      ? 'Update srq: npm install --global srq@latest'
      : `Work the queue off with the srq that made it; then: drop schema ${QUEUE_SCHEMA} cascade, and srq store migrate`,
  );
}

/**
 * Starts the queue engine on our connections. Its own maintenance is turned off, because it silently deletes jobs that it
 * considers too old. Only our decisions remove a job.
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
  // Every operation of the engine is awaited and reports its own error, so this event needs no handling.
  boss.on('error', () => {});
  try {
    await requireKnownEngine(database);
    return await boss.start();
  } catch (error) {
    throw isForbidden(error) && !(await isInstalled(database)) ? forbidden(database.shown, error) : error;
  }
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

/** Runs the engine within a transaction. */
export function within(query: Query): PgBoss.Db {
  return { executeSql: async (text: string, values: unknown[]) => ({ rows: await query(text, values) }) };
}

function forbidden(shown: string, cause: unknown): SrqError {
  return new SrqError(
    'store.not-ready',
    `The store ${shown} has no queue yet, and this role may not create one. Nothing was queued or sent.`,
    'Let the owner of the database run: srq store migrate --store postgres://OWNER@HOST/DATABASE',
    cause,
  );
}
