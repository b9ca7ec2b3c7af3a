import { describe, expect, test } from 'vitest';
import type { QueueWorkerOptions } from '../../src/delivery/consume.ts';
import type { LoggedState } from '../../src/request/log/status.ts';
import type { DeliveryLog } from '../../src/request/ports.ts';
import { SrqError } from '../../src/request/words/errors.ts';
import { Bench, fault, PERSONAL, rows, taken } from './worker-bench.ts';

describe('a fault ends the whole worker', () => {
  test('a fault while it sends ends the worker: what is in flight is finished, the row stays unknown', async () => {
    const bench = new Bench(rows(1, 30).map((row) => taken(row)));
    bench.create = async (row) => {
      if (row === 8) fault();
      // The others are in flight for longer.
      await bench.clock.sleep(2_000);
    };
    const stop = await bench.run();
    expect(stop).toMatchObject({ code: 'fault', message: 'srq failed on row 8 (TypeError).' });
    expect(stop?.cause).toBeInstanceOf(TypeError);
    expect(`${stop?.message} ${stop?.hint}`).not.toContain(PERSONAL);
    expect(bench.told.filter((each) => each.startsWith('ending'))).toEqual(['ending: fault, aborted true']);
    // Nobody knows whether it was taken, and no worker finds out.
    expect([bench.states.get('k8'), bench.disposed.get(8)]).toEqual(['unknown', 'done']);
    const sent = bench.began.filter((row) => row !== 8);
    expect(sent.map((row) => [bench.states.get(`k${row}`), bench.disposed.get(row)])).toEqual(
      sent.map(() => ['created', 'done']),
    );
    expect(Math.max(...bench.began)).toBeLessThan(12);
    expect([bench.kept, bench.inFlight]).toEqual([[], 0]);
    expect([...bench.toQueue.values()]).toContain('back');
  });

  test('a fault before anything is sent ends the worker, and the request comes back later', async () => {
    const bench = new Bench([taken(1)]);
    bench.changes = { api: { ...bench.api, create: async () => fault() } };
    expect(await bench.run()).toMatchObject({ code: 'fault' });
    expect([bench.states.get('k1'), bench.disposed.get(1), bench.toQueue.get('k1')]).toEqual([
      undefined,
      'later',
      'later',
    ]);
    expect(bench.inFlight).toBe(0);
  });

  test('a fault that nobody notices ends the worker, and the request comes back later', async () => {
    const bench = new Bench([taken(1)]);
    bench.changes = { log: { ...bench.log, lookup: fault } };
    expect(await bench.run()).toMatchObject({ code: 'fault' });
    expect([bench.states.get('k1'), bench.toQueue.get('k1'), bench.inFlight]).toEqual([undefined, 'later', 0]);
  });
});

test('an outcome that the log does not take gives the row back to the queue', async () => {
  const bench = new Bench([taken(1)]);
  const away = new SrqError('log.unwritable', 'The store is away.');
  bench.changes = { log: { ...bench.log, outcome: () => Promise.reject(away) } };
  expect(await bench.run()).toBe(away);
  expect([bench.disposed.get(1), bench.toQueue.get('k1'), bench.inFlight]).toEqual(['back', 'back', 0]);
});

describe('a worker', () => {
  const statusesOf = async (bench: Bench, options: Partial<QueueWorkerOptions> = {}) => {
    const told = new Map<number, string>();
    bench.changes = {
      ...bench.changes,
      watch: {
        began: () => {},
        ended: ({ row }, { status }, next) => {
          told.set(row, status);
          bench.disposed.set(row, next);
        },
        gaveBack: () => {},
        ending: () => {},
        breakerOpened: () => {},
      },
    };
    await bench.run({ untilEmpty: true, ...options });
    return Object.fromEntries(told);
  };

  test('a worker asks nothing about an unknown earlier try, and sends it nowhere', async () => {
    const bench = new Bench(rows(1, 5).map((row) => taken(row)));
    bench.states
      .set('k1', 'created')
      .set('k2', 'duplicate')
      .set('k3', 'parked')
      .set('k4', 'unknown')
      .set('k5', 'sending');
    const asked = async () => fault();
    bench.changes = { api: { ...bench.api, validate: asked, create: asked } };
    const told = { 1: 'repeated', 2: 'duplicate', 3: 'unknown', 4: 'unknown', 5: 'unknown' };
    expect(await statusesOf(bench, { validate: true })).toEqual(told);
    expect([...bench.disposed.values()]).toEqual(Array(5).fill('done'));
  });

  test.each<[string, number | null, boolean, LoggedState]>([
    ['repeats under its key what an earlier try left unknown', 3_600_000, false, 'created'],
    ['does not where the service knows no keys', null, false, 'unknown'],
    ['does not where the service has forgotten the key', 0, false, 'unknown'],
    ['does not what was sent a second time on purpose', 3_600_000, true, 'unknown'],
  ])('a worker and %s', async (_, window, again, state) => {
    const bench = new Bench([taken(1)]);
    bench.states.set('k1', 'unknown');
    const read: DeliveryLog['read'] = async (key) => {
      const record = await bench.log.read(key);
      return record && { ...record, again };
    };
    bench.changes = {
      api: { ...bench.api, idempotencyWindowMs: window },
      log: { ...bench.log, read },
    };
    await bench.run({ untilEmpty: true });
    expect([bench.states.get('k1'), bench.disposed.get(1)]).toEqual([state, 'done']);
    expect(bench.began).toEqual(state === 'created' ? [1] : []);
  });

  test('a worker leaves a request in the queue that another living process sends', async () => {
    const bench = new Bench([taken(1)]);
    bench.states.set('k1', 'sending');
    bench.changes = { log: { ...bench.log, mayBeUnderWay: () => true } };
    expect(await statusesOf(bench)).toEqual({ 1: 'unknown' });
    expect([bench.states.get('k1'), bench.toQueue.get('k1')]).toEqual(['sending', 'later']);
  });

  test.each([1, 2])(
    'a worker gives back what another process says was not taken, after it was under way %i×',
    async (times) => {
      const bench = new Bench([taken(1)]);
      bench.states.set('k1', 'sending');
      let asked = 0;
      const mayBeUnderWay = () => {
        asked += 1;
        if (asked > times) bench.states.set('k1', 'failed');
        return asked <= times;
      };
      bench.changes = { log: { ...bench.log, mayBeUnderWay } };
      expect(await statusesOf(bench)).toEqual({ 1: 'unknown' });
      expect([bench.states.get('k1'), bench.disposed.get(1), bench.toQueue.get('k1')]).toEqual([
        'failed',
        'later',
        'later',
      ]);
    },
  );

  test('a worker records as unknown what a process has sent that is gone, with the age of that try', async () => {
    const bench = new Bench([taken(1)]);
    bench.states.set('k1', 'sending');
    const outcomes: unknown[] = [];
    const { outcome } = bench.log;
    const noting: DeliveryLog['outcome'] = async (...given) => {
      outcomes.push(given.slice(1));
      return outcome(...given);
    };
    bench.changes = { log: { ...bench.log, outcome: noting } };
    await bench.clock.until(bench.clock.sleep(7_000));
    expect(await statusesOf(bench)).toEqual({ 1: 'unknown' });
    expect(outcomes).toEqual([
      [expect.objectContaining({ status: 'unknown', ms: 7_000 }), expect.objectContaining({ seen: 'sending' })],
    ]);
    expect([bench.states.get('k1'), bench.began]).toEqual(['unknown', []]);
  });

  test('refuses what the queue does not hold as it was queued, and goes on; what is unknown of it stays so', async () => {
    const bench = new Bench(rows(1, 6).map((row) => taken(row, { isSpoilt: row !== 2 })));
    const before = { k3: 'sending', k4: 'created', k5: 'parked', k6: 'unknown' } as const;
    for (const [key, state] of Object.entries(before)) bench.states.set(key, state);
    bench.validate = async () => fault();
    expect(await statusesOf(bench)).toEqual({
      ...{ 1: 'rejected', 2: 'created', 3: 'unknown', 4: 'repeated', 5: 'unknown', 6: 'unknown' },
    });
    expect(bench.began).toEqual([2]);
    expect(Object.fromEntries(bench.states)).toEqual({ k1: 'rejected', k2: 'created', ...before, k3: 'unknown' });
    expect([...bench.disposed.values()]).toEqual(Array(6).fill('done'));
  });

  test('a worker sends nothing that has expired, and records it as failed unless it may have been sent', async () => {
    const expired = (row: number) => taken(row, { isOver: true });
    const bench = new Bench([expired(1), taken(2), expired(3), expired(4)]);
    bench.states.set('k3', 'sending').set('k4', 'created');
    expect(await statusesOf(bench)).toEqual({ 1: 'failed', 2: 'created', 3: 'unknown', 4: 'repeated' });
    expect(bench.began).toEqual([2]);
    expect(Object.fromEntries(bench.states)).toMatchObject({ k1: 'failed', k3: 'unknown', k4: 'created' });
    expect(Object.fromEntries(bench.disposed)).toEqual({ 1: 'done', 2: 'done', 3: 'done', 4: 'done' });
  });
});
