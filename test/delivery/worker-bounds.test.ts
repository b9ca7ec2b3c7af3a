import { describe, expect, test } from 'vitest';
import { CONTINUE } from '../../src/delivery/breaker.ts';
import type { WorkerDeps } from '../../src/delivery/consume.ts';
import type { MarketplaceApi } from '../../src/request/ports.ts';
import { Bench, taken, UNKNOWN } from './worker-bench.ts';

/** A service that answers no create, so that the outcome of each request is unknown. */
const silent = ({ api }: Bench): MarketplaceApi => ({
  ...api,
  create: async (_, intend) => ((await intend()) ? UNKNOWN : null),
});

/** What the watch of a worker was told, by the time. */
function watched(bench: Bench): { readonly told: string[]; readonly watch: WorkerDeps['watch'] } {
  const told: string[] = [];
  const tell = (text: string) => void told.push(`${bench.clock.nowMs()}: ${text}`);
  const watch: WorkerDeps['watch'] = {
    began: ({ row }) => tell(`began ${row}`),
    ended: ({ row }, { status }) => tell(`ended ${row} ${status}`),
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
});
