import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { type DatabaseOptions, openDatabase, systemClock } from '../../doors/store.ts';
import { Refusal, ScriptedPostgres, until } from '../../helpers/scripted-postgres.ts';
import { VirtualClock } from '../../helpers/virtual-clock.ts';

const never = new AbortController().signal;
const away = (message = 'connect') => Object.assign(new Error(message), { code: 'ECONNREFUSED' });

const serve = async (...script: Parameters<typeof ScriptedPostgres.start>) => {
  const server = await ScriptedPostgres.start(...script);
  onTestFinished(() => server.end());
  return server;
};
const databaseAt = (url: string, options: Partial<DatabaseOptions> = {}) => {
  const database = openDatabase({ url, password: null, name: 'srq', clock: systemClock, ...options });
  onTestFinished(() => database.close());
  return database;
};

describe('The password of a connection', () => {
  const secrets = { inUrl: 'of the url', asked: 'of the command', inFile: 'of the file' };
  const passwordFile = (place: string) => {
    const folder = mkdtempSync(join(tmpdir(), 'srq-pgpass-'));
    const path = join(folder, 'pgpass');
    writeFileSync(path, `${place}:leads:owner:${secrets.inFile}\n`, { mode: 0o600 });
    vi.stubEnv('PGPASSFILE', path);
    onTestFinished(() => {
      vi.unstubAllEnvs();
      rmSync(folder, { recursive: true });
    });
  };

  const known: DatabaseOptions['password'] = async () => secrets.asked;
  const unknown: DatabaseOptions['password'] = async () => null;
  test.each([
    ['in the URL goes before all others', 'inUrl', known],
    ['that is asked for goes before that of the file', 'asked', known],
    ['is looked up in the file where none is asked for', 'inFile', null],
    ['is looked up in the file where none is known', 'inFile', unknown],
  ] as const)('%s', async (_, right, password) => {
    const server = await serve({ password: secrets[right] });
    passwordFile(server.place);
    const withPassword = server.url.replace('owner@', `owner:${encodeURIComponent(secrets.inUrl)}@`);
    const database = databaseAt(right === 'inUrl' ? withPassword : server.url, { password });
    expect(await database.query('select 1')).toEqual([]);
    const session = await database.connect();
    await session.close();
  });

  test('is asked for again for each connection, since it may hold for minutes only', async () => {
    const server = await serve({ password: 'first' });
    const next = ['first', 'second'];
    const database = databaseAt(server.url, { password: async () => next.shift() ?? 'none' });
    await database.query('select 1');
    server.script.password = 'second';
    await (await database.connect()).close();
    expect(next).toEqual([]);
  });
});

describe('A statement', () => {
  test('that fails says of which store, with the words of the server, and what comes next is answered', async () => {
    const server = await serve({
      answer: ({ text }) => (text === 'bad' ? new Refusal('42P01', 'no such table') : []),
    });
    const database = databaseAt(server.url);
    const failed = {
      reason: 'store.unavailable',
      message: `The store ${server.url} gave an error (42P01: no such table).`,
    };
    await expect(database.query('bad')).rejects.toMatchObject(failed);
    expect(await database.query('good')).toEqual([]);
    const session = await database.connect();
    await expect(session.query('bad')).rejects.toMatchObject(failed);
    expect(await session.query('good')).toEqual([]);
    await session.close();
  });

  test('is answered by a new connection where an idle one was cut', async () => {
    const server = await serve();
    const database = databaseAt(server.url);
    await database.query('select 1');
    server.connections[0]?.cut();
    await until(() => server.open.length === 0);
    // The client may not have heard of it yet.
    await database.query('select 2').catch(() => {});
    expect(await database.query('select 3')).toEqual([]);
    expect(server.connections.length).toBeGreaterThan(1);
  });
});

describe('A transaction', () => {
  const texts = (server: ScriptedPostgres) =>
    server.asked.map(({ text }) => text).filter((text) => !/set_config/.test(text));

  test('begins, works, commits, and gives its connection back', async () => {
    const server = await serve({ answer: ({ text }) => (text === 'work' ? [{ found: 7 }] : []) });
    const database = databaseAt(server.url);
    for (const _ of [1, 2, 3]) {
      expect(await database.transaction((query) => query('work'))).toEqual([{ found: 7 }]);
    }
    expect(server.connections).toHaveLength(1);
    const each = [
      expect.stringMatching(/^begin; set local idle_in_transaction_session_timeout = \d+$/),
      'work',
      'commit',
    ];
    expect(texts(server)).toEqual([...each, ...each, ...each]);
  });

  test.each([
    ['an error', new Error('by the work')],
    ['what is no error', 'a text'],
  ])('that fails by %s ends with its connection, and not with a commit', async (_, thrown) => {
    const server = await serve();
    const database = databaseAt(server.url);
    const failing = database.transaction(async (query) => {
      await query('work');
      throw thrown;
    });
    await expect(failing).rejects.toBe(thrown);
    expect(texts(server)).not.toContain('commit');
    await until(() => server.connections[0]?.isOpen === false);
    expect(await database.transaction(async () => 'next')).toBe('next');
    expect(server.connections).toHaveLength(2);
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

  test('work is tried again ever later, and at last every five seconds', async () => {
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
  ])('a server that was never reached is tried for three seconds: a first try that takes %s', async (_, ms, end) => {
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

  test('a server that was reached is waited for, which is said at the second failure, every ten seconds, and once more when it is back', async () => {
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

  test('a server that does not answer is told of after five seconds, and every ten', async () => {
    const { clock, retry, said } = persistent();
    await retry(async () => {}, never);
    await clock.until(retry(() => clock.sleep(26_000), never));
    expect(said).toEqual([...Array(3).fill(expect.stringMatching(/does not answer\.$/)), null]);
  });

  test('it is back when nobody waits for it any more, however often another call succeeds', async () => {
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

  test('nothing more is tried once the run is to end, nor what cannot succeed later', async () => {
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
