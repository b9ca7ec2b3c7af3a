import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { CREATED, failureOf, keyOf, storeAt, subjectOf } from '../../doors/log.ts';
import { openAccountState, openQueue } from '../../doors/store.ts';
import { HALF_A_MINUTE_LATER, postgresIsMissing } from '../../helpers/postgres.ts';
import { PostgresPair } from '../../helpers/postgres-pair.ts';

const why = postgresIsMissing === null ? '' : ` (skipped: ${postgresIsMissing})`;
const GONE = 'srq work, process 12 on host-b';
const DESTINATION = { baseUrl: 'http://127.0.0.1:1', clientId: 'partner' };
const NOBODY_MAY = { reason: 'store.failed-over', hint: expect.stringContaining('Then: srq store resume') };

describe.skipIf(postgresIsMissing !== null)(`A store whose server is replaced${why}`, { timeout: 180_000 }, () => {
  let pair: PostgresPair;
  beforeEach(async () => {
    pair = await PostgresPair.start();
  }, 120_000);
  afterEach(() => pair?.end());

  const opened = async (run: string, options: Parameters<typeof storeAt>[2] = {}) => {
    const store = storeAt(pair.behindOne, run, options);
    const log = await store.open('bulk', true);
    onTestFinished(async () => {
      await log.close();
      await store.close();
    });
    return { store, log };
  };
  const events = (...rows: number[]) =>
    Promise.all(
      rows.map(async (row) => {
        const text = 'select event from srq.record where key = $1 order by id';
        return (await pair.standby.query(pair.url, text, [keyOf(row)])).map(({ event }) => event);
      }),
    );
  /** A worker that has died so long before the server is replaced, or with it, and with one row of two in hand. */
  const dies = async (seconds: number) => {
    const text = `insert into srq.process (run, holder, server, seen)
      values ($1, $2, srq.server(), clock_timestamp() - make_interval(secs => $3)) returning id`;
    const [row] = await pair.primary.query<{ id: number }>(pair.url, text, ['gone', GONE, seconds]);
    const store = storeAt(pair.behindOne, 'gone');
    onTestFinished(() => store.close());
    const giveUp = new AbortController().signal;
    const { database } = store;
    const queue = openQueue({ database, destination: DESTINATION, process: () => row?.id ?? 0, giveUp });
    const request = { params: { country: 'PT' }, audio: null, ref: null };
    await queue.add([7, 8].map((row) => ({ key: keyOf(row), row, request })));
    expect(await queue.take(1, [])).toMatchObject([{ row: 7 }]);
    return queue;
  };
  const resumed = async (hasAll = false) => {
    const person = storeAt(pair.behindOne, 'person');
    const done = await person.resume(hasAll);
    await person.close();
    return done;
  };

  test('a standby that takes no writing yet is waited for, and no connection is left open there', async () => {
    const { log, store } = await opened('run');
    const stopping = new AbortController();
    const account = openAccountState(store.database, 'a'.repeat(32), stopping.signal);
    onTestFinished(() => {
      stopping.abort();
      return account.close();
    });
    const count = () => account.change('count', (kept) => ({ keep: Number(kept ?? 0) + 1, result: null }));
    await log.sending(subjectOf(1), 'none');
    await count();
    await pair.caughtUp();
    pair.loseThePrimary();
    const waiting = Promise.all([log.outcome(subjectOf(1), CREATED), count()]);
    let most = 0;
    const text = "select pid, backend_start from pg_stat_activity where application_name = 'srq'";
    const seen = new Set<unknown>();
    // Many tries have come and gone.
    while (seen.size < 8) {
      const connections = await pair.standby.query(pair.url, text);
      for (const { pid } of connections) seen.add(pid);
      most = Math.max(most, connections.length);
    }
    expect(most).toBeLessThanOrEqual(4);
    pair.standby.promote();
    expect(await waiting).toEqual([true, null]);
    expect(await events(1)).toEqual([['sending', 'created']]);
  });

  test('a fail-over that lost nothing goes on by itself, also with one commit nobody waited for', async () => {
    const [one, two] = [await opened('one'), await opened('two')];
    await one.log.sending(subjectOf(1), 'none');
    await two.log.sending(subjectOf(2), 'none');
    await pair.caughtUp();
    pair.replace();
    const startedMs = performance.now();
    expect(await Promise.all([one.log.outcome(subjectOf(1), CREATED), two.log.sending(subjectOf(3), 'none')])).toEqual([
      true,
      true,
    ]);
    expect(performance.now() - startedMs).toBeLessThan(30_000);
    // Who comes later finds a store like any other.
    expect(await (await opened('late')).log.sending(subjectOf(4), 'none')).toBe(true);
  });

  test('a fail-over that lost commits gets them back, and nobody sends before a person has spoken', async () => {
    const told: string[] = [];
    const one = await opened('one', { warn: (message) => told.push(message) });
    const two = await opened('two');
    await one.log.sending(subjectOf(1), 'none');
    await two.log.sending(subjectOf(9), 'none');
    await pair.caughtUp();
    pair.heard.silence();
    await one.log.outcome(subjectOf(1), CREATED);
    await one.log.sending(subjectOf(2), 'none');
    await one.log.sending(subjectOf(3), 'none');
    await one.log.outcome(subjectOf(3), CREATED);
    // The server has never heard of this one.
    const three = await opened('three');
    await three.log.sending(subjectOf(4), 'none');
    pair.replace();
    // The second one knows nothing of these, and would begin them.
    const begun = [2, 3, 4].map((row) => failureOf(two.log.sending(subjectOf(row), 'none')));
    expect(await Promise.all(begun)).toEqual(Array(3).fill(expect.objectContaining(NOBODY_MAY)));
    await expect(one.log.sending(subjectOf(5), 'none')).rejects.toMatchObject(NOBODY_MAY);
    await expect(opened('late')).rejects.toMatchObject(NOBODY_MAY);
    // What is under way has an outcome, which is still recorded.
    expect(await two.log.outcome(subjectOf(9), CREATED)).toBe(true);
    expect(await three.log.outcome(subjectOf(4), CREATED)).toBe(true);
    expect(told).toEqual([expect.stringContaining('had lost 4 records')]);
    expect(await events(1, 2, 3, 4)).toEqual([
      ['sending', 'created'],
      ['sending'],
      ['sending', 'created'],
      ['sending', 'created'],
    ]);
    expect(await resumed()).toEqual({ missing: [], doubtful: 0 });
    const late = await opened('after');
    await late.log.prefetch([1, 2, 3, 4].map(keyOf));
    expect([1, 2, 3, 4].map((row) => late.log.lookup(keyOf(row)))).toEqual([
      'created',
      'sending',
      'created',
      'created',
    ]);
    expect(await late.log.sending(subjectOf(6), 'none')).toBe(true);
    // Who began before the loss stays stopped.
    await expect(two.log.sending(subjectOf(7), 'none')).rejects.toMatchObject(NOBODY_MAY);
  });

  test('that had each commit when a process joined, and no longer has: no setting is trusted', async () => {
    await pair.synchronize();
    const [one, two] = [await opened('one'), await opened('two')];
    await one.log.sending(subjectOf(1), 'none');
    await pair.primary.query(pair.url, 'alter system reset synchronous_standby_names');
    await pair.primary.query(pair.url, 'select pg_reload_conf()');
    const state = () => pair.primary.query(pair.url, 'select sync_state from pg_stat_replication');
    await expect.poll(state).toEqual([{ sync_state: 'async' }]);
    await pair.caughtUp();
    pair.heard.silence();
    await one.log.sending(subjectOf(2), 'none');
    pair.replace();
    await expect(two.log.sending(subjectOf(2), 'none')).rejects.toMatchObject(NOBODY_MAY);
    await expect(one.log.sending(subjectOf(3), 'none')).rejects.toMatchObject(NOBODY_MAY);
    expect(await events(2)).toEqual([['sending']]);
  });

  test.each([false, true])(
    'after a fail-over, what a missing worker may have sent is unknown (nothing lost: %s)',
    async (hasAll) => {
      const { log } = await opened('one');
      await log.sending(subjectOf(1), 'none');
      const queue = await dies(40);
      await pair.primary.query(pair.url, "update srq.waiting set since = since - interval '10 minutes'");
      await pair.caughtUp();
      pair.replace();
      const refused = failureOf(log.sending(subjectOf(2), 'none'));
      await expect.poll(() => pair.standby.query(pair.url, HALF_A_MINUTE_LATER)).toHaveLength(1);
      expect(await refused).toMatchObject({ ...NOBODY_MAY, message: expect.stringContaining(GONE) });
      await expect(opened('late')).rejects.toMatchObject(NOBODY_MAY);
      expect(await resumed(hasAll)).toEqual({ missing: [GONE], doubtful: hasAll ? 1 : 2 });
      const late = await opened('after');
      const [held, waited] = await Promise.all([7, 8].map((row) => late.log.read(keyOf(row))));
      expect(held).toMatchObject({ event: 'unknown', message: expect.stringContaining('may have sent this'), row: 7 });
      // It may have been sent ever since it was queued, so that a key is not trusted for longer.
      expect(held?.ms).toBeGreaterThan(600_000);
      if (hasAll) expect(waited).toBeNull();
      else expect(waited).toMatchObject({ event: 'unknown', row: 8 });
      expect(await queue.depth()).toMatchObject({ total: hasAll ? 1 : 0 });
    },
  );

  test('after a fail-over nobody waits for a worker that died before, and its rows wait on', async () => {
    const { log } = await opened('one');
    await log.sending(subjectOf(1), 'none');
    const queue = await dies(65);
    await pair.caughtUp();
    pair.replace();
    expect(await log.sending(subjectOf(2), 'none')).toBe(true);
    expect(await queue.depth()).toMatchObject({ total: 2 });
    expect(await events(7, 8)).toEqual([[], []]);
  });

  test('another server is noticed, also where its timeline begins anew or its state is older', async () => {
    await (await opened('one')).log.close();
    // An upgrade makes another system, whose timeline begins at 1.
    const settled = () => pair.primary.query<{ server: string }>(pair.url, 'select server from srq.meta');
    await pair.primary.query(pair.url, "update srq.meta set server = '1/00000009'");
    const later = await opened('two');
    const other = await opened('three');
    expect(await later.log.sending(subjectOf(2), 'none')).toBe(true);
    expect((await settled())[0]?.server).toMatch(/\/00000001$/);
    // A disk that was set back to an earlier moment is the same server.
    await pair.primary.query(pair.url, 'delete from srq.record where key = $1', [keyOf(2)]);
    await pair.primary.query(pair.url, 'delete from srq.request where key = $1', [keyOf(2)]);
    await expect(later.log.sending(subjectOf(3), 'none')).rejects.toMatchObject(NOBODY_MAY);
    await expect(other.log.sending(subjectOf(2), 'none')).rejects.toMatchObject(NOBODY_MAY);
    const text = 'select event from srq.record where key = $1';
    expect(await pair.primary.query(pair.url, text, [keyOf(2)])).toEqual([{ event: 'sending' }]);
  });
});
