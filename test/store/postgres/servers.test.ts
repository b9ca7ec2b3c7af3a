import { setImmediate } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import type { Clock } from '../../../src/request/ports.ts';
import { type Database, openDatabase, systemClock } from '../../doors/store.ts';
import { Refusal, type ScriptedConnection, ScriptedPostgres, until } from '../../helpers/scripted-postgres.ts';

// No limit of time passes here, however slow the machine is.
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
});
afterEach(() => {
  vi.useRealTimers();
});

const never = new AbortController().signal;
const clock: Clock = { ...systemClock, sleep: () => setImmediate() };
const serve = async (...script: Parameters<typeof ScriptedPostgres.start>) => {
  const server = await ScriptedPostgres.start(...script);
  onTestFinished(() => server.end());
  return server;
};
const databaseAt = (url: string): Database => {
  const database = openDatabase({ url, password: null, name: 'srq', clock });
  onTestFinished(() => database.close());
  return database;
};
const listOf = (servers: readonly ScriptedPostgres[], parameters = '') =>
  `postgres://owner@${servers.map(({ place }) => place).join(',')}/leads${parameters}`;
/** The statements that a server was asked, without the settings of each connection. */
const asked = ({ asked: all }: ScriptedPostgres) =>
  all.map(({ text }) => text).filter((text) => !/set_config/.test(text));

describe('Of several servers', () => {
  test.each([
    ['the first', [{ readOnly: false }, { readOnly: true, timeline: null }], 0],
    ['the second', [{ readOnly: true, timeline: null }, { readOnly: false }], 1],
    ['on the newest timeline', [{ timeline: 2 }, { timeline: 3 }, { timeline: 1 }], 1],
    ['on the newest timeline, if it comes first', [{ timeline: 11 }, { timeline: 9 }], 0],
    ['that takes writing, though another has a newer timeline', [{ timeline: 2 }, { timeline: 3, readOnly: true }], 0],
  ])('the one %s that takes writing is used', async (_, scripts, used) => {
    const servers = await Promise.all(scripts.map((script) => serve(script)));
    const database = databaseAt(listOf(servers));
    await database.query('by the pool');
    await database.transaction((query) => query('in a transaction'));
    await (await database.connect()).close();
    const texts = ['by the pool', expect.stringMatching(/^begin/), 'in a transaction', 'commit'];
    expect(servers.map(asked)).toEqual(servers.map((__, at) => (at === used ? texts : [])));
    // Each was asked once, and none keeps that connection.
    const others = servers.filter((__, at) => at !== used);
    await until(() => others.every(({ open }) => open.length === 0));
    expect(others.map(({ connections }) => connections.length)).toEqual(others.map(() => 1));
    expect(servers[used]?.connections).toHaveLength(3);
  });

  test('those that are down, or refuse the login, do not stand in the way of the one that is there', async () => {
    const [refusing, good] = [await serve({ password: 'another' }), await serve()];
    const url = listOf([refusing, good]).replace('owner@', 'owner@127.0.0.1:1,');
    await databaseAt(url).query('look');
    expect([asked(refusing), asked(good)]).toEqual([[], ['look']]);
    await until(() => refusing.open.length === 0);
  });

  test('none may take writing: that is told, and asked anew the next time', async () => {
    const servers = [await serve({ readOnly: true }), await serve({ readOnly: true })];
    const database = databaseAt(listOf(servers));
    for (const use of [
      () => database.query('look'),
      () => database.connect(),
      () => database.transaction(async () => {}),
    ])
      await expect(use()).rejects.toMatchObject({ message: expect.stringMatching(/takes no writing\.$/) });
    expect(servers.map(({ connections }) => connections.length)).toEqual([3, 3]);
    Object.assign(servers[1]?.script ?? {}, { readOnly: false });
    await database.query('look');
    expect(servers.map(asked)).toEqual([[], ['look']]);
  });

  test('another one is looked for after a failure that may pass, and not after a refusal', async () => {
    let failure: Refusal | null = null;
    const answer = ({ text }: { text: string }) => (text === 'write' && failure ? failure : []);
    const servers = [await serve({ answer }), await serve({ answer, readOnly: true })];
    const [first, second] = servers;
    const database = databaseAt(listOf(servers));
    const written = () => database.retryWhileAway(() => database.query('write'), never);
    await written();
    failure = new Refusal('42P01', 'no such table');
    await expect(written()).rejects.toMatchObject({ message: expect.stringContaining('no such table') });
    expect(second?.connections).toHaveLength(1);
    // The roles change, and the first one says so of a connection that is open.
    Object.assign(first?.script ?? {}, { readOnly: true });
    Object.assign(second?.script ?? {}, { readOnly: false, answer: () => [] });
    failure = new Refusal('25006', 'cannot execute INSERT in a read-only transaction');
    await written();
    expect(second && asked(second)).toEqual(['write']);
  });
});

describe('A server that takes no writing', () => {
  test('is waited for if writing was possible before: a standby may be about to take over', async () => {
    let refusals = 2;
    const readOnly = new Refusal('25006', 'cannot execute INSERT in a read-only transaction');
    const answer = ({ text }: { text: string }) => (text === 'write' && refusals-- > 0 ? readOnly : [{ done: 1 }]);
    const server = await serve({ answer });
    const database = databaseAt(server.url);
    await database.query('look');
    expect(await database.retryWhileAway(() => database.query('write'), never)).toEqual([{ done: 1 }]);
  });
});

describe('A server that was replaced', () => {
  const gone = { message: expect.stringContaining('cannot be reached (08006)') };

  test('is left for the new one only by who may join it, and nobody uses an older one again', async () => {
    const server = await serve({ timeline: 3 });
    const database = databaseAt(server.url);
    await database.query('look');
    const session = await database.connect();
    expect(session.timeline).toBe(3);
    database.join(3);
    await database.query('look');
    expect(session.gone.aborted).toBe(false);

    // One with a newer timeline is behind the same address now.
    Object.assign(server.script, { timeline: 4 });
    await expect(database.connect()).rejects.toMatchObject(gone);
    // By then nothing leads to the old one any more.
    await until(() => session.gone.aborted);
    await until(() => server.open.length === 0);
    await expect(database.query('look')).rejects.toMatchObject(gone);
    const joining = await database.connect({ joins: true });
    expect(joining.timeline).toBe(4);
    await expect(database.query('look')).rejects.toMatchObject(gone);
    database.join(4);
    expect(joining.gone.aborted).toBe(false);
    expect(await database.query('look')).toEqual([]);

    // The old one is back.
    Object.assign(server.script, { timeline: 3 });
    await expect(database.connect({ joins: true })).rejects.toMatchObject(gone);
    expect(joining.gone.aborted).toBe(false);
    await joining.close();
  });

  // A standby may take over at any moment. What was admitted before would then write where nobody has joined.
  test.each([
    ['has joined one', 2, {}],
    ['joins one', null, { joins: true }],
    ['joins the next one', 2, { joins: true }],
  ])(
    'may be a standby at first, which is refused to a process that %s until it has taken over',
    async (_, known, options) => {
      const server = await serve({ timeline: 2 });
      const database = databaseAt(server.url);
      if (known !== null) database.join(known);
      Object.assign(server.script, { timeline: null, readOnly: true });
      const refused = { cause: { code: '25006' }, message: expect.stringMatching(/takes no writing\.$/) };
      await expect(database.connect(options)).rejects.toMatchObject(refused);
      if (known !== null) await expect(database.query('look')).rejects.toMatchObject(refused);
      // It has taken no question of srq but what it is, so that none of its connections is still in use.
      expect(asked(server)).toEqual([]);
      await until(() => server.open.length === 0);
      Object.assign(server.script, { timeline: 3, readOnly: false });
      const joining = await database.connect({ joins: true });
      expect(joining.timeline).toBe(3);
      await joining.close();
    },
  );
});

describe('A pooler', () => {
  const PROCESS = 500;
  const lends = (mode: string) => ({
    reason: 'store.not-ready',
    message: expect.stringContaining(`behind a pooler in ${mode} mode, which lends a connection for one ${mode}.`),
    hint: expect.stringContaining('pool_mode=session'),
  });

  test.each([
    ['both clients share a process', () => PROCESS],
    ['a client has another process while the other one is in a transaction', byTurns(2)],
    ['a client has another process only after some rounds', byTurns(6)],
  ])('is refused where %s, each time', async (_, pidOf) => {
    const server = await serve({ pidOf });
    const database = databaseAt(server.url);
    for (const use of [() => database.connect(), () => database.query('look')])
      await expect(use()).rejects.toMatchObject(lends('transaction'));
    expect(asked(server)).not.toContain('look');
    await until(() => server.open.length === 0);
  });
});

/**
 * A pooler by which the first of the two clients that examine it has another process from its greeting number `from` on,
 * counted from 1.
 */
function byTurns(from: number): (connection: ScriptedConnection) => number {
  const greetings = new Map<number, number>();
  return ({ pid }) => {
    const count = (greetings.get(pid) ?? 0) + 1;
    greetings.set(pid, count);
    return count >= from ? 10_000 + pid : 1_000 + pid;
  };
}
