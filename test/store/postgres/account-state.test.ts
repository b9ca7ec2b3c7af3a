import { describe, expect, test } from 'vitest';
import type { CachedToken } from '../../../src/request/ports.ts';
import { Secret } from '../../../src/request/words/secret.ts';
import { tokenKey } from '../../../src/service/token/token.ts';
import { AccountToken, accountId, openAccountState } from '../../../src/store/postgres/account.ts';
import { type Asked, scriptedDatabase } from '../../helpers/scripted-database.ts';

const ACCOUNT = '8f'.repeat(16);
const SECRET = 'a client secret';

const never = new AbortController().signal;
const tokenNamed = (accessToken: string): CachedToken => ({ accessToken, obtainedAtMs: 1, expiresAtMs: 2 });

describe('The id of an account', () => {
  const id = accountId({ baseUrl: 'https://api.example.com', clientId: 'partner' });

  test('is the same for every version that uses the store', () => {
    expect(id).toBe('67d4c39cb71fb020e1f71923688b0529');
  });

  test.each(['', 'a'.repeat(31), 'a'.repeat(33), 'A'.repeat(32), `${'a'.repeat(31)}'`])('is not "%s"', (account) => {
    const { database } = recordsOf();
    expect(() => openAccountState(database, account, 'run', never)).toThrow(`no account: ${account}`);
  });
});

/** A server with the records of accounts. */
function recordsOf(kept: Readonly<Record<string, unknown>> = {}, nowMs = 1_700_000_000_000) {
  const rows = new Map(Object.entries(kept).map(([name, value]) => [name, JSON.stringify(value)]));
  const failing = new Set<string>();
  const made = new Set<string>();
  const database = scriptedDatabase(({ text, values }: Asked) => {
    const fails = [...failing].find((words) => text.includes(words));
    if (fails !== undefined) throw new Error(`fails: ${fails}`);
    const name = String(values[1]);
    if (text.startsWith('select kept, extract')) {
      if (rows.has(name)) return [{ kept: rows.get(name), now_ms: nowMs }];
      return made.has(name) ? [{ kept: null, now_ms: nowMs }] : [];
    }
    if (text.startsWith('insert into srq.account')) made.add(name);
    const change = /^update srq\.account set kept = '(.*)' where account = '(\w+)' and name = '(\w+)'; .*commit$/s.exec(
      text,
    );
    if (change?.[2] === ACCOUNT) rows.set(change[3] ?? '', change[1] ?? '');
    return [];
  });
  const account = () => openAccountState(database, ACCOUNT, 'run', never);
  return { database, account, failing, rows };
}

describe('The records of an account', () => {
  test.each([
    ['by whom changes it', null, 'fails: of the caller'],
    ['at its beginning', 'begin', 'fails: begin'],
    ['at its end', 'commit', 'fails: commit'],
  ])('a change that fails %s leaves no transaction open, and the next one is made', async (_, where, message) => {
    const { database, account, failing } = recordsOf({ pace: 1 });
    const state = account();
    if (where) failing.add(where);
    const failed = state.change('pace', () => {
      if (where === null) throw new Error('fails: of the caller');
      return { keep: 2, result: null };
    });
    await expect(failed).rejects.toThrow(message);
    expect(database.sessions[0]?.isClosed()).toBe(true);
    failing.clear();
    expect(await state.change('pace', (kept) => ({ keep: 3, result: kept }))).toBe(1);
    expect(database.sessions.map(({ isClosed }) => isClosed())).toEqual([true, false]);
    await state.close();
  });

  test('a connection that was lost, or never was one, is replaced', async () => {
    const { database, account, failing } = recordsOf({ pace: 1 });
    const state = account();
    failing.add('listen');
    await expect(state.change('pace', () => ({ keep: 2, result: null }))).rejects.toThrow('fails: listen');
    // A connection that nobody knows of would keep the process alive.
    expect(database.sessions.map(({ isClosed }) => isClosed())).not.toContain(false);
    failing.clear();
    const before = database.sessions.length;
    await state.change('pace', () => ({ keep: 2, result: null }));
    await state.change('pace', () => ({ keep: 3, result: null }));
    expect(database.sessions).toHaveLength(before + 1);
    database.sessions.at(-1)?.cut();
    expect(await state.change('pace', (kept) => ({ keep: 4, result: kept }))).toBe(3);
    expect(database.sessions).toHaveLength(before + 2);
    await state.close();
  });
});

/** A server that keeps the token of an account. */
function tokensOf() {
  const kept = new Map<string, string | null>();
  const scene = { isAway: false, lockFails: false };
  let held = Promise.resolve();
  const database = scriptedDatabase(async ({ text, values }: Asked) => {
    if (scene.isAway) throw new Error('the store is away');
    const row = `${values[0]} ${values[1]}`;
    if (text.includes('pg_advisory_lock') && scene.lockFails) throw new Error('somebody holds it');
    if (text.startsWith('select kept')) return kept.has(row) ? [{ kept: kept.get(row) }] : [];
    if (text.startsWith('insert into srq.account')) {
      await held;
      kept.set(row, String(values[2]));
    }
    if (text.startsWith('update srq.account')) {
      await held;
      if (kept.get(row) === values[2]) kept.set(row, null);
    }
    return [];
  });
  const hold = () => {
    let go = () => {};
    held = new Promise((resolve) => {
      go = resolve;
    });
    return () => go();
  };
  const open = (account = ACCOUNT, secret = SECRET) =>
    AccountToken.open(database, account, tokenKey({ clientSecret: new Secret(secret) }, account));
  return { database, kept, open, scene, hold, row: `${ACCOUNT} token` };
}

describe('The token of an account', () => {
  test('that an earlier version has written is read', async () => {
    const { open, kept, row } = tokensOf();
    kept.set(
      row,
      'ABEiM0RVZneImaq7UtGc3AG7m7Ht9wCMMiG3jjSalw/bQed6mGL8QeDhLo34JodrULCgKIJqjTJAdVp75Mw4LAkDBB9sa7P4AgZa6Qof0bgv1k/Nzt9LNRWasN59J47r2YI6qA==',
    );
    expect((await open()).read()).toEqual(tokenNamed('of an earlier version'));
  });

  test('opens for its account and its secret, and only as it was written', async () => {
    const { open, kept, row } = tokensOf();
    await (await open()).write(tokenNamed('one'));
    const sealed = Buffer.from(kept.get(row) ?? '', 'base64');
    expect((await open(ACCOUNT, 'another secret')).read()).toBeNull();
    kept.set(`${'0'.repeat(32)} token`, sealed.toString('base64'));
    expect((await open('0'.repeat(32))).read()).toBeNull();
    for (const at of [0, 11, 12, 27, 28, sealed.length - 1]) {
      const changed = Buffer.from(sealed);
      changed[at] = (changed[at] ?? 0) ^ 1;
      kept.set(row, changed.toString('base64'));
      expect((await open()).read(), `byte ${at}`).toBeNull();
    }
    for (const broken of ['', 'no base64 at all', sealed.subarray(0, 20).toString('base64')]) {
      kept.set(row, broken);
      expect((await open()).read(), broken).toBeNull();
    }
  });

  test('that is being forgotten is not found again by its own process', async () => {
    const { open, hold } = tokensOf();
    const cache = await open();
    await cache.write(tokenNamed('refused'));
    const go = hold();
    cache.forget('refused');
    const found = cache.alone(async () => cache.read());
    await new Promise((resolve) => setImmediate(resolve));
    go();
    expect(await found).toBeNull();
  });

  test('is asked for without the lock where nobody gives it, after a look at what there is now', async () => {
    const { open, database, scene } = tokensOf();
    const [cache, other] = [await open(), await open()];
    await other.write(tokenNamed('by another'));
    scene.lockFails = true;
    expect(await cache.alone(async () => cache.read())).toEqual(tokenNamed('by another'));
    expect(database.sessions.map(({ isClosed }) => isClosed())).toEqual([true]);
  });

  test('is kept by its own process alone while the store is away', async () => {
    const { open, scene } = tokensOf();
    scene.isAway = true;
    const cache = await open();
    expect(cache.read()).toBeNull();
    await cache.write(tokenNamed('one'));
    expect(cache.read()).toEqual(tokenNamed('one'));
    cache.forget('one');
    expect(cache.read()).toBeNull();
    expect(await cache.alone(async () => 'done')).toBe('done');
  });
});
