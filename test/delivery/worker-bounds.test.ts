import { describe, expect, test } from 'vitest';
import type { WorkerDeps } from '../../src/delivery/consume.ts';
import type { MarketplaceApi } from '../../src/request/ports.ts';
import { Bench, taken, UNKNOWN } from './worker-bench.ts';

/** What the watch of a worker was told, by the time. */
function watched(bench: Bench): { readonly told: string[]; readonly watch: WorkerDeps['watch'] } {
  const told: string[] = [];
  const tell = (text: string) => void told.push(`${bench.clock.nowMs()}: ${text}`);
  const watch: WorkerDeps['watch'] = {
    began: ({ row }) => tell(`began ${row}`),
    ended: ({ row }, { status }) => tell(`ended ${row} ${status}`),
    gaveBack: ({ row }) => tell(`gave back ${row}`),
    ending: ({ reason }) => tell(`ending: ${reason}`),
    breakerOpened: (pauseMs) => tell(`breaker ${pauseMs}`),
  };
  return { told, watch };
}

describe('A worker', () => {
  test('A worker pauses the account after three unknown outcomes, asks validate, and goes on slower', async () => {
    const bench = new Bench([1, 2, 3, 4].map((row) => taken(row)));
    const { told, watch } = watched(bench);
    let creates = 0;
    const { create, validate } = bench.api;
    const api: MarketplaceApi = {
      ...bench.api,
      create: async (...given) => {
        creates += 1;
        if (creates > 3) return create(...given);
        return (await given[1]()) ? UNKNOWN : null;
      },
      validate: async (...given) => {
        told.push(`${bench.clock.nowMs()}: asked`);
        return validate(...given);
      },
      slowDown: (share) => void told.push(`${bench.clock.nowMs()}: slower ${share}`),
    };
    bench.changes = { api, watch };
    bench.create = () => bench.clock.sleep(20_000);
    await bench.run({ untilEmpty: true });
    expect(told.filter((each) => /breaker|asked|slower/.test(each))).toEqual([
      '0: breaker 2000',
      '2000: asked',
      '3000: slower 0.5',
    ]);
  });
});
