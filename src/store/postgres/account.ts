import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { type Destination, digestOf } from '../../request/lead/service-request.ts';
import type { CachedToken, TokenCache } from '../../request/ports.ts';
import type { Database, Query } from './database.ts';

const TOKEN = 'token';
const CIPHER = 'aes-256-gcm';
const IV_BYTES = 12;
const TAG_BYTES = 16;

/** Returns the id of an account, as 32 hex digits. */
export const accountId = ({ baseUrl, clientId }: Destination): string => digestOf([baseUrl, clientId]);

export type PostgresAccountState = ReturnType<typeof openAccountState>;

/**
 * Opens the small named records of an account in the store, which all processes share that send for it. Each call waits for a
 * store that is away, and throws `SrqError('log')` when it gives up.
 */
export function openAccountState({ query, retryWhileAway }: Database, account: string, stopping: AbortSignal) {
  let last: Promise<unknown> = Promise.resolve();
  return {
    /**
     * Passes a copy of a record to `change` (null if there is none), and stores the `keep` that it returns as JSON. `result` is
     * for the caller. Changes are made one after the other, so that one process does not compete with itself.
     */
    change: <Result>(
      name: string,
      change: (kept: unknown) => { readonly keep: unknown; readonly result: Result },
    ): Promise<Result> => {
      // If another process was faster, the change is made again from what that one has left.
      const changed = async () => {
        for (;;) {
          const kept = await keptAs(query, account, name);
          const { keep, result } = change(parsed(kept));
          if ((await query(CHANGE, [account, name, JSON.stringify(keep), kept])).length > 0) return result;
        }
      };
      const done = last.then(() => retryWhileAway(changed, stopping));
      last = done.catch(() => {});
      return done;
    },
    /** Passes a copy of a record to `read`. */
    look: async <Result>(name: string, read: (kept: unknown) => Result) =>
      read(parsed(await retryWhileAway(() => keptAs(query, account, name), stopping))),
    close: async () => void (await last),
  };
}

/**
 * Writes a record if it still is as it was read. No commit waits for the disk, because what a crash of the server loses is
 * learned again.
 */
const CHANGE = `insert into srq.account as a (account, name, kept) values ($1, $2, $3)
  on conflict (account, name) do update set kept = excluded.kept
  where a.kept is not distinct from $4 and set_config('synchronous_commit', 'off', true) = 'off' returning 1`;

async function keptAs(query: Query, account: string, name: string): Promise<string | null> {
  const text = 'select kept from srq.account where account = $1 and name = $2';
  const [row] = await query<{ kept: string | null }>(text, [account, name]);
  return row?.kept ?? null;
}

const parsed = (kept: string | null): unknown => (kept === null ? null : JSON.parse(kept));

/**
 * Shares the token of an account with all its processes. It is encrypted with a key that is derived from the client secret, so
 * that readers of the database cannot use it. Two processes may fetch one at once; the later one stays.
 */
export async function openAccountToken({ look, change }: PostgresAccountState, account: string, key: Buffer) {
  let known = null as { readonly sealed: string; readonly token: CachedToken } | null;
  let forgetting: Promise<unknown> = Promise.resolve();
  // Without the store the cache is empty. Others tell that it is away.
  const load = async () => {
    const sealed = await look(TOKEN, (kept) => (typeof kept === 'string' ? kept : '')).catch(() => '');
    const opened = unseal(sealed, key, account);
    known = opened === null ? null : { sealed, token: JSON.parse(opened) };
  };
  await load();
  return {
    read: () => known?.token ?? null,
    write: async (token: CachedToken) => {
      const sealed = seal(JSON.stringify(token), key, account);
      known = { sealed, token };
      await change(TOKEN, () => ({ keep: sealed, result: null })).catch(() => {});
    },
    forget: (accessToken: string) => {
      if (known?.token.accessToken !== accessToken) return;
      const { sealed } = known;
      known = null;
      const dropped = change(TOKEN, (kept) => ({ keep: kept === sealed ? null : kept, result: null }));
      forgetting = dropped.catch(() => {});
    },
    refresh: async () => {
      await forgetting;
      await load();
    },
  } satisfies TokenCache;
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
