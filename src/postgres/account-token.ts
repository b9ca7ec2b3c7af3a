import { createCipheriv, createDecipheriv, randomBytes, scryptSync } from 'node:crypto';
import type { CachedToken, TokenCache } from '../model/ports.ts';
import type { Database, Session } from './database.ts';

const CIPHER = 'aes-256-gcm';
const IV_BYTES = 12;
const TAG_BYTES = 16;
const NAME = 'token';
/** The first half of the advisory lock of whoever asks for a token; the second is of the account. */
const TOKEN_LOCK = 0x737273;
const LOCK_TIMEOUT_MS = 5_000;

/**
 * The token of an account in the store, for all its processes, encrypted with a key that only the client secret gives: who
 * reads the database cannot use it. A store that is away is an empty cache.
 */
export class AccountToken implements TokenCache {
  readonly #database: Database;
  readonly #account: string;
  readonly #key: Buffer;
  #known: { readonly sealed: string; readonly token: CachedToken } | null = null;
  #forgetting: Promise<unknown> = Promise.resolve();

  private constructor(database: Database, account: string, clientSecret: string) {
    this.#database = database;
    this.#account = account;
    this.#key = scryptSync(clientSecret, account, 32);
  }

  static async open(database: Database, account: string, clientSecret: string): Promise<AccountToken> {
    const cache = new AccountToken(database, account, clientSecret);
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
    await this.#database.query(text, [this.#account, NAME, sealed]).catch(() => {});
  }

  forget(accessToken: string): void {
    if (this.#known?.token.accessToken !== accessToken) return;
    const text = 'update srq.account set kept = null where account = $1 and name = $2 and kept = $3';
    this.#forgetting = this.#database.query(text, [this.#account, NAME, this.#known.sealed]).catch(() => {});
    this.#known = null;
  }

  /** Who has waited for some time goes ahead: the one before may be stopped. */
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
    const rows = await this.#database.query<{ kept: string | null }>(text, [this.#account, NAME]).catch(() => []);
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

/** Null for what was sealed by another secret, or for another account. */
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
