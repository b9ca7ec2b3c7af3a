import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { type DatabaseOptions, openDatabase, systemClock } from '../../doors/store.ts';
import { PostgresServer, postgresIsMissing, STORE_PASSWORD } from '../../helpers/postgres.ts';
import { TcpLine } from '../../helpers/tcp-line.ts';
import { VirtualClock } from '../../helpers/virtual-clock.ts';

const why = postgresIsMissing === null ? '' : ` (skipped: ${postgresIsMissing})`;
const never = new AbortController().signal;
const away = (message = 'connect') => Object.assign(new Error(message), { code: 'ECONNREFUSED' });

const databaseAt = (url: string, options: Partial<DatabaseOptions> = {}) => {
  const database = openDatabase({ url, password: null, name: 'srq', clock: systemClock, ...options });
  onTestFinished(() => database.close());
  return database;
};

describe.skipIf(postgresIsMissing !== null)(`A connection${why}`, () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await PostgresServer.start();
  });
  afterAll(() => server?.end());
  const known = async () => STORE_PASSWORD;

  test('a password of the store in the URL goes before the one that is asked for', async () => {
    const url = server.url('postgres').replace('owner@', `owner:${STORE_PASSWORD}@`);
    const database = databaseAt(url, { password: async () => 'wrong' });
    expect(await database.query('select 1 as one')).toEqual([{ one: 1 }]);
    await (await database.connect()).close();
  });

  test('without a password, none is looked for in a file, and the driver does not warn', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'srq-pgpass-'));
    const line = `127.0.0.1:${server.port}:postgres:owner:${STORE_PASSWORD}\n`;
    writeFileSync(join(folder, 'pgpass'), line, { mode: 0o600 });
    vi.stubEnv('PGPASSFILE', join(folder, 'pgpass'));
    const warned = vi.fn();
    process.on('warning', warned);
    onTestFinished(() => {
      process.off('warning', warned);
      vi.unstubAllEnvs();
      rmSync(folder, { recursive: true });
    });
    const database = databaseAt(server.url('postgres'), { password: null });
    await expect(database.query('select 1')).rejects.toThrow('asks for a password, and none is known');
    expect(warned).not.toHaveBeenCalled();
  });

  test('A connection to the store asks for its password, which may hold for minutes only', async () => {
    let asked = 0;
    const password = async () => {
      asked += 1;
      return STORE_PASSWORD;
    };
    const database = databaseAt(server.url('postgres'), { password });
    await database.query('select 1');
    await (await database.connect()).close();
    expect(asked).toBe(2);
  });

  test('A connection to the store keeps nothing of several statements of which one failed', async () => {
    const { query } = databaseAt(await server.database(), { password: known });
    expect(await query('select 1 as one; select 2 as two')).toEqual([{ two: 2 }]);
    await expect(query('create table gone (id integer); select 1 / 0')).rejects.toThrow('division by zero');
    expect(await query("select to_regclass('gone') as found")).toEqual([{ found: null }]);
  });

  test('A time limit that is set for the next statement ends with it', async () => {
    const { query } = databaseAt(await server.database(), { password: known });
    await expect(query('set local statement_timeout = 100; select pg_sleep(60)')).rejects.toThrow('statement timeout');
    expect(await query('show statement_timeout')).toEqual([{ statement_timeout: '30s' }]);
  });

  test('A silent connection to the store is given up, a read later than a statement', async () => {
    const line = await TcpLine.to(server.port);
    const url = server.url('postgres').replace(/:\d+\//, `:${line.port}/`);
    const database = databaseAt(url, { password: known });
    const session = await database.connect();
    const limit = 'show statement_timeout';
    expect([await database.query(limit), await session.query(limit)]).toEqual([
      [{ statement_timeout: '30s' }],
      [{ statement_timeout: '0' }],
    ]);
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(async () => {
      vi.useRealTimers();
      line.flow();
      await line.end();
    });
    line.silence();
    const ends = { read: 'none', asked: 'none', connect: 'none' };
    const follow = (name: keyof typeof ends, promise: Promise<unknown>) =>
      promise.catch((error: Error) => {
        ends[name] = error.message;
      });
    void follow('read', session.query('select 1'));
    void follow('asked', database.query('select 1'));
    void follow('connect', database.connect());
    const pass = async (ms: number) => {
      for (const each of [0, ms]) {
        vi.advanceTimersByTime(each);
        for (let turn = 0; turn < 50; turn += 1) await setImmediate();
      }
      return { ...ends };
    };
    const lost = expect.stringContaining('cannot be reached');
    expect(await pass(9_999)).toEqual({ read: 'none', asked: 'none', connect: 'none' });
    expect(await pass(1)).toEqual({ read: 'none', asked: 'none', connect: lost });
    expect(await pass(34_999)).toMatchObject({ read: 'none', asked: 'none' });
    expect(await pass(1)).toMatchObject({ read: 'none', asked: lost });
    expect(await pass(3_600_000)).toMatchObject({ read: 'none' });
  });
});

describe('While the server is unavailable', () => {
  const persistent = (options: Partial<DatabaseOptions> = {}) => {
    const clock = new VirtualClock();
    const said: (string | null)[] = [];
    const url = 'postgres://owner@127.0.0.1:1/leads';
    const database = databaseAt(url, { clock, away: (message) => said.push(message), ...options });
    return { clock, said, retry: database.retryWhileAway };
  };
  const withoutChance = (random = 0.5) => {
    const spy = vi.spyOn(Math, 'random').mockReturnValue(random);
    onTestFinished(() => spy.mockRestore());
  };
  /** Work that fails some times first, with the times at which it was begun. */
  const failing = (clock: VirtualClock, times: number, error: unknown = away()) => {
    const begun: number[] = [];
    const work = async () => {
      begun.push(clock.monotonicMs());
      if (begun.length <= times) throw error;
      return 'done';
    };
    return { begun, work };
  };

  test('work on the store is tried again ever later, and at last every five seconds', async () => {
    withoutChance();
    const { clock, retry } = persistent();
    await retry(async () => {}, never);
    const { begun, work } = failing(clock, 9);
    expect(await clock.until(retry(work, never))).toBe('done');
    const pauses = begun.slice(1).map((ms, at) => ms - (begun[at] ?? 0));
    expect(pauses).toEqual([100, 200, 400, 800, 1_600, 3_200, 5_000, 5_000, 5_000]);
  });

  test.each([
    ['three seconds', 3_000, 'done'],
    ['longer', 3_001, 'given up'],
  ])('a store that was never reached is tried for three seconds: a first try that takes %s', async (_, ms, end) => {
    withoutChance();
    const { clock, retry, said } = persistent();
    let tries = 0;
    const work = async () => {
      tries += 1;
      if (tries > 1) return 'done';
      await clock.sleep(ms);
      throw away();
    };
    expect(await clock.until(retry(work, never).catch(() => 'given up'))).toBe(end);
    expect(said).toEqual([]);
  });

  test('a store that was reached is waited for, and srq says so every ten seconds', async () => {
    withoutChance();
    const { clock, retry, said } = persistent();
    await retry(async () => {}, never);
    const short = failing(clock, 1);
    await clock.until(retry(short.work, never));
    expect(said).toEqual([]);
    const long = failing(clock, 12, away('it is away'));
    expect(await clock.until(retry(long.work, never))).toBe('done');
    // It took some 42 s.
    expect(said).toEqual([...Array(4).fill('it is away'), null]);
    expect(clock.monotonicMs()).toBeGreaterThan(30_000);
    said.length = 0;
    await clock.until(retry(failing(clock, 2, Object.assign(new Error('again'), { code: '57P01' })).work, never));
    expect(said).toEqual(['again', null]);
  });

  test('a store that does not answer is mentioned after five seconds, and every ten', async () => {
    const { clock, retry, said } = persistent();
    await retry(async () => {}, never);
    await clock.until(retry(() => clock.sleep(26_000), never));
    expect(said).toEqual([...Array(3).fill(expect.stringMatching(/does not answer\.$/)), null]);
  });

  test('the store is back when nobody waits for it any more, however often another call succeeds', async () => {
    withoutChance();
    const { clock, retry, said } = persistent();
    await retry(async () => {}, never);
    const full = failing(clock, 6, Object.assign(new Error('full'), { code: '53100' }));
    const writing = retry(full.work, never);
    for (let at = 0; at < 20; at += 1) {
      await clock.until(clock.sleep(100));
      await retry(async () => {}, never);
    }
    await clock.until(writing);
    expect(said).toEqual(['full', null]);
  });

  test('the store is not back when work on it was given up, but with the next work that is done', async () => {
    withoutChance();
    const { clock, retry, said } = persistent();
    await retry(async () => {}, never);
    const stop = new AbortController();
    const given = retry(failing(clock, 9, away('it is away')).work, stop.signal).catch(() => 'given up');
    await clock.until(clock.sleep(1_000));
    stop.abort();
    expect(await clock.until(given)).toBe('given up');
    expect(said).toEqual(['it is away']);
    await retry(async () => {}, never);
    expect(said).toEqual(['it is away', null]);
  });

  test('work on the store is not tried again after the end, nor if it cannot succeed', async () => {
    const { clock, retry } = persistent();
    await retry(async () => {}, never);
    const stop = new AbortController();
    let tries = 0;
    const work = async () => {
      tries += 1;
      if (tries === 3) stop.abort();
      throw away(`try ${tries}`);
    };
    await expect(clock.until(retry(work, stop.signal))).rejects.toThrow('try 3');
    const refusal = Object.assign(new Error('no such table'), { code: '42P01' });
    const { begun, work: refused } = failing(clock, 1, refusal);
    await expect(retry(refused, never)).rejects.toBe(refusal);
    expect(begun).toHaveLength(1);
  });
});
