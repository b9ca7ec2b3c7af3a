import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';
import type { Destination } from '../../request/lead/service-request.ts';
import type { CachedToken, Clock, RecordChange, SharedAccountState, TokenCache } from '../../request/ports.ts';
import type { Database } from './database.ts';

const TOKEN = 'token';
const CIPHER = 'aes-256-gcm';
const IV_BYTES = 12;
const TAG_BYTES = 16;
/** Interval at which a process looks for alarms of others. */
const ALARM_MS = 200;

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

/** Opens the account's records. One process at a time changes a record, under the lock of its row. */
export function openAccountState(
  database: Database,
  account: string,
  run: string,
  stopping: AbortSignal,
  clock: Clock,
): PostgresAccountState {
  const listeners = new Map<string, () => void>();
  const closing = new AbortController();
  let last: Promise<unknown> = Promise.resolve();
  let watching: Promise<void> | null = null;
  const watch = async () => {
    let known: ReadonlyMap<string, number> | null = null;
    for (;;) {
      await clock.sleep(ALARM_MS, closing.signal);
      if (closing.signal.aborted) return;
      const text = 'select name, alarm, alarmed_by from srq.account where account = $1';
      const rows = await database.query<Alarm>(text, [account]).catch(() => null);
      if (rows === null) continue;
      for (const { name, alarm, alarmed_by } of rows) {
        const isNews = known !== null && (known.get(name) ?? 0) !== alarm;
        if (isNews && alarmed_by !== run) listeners.get(name)?.();
      }
      known = new Map(rows.map(({ name, alarm }) => [name, alarm]));
    }
  };
  return {
    run,
    // Changes are made one after the other, so that one process uses no more than one connection for them.
    change: (name, change) => {
      const changeOnce = () => changed(database, { account, name, run }, change);
      const done = last.then(() => database.retryWhileAway(changeOnce, stopping));
      last = done.catch(() => {});
      return done;
    },
    look: (name, read) => database.retryWhileAway(() => look(database, account, name, read), stopping),
    onAlarm: (name, listen) => {
      listeners.set(name, listen);
      watching ??= watch();
    },
    close: async () => {
      closing.abort();
      await last;
      await watching;
    },
  };
}

interface Alarm {
  readonly name: string;
  readonly alarm: number;
  readonly alarmed_by: string | null;
}

interface Kept {
  readonly kept: string | null;
  readonly now_ms: number;
}

/** Changes a record under the lock of its row. What a crash of the server loses is learned again. */
function changed<Result>(
  database: Database,
  { account, name, run }: { readonly account: string; readonly name: string; readonly run: string },
  change: (kept: unknown, nowMs: number) => RecordChange<Result>,
): Promise<Result> {
  return database.transaction(async (query) => {
    await query('set local synchronous_commit = off');
    const select = `select kept, extract(epoch from clock_timestamp())::float8 * 1000 as now_ms from srq.account
      where account = $1 and name = $2 for update`;
    let [row] = await query<Kept>(select, [account, name]);
    if (!row) {
      await query('insert into srq.account (account, name) values ($1, $2) on conflict do nothing', [account, name]);
      [row] = await query<Kept>(select, [account, name]);
    }
    const { kept = null, now_ms = 0 } = row ?? {};
    const { keep, result, alarm = false } = change(kept === null ? null : JSON.parse(kept), now_ms);
    await query(
      `update srq.account set kept = $3, alarm = alarm + $4::integer,
        alarmed_by = case when $4::integer > 0 then $5 else alarmed_by end where account = $1 and name = $2`,
      [account, name, JSON.stringify(keep), alarm ? 1 : 0, run],
    );
    return result;
  });
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

  /** Runs `work` with the token that the account has now. Two processes may do so at once, and both fetch one. */
  async alone<Result>(work: () => Promise<Result>): Promise<Result> {
    await this.#forgetting;
    await this.#load();
    return work();
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
