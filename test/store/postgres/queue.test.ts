import { createRequire } from 'node:module';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { TakenRequest } from '../../../src/request/log/request-queue.ts';
import { ENGINE_SCHEMA, openQueue, type PostgresQueue, type Store, storeAt } from '../../doors/store.ts';
import { PostgresServer, postgresIsMissing, QUEUE_CONTRADICTIONS } from '../../helpers/postgres.ts';

const why = postgresIsMissing === null ? '' : ` (skipped: ${postgresIsMissing})`;
const DESTINATION = { baseUrl: 'http://127.0.0.1:1', clientId: 'partner' };
const keyOf = (at: number) => at.toString(16).padStart(32, '0');
const queued = (at: number, text = `Pintar a sala ${at}`) => ({
  key: keyOf(at),
  row: at,
  request: { params: { country: 'PT', request_text: text }, audio: null, ref: `L-${at}` },
});
const many = (from: number, count: number) => Array.from({ length: count }, (_, at) => queued(from + at));
const keys = (taken: readonly TakenRequest[]) => taken.map(({ key }) => key).sort();

/** A process that works on the queue. */
interface Member {
  readonly queue: PostgresQueue;
  readonly store: Store;
  readonly leave: () => Promise<void>;
}

describe.skipIf(postgresIsMissing !== null)(`The queue in PostgreSQL${why}`, () => {
  let server: PostgresServer;
  const open: { close(): Promise<void> }[] = [];
  beforeAll(async () => {
    server = await PostgresServer.start();
  });
  // The server takes sixty connections, and processes of earlier tests would keep theirs.
  afterEach(async () => {
    for (const each of open.splice(0).reverse()) await each.close();
  });
  afterAll(() => server?.end());

  const opened = (url: string, run: string): Store => {
    const store = storeAt(url, run);
    open.push(store);
    return store;
  };
  let runs = 0;
  /** A process that works on the queue, and the way to end it. */
  const join = async (url: string): Promise<Member> => {
    runs += 1;
    const store = opened(url, `run ${runs}`);
    const log = await store.open('work', false);
    const stopping = new AbortController().signal;
    const { database } = store;
    const queue = await openQueue({ database, destination: DESTINATION, worker: log.worker.id, stopping });
    open.push(queue);
    return { queue, store, leave: () => log.close() };
  };
  const jobs = (url: string) =>
    server.query<{ state: string; count: number }>(
      url,
      'select state::text, count(*)::integer as count from srq_queue.job group by state order by state',
    );
  const dispose = (queue: PostgresQueue, taken: readonly TakenRequest[], is: 'done' | 'back' | 'later') =>
    Promise.all(taken.map((each) => queue.dispose(each, { is })));

  test('is made once by many that come at the same time', async () => {
    const url = await server.database();
    const members = await Promise.all(Array.from({ length: 5 }, () => join(url)));
    const counts = await Promise.all(members.map(({ queue }) => queue.add(many(0, 50))));
    expect(await jobs(url)).toEqual([{ state: 'created', count: 50 }]);
    expect(Math.max(...counts)).toBeGreaterThan(0);
  });

  test('lets none in twice: neither waiting, nor taken, nor put back, nor moved', async () => {
    const url = await server.database();
    const { queue } = await join(url);
    expect(await queue.add(many(0, 4))).toBe(4);
    const [taken, failed, moved] = await queue.take(3);
    if (!taken || !failed || !moved) throw new Error('nothing taken');
    await queue.dispose(failed, { is: 'later' });
    await queue.dispose(moved, { is: 'moved', inMs: 60_000 });
    expect(await queue.add(many(0, 5))).toBe(1);
    const found = await server.query<{ ids: number; jobs: number }>(
      url,
      'select count(distinct id)::integer as ids, count(*)::integer as jobs from srq_queue.job',
    );
    expect(found).toEqual([{ ids: 5, jobs: 5 }]);
  });

  test('gives each request to one of several workers', async () => {
    const url = await server.database();
    const members = await Promise.all([join(url), join(url), join(url)]);
    await members[0]?.queue.add(many(0, 300));
    const hands = await Promise.all(
      members.map(async ({ queue }) => {
        const all: TakenRequest[] = [];
        for (let some = await queue.take(7); some.length > 0; some = await queue.take(7)) {
          all.push(...some);
        }
        return all;
      }),
    );
    expect(keys(hands.flat())).toEqual(many(0, 300).map(({ key }) => key));
  });

  test('hands back what was queued, digit by digit', async () => {
    const { queue } = await join(await server.database());
    const odd = queued(7, 'NUL \0, half a pair \ud800, "quotes" \\ and ünïcode');
    await queue.add([odd]);
    expect(await queue.take(5)).toEqual([{ ...odd, mayTryAgain: true, hasExpired: false, isUnreadable: false }]);
  });

  test('has what is given back ready at once, what failed only later, and keeps nothing of what is done', async () => {
    const url = await server.database();
    const { queue } = await join(url);
    await queue.add(many(0, 9));
    const taken = await queue.take(9);
    await dispose(queue, taken.slice(0, 3), 'back');
    await dispose(queue, taken.slice(3, 6), 'later');
    await dispose(queue, taken.slice(6), 'done');
    expect(await queue.depth()).toEqual({ total: 6, ready: 3, waiting: 3, inWork: 0 });
    expect(keys(await queue.take(9))).toEqual(keys(taken.slice(0, 3)));
    const left = await server.query(url, 'select 1 from srq_queue.job where id = any($1::uuid[])', [
      taken.slice(6).map(({ key }) => key),
    ]);
    expect(left).toEqual([]);
  });

  test('tries what failed again a bounded number of times', async () => {
    const url = await server.database();
    const { queue } = await join(url);
    await queue.add([queued(1)]);
    let tries = 0;
    for (let [taken] = await queue.take(1); taken; [taken] = await queue.take(1)) {
      tries += 1;
      if (!taken.mayTryAgain) break;
      await queue.dispose(taken, { is: 'later' });
      const [{ seconds } = { seconds: 0 }] = await server.query<{ seconds: number }>(
        url,
        'select extract(epoch from start_after - now())::float8 as seconds from srq_queue.job',
      );
      expect(seconds).toBeGreaterThan(2.5 * 2 ** (tries - 1));
      await server.query(url, "update srq_queue.job set start_after = now() - interval '1 second'");
    }
    expect(tries).toBe(10);
  });

  test('gets back what a worker held that has ended, and leaves alone what another holds', async () => {
    const url = await server.database();
    const [first, second, third] = [await join(url), await join(url), await join(url)];
    await first.queue.add(many(0, 6));
    const lost = await first.queue.take(2);
    const held = await second.queue.take(2);
    expect(await third.queue.reclaim(60_000)).toBe(0);
    await first.leave();
    expect(await third.queue.reclaim(60_000)).toBe(2);
    expect(keys(await third.queue.take(9))).toEqual(keys([...lost, ...many(4, 2).map(asTaken)]));
    // What the first one still has to say of them counts no more.
    await dispose(first.queue, lost, 'done');
    await dispose(second.queue, held, 'done');
    expect(await jobs(url)).toEqual([{ state: 'active', count: 4 }]);
  });

  test('gets back at once what a worker held that has ended, and ever later what ends each worker', async () => {
    const url = await server.database();
    const { queue, store } = await join(url);
    await queue.add([queued(1)]);
    const gone = "insert into srq.worker (run, holder, left_at) values ('gone', 'srq work', now()) returning id";
    const [{ id: worker } = { id: 0 }] = await server.query<{ id: number }>(url, gone);
    const stopping = new AbortController().signal;
    const ending = await openQueue({ database: store.database, destination: DESTINATION, worker, stopping });
    open.push(ending);
    const seconds: number[] = [];
    for (let time = 0; time < 12; time++) {
      expect(await ending.take(9)).toHaveLength(1);
      expect(await queue.reclaim(60_000)).toBe(1);
      const text = 'select extract(epoch from start_after - now())::float8 as left from srq_queue.job';
      const [{ left } = { left: 0 }] = await server.query<{ left: number }>(url, text);
      seconds.push(left);
      await server.query(url, "update srq_queue.job set start_after = now() - interval '1 second'");
    }
    const [first = 0, ...others] = seconds;
    expect(first).toBeLessThan(0);
    const isFitting = others.map((left, at) => {
      const longest = 5 * 2 ** Math.min(at + 1, 9);
      return left > longest / 2 - 5 && left <= longest;
    });
    expect(isFitting).toEqual(others.map(() => true));
    expect(others.at(-1)).toBeGreaterThan(1_000);
  });

  test('gets back what a worker holds of whom nobody has heard', async () => {
    const url = await server.database();
    const [stopped, other] = [await join(url), await join(url)];
    await stopped.queue.add(many(0, 2));
    await stopped.queue.take(2);
    await server.query(url, "update srq.worker set seen_at = seen_at - interval '31 seconds' where id = 1");
    expect(await other.queue.reclaim(30_000)).toBe(2);
  });

  test('gets back what a worker holds without knowing it, and leaves it what it knows', async () => {
    const url = await server.database();
    const [{ queue }, other] = [await join(url), await join(url)];
    await queue.add(many(0, 4));
    const [known] = await queue.take(1);
    const [lost] = await other.queue.take(1);
    if (!known || !lost) throw new Error('nothing taken');
    // As if the answer to the first one had been lost.
    await server.query(url, 'update srq.queue_claim set worker = 1 where job = $1', [lost.key]);
    expect(await queue.reclaim(60_000)).toBe(0);
    expect(await queue.reclaim(60_000)).toBe(1);
    expect(await queue.reclaim(60_000)).toBe(0);
    expect(keys(await queue.take(9))).toEqual(keys([lost, ...many(2, 2).map(asTaken)]));
  });

  test('tells how long the oldest has waited that nobody has taken', async () => {
    const url = await server.database();
    const { queue } = await join(url);
    expect(await queue.oldest()).toBe(0);
    await queue.add(many(0, 3));
    const aged = 'update srq_queue.job set created_on = created_on - make_interval(secs => $2) where id = $1';
    for (const [at, seconds] of [
      [0, 3_000],
      [1, 2_000],
      [2, 1_000],
    ] as const) {
      await server.query(url, aged, [keyOf(at), seconds]);
    }
    const secondsOf = async () => Math.floor((await queue.oldest()) / 1_000);
    expect(await secondsOf()).toBeGreaterThanOrEqual(3_000);
    await queue.take(1);
    expect([(await secondsOf()) >= 2_000, (await secondsOf()) < 3_000]).toEqual([true, true]);
  });

  test('hands out what was moved when its time has come, as it was at first', async () => {
    const url = await server.database();
    const { queue } = await join(url);
    await queue.add([queued(1), queued(2)]);
    const [soon, late] = await queue.take(2);
    if (!soon || !late) throw new Error('nothing taken');
    await queue.dispose(soon, { is: 'moved', inMs: 0 });
    await queue.dispose(late, { is: 'moved', inMs: 60_000 });
    expect(await queue.depth()).toEqual({ total: 2, ready: 1, waiting: 1, inWork: 0 });
    expect(await queue.take(5)).toEqual([soon]);
    expect(await queue.isEmpty()).toBe(false);
    await server.query(url, "update srq_queue.job set start_after = now() - interval '1 second'");
    expect(await queue.take(5)).toEqual([late]);
    expect(await server.query(url, QUEUE_CONTRADICTIONS)).toEqual([]);
  });

  test('is another one for every account', async () => {
    const url = await server.database();
    const { queue } = await join(url);
    await queue.add(many(0, 3));
    const store = opened(url, 'elsewhere');
    const log = await store.open('work', false);
    open.push(log);
    const destination = { ...DESTINATION, clientId: 'another' };
    const stopping = new AbortController().signal;
    const other = await openQueue({ database: store.database, destination, worker: log.worker.id, stopping });
    open.push(other);
    expect(await other.take(5)).toEqual([]);
    expect(await other.isEmpty()).toBe(true);
  });

  test('hands out what nobody has taken for 30 days as expired, and drops nothing by itself', async () => {
    const url = await server.database();
    const { queue } = await join(url);
    await queue.add(many(0, 3));
    const [kept] = await server.query<{ days: number }>(
      url,
      'select round(extract(epoch from max(keep_until) - now()) / 86400)::integer as days from srq_queue.job',
    );
    expect(kept).toEqual({ days: 30 });
    const expire = "update srq_queue.job set keep_until = now() - interval '1 second' where id = $1";
    await server.query(url, expire, [keyOf(1)]);
    const taken = await queue.take(9);
    expect(taken.map(({ row, hasExpired }) => [row, hasExpired]).sort()).toEqual([
      [0, false],
      [1, true],
      [2, false],
    ]);
  });

  test('hands out rows that cannot be read as such, with the others', async () => {
    const url = await server.database();
    const { queue } = await join(url);
    const whole = { params: {}, audio: null, ref: null };
    const unreadable: readonly unknown[] = [
      { row: 1, request: '{ Exemplo' },
      { row: 2, request: 'null' },
      { row: 3, request: JSON.stringify({ ...whole, params: undefined }) },
      { row: 4, request: JSON.stringify({ ...whole, params: { a: 1 } }) },
      { row: 5, request: JSON.stringify({ ...whole, parts: { city: null } }) },
      { row: 6, request: JSON.stringify({ ...whole, audio: {} }) },
      { row: 7, request: JSON.stringify({ ...whole, ref: 1 }) },
      { row: 8 },
      { row: 1e12, request: JSON.stringify(whole) },
      [],
      null,
    ];
    await queue.add(many(0, unreadable.length + 2));
    for (const [at, data] of unreadable.entries())
      await server.query(url, 'update srq_queue.job set data = $2 where id = $1', [
        keyOf(at + 1),
        data === null ? null : JSON.stringify(data),
      ]);
    const taken = await queue.take(99);
    const told = taken.toSorted((one, other) => (one.key < other.key ? -1 : 1));
    expect(told.slice(1, -1)).toEqual(
      unreadable.map((_, at) => ({
        ...{ ...asTaken(queued(at + 1)), row: at < 8 ? at + 1 : 0 },
        ...{ request: whole, isUnreadable: true },
      })),
    );
    expect([told[0], told.at(-1)]).toEqual([asTaken(queued(0)), asTaken(queued(unreadable.length + 1))]);
  });

  test('keeps count of its rows, and tells their number when it cannot look at them in time', async () => {
    const url = await server.database();
    const [one, other] = await Promise.all([join(url), join(url)]);
    await Promise.all([one?.queue.add(many(0, 40)), other?.queue.add(many(20, 40))]);
    const taken = await one.queue.take(10);
    await dispose(one.queue, taken.slice(0, 4), 'done');
    await dispose(one.queue, taken.slice(4, 6), 'later');
    const [moved] = taken.slice(6);
    if (!moved) throw new Error('nothing taken');
    await other?.queue.dispose(moved, { is: 'done' });
    await one.queue.dispose(moved, { is: 'moved', inMs: 60_000 });
    expect(await one.queue.depth()).toEqual({ total: 56, ready: 50, waiting: 3, inWork: 3 });
    // Whoever looks is not kept waiting by what cannot be counted.
    const { database } = opened(url, 'a holder');
    await database.transaction(async (query) => {
      await query('lock table srq_queue.job in access exclusive mode');
      expect(await one.queue.depth()).toEqual({ total: 56, ready: null, waiting: null, inWork: 3 });
    });
  });

  test('is not purged of what a worker gave back, or lost by its end, that may have been sent', async () => {
    const url = await server.database();
    const [killed, { queue }] = [await join(url), await join(url)];
    const states = ['sending', 'unknown', 'parked', 'created', 'failed', 'rejected', 'licensed', 'duplicate'];
    await queue.add(many(0, states.length + 1));
    await killed.queue.take(9);
    for (const [at, state] of states.entries()) {
      await server.query(url, 'insert into srq.state (key, record, worker, state) values ($1, 0, 1, $2)', [
        keyOf(at),
        state,
      ]);
    }
    await killed.leave();
    expect(await queue.reclaim(60_000)).toBe(9);
    expect(await queue.purge()).toBe(6);
    expect(await queue.purge()).toBe(0);
    expect((await queue.take(9)).map(({ row }) => states[row])).toEqual(['sending', 'unknown', 'parked']);
  });

  test('is purged of what waits to be sent, not of what is in hand', async () => {
    const url = await server.database();
    const { queue } = await join(url);
    await queue.add(many(0, 9));
    const [moved, later] = await queue.take(3);
    if (!moved || !later) throw new Error('nothing taken');
    await queue.dispose(moved, { is: 'moved', inMs: 60_000 });
    await queue.dispose(later, { is: 'later' });
    expect(await queue.purge()).toBe(8);
    expect(await queue.purge()).toBe(0);
    expect(await queue.depth()).toEqual({ total: 1, ready: 0, waiting: 0, inWork: 1 });
  });

  test('tells of a failure in place of an empty queue', async () => {
    const url = await server.database();
    const { queue } = await join(url);
    await server.query(url, 'alter table srq_queue.job rename column start_after to other');
    await expect(queue.take(1)).rejects.toThrow(/gave an error/);
  });

  test('is refused, not changed, where its tables are of another pg-boss', async () => {
    const { schema } = createRequire(import.meta.url)('pg-boss/version.json');
    expect(schema).toBe(ENGINE_SCHEMA);
    const url = await server.database();
    await join(url);
    for (const [version, hint] of [
      [ENGINE_SCHEMA + 1, /^Update srq/],
      [ENGINE_SCHEMA - 1, /^Work the queue off with the srq that made it/],
    ] as const) {
      await server.query(url, `update srq_queue.version set version = ${version}`);
      const message = expect.stringContaining(`pg-boss ${version}, this srq knows ${ENGINE_SCHEMA}`);
      await expect(join(url)).rejects.toMatchObject({
        reason: 'store.version',
        message,
        hint: expect.stringMatching(hint),
      });
      expect(await server.query(url, 'select version from srq_queue.version')).toEqual([{ version }]);
    }
  });
});

const asTaken = (request: ReturnType<typeof queued>): TakenRequest => ({
  ...request,
  mayTryAgain: true,
  hasExpired: false,
  isUnreadable: false,
});
