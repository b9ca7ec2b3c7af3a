import { describe, expect, test } from 'vitest';
import type { CachedToken } from '../../../src/request/ports.ts';
import { AccountToken, accountId, openAccountState } from '../../../src/store/postgres/account.ts';
import { type Asked, scriptedDatabase } from '../../helpers/scripted-database.ts';

const ACCOUNT = '8f'.repeat(16);
const SECRET = 'a client secret';
const never = new AbortController().signal;
const tokenNamed = (accessToken: string): CachedToken => ({ accessToken, obtainedAtMs: 1, expiresAtMs: 2 });

describe('The id of an account', () => {
  const id = accountId({ baseUrl: 'https://api.example.com', clientId: 'partner' });

  test('is 32 hex digits, and another one for each service and each client', () => {
    expect(id).toMatch(/^[0-9a-f]{32}$/);
    const others = [
      { baseUrl: 'https://api.example.com', clientId: 'partne' },
      { baseUrl: 'https://api.example.co', clientId: 'partner' },
      { baseUrl: 'https://api.example.compartner', clientId: '' },
    ];
    expect(new Set([id, ...others.map(accountId)]).size).toBe(4);
  });

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
  test('are changed one at a time, each in a transaction that others cannot wait for in vain', async () => {
    const { database, account, rows } = recordsOf({ pace: { a: 1 } });
    const state = account();
    const seen: unknown[] = [];
    const change = (to: unknown) =>
      state.change('pace', (kept, nowMs) => {
        seen.push(kept, nowMs);
        return { keep: to, result: `was ${JSON.stringify(kept)}` };
      });
    const results = await Promise.all([change({ a: 2 }), change(null), change("it's")]);
    expect(results).toEqual(['was {"a":1}', 'was {"a":2}', 'was null']);
    expect(seen.filter((_, at) => at % 2 === 1)).toEqual([1_700_000_000_000, 1_700_000_000_000, 1_700_000_000_000]);
    expect(rows.get('pace')).toBe('"it\'\'s"');
    const texts = database.sessions[0]?.asked.map(({ text }) => text.split(/[ ;]/)[0]);
    expect(texts).toEqual(['listen', ...Array(3).fill(['begin', 'select', 'update']).flat()]);
    expect(database.sessions[0]?.asked[1]?.text).toMatch(/idle_in_transaction_session_timeout = [1-9]\d*$/);
    expect(database.sessions).toHaveLength(1);
    await state.close();
    expect(database.sessions[0]?.isClosed()).toBe(true);
  });

  test('are made where there is none: nobody gets another start than the row that was made', async () => {
    const { database, account, rows } = recordsOf();
    const state = account();
    expect(await state.change('pace', (kept, nowMs) => ({ keep: 1, result: [kept, nowMs] }))).toEqual([
      null,
      1_700_000_000_000,
    ]);
    expect(rows.get('pace')).toBe('1');
    const made = database.asked.filter(({ text }) => text.startsWith('insert'));
    expect(made.map(({ values }) => values)).toEqual([[ACCOUNT, 'pace']]);
    const looked = database.asked.filter(({ text }) => text.startsWith('select kept'));
    expect(looked.map(({ values }) => values)).toEqual([
      [ACCOUNT, 'pace'],
      [ACCOUNT, 'pace'],
    ]);
    await state.close();
  });

  test('wake the others only where that is asked for', async () => {
    const { database, account } = recordsOf({ pace: 1 });
    const state = account();
    const last = () => database.asked.at(-1)?.text;
    await state.change('pace', () => ({ keep: 1, result: null }));
    expect(last()).not.toContain('notify');
    await state.change('pace', () => ({ keep: 1, result: null, alarm: false }));
    expect(last()).not.toContain('notify');
    await state.change('pace', () => ({ keep: 1, result: null, alarm: true }));
    expect(last()).toMatch(new RegExp(`; select pg_notify\\('srq_account', '${ACCOUNT} pace run'\\); commit$`));
    await state.close();
  });

  test.each([
    [`${ACCOUNT} pace other`, ['pace']],
    [`${ACCOUNT} breaker other`, ['breaker']],
    [`${ACCOUNT} pace run`, []],
    [`${ACCOUNT} token other`, []],
    [`${'0'.repeat(32)} pace other`, []],
    [ACCOUNT, []],
    ['', []],
  ])('the alarm "%s" wakes %j', async (payload, woken) => {
    const { database, account } = recordsOf({ pace: 1 });
    const state = account();
    const heard: string[] = [];
    for (const name of ['pace', 'breaker']) state.onAlarm(name, () => heard.push(name));
    await state.change('pace', () => ({ keep: 1, result: null }));
    database.sessions[0]?.notify(payload);
    expect(heard).toEqual(woken);
    await state.close();
  });

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

  test('are given up when the changes under way are made, and also where there was none', async () => {
    const { database, account, rows } = recordsOf({ pace: 1 });
    const state = account();
    const changed = state.change('pace', () => ({ keep: 2, result: 'made' }));
    await state.close();
    expect([rows.get('pace'), database.sessions[0]?.isClosed()]).toEqual(['2', true]);
    expect(await changed).toBe('made');
    await account().close();
    expect(database.sessions).toHaveLength(1);
    const { account: broken, failing } = recordsOf();
    failing.add('listen');
    const other = broken();
    await expect(other.change('pace', () => ({ keep: 2, result: null }))).rejects.toThrow();
    await other.close();
  });

  test('can be looked at without a change', async () => {
    const { database, account } = recordsOf({ pace: { a: [1] } });
    const state = account();
    expect(await state.look('pace', (kept, nowMs) => [kept, nowMs])).toEqual([{ a: [1] }, 1_700_000_000_000]);
    expect(await state.look('breaker', (kept) => [kept])).toEqual([null]);
    expect(database.asked.map(({ values }) => values)).toEqual([
      [ACCOUNT, 'pace'],
      [ACCOUNT, 'breaker'],
    ]);
    expect(database.sessions).toEqual([]);
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
  const open = (account = ACCOUNT, secret = SECRET) => AccountToken.open(database, account, secret);
  return { database, kept, open, scene, hold, row: `${ACCOUNT} token` };
}

describe('The token of an account', () => {
  test('is none at first, is known as soon as it is written, and is found by who comes later', async () => {
    const { open, kept, row } = tokensOf();
    const [first, second] = [await open(), await open()];
    expect([first.read(), second.read()]).toEqual([null, null]);
    await first.write(tokenNamed('one'));
    expect([first.read(), second.read()]).toEqual([tokenNamed('one'), null]);
    expect((await open()).read()).toEqual(tokenNamed('one'));
    // It is another text each time, so that nobody can tell whether two are the same.
    const sealed = kept.get(row);
    await first.write(tokenNamed('one'));
    expect(kept.get(row)).not.toBe(sealed);
    expect((await open()).read()).toEqual(tokenNamed('one'));
  });

  test('is written before its writer goes on', async () => {
    const { open, kept, row, hold } = tokensOf();
    const cache = await open();
    const go = hold();
    let isWritten = false;
    const writing = Promise.resolve(cache.write(tokenNamed('one'))).then(() => {
      isWritten = true;
    });
    await new Promise((resolve) => setImmediate(resolve));
    expect([isWritten, kept.has(row)]).toEqual([false, false]);
    go();
    await writing;
    expect(kept.has(row)).toBe(true);
  });

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

  test('that was refused is forgotten if it is still the one, and never another one', async () => {
    const { open, kept, row, database } = tokensOf();
    const cache = await open();
    cache.forget('one');
    await cache.write(tokenNamed('one'));
    const before = database.asked.length;
    cache.forget('another');
    expect([cache.read(), database.asked.length]).toEqual([tokenNamed('one'), before]);
    const stale = await open();
    await cache.write(tokenNamed('two'));
    stale.forget('one');
    expect(stale.read()).toBeNull();
    expect(await stale.alone(async () => stale.read())).toEqual(tokenNamed('two'));
    cache.forget('two');
    expect(cache.read()).toBeNull();
    expect(await cache.alone(async () => cache.read())).toBeNull();
    expect(kept.get(row)).toBeNull();
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

  test('is asked for by who holds the lock of the account, for as long as the work takes', async () => {
    const { open, database } = tokensOf();
    const cache = await open();
    const session = () => database.sessions[0];
    const result = await cache.alone(async () => {
      await new Promise((resolve) => setImmediate(resolve));
      expect(session()?.isClosed()).toBe(false);
      return 'the result';
    });
    expect([result, session()?.isClosed()]).toEqual(['the result', true]);
    // The limit of five seconds is set before the lock, whose number is the same for all versions of srq.
    expect(session()?.asked).toEqual([
      { text: 'set lock_timeout = 5000', values: [] },
      { text: 'select pg_advisory_lock($1, $2)', values: [0x737273, 0x8f8f8f8f | 0] },
    ]);
    const other = await open('00000002'.repeat(4));
    await other.alone(async () => {});
    expect(database.sessions[1]?.asked[1]?.values).toEqual([0x737273, 2]);
    await expect(
      cache.alone(async () => {
        throw new Error('of the work');
      }),
    ).rejects.toThrow('of the work');
    expect(database.sessions.map(({ isClosed }) => isClosed())).toEqual([true, true, true]);
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
