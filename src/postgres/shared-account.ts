import { createHash } from 'node:crypto';
import { escapeLiteral } from 'pg';
import type { Changed, SharedAccount } from '../model/ports.ts';
import type { Destination } from '../model/service-request.ts';
import { type Database, IDLE_TIMEOUT_MS, type Session } from './database.ts';
import { livingWorkers } from './worker.ts';

const CHANNEL = 'srq_account';

/** Names an account: 32 hex digits. */
export function accountId({ baseUrl, clientId }: Destination): string {
  return createHash('sha256')
    .update(JSON.stringify([baseUrl, clientId]))
    .digest('hex')
    .slice(0, 32);
}

/** An account's shared knowledge, and the end of it. */
export interface PostgresAccount extends SharedAccount {
  /** Shows what is kept to `read`, as `change` would, and leaves it as it is. */
  look<Result>(name: string, read: (kept: unknown, nowMs: number) => Result): Promise<Result>;
  close(): Promise<void>;
}

/** By a connection of its own, which also hears alarms: a turn never waits for the log's statements, nor they for it. */
export function openAccount(database: Database, account: string, run: string, stopping: AbortSignal): PostgresAccount {
  const listeners = new Map<string, () => void>();
  const isSafe = /^[0-9a-f]{32}$/.test(account);
  if (!isSafe) throw new Error(`no account: ${account}`);
  let session: Promise<Session> | null = null;
  let last: Promise<unknown> = Promise.resolve();

  const connected = async (): Promise<Session> => {
    session ??= listening(database, account, run, listeners);
    const current = await session.catch(() => null);
    if (current && !current.gone.aborted) return current;
    session = listening(database, account, run, listeners);
    return session;
  };
  const changeOnce = async <Result>(name: string, change: (kept: unknown, nowMs: number) => Changed<Result>) => {
    const current = await connected();
    try {
      const { kept, now_ms } = await lockedRow(current, account, name);
      const changed = change(kept === null ? null : JSON.parse(kept), Number(now_ms));
      await current.query(keeping(account, name, run, changed));
      return changed.result;
    } catch (error) {
      await current.close();
      throw error;
    }
  };
  return {
    run,
    // One after the other: they share a connection.
    change: (name, change) => {
      const done = last.then(() => database.persist(() => changeOnce(name, change), stopping));
      last = done.catch(() => {});
      return done;
    },
    look: (name, read) => database.persist(() => look(database, account, name, read), stopping),
    ended: (runs) => database.persist(() => endedRuns(database, runs), stopping),
    onAlarm: (name, listen) => {
      listeners.set(name, listen);
    },
    close: async () => {
      await last;
      await (await session?.catch(() => null))?.close();
    },
  };
}

async function listening(
  database: Database,
  account: string,
  run: string,
  listeners: ReadonlyMap<string, () => void>,
): Promise<Session> {
  const session = await database.connect();
  session.onNotice((payload) => {
    const [ofAccount, name = '', by] = payload.split(' ');
    if (ofAccount === account && by !== run) listeners.get(name)?.();
  });
  await session.query(`listen ${CHANNEL}`);
  return session;
}

/** Nobody else changes the row before the transaction ends. What is lost with a crash of the server is learned again. */
async function lockedRow({ query }: Session, account: string, name: string) {
  const select = `select kept, extract(epoch from clock_timestamp())::float8 * 1000 as now_ms from srq.account
    where account = $1 and name = $2 for update`;
  await query(
    `begin; set local synchronous_commit = off; set local idle_in_transaction_session_timeout = ${IDLE_TIMEOUT_MS}`,
  );
  const [row] = await query<{ kept: string | null; now_ms: number }>(select, [account, name]);
  if (row) return row;
  await query('insert into srq.account (account, name) values ($1, $2) on conflict do nothing', [account, name]);
  const [made] = await query<{ kept: string | null; now_ms: number }>(select, [account, name]);
  return made ?? { kept: null, now_ms: 0 };
}

/** In one round trip, as the others wait for its end. */
function keeping(account: string, name: string, run: string, { keep, alarm = false }: Changed<unknown>): string {
  const set = `kept = ${escapeLiteral(JSON.stringify(keep))}`;
  const where = `account = ${escapeLiteral(account)} and name = ${escapeLiteral(name)}`;
  const notice = `select pg_notify('${CHANNEL}', ${escapeLiteral(`${account} ${name} ${run}`)});`;
  return `update srq.account set ${set} where ${where}; ${alarm ? notice : ''} commit`;
}

async function look<Result>(
  { query }: Database,
  account: string,
  name: string,
  read: (kept: unknown, nowMs: number) => Result,
): Promise<Result> {
  const [row] = await query<{ kept: string | null; now_ms: number }>(
    `select kept, extract(epoch from clock_timestamp())::float8 * 1000 as now_ms from srq.account
    where account = $1 and name = $2`,
    [account, name],
  );
  return read(row?.kept ? JSON.parse(row.kept) : null, Number(row?.now_ms ?? 0));
}

async function endedRuns({ query }: Database, runs: readonly string[]): Promise<string[]> {
  const rows = await query<{ id: number; run: string }>('select id, run from srq.worker where run = any($1)', [runs]);
  const living = await livingWorkers(
    query,
    rows.map(({ id }) => id),
  );
  const livingRuns = new Set(rows.filter(({ id }) => living.has(id)).map(({ run }) => run));
  return runs.filter((run) => !livingRuns.has(run));
}
