import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';
import { escapeLiteral } from 'pg';
import type { Destination } from '../../request/lead/service-request.ts';
import type { CachedToken, RecordChange, SharedAccountState, TokenCache } from '../../request/ports.ts';
import { type Database, IDLE_TIMEOUT_MS, type Session } from './database.ts';

const CHANNEL = 'srq_account';
const TOKEN = 'token';
const CIPHER = 'aes-256-gcm';
const IV_BYTES = 12;
const TAG_BYTES = 16;
/**
 * The first half of the key of an advisory lock, which a process holds while it requests a token. The second half is
 * derived from the account.
 */
const TOKEN_LOCK = 0x737273;
const LOCK_TIMEOUT_MS = 5_000;

/** Returns the id of an account, as 32 hex digits. */
export function accountId({ baseUrl, clientId }: Destination): string {
  return createHash('sha256')
    .update(JSON.stringify([baseUrl, clientId]))
    .digest('hex')
    .slice(0, 32);
}

/** The records of an account in the store. */
export interface PostgresAccountState extends SharedAccountState {
  /** Passes a copy of the record to `read`, like `change`, but changes nothing. */
  look<Result>(name: string, read: (kept: unknown, nowMs: number) => Result): Promise<Result>;
  close(): Promise<void>;
}

/**
 * Opens the account's records over a separate connection, which also receives alarms. Changing a record and the
 * statements of the log therefore never wait for each other.
 */
export function openAccountState(
  database: Database,
  account: string,
  run: string,
  stopping: AbortSignal,
): PostgresAccountState {
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
  const changeOnce = async <Result>(name: string, change: (kept: unknown, nowMs: number) => RecordChange<Result>) => {
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
    // Changes are made one after the other, because they share a connection.
    change: (name, change) => {
      const done = last.then(() => database.retryWhileAway(() => changeOnce(name, change), stopping));
      last = done.catch(() => {});
      return done;
    },
    look: (name, read) => database.retryWhileAway(() => look(database, account, name, read), stopping),
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
  session.onNotification((payload) => {
    const [ofAccount, name = '', by] = payload.split(' ');
    if (ofAccount === account && by !== run) listeners.get(name)?.();
  });
  try {
    await session.query(`listen ${CHANNEL}`);
  } catch (error) {
    // The connection is closed because a standby refuses to listen. An open connection that nobody knows of would keep
    // the process alive for ever.
    await session.close();
    throw error;
  }
  return session;
}

/** Locks and returns a record until the transaction ends. What a crash of the server loses is learned again. */
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

/**
 * Builds the statements that store a record and end the transaction. They are sent in one round trip, because other
 * processes wait for the end.
 */
function keeping(account: string, name: string, run: string, { keep, alarm = false }: RecordChange<unknown>): string {
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

/**
 * Shares the token of an account with all its processes, through the store. The token is encrypted with a key that is
 * derived from the client secret, so that readers of the database cannot use it. If the store is unavailable, the cache
 * is empty.
 */
export class AccountToken implements TokenCache {
  readonly #database: Database;
  readonly #account: string;
  readonly #key: Buffer;
  #known: { readonly sealed: string; readonly token: CachedToken } | null = null;
  #forgetting: Promise<unknown> = Promise.resolve();

  private constructor(database: Database, account: string, key: Buffer) {
    this.#database = database;
    this.#account = account;
    this.#key = key;
  }

  /** `key` is the key that encrypts the token, made from the client secret and the account. */
  static async open(database: Database, account: string, key: Buffer): Promise<AccountToken> {
    const cache = new AccountToken(database, account, key);
    await cache.#load();
    return cache;
  }

  read(): CachedToken | null {
    return this.#known?.token ?? null;
  }

  async write(token: CachedToken): Promise<void> {
    const sealed = seal(JSON.stringify(token), this.#key, this.#account);
    this.#known = { sealed, token };
    const text = `insert into srq.account (account, name, kept) values ($1, $2, $3)
      on conflict (account, name) do update set kept = excluded.kept`;
    await this.#database.query(text, [this.#account, TOKEN, sealed]).catch(() => {});
  }

  forget(accessToken: string): void {
    if (this.#known?.token.accessToken !== accessToken) return;
    const text = 'update srq.account set kept = null where account = $1 and name = $2 and kept = $3';
    this.#forgetting = this.#database.query(text, [this.#account, TOKEN, this.#known.sealed]).catch(() => {});
    this.#known = null;
  }

  /**
   * Runs `work` under the account's lock. After `LOCK_TIMEOUT_MS` it runs without the lock, because the holder may be
   * suspended.
   */
  async alone<Result>(work: () => Promise<Result>): Promise<Result> {
    await this.#forgetting;
    const session = await this.#locked().catch(() => null);
    try {
      await this.#load();
      return await work();
    } finally {
      await session?.close();
    }
  }

  async #locked(): Promise<Session> {
    const session = await this.#database.connect();
    const half = Number.parseInt(this.#account.slice(0, 8), 16) | 0;
    try {
      await session.query(`set lock_timeout = ${LOCK_TIMEOUT_MS}`);
      await session.query('select pg_advisory_lock($1, $2)', [TOKEN_LOCK, half]);
      return session;
    } catch (error) {
      await session.close();
      throw error;
    }
  }

  async #load(): Promise<void> {
    const text = 'select kept from srq.account where account = $1 and name = $2';
    const rows = await this.#database.query<{ kept: string | null }>(text, [this.#account, TOKEN]).catch(() => []);
    const sealed = rows[0]?.kept ?? null;
    const opened = sealed === null ? null : unseal(sealed, this.#key, this.#account);
    this.#known = sealed === null || opened === null ? null : { sealed, token: JSON.parse(opened) };
  }
}

function seal(text: string, key: Buffer, account: string): string {
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv(CIPHER, key, iv).setAAD(Buffer.from(account));
  const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
  return Buffer.concat([iv, cipher.getAuthTag(), body]).toString('base64');
}

/** Decrypts a token. Returns null if it was encrypted with another secret or for another account. */
function unseal(sealed: string, key: Buffer, account: string): string | null {
  const bytes = Buffer.from(sealed, 'base64');
  try {
    const decipher = createDecipheriv(CIPHER, key, bytes.subarray(0, IV_BYTES)).setAAD(Buffer.from(account));
    decipher.setAuthTag(bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES));
    return Buffer.concat([decipher.update(bytes.subarray(IV_BYTES + TAG_BYTES)), decipher.final()]).toString('utf8');
  } catch {
    return null;
  }
}
