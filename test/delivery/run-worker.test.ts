import { describe, expect, test } from 'vitest';
import type { WorkerDeps } from '../../src/delivery/consume.ts';
import { SrqError } from '../../src/request/errors.ts';
import type { MarketplaceApi, Verdict } from '../../src/request/ports.ts';
import type { JobDecision, Lane, RequestQueue } from '../../src/request/request-queue.ts';
import { Bench, created, fault, PERSONAL, rows, taken } from './worker-bench.ts';

describe('a fault ends the whole worker', () => {
  test('where it is sending: what is in flight is finished, what was not begun goes back, the doubt stays one', async () => {
    const bench = new Bench([...rows(1, 30).map((row) => taken(row)), taken(50, 'doubts')]);
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
    // Nobody knows whether it was taken: it is a doubt, and goes where doubts are settled.
    expect([bench.states.get('k8'), bench.disposed.get(8)]).toEqual(['unknown', 'moved']);
    const sent = bench.began.filter((row) => row !== 8);
    expect(sent.map((row) => [bench.states.get(`k${row}`), bench.disposed.get(row)])).toEqual(
      sent.map(() => ['created', 'done']),
    );
    expect(Math.max(...bench.began)).toBeLessThan(12);
    expect([bench.kept, bench.inFlight]).toEqual([[], 0]);
    expect([...bench.disposed.values()]).toContain('back');
    // The doubt was waiting to be old enough.
    expect([bench.states.get('k50'), bench.disposed.get(50)]).toEqual(['unknown', 'back']);
  });

  test('where it is settling: nothing more is sent', async () => {
    const bench = new Bench([...rows(1, 400).map((row) => taken(row)), taken(500, 'doubts')]);
    bench.validate = async () => fault();
    const stop = await bench.run({ settleMs: 5_000 });
    expect(stop).toMatchObject({ code: 'fault' });
    expect([bench.states.get('k500'), bench.disposed.get(500)]).toEqual(['unknown', 'later']);
    expect(bench.began.length).toBeLessThan(40);
    expect(bench.kept).toEqual([]);
  });

  test('the request that it lies in is not the first that the next worker takes, but is never lost either', async () => {
    const bench = new Bench([taken(1, 'requests', false)]);
    bench.create = async () => fault();
    await bench.run();
    expect(bench.disposed.get(1)).toBe('moved');
  });

  test('before anything is sent: the request comes back later, and is done with as failed when that was too often', async () => {
    const ended = async (mayTryAgain: boolean) => {
      const bench = new Bench([taken(1, 'requests', mayTryAgain)]);
      bench.changes = { api: { ...bench.api, create: async () => fault() } };
      expect(await bench.run()).toMatchObject({ code: 'fault' });
      expect(bench.inFlight).toBe(0);
      return [bench.states.get('k1') ?? 'none', bench.disposed.get(1)];
    };
    expect(await ended(true)).toEqual(['none', 'later']);
    expect(await ended(false)).toEqual(['failed', 'done']);
  });

  test.each<[Lane, string]>([
    ['requests', 'failed'],
    ['doubts', 'unknown'],
  ])(
    'again and again, where nobody notices it (%s): the request leaves the queue, and the log has it as %s',
    async (lane, state) => {
      const bench = new Bench([taken(1, lane, false)]);
      bench.changes = { refusal: fault, evidence: async () => fault() };
      expect(await bench.run()).toMatchObject({ code: 'fault' });
      expect([bench.states.get('k1'), bench.disposed.get(1), bench.inFlight]).toEqual([state, 'done', 0]);
    },
  );

  test('that the log has, too: the request is given back, as nobody can note that it failed', async () => {
    const bench = new Bench([taken(1, 'requests', false)]);
    bench.changes = { log: { ...bench.log, prefetch: async () => fault() } };
    expect(await bench.run()).toMatchObject({ code: 'fault' });
    expect([bench.disposed.get(1), bench.inFlight]).toEqual(['back', 0]);
  });

  test.each<[string, (bench: Bench) => Partial<WorkerDeps>]>([
    ['taking from the queue', ({ queue }) => ({ queue: { ...queue, take: async () => fault() } })],
    ['telling the queue', ({ queue }) => ({ queue: { ...queue, dispose: async () => fault() } })],
    ['taking back from others', ({ queue }) => ({ queue: { ...queue, reclaim: async () => fault() } })],
    ['checking a request by the contract', () => ({ refusal: fault })],
    ['asking what validate has shown', () => ({ evidence: async () => fault() })],
    ['watching the doubts', () => ({ breaker: { observe: async () => fault() } })],
    [
      'waiting after too many doubts',
      () => ({ breaker: { observe: async () => ({ stop: null, pauseMs: 1_000 }) }, hold: fault }),
    ],
    ['the log', ({ log }) => ({ log: { ...log, prefetch: async () => fault() } })],
  ])('in %s', async (_where, changesOf) => {
    const bench = new Bench([...rows(1, 20).map((row) => taken(row)), taken(50, 'doubts')]);
    bench.changes = changesOf(bench);
    expect(await bench.run()).toMatchObject({ code: 'fault' });
    expect(bench.halt.signal.aborted).toBe(true);
    expect(bench.began.length).toBeLessThan(20);
    if (!bench.changes.queue) expect(bench.kept).toEqual([]);
  });

  test('at once, however long what is in flight takes', async () => {
    const bench = new Bench(rows(1, 30).map((row) => taken(row)));
    bench.create = (row) => bench.clock.sleep(row === 4 ? 600_000 : 0);
    let takes = 0;
    const take: RequestQueue['take'] = async (lane, count) => {
      if (lane === 'doubts') return [];
      takes += 1;
      return takes > 3 ? fault() : bench.queue.take(lane, count);
    };
    bench.changes = { queue: { ...bench.queue, take } };
    bench.halt.signal.addEventListener('abort', () => bench.told.push(`halted at ${bench.clock.nowMs()} ms`));
    expect(await bench.run()).toMatchObject({ code: 'fault' });
    expect(Number(/halted at (\d+) ms/.exec(bench.told.join())?.[1])).toBeLessThan(60_000);
    expect([bench.clock.nowMs() > 600_000, bench.states.get('k4'), bench.kept]).toEqual([true, 'created', []]);
  });

  test('after it was told to end, too', async () => {
    const bench = new Bench([taken(1)]);
    bench.create = async () => {
      bench.halt.abort();
      fault();
    };
    expect(await bench.run()).toMatchObject({ code: 'fault' });
  });
});

test('an error that ends the worker gives back what was sent and not yet disposed of', async () => {
  const bench = new Bench([taken(1)]);
  const away = new SrqError('log.unwritable', 'The store is away.');
  bench.changes = {
    evidence: () => Promise.reject(away),
    api: {
      ...bench.api,
      create: async (_, intend) => {
        await intend();
        return { outcome: { ...created(1), status: 'unknown' }, stop: null, unproven: null, hasRemark: false };
      },
    },
  };
  expect(await bench.run()).toBe(away);
  expect([bench.states.get('k1'), bench.disposed.get(1), bench.inFlight]).toEqual(['unknown', 'back', 0]);
  expect(bench.told).toContain('ending: log, aborted true');
});

describe('a worker', () => {
  const statusesOf = async (bench: Bench) => {
    const told = new Map<number, string>();
    bench.changes = {
      watch: {
        began: () => {},
        ended: ({ row }, { result }) => told.set(row, result.status),
        gaveBack: () => {},
        ending: () => {},
        reclaimed: () => {},
        breakerOpened: () => {},
      },
    };
    await bench.run({ untilEmpty: true });
    return Object.fromEntries(told);
  };

  test('tells a doubt that somebody else has settled as the log has it', async () => {
    const bench = new Bench([taken(1, 'doubts'), taken(2, 'doubts'), taken(3, 'doubts')]);
    bench.states.set('k1', 'created').set('k2', 'duplicate').set('k3', 'parked');
    expect(await statusesOf(bench)).toEqual({ 1: 'repeated', 2: 'duplicate', 3: 'unknown' });
    expect([...bench.disposed.values()]).toEqual(['done', 'done', 'done']);
  });

  // The doubt is 20 minutes old when validate is asked about it.
  test.each<[string, number, Verdict, number | null, JobDecision['is']]>([
    ['leaves the queue if no process lives from its time', 18, 'clear', null, 'done'],
    ['stays if one lives that began within a minute of it', 19.5, 'clear', null, 'later'],
    ['stays if validate did not answer', 18, 'unknown', null, 'later'],
    ['leaves the queue also where the service has forgotten its key', 18, 'clear', 0, 'done'],
  ])('tells a doubt of a killed worker as unknown; it %s', async (_, oldestMinutes, verdict, window, left) => {
    const bench = new Bench([taken(1, 'doubts')]);
    bench.oldestProcessMs = oldestMinutes * 60_000;
    const validate: MarketplaceApi['validate'] = async (of) => ({ ...(await bench.api.validate(of)), verdict });
    bench.changes = { api: { ...bench.api, validate, idempotencyWindowMs: window } };
    await bench.run({ untilEmpty: true, settleMs: 20 * 60_000 });
    expect([bench.states.get('k1'), bench.disposed.get(1)]).toEqual(['unknown', left]);
    expect(bench.began).toEqual([]);
  });

  test.each<[string, number, JobDecision['is'], number[]]>([
    ['may still find some to compare it with, while it is young', 119, 'moved', []],
    ['passes it on to another process of its time', 120, 'moved', [1]],
  ])('that cannot compare a doubt %s', async (_, ageS, left, passedOn) => {
    const bench = new Bench([taken(1, 'doubts')]);
    bench.oldestProcessMs = ageS < 120 ? 0 : Number.POSITIVE_INFINITY;
    const validate: MarketplaceApi['validate'] = async (of) => {
      return { ...(await bench.api.validate(of)), verdict: 'clear' };
    };
    bench.changes = { api: { ...bench.api, validate } };
    // The answer takes a second.
    await bench.run({ untilEmpty: true, settleMs: (ageS - 1) * 1_000 });
    expect([bench.states.get('k1'), bench.disposed.get(1)]).toEqual(['unknown', left]);
    expect(bench.passedOn).toEqual(passedOn);
  });

  test.each<[string, number, JobDecision['is'], number[]]>([
    ['goes to another process of its time', Number.POSITIVE_INFINITY, 'moved', [1]],
    ['leaves the queue if there is none', 0, 'done', []],
  ])(
    'a doubt that the worker has passed on before is not looked into again: it %s',
    async (_, otherMs, left, passedOn) => {
      const bench = new Bench([{ ...taken(1, 'doubts'), isPassedOn: true }]);
      bench.oldestProcessMs = otherMs;
      bench.validate = async () => fault();
      await bench.clock.until(bench.clock.sleep(180_000));
      expect(await bench.run({ untilEmpty: true })).toBeNull();
      expect([bench.states.get('k1'), bench.disposed.get(1), bench.passedOn]).toEqual(['unknown', left, passedOn]);
    },
  );

  describe('where another living worker sends a request that was taken from it', () => {
    const decided = async (bench: Bench, mayBeUnderWay: () => boolean, settles = false) => {
      bench.changes = { log: { ...bench.log, mayBeUnderWay } };
      bench.validate = async () => fault();
      expect(await bench.run({ untilEmpty: true, settles })).toBeNull();
      expect(bench.began).toEqual([]);
      return bench.decisions.get(1);
    };

    test('leaves the request in the queue, also if requests in doubt are left to a person', async () => {
      const bench = new Bench([taken(1)]);
      bench.states.set('k1', 'sending');
      const later = { is: 'moved', lane: 'requests', inMs: 10_000 };
      expect(await decided(bench, () => true)).toEqual(later);
    });

    test('notices that it was refused or failed there just now', async () => {
      const bench = new Bench([taken(1)]);
      bench.states.set('k1', 'sending');
      const failed = () => {
        bench.states.set('k1', 'failed');
        return false;
      };
      expect(await decided(bench, failed)).toMatchObject({ is: 'moved', lane: 'requests' });
    });

    test('leaves it to a person if that one is gone', async () => {
      const bench = new Bench([taken(1)]);
      bench.states.set('k1', 'sending');
      expect(await decided(bench, () => false)).toEqual({ is: 'done' });
    });

    test('looks again at one that is settled, though it could not settle it itself', async () => {
      const bench = new Bench([{ ...taken(1, 'doubts'), isPassedOn: true }]);
      bench.states.set('k1', 'sending');
      bench.oldestProcessMs = 0;
      await bench.clock.until(bench.clock.sleep(180_000));
      const later = { is: 'moved', lane: 'doubts', inMs: 10_000 };
      expect(await decided(bench, () => true, true)).toEqual(later);
    });
  });

  test('sets aside what cannot be read and goes on; a doubt about it stays one', async () => {
    const unreadable = (row: number, lane: Lane = 'requests') => ({ ...taken(row, lane), isUnreadable: true });
    const bench = new Bench([
      ...[unreadable(1), taken(2), unreadable(3), unreadable(4), unreadable(5)],
      ...[unreadable(6, 'doubts'), unreadable(7, 'doubts'), unreadable(8, 'doubts')],
    ]);
    bench.states
      .set('k3', 'sending')
      .set('k4', 'created')
      .set('k5', 'parked')
      .set('k7', 'sending')
      .set('k8', 'created');
    bench.validate = async () => fault();
    expect(await statusesOf(bench)).toEqual({
      ...{ 1: 'failed', 2: 'created', 3: 'unknown', 4: 'repeated', 5: 'unknown' },
      ...{ 6: 'unknown', 7: 'unknown', 8: 'repeated' },
    });
    expect(bench.began).toEqual([2]);
    expect(Object.fromEntries(bench.states)).toEqual({
      ...{ k1: 'failed', k2: 'created', k3: 'sending', k4: 'created', k5: 'parked' },
      ...{ k6: 'unknown', k7: 'sending', k8: 'created' },
    });
    expect([...bench.disposed.values()]).toEqual(Array(8).fill('done'));
  });

  test('keeps what cannot be read in the queue if the log cannot record that', async () => {
    const bench = new Bench([{ ...taken(1), isUnreadable: true }]);
    const gone = new SrqError('log.unwritable', 'The log is gone.');
    bench.changes = { log: { ...bench.log, outcome: () => Promise.reject(gone) } };
    expect(await bench.run()).toBe(gone);
    expect(bench.disposed.get(1)).toBe('back');
  });

  test.each([
    ['one at a time', false, [1, 1, 1]],
    ['together where the service is familiar', true, [1, 2, 3]],
  ])('sends its first rows %s', async (_, isFamiliar, first) => {
    const bench = new Bench(rows(1, 8).map((row) => taken(row)));
    bench.changes = { isFamiliar };
    const levels: number[] = [];
    let underWay = 0;
    const { create } = bench.api;
    bench.api.create = async (...asked) => {
      underWay += 1;
      levels.push(underWay);
      return create(...asked).finally(() => (underWay -= 1));
    };
    expect(await bench.run({ untilEmpty: true })).toBeNull();
    expect(levels.slice(0, 3)).toEqual(first);
    expect([...bench.states.values()]).toEqual(Array(8).fill('created'));
  });

  test('sends nothing that has expired, and records it as failed unless it may have been sent', async () => {
    const expired = (row: number) => ({ ...taken(row), hasExpired: true });
    const bench = new Bench([expired(1), taken(2), expired(3), expired(4)]);
    bench.states.set('k3', 'sending').set('k4', 'created');
    expect(await statusesOf(bench)).toEqual({ 1: 'failed', 2: 'created', 3: 'unknown', 4: 'repeated' });
    expect(bench.began).toEqual([2]);
    expect(Object.fromEntries(bench.states)).toMatchObject({ k1: 'failed', k3: 'sending', k4: 'created' });
    expect(Object.fromEntries(bench.disposed)).toEqual({ 1: 'done', 2: 'done', 3: 'moved', 4: 'done' });
  });
});
