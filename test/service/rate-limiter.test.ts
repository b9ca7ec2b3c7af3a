import { getEventListeners, setMaxListeners } from 'node:events';
import { describe, expect, onTestFinished, test } from 'vitest';
import { Pace } from '../../src/service/pacing/pace.ts';
import { RateLimiter } from '../../src/service/pacing/rate-limiter.ts';
import { retryDelayMs } from '../../src/service/pacing/retry.ts';
import { answerWith, virtualClock } from '../helpers/api-client.ts';
import { atMostAtOnce, fixedWindow, queueing, tokenBucket } from '../helpers/hidden-servers.ts';
import { VirtualClock } from '../helpers/virtual-clock.ts';
import { type HiddenServer, seeded } from '../helpers/virtual-server.ts';

const ANSWERED = {
  answer: { status: 200, headers: {}, body: '', complete: true, ms: 1 },
  error: null,
  written: true,
} as const;

const permitsOf = (rate: 'max' | number) => new Pace({ rate, concurrency: 4, random: () => 0.5 });

const listeners = (signal: AbortSignal) => getEventListeners(signal, 'abort').length;

describe('a signal that outlives its calls has no listeners of them', () => {
  test('calls that were sent, at once or after a wait, leave no listener on a signal', async () => {
    const clock = virtualClock();
    const limiter = new RateLimiter(permitsOf(1), clock);
    const { signal } = new AbortController();
    let most = 0;
    for (let call = 0; call < 50; call += 1) {
      const acquired = limiter.acquire('/create', signal);
      most = Math.max(most, listeners(signal));
      const permit = await acquired;
      if (permit) limiter.release(permit, ANSWERED);
      expect(permit).not.toBeNull();
    }
    expect([most, listeners(signal)]).toEqual([1, 0]);
  });

  test('calls that a signal ended, alone or together, leave no listener on it', async () => {
    const clock = virtualClock();
    const limiter = new RateLimiter(permitsOf(1), clock);
    const [first, second] = [new AbortController(), new AbortController()];
    const signals = [first.signal, first.signal, first.signal, second.signal];
    const acquired = signals.map((signal) => limiter.acquire('/create', signal));
    const sent = await acquired[0];
    first.abort();
    if (sent) limiter.release(sent, ANSWERED);
    const permits = await Promise.all(acquired);
    expect(permits.map((permit) => permit !== null)).toEqual([true, false, false, true]);
    expect([listeners(first.signal), listeners(second.signal)]).toEqual([0, 0]);
  });
});

test('a refusal is reported to whoever watches, with how long nobody sends', async () => {
  const clock = virtualClock();
  const told: number[][] = [];
  const refused = (...of: number[]) => void told.push(of);
  const limiter = new RateLimiter(permitsOf('max'), clock, refused);
  const permit = await limiter.acquire('/create', new AbortController().signal);
  const headers = { 'retry-after': '30' };
  if (permit) limiter.release(permit, { ...ANSWERED, answer: { ...ANSWERED.answer, status: 429, headers } });
  // Half of the jitter, which is a tenth.
  expect(told).toEqual([[429, 31_500]]);
});

describe('A call that changes nothing', () => {
  test('A call that changes nothing is tried again when the service says so, if it does', () => {
    const asking = answerWith({}, { status: 503, headers: { 'retry-after': '7' } });
    expect(retryDelayMs(1, asking, 0)).toBe(7_000);
    const silent = answerWith({}, { status: 503 });
    // Without a date of the answer, the time counts from now.
    const nowMs = Date.UTC(2026, 10, 21);
    const dated = answerWith({}, { status: 503, headers: { 'retry-after': new Date(nowMs + 7_000).toUTCString() } });
    expect(retryDelayMs(1, dated, nowMs)).toBe(7_000);
    expect(retryDelayMs(1, silent, 0, () => 1)).toBe(500);
  });
});

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
    const permit = await limiter.acquire('create', stopping.signal);
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
    const limiter = new RateLimiter(new Pace({ rate: 'auto', concurrency: 16, random }), clock);
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
