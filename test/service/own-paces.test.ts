import { setMaxListeners } from 'node:events';
import { expect, onTestFinished, test } from 'vitest';
import { Pace } from '../../src/service/pacing/pace.ts';
import { RateLimiter } from '../../src/service/pacing/rate-limiter.ts';
import { atMostAtOnce, fixedWindow, queueing, tokenBucket } from '../helpers/hidden-servers.ts';
import { VirtualClock } from '../helpers/virtual-clock.ts';
import { type HiddenServer, seeded } from '../helpers/virtual-server.ts';

const PROCESSES = 4;
const REQUESTS = 2_000;
const ROUND_TRIP_MS = 15;
const SEEDS = [1, 2, 3];

/** Several processes of one account that know nothing of each other send all these requests, in virtual time. */
async function sendAll(server: HiddenServer, seed: number) {
  const clock = new VirtualClock();
  const random = seeded(seed);
  const stopping = new AbortController();
  setMaxListeners(0, stopping.signal);
  onTestFinished(() => stopping.abort());
  let [left, sent, refused] = [REQUESTS, 0, 0];
  const way = () => clock.sleep((ROUND_TRIP_MS / 2) * (0.7 + 0.6 * random()));
  const isTaken = async (limiter: RateLimiter) => {
    const permit = await limiter.acquire('create');
    if (!permit) throw new Error('nobody stopped it');
    sent += 1;
    await way();
    const { status, headers = {}, atMs } = server.arrive(clock.nowMs());
    await clock.sleep(atMs - clock.nowMs());
    await way();
    if (status !== 200) refused += 1;
    limiter.release(permit, {
      ...{ answer: { status, headers, body: '', complete: true, ms: 1 }, error: null, written: true },
    });
    return status === 200;
  };
  const worker = async (limiter: RateLimiter) => {
    while (left > 0) {
      left -= 1;
      while (!(await isTaken(limiter)));
    }
  };
  const workers = Array.from({ length: PROCESSES }, () => {
    const limiter = new RateLimiter(new Pace({ rate: 'auto', concurrency: 16, random }), clock, stopping.signal);
    return Array.from({ length: 16 }, () => worker(limiter));
  });
  await clock.until(Promise.all(workers.flat()));
  return { perSecond: (1000 * REQUESTS) / clock.nowMs(), refusedShare: refused / sent };
}

const retryAfter = (resetMs: number, isRefused: boolean): Record<string, string> =>
  isRefused ? { 'retry-after': String(Math.ceil(resetMs / 1000)) } : {};

test.each<[string, (seed: number) => HiddenServer, number]>([
  ['a bucket of 20 a second', (seed) => tokenBucket(20, 20, 50, seeded(seed)), 17],
  [
    '600 a minute',
    (seed) => fixedWindow({ limit: 600, windowMs: 60_000, workMs: 50, headers: retryAfter }, seeded(seed)),
    10,
  ],
  ['at most 8 at once', (seed) => atMostAtOnce(8, 50, seeded(seed)), 70],
  ['a queue of 30 a second', (seed) => queueing(30, seeded(seed)), 28],
])('four processes, each with a pace of its own, use %s and are hardly refused', async (name, server, perSecond) => {
  for (const seed of SEEDS) {
    const found = await sendAll(server(seed), seed);
    if (process.env['PACE_FIGURES']) process.stderr.write(`${name}: ${JSON.stringify(found)}\n`);
    expect(found.perSecond).toBeGreaterThan(perSecond);
    expect(found.refusedShare).toBeLessThan(0.04);
  }
});
