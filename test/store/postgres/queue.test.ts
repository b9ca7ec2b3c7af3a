import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { TakenRequest } from '../../../src/request/log/request-queue.ts';
import { CREATED } from '../../doors/log.ts';
import { contentKey, openQueue, type PostgresQueue, storeAt } from '../../doors/store.ts';
import { PostgresServer, postgresIsMissing } from '../../helpers/postgres.ts';

const why = postgresIsMissing === null ? '' : ` (skipped: ${postgresIsMissing})`;
const DESTINATION = { baseUrl: 'http://127.0.0.1:1', clientId: 'partner' };
const keyOf = (at: number) => at.toString(16).padStart(32, '0');
const queued = (at: number, text = `Pintar a sala ${at}`) => ({
  key: keyOf(at),
  row: at,
  request: { params: { country: 'PT', request_text: text }, audio: null, ref: `L-${at}` },
});
const many = (from: number, count: number) => Array.from({ length: count }, (_, at) => queued(from + at));
const keys = (taken: readonly { readonly key: string }[]) => taken.map(({ key }) => key).sort();
const subject = (at: number) => ({ key: keyOf(at), row: at, ref: null });
const NOT_TAKEN = { ...CREATED, ids: {}, http: 503 };

describe.skipIf(postgresIsMissing !== null)(`The queue in PostgreSQL${why}`, () => {
  let server: PostgresServer;
  let url: string;
  const open: { close(): Promise<void> }[] = [];
  let runs = 0;
  beforeAll(async () => {
    server = await PostgresServer.start();
  });
  // The server takes sixty connections, and processes of earlier tests would keep theirs.
  afterEach(async () => {
    for (const each of open.splice(0).reverse()) await each.close();
  });
  afterAll(() => server?.end());

  /** A process that works on the queue of a new database, or of the same as the one before. */
  const join = async (isNew = false, destination = DESTINATION) => {
    if (isNew) url = await server.database();
    runs += 1;
    const store = storeAt(url, `run ${runs}`);
    const log = await store.open('work', false);
    open.push(store, log);
    const giveUp = new AbortController().signal;
    const queue = openQueue({
      database: store.database,
      destination,
      process: () => log.member.joined.process,
      giveUp,
    });
    return { queue, log, leave: () => log.close() };
  };
  const waiting = () =>
    server.query<{ row: number; tries: number; isFree: boolean; inSeconds: number }>(
      url,
      `select "row", tries, process is null as "isFree", extract(epoch from due - now())::float8 as "inSeconds"
      from srq.waiting order by "row"`,
    );
  const isDue = () => server.query(url, 'update srq.waiting set due = now()');
  const take = (queue: PostgresQueue, count: number, hand: readonly TakenRequest[] = []) =>
    queue.take(count, keys(hand));

  test('The queue accepts no row twice, and gives each to one of several workers, the oldest first', async () => {
    const members = [await join(true), await join(), await join()];
    const counts = await Promise.all(members.map(({ queue }) => queue.add(many(0, 300))));
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(300);
    await members[0]?.queue.add(many(300, 1));
    const hands = await Promise.all(
      members.map(async ({ queue }) => {
        const all: TakenRequest[] = [];
        for (let some = await take(queue, 7); some.length > 0; some = await take(queue, 7, all)) all.push(...some);
        return all;
      }),
    );
    expect(keys(hands.flat())).toEqual(many(0, 301).map(({ key }) => key));
    expect(hands.flatMap((hand) => hand.map(({ row }) => row).filter((row) => row === 300))).toEqual([300]);
  });

  test('The queue has on the disk what was queued, whatever the default of the server is', async () => {
    await join(true);
    const store = storeAt(url, 'run');
    open.push(store);
    const session = await store.database.connect();
    await session.query('begin');
    await session.query('set local synchronous_commit = off');
    const database = { ...store.database, query: session.query };
    const giveUp = new AbortController().signal;
    expect(await openQueue({ database, destination: DESTINATION, process: null, giveUp }).add(many(0, 2))).toBe(2);
    expect(await session.query('show synchronous_commit')).toEqual([{ synchronous_commit: 'on' }]);
    await session.close();
  });

  test('The queue hands back what was queued, digit by digit, and to no other account', async () => {
    const { queue } = await join(true);
    const odd = withOwnKey(queued(7, 'NUL \0, half a pair \ud800, "quotes" \\ and ünïcode'));
    await queue.add([odd]);
    const other = await join(false, { ...DESTINATION, clientId: 'another' });
    expect(await take(other.queue, 5)).toEqual([]);
    expect([await other.queue.isEmpty(), await queue.isEmpty()]).toEqual([true, false]);
    expect(await other.queue.depth()).toEqual({ total: 0, ready: 0, waiting: 0, inWork: 0, oldestMs: 0 });
    expect(await queue.depth()).toMatchObject({ total: 1, ready: 1, waiting: 0, inWork: 0 });
    expect(await take(queue, 5)).toEqual([{ ...odd, isOver: false, isSpoilt: false }]);
  });

  test('The queue tells what is not as it was queued', async () => {
    const { queue } = await join(true);
    const audio = { path: 'a', sizeBytes: 1, sha256: '', mediaType: 'audio/wav', base64: async () => '' };
    const recorded = (each: ReturnType<typeof queued>) => ({ ...each, request: { ...each.request, audio } });
    await queue.add([withOwnKey(queued(1)), queued(2), recorded(withOwnKey(queued(3)))]);
    expect((await take(queue, 5)).map(({ row, isSpoilt }) => [row, isSpoilt])).toEqual([
      [1, false],
      [2, true],
      [3, true],
    ]);
  });

  test('An outcome takes its row off the queue in the same statement; what failed comes back later', async () => {
    const { queue, log } = await join(true);
    await queue.add(many(0, 6));
    await take(queue, 6);
    const statuses = ['created', 'duplicate', 'rejected', 'unknown', 'failed'] as const;
    await Promise.all(statuses.map((_, at) => log.sending(subject(at), 'none')));
    expect(await waiting()).toHaveLength(6);
    await Promise.all(statuses.map((status, at) => log.outcome(subject(at), { ...NOT_TAKEN, status })));
    expect(await waiting()).toMatchObject([
      { row: 4, tries: 1, isFree: true },
      { row: 5, tries: 0, isFree: false },
    ]);
    expect((await waiting())[0]?.inSeconds).toBeGreaterThan(4);
    expect(await queue.depth()).toMatchObject({ total: 2, ready: 0, waiting: 1, inWork: 1 });
  });

  test('What failed nine times, or waited for 30 days, leaves the queue', async () => {
    const { queue, log } = await join(true);
    await queue.add(many(0, 2));
    await server.query(url, `update srq.waiting set since = now() - interval '30 days' where "row" = 1`);
    let [tries, seen] = [0, 'none' as 'none' | 'failed'];
    for (;;) {
      await isDue();
      const taken =
        (await take(queue, 1)).find(({ row }) => row === 0) ?? (await take(queue, 9)).find((each) => each.row === 0);
      if (!taken) break;
      tries += 1;
      expect(taken.isOver).toBe(tries > 9);
      await log.sending(subject(0), seen);
      seen = 'failed';
      await log.outcome(subject(0), { ...NOT_TAKEN, status: 'failed' });
    }
    expect(tries).toBe(10);
    expect(await waiting()).toMatchObject([{ row: 1, tries: 0 }]);
    await isDue();
    expect(await take(queue, 9)).toMatchObject([{ row: 1, isOver: true }]);
    await log.outcome(subject(1), { ...NOT_TAKEN, status: 'failed' }, { seen: 'none' });
    expect(await queue.isEmpty()).toBe(true);
  });

  test('The queue gets back at once what was not tried, and later what was', async () => {
    const { queue, log } = await join(true);
    await queue.add(many(0, 3));
    await take(queue, 3);
    await queue.giveBack([keyOf(0)], false);
    await queue.giveBack([keyOf(1)], true);
    // It failed for a reason that was not its own.
    await log.outcome(subject(2), { ...NOT_TAKEN, status: 'failed' }, { seen: 'none' });
    await queue.giveBack([keyOf(2)], false);
    expect((await waiting()).map(({ row, tries, inSeconds }) => [row, tries, inSeconds > 0])).toEqual([
      [0, 0, false],
      [1, 1, true],
      [2, 0, false],
    ]);
    await queue.drop([keyOf(0), keyOf(1)]);
    expect(keys(await take(queue, 9))).toEqual([keyOf(2)]);
  });

  test('The queue gets back what a dead worker held, ever later, and leaves alone what another holds', async () => {
    const [first, second, third] = [await join(true), await join(), await join()];
    await first.queue.add(many(0, 6));
    const lost = await take(first.queue, 2);
    await take(second.queue, 2);
    expect(keys(await take(third.queue, 9))).toEqual([keyOf(4), keyOf(5)]);
    await first.leave();
    const hand = many(4, 2).map(asTaken);
    expect(keys(await take(third.queue, 9, hand))).toEqual(keys(lost));
    expect(await take(third.queue, 9, [...hand, ...lost])).toEqual([]);
    await third.leave();
    // Each of them may be what ends its workers.
    expect(await take(second.queue, 9, many(2, 2).map(asTaken))).toHaveLength(2);
    expect(
      (await waiting()).filter(({ tries }) => tries === 2).map(({ row, inSeconds }) => [row, inSeconds > 4]),
    ).toEqual([
      [0, true],
      [1, true],
    ]);
  });

  test('The queue hands out again what it handed out in an answer that was lost', async () => {
    const { queue } = await join(true);
    await queue.add(many(0, 3));
    const [known] = await take(queue, 1);
    await take(queue, 1);
    if (!known) throw new Error('nothing taken');
    expect(keys(await take(queue, 9, [known]))).toEqual([keyOf(1), keyOf(2)]);
    expect((await waiting()).map(({ tries }) => tries)).toEqual([0, 0, 0]);
  });

  test('The queue says how long the oldest row has waited that nobody has taken', async () => {
    const { queue } = await join(true);
    expect((await queue.depth()).oldestMs).toBe(0);
    await queue.add(many(0, 2));
    await server.query(url, `update srq.waiting set since = since - make_interval(secs => 3000 - "row" * 1000)`);
    const seconds = async () => Math.round((await queue.depth()).oldestMs / 100_000);
    expect(await seconds()).toBe(30);
    await take(queue, 1);
    expect(await seconds()).toBe(20);
  });

  test('A purge of the queue takes what waits, not what is in hand or may have been sent', async () => {
    const [killed, { queue }] = [await join(true), await join()];
    const states = ['sending', 'unknown', 'parked', 'created', 'failed', 'rejected', 'licensed', 'duplicate'];
    await queue.add(many(0, states.length + 1));
    await take(killed.queue, 9);
    for (const [at, state] of states.entries()) {
      const text = 'insert into srq.request (key, record, process, state) values ($1, 0, 1, $2)';
      await server.query(url, text, [keyOf(at), state]);
    }
    expect(await queue.purge()).toBe(0);
    await killed.leave();
    expect(await take(queue, 0)).toEqual([]);
    expect(await queue.purge()).toBe(6);
    expect((await take(queue, 9)).map(({ row }) => states[row]).sort()).toEqual(['parked', 'sending', 'unknown']);
  });

  test('The queue reports a failure in place of an empty queue', async () => {
    const { queue } = await join(true);
    await server.query(url, 'alter table srq.waiting rename column due to other');
    await expect(take(queue, 1)).rejects.toThrow(/gave an error/);
  });
});

const asTaken = (request: ReturnType<typeof queued>): TakenRequest => ({
  ...request,
  isOver: false,
  isSpoilt: false,
});

const withOwnKey = (each: ReturnType<typeof queued>) => ({ ...each, key: contentKey(each.request, DESTINATION) });
