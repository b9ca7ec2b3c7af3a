import { describe, expect, test } from 'vitest';
import { CONTINUE } from '../../src/delivery/breaker.ts';
import type { WorkerDeps } from '../../src/delivery/consume.ts';
import { takenRequests } from '../../src/delivery/take-requests.ts';
import type { DeliveryLog, MarketplaceApi } from '../../src/request/ports.ts';
import type { RequestQueue, TakenRequest } from '../../src/request/request-queue.ts';
import { VirtualClock } from '../helpers/virtual-clock.ts';
import { Bench, rows, taken, UNKNOWN } from './worker-bench.ts';

/** A service that answers no create, so that the outcome of each request is unknown. */
const silent = ({ api }: Bench): MarketplaceApi => ({
  ...api,
  create: async (_, intend) => ((await intend()) ? UNKNOWN : null),
});

/** Gives the worker a log of its own making. */
const logOf = ({ log }: Bench, changes: Partial<DeliveryLog>): DeliveryLog => ({ ...log, ...changes });

/** What the watch of a worker was told, by the time. */
function watched(bench: Bench): { readonly told: string[]; readonly watch: WorkerDeps['watch'] } {
  const told: string[] = [];
  const tell = (text: string) => void told.push(`${bench.clock.nowMs()}: ${text}`);
  const watch: WorkerDeps['watch'] = {
    began: ({ row }) => tell(`began ${row}`),
    ended: ({ row }, { result }) => tell(`ended ${row} ${result.status}`),
    gaveBack: ({ row }) => tell(`gave back ${row}`),
    ending: ({ reason }) => tell(`ending: ${reason}`),
    reclaimed: (count) => tell(`reclaimed ${count}`),
    breakerOpened: (pauseMs) => tell(`breaker ${pauseMs}`),
  };
  return { told, watch };
}

describe('A worker', () => {
  test('looks every five seconds for requests of workers that are gone, and tells of those that it finds', async () => {
    const bench = new Bench([taken(1)]);
    const { told, watch } = watched(bench);
    const asked: [atMs: number, missingMs: number][] = [];
    const reclaim = async (missingMs: number) => {
      asked.push([bench.clock.nowMs(), missingMs]);
      return asked.length === 2 ? 3 : 0;
    };
    bench.create = () => bench.clock.sleep(10_500);
    bench.changes = { queue: { ...bench.queue, reclaim }, watch };
    await bench.run({ untilEmpty: true, missingMs: 77_000 });
    expect(asked).toEqual([
      [0, 77_000],
      [5_000, 77_000],
      [10_000, 77_000],
    ]);
    expect(told.filter((each) => each.includes('reclaimed'))).toEqual(['5000: reclaimed 3']);
  });

  test('that is halted takes nothing back any more, however long what is in flight takes', async () => {
    const bench = new Bench([taken(1)]);
    const asked: number[] = [];
    const reclaim = async () => {
      asked.push(bench.clock.nowMs());
      return 0;
    };
    bench.create = async () => {
      bench.halt.abort();
      await bench.clock.sleep(60_000);
    };
    bench.changes = { queue: { ...bench.queue, reclaim } };
    await bench.run();
    expect([asked, bench.clock.nowMs()]).toEqual([[0], 61_000]);
  });

  test('records as rejected what its contract refuses, and sends it nowhere', async () => {
    const bench = new Bench([taken(1), taken(2)]);
    const { told, watch } = watched(bench);
    bench.changes = { refusal: ({ row }) => (row === 1 ? 'It lacks consent.' : null), watch };
    await bench.run({ untilEmpty: true });
    expect([bench.began, bench.states.get('k1'), bench.states.get('k2')]).toEqual([[2], 'rejected', 'created']);
    expect(told.filter((each) => each.includes('ended')).map((each) => each.split(': ')[1])).toEqual([
      'ended 1 rejected',
      'ended 2 created',
    ]);
  });

  test('tells the breaker of the account what it saw itself, and no results of others', async () => {
    const bench = new Bench([taken(1), taken(2), taken(3)]);
    bench.states.set('k2', 'created').set('k3', 'unknown');
    const observed: boolean[] = [];
    const breaker = {
      observe: async (isDoubtful: boolean) => {
        observed.push(isDoubtful);
        return CONTINUE;
      },
    };
    bench.changes = { breaker };
    await bench.run({ untilEmpty: true });
    expect(observed).toEqual([false]);
    const doubting = new Bench([taken(1)]);
    doubting.changes = { breaker, api: silent(doubting) };
    await doubting.run({ untilEmpty: true });
    expect(observed).toEqual([false, true]);
  });

  test('holds all of the account when the breaker opens, asks validate after the pause, and goes on slower', async () => {
    const bench = new Bench([taken(1), taken(2)]);
    const { told, watch } = watched(bench);
    let advised = 0;
    const api = {
      ...bench.api,
      validate: async (...given: Parameters<MarketplaceApi['validate']>) => {
        told.push(`${bench.clock.nowMs()}: asked`);
        return bench.api.validate(...given);
      },
      slowDown: (share: number) => void told.push(`${bench.clock.nowMs()}: slower ${share}`),
    };
    bench.changes = {
      ...{ api, watch, hold: (pauseMs) => void told.push(`${bench.clock.nowMs()}: held ${pauseMs}`) },
      breaker: { observe: async () => (++advised === 1 ? { stop: null, pauseMs: 1 } : CONTINUE) },
    };
    bench.create = (row) => bench.clock.sleep(row === 2 ? 20_000 : 0);
    await bench.run({ untilEmpty: true });
    expect(told.filter((each) => /breaker|held|asked|slower/.test(each))).toEqual([
      '1000: breaker 1',
      '1000: held 1',
      '1001: asked',
      '2001: slower 0.5',
    ]);
  });

  test('goes on as long as it is told nothing: neither a pause of 0 nor one result ends it', async () => {
    const bench = new Bench([taken(1), taken(2)]);
    const { told, watch } = watched(bench);
    bench.changes = { watch };
    expect(await bench.run({ untilEmpty: true })).toBeNull();
    expect(told.filter((each) => /ending|breaker|gave/.test(each))).toEqual([]);
    expect(bench.halt.signal.aborted).toBe(false);
  });

  test('waits until every decision is stored before it ends', async () => {
    const bench = new Bench([taken(1)]);
    let isStored = false;
    const dispose: RequestQueue['dispose'] = async (...given) => {
      await bench.clock.sleep(30_000);
      await bench.queue.dispose(...given);
      isStored = true;
    };
    bench.changes = { queue: { ...bench.queue, dispose } };
    await bench.run({ untilEmpty: true });
    expect(isStored).toBe(true);
  });

  test('asks a store for what it knows of a request first', async () => {
    const known = new Set<string>();
    const bench = new Bench([taken(1)]);
    const { log } = bench;
    bench.changes = {
      log: logOf(bench, {
        prefetch: async (keys) => {
          await bench.clock.sleep(10);
          for (const key of keys) known.add(key);
        },
        lookup: (key) => (known.has(key) ? log.lookup(key) : 'none'),
      }),
    };
    bench.states.set('k1', 'created');
    await bench.run({ untilEmpty: true });
    expect([bench.began, bench.decisions.get(1)]).toEqual([[], { is: 'done' }]);
  });
});

describe('Requests are taken', () => {
  const request = (row: number): TakenRequest => taken(row);
  function queueOf(count: number) {
    const left = rows(1, count).map(request);
    const takes: number[] = [];
    const disposed: number[] = [];
    let handedOut = 0;
    const queue = {
      take: async (most: number) => {
        takes.push(handedOut);
        return left.splice(0, most);
      },
      dispose: async ({ row }: TakenRequest) => void disposed.push(row),
      isEmpty: async () => left.length === 0,
    };
    return { queue, takes, disposed, left, out: () => (handedOut += 1) };
  }
  const from = (
    queue: ReturnType<typeof queueOf>['queue'],
    clock: VirtualClock,
    halt: AbortController,
    untilEmpty: boolean,
  ) => takenRequests(queue, clock, { batch: 4, untilEmpty, halt: halt.signal });

  test('in batches, the next one when half of one is left', async () => {
    const { queue, takes, out } = queueOf(9);
    const clock = new VirtualClock();
    const all = (async () => {
      for await (const _ of from(queue, clock, new AbortController(), true)) out();
    })();
    await clock.until(all);
    // At the beginning; as the second of four is handed out, and the second of the next four; and with the last one.
    expect(takes).toEqual([0, 1, 5, 8]);
  });

  test('every second where there were none', async () => {
    const { queue, takes } = queueOf(0);
    const clock = new VirtualClock();
    const halt = new AbortController();
    const next = from(queue, clock, halt, false).next();
    await clock.until(clock.sleep(3_500));
    expect(takes).toHaveLength(4);
    halt.abort();
    expect(await clock.until(next)).toMatchObject({ done: true });
    expect(clock.nowMs()).toBe(3_500);
  });

  test('and what was about to come is given back when the taking ends, though it came late or not at all', async () => {
    const { queue, disposed } = queueOf(8);
    const clock = new VirtualClock();
    const halt = new AbortController();
    const taking = from(queue, clock, halt, true);
    for (const _ of [1, 2]) await clock.until(taking.next());
    await clock.until(taking.return(undefined));
    expect(disposed).toEqual([3, 4, 5, 6, 7, 8]);
    const { queue: failing, disposed: givenBack } = queueOf(4);
    let times = 0;
    const take: typeof failing.take = async (...given) => {
      times += 1;
      if (times > 1) throw new Error('away');
      return failing.take(...given);
    };
    const other = from({ ...failing, take }, clock, halt, true);
    for (const _ of [1, 2]) await clock.until(other.next());
    await clock.until(other.return(undefined));
    expect(givenBack).toEqual([3, 4]);
  });
});
