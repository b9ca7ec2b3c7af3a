import { setMaxListeners } from 'node:events';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { Exchange } from '../../src/service/network/exchange.ts';
import type { ChosenRate } from '../../src/service/pacing/permits.ts';
import { RateLimiter } from '../../src/service/pacing/rate-limiter.ts';
import { SharedPace } from '../../src/service/pacing/shared-pace.ts';
import { atMostAtOnce, fixedWindow, queueing, tokenBucket, unlimited } from '../helpers/hidden-servers.ts';
import { MemoryStore } from '../helpers/memory-account.ts';
import { VirtualClock } from '../helpers/virtual-clock.ts';
import { type HiddenServer, type Reply, seeded } from '../helpers/virtual-server.ts';

const ROUND_TRIP_MS = 15;

/** Processes of one account, in virtual time. */
class Fleet {
  readonly clock = new VirtualClock();
  readonly store = new MemoryStore(this.clock);
  readonly stopping = new AbortController();
  readonly random = seeded(7);
  readonly limiters: RateLimiter[] = [];
  readonly #permits = new Map<RateLimiter, SharedPace>();
  readonly #server: HiddenServer;
  sent = 0;
  refused = 0;
  taken = 0;

  constructor(server: HiddenServer) {
    this.#server = server;
    setMaxListeners(0, this.stopping.signal);
    onTestFinished(() => this.stopping.abort());
  }

  /** The statuses that were noted as refusals. */
  readonly noted: number[] = [];

  join(rate: ChosenRate = 'auto', concurrency = 16): RateLimiter {
    const state = this.store.member(`run ${this.limiters.length}`);
    const { clock, random } = this;
    const permits = new SharedPace({ state, rate, concurrency, learned: null, clock, random });
    const limiter = new RateLimiter(permits, clock, this.stopping.signal, (http) => this.noted.push(http));
    this.limiters.push(limiter);
    this.#permits.set(limiter, permits);
    return limiter;
  }

  async close(limiter: RateLimiter): Promise<void> {
    await this.#permits.get(limiter)?.close();
  }

  /** One request there and back. */
  async send(limiter: RateLimiter): Promise<Reply['status'] | null> {
    const permit = await limiter.acquire('create');
    if (!permit) return null;
    this.sent += 1;
    await this.clock.sleep((ROUND_TRIP_MS / 2) * (0.7 + 0.6 * this.random()));
    const reply = this.#server.arrive(this.clock.nowMs());
    await this.clock.sleep(reply.atMs - this.clock.nowMs() + (ROUND_TRIP_MS / 2) * (0.7 + 0.6 * this.random()));
    this[reply.status === 200 ? 'taken' : 'refused'] += 1;
    limiter.release(permit, exchangeOf(reply));
    return reply.status;
  }

  /** All of them send until so many requests are taken. */
  async deliver(requests: number, places = 16) {
    let left = requests;
    const work = async (limiter: RateLimiter) => {
      while (left > 0) {
        left -= 1;
        while ((await this.send(limiter)) !== 200);
      }
    };
    const rows = this.limiters.flatMap((limiter) => Array.from({ length: places }, () => work(limiter)));
    await this.clock.until(Promise.all(rows));
    const perSecond = (1000 * this.taken) / this.clock.nowMs();
    return { perSecond, refusedShare: this.refused / this.sent, turns: this.store.turns };
  }
}

const exchangeOf = ({ status, headers = {} }: Reply): Exchange => ({
  answer: { status, headers, body: '', complete: true, ms: 1 },
  error: null,
  written: true,
});

function fleetOf(processes: number, server: HiddenServer, rate: ChosenRate = 'auto'): Fleet {
  const fleet = new Fleet(server);
  for (let at = 0; at < processes; at += 1) fleet.join(rate);
  return fleet;
}

const toldByRetryAfter = (_: number, resetMs: number, refused: boolean): Record<string, string> =>
  refused ? { 'retry-after': String(Math.ceil(resetMs / 1000)) } : {};

describe('Processes of one account', () => {
  test.each([1, 4])('%i processes of one account together find a token bucket of 20 a second', async (processes) => {
    const { perSecond, refusedShare } = await fleetOf(processes, tokenBucket(20, 20, 50, seeded(1))).deliver(2_000);
    expect(refusedShare).toBeLessThan(0.01);
    expect(perSecond).toBeGreaterThan(16);
  });

  test('Processes of one account find 600 a minute, announced by Retry-After', async () => {
    const windows = fixedWindow({ limit: 600, windowMs: 60_000, workMs: 50, headers: toldByRetryAfter }, seeded(1));
    const fleet = fleetOf(4, windows);
    // The limit is found by running into it, with what four processes have been granted ahead.
    expect((await fleet.deliver(1_500)).refusedShare).toBeLessThan(0.025);
    // Both shares count from the start: later on, hardly any is refused.
    expect((await fleet.deliver(1_500)).refusedShare).toBeLessThan(0.015);
  });

  test('Processes of one account all go slower when one of them has found the service in need', async () => {
    const fleet = fleetOf(2, tokenBucket(20, 20, 50, seeded(1)));
    const [first, second] = fleet.limiters;
    await fleet.deliver(400);
    const before = second?.pace()?.ratePerSecond ?? 0;
    first?.slowDown(0.5);
    await fleet.deliver(10);
    expect(second?.pace()?.ratePerSecond).toBeLessThan(0.8 * before);
  });

  test('Processes of one account find that at most 8 may be in flight', async () => {
    const { refusedShare } = await fleetOf(4, atMostAtOnce(8, 50, seeded(1))).deliver(1_500);
    expect(refusedShare).toBeLessThan(0.01);
  });

  test('Processes of one account keep a queue of 30 a second busy, however many they are', async () => {
    const { perSecond } = await fleetOf(16, queueing(30, seeded(1))).deliver(1_000);
    expect(perSecond).toBeGreaterThan(24);
  });

  test('Processes of one account wait for the longest pause that one of several answers asks for', async () => {
    let answers = 0;
    const fleet = new Fleet({
      arrive: (atMs) => {
        answers += 1;
        if (answers > 3) return { status: 200, atMs };
        return { status: 429, atMs, headers: { 'retry-after': ['1', '60', '5'][answers - 1] ?? '' } };
      },
    });
    const [first, second] = [fleet.join('max'), fleet.join('max')];
    const sent = [fleet.send(first), fleet.send(first), fleet.send(second)];
    expect(await fleet.clock.until(Promise.all(sent))).toEqual([429, 429, 429]);
    await fleet.clock.until(fleet.clock.sleep(100));
    expect(await fleet.clock.until(fleet.send(second))).toBe(200);
    expect(fleet.clock.nowMs()).toBeGreaterThan(60_000);
  });

  test('Processes of one account keep a rate that one of them wants', async () => {
    const fleet = fleetOf(3, unlimited(50, seeded(1)));
    fleet.join(30);
    const { perSecond } = await fleet.deliver(1_000);
    expect(perSecond).toBeGreaterThan(24);
    expect(perSecond).toBeLessThan(31);
  });

  test('Processes of one account finish in proportion to their number, with few turns each', async () => {
    // The cap is never reached; it makes every send need a grant.
    const one = await fleetOf(1, unlimited(50, seeded(1)), 5_000).deliver(1_500);
    const four = await fleetOf(4, unlimited(50, seeded(1)), 5_000).deliver(6_000);
    expect(four.perSecond).toBeGreaterThan(3.6 * one.perSecond);
    // As fast as without: 16 at once, 80 ms each, is 200 a second.
    expect(one.perSecond).toBeGreaterThan(180);
    expect(one.turns / (1_500 / one.perSecond)).toBeLessThan(21);
  });

  test('Processes of one account without a pace need hardly a turn, and still wait for one another', async () => {
    const times: number[] = [];
    const server: HiddenServer = {
      arrive: (atMs) => {
        if (times.push(atMs) !== 1_000) return { status: 200, atMs: atMs + 20 };
        return { status: 429, atMs, headers: { 'retry-after': '5' } };
      },
    };
    const { turns, perSecond } = await fleetOf(3, server, 'max').deliver(3_000);
    expect(turns).toBeLessThan(100);
    expect(perSecond).toBeGreaterThan(300);
    const pauses = times.slice(1).map((atMs, at) => atMs - (times[at] ?? 0));
    expect(Math.max(...pauses)).toBeGreaterThan(5_000);
  });

  test('Processes of one account all wait after an answer that asks for it, though it is no refusal', async () => {
    const server = unlimited(50, seeded(1));
    const asks = {
      arrive: (atMs: number): Reply => ({ ...server.arrive(atMs), headers: { 'retry-after': '1' } }),
    } as HiddenServer;
    const fleet = fleetOf(1, asks);
    const [limiter] = fleet.limiters;
    if (!limiter) throw new Error('nobody joined');
    await fleet.clock.until(Promise.all([fleet.send(limiter), fleet.send(limiter)]));
    expect(fleet.noted).toEqual([]);
    expect(fleet.clock.nowMs()).toBeGreaterThan(1_000);
  });

  test('Processes of one account all wait when one is refused, and begin again with one probe', async () => {
    const arrivals: { atMs: number; status: number }[] = [];
    const fleet = fleetOf(3, {
      arrive: (atMs) => {
        const status = arrivals.length === 300 ? 429 : 200;
        arrivals.push({ atMs, status });
        return { status, atMs: atMs + 10, ...(status === 429 ? { headers: { 'retry-after': '5' } } : {}) };
      },
    });
    await fleet.deliver(600);
    const refusal = arrivals.find(({ status }) => status === 429);
    const after = arrivals.filter(({ atMs }) => atMs > (refusal?.atMs ?? 0) + 110).map(({ atMs }) => atMs);
    expect(after[0]).toBeGreaterThan((refusal?.atMs ?? 0) + 5_000);
    // The probe goes there and back before anybody follows.
    expect(after[1]).toBeGreaterThan((after[0] ?? 0) + 15);
  });

  test('Processes of one account get the places back of one that was killed', async () => {
    const fleet = new Fleet(unlimited(50, seeded(1)));
    const [lost, other] = [fleet.join(5_000, 2), fleet.join(5_000, 2)];
    await fleet.clock.until(fleet.send(other));
    expect(await fleet.clock.until(lost.acquire('create'))).not.toBeNull();
    const freeze = fleet.store.freeze('run 0');
    await fleet.clock.until(fleet.clock.sleep(3_000).then(() => fleet.send(other)));
    expect(fleet.clock.nowMs()).toBeLessThan(10_000);
    await fleet.clock.until(fleet.close(other));
    expect(fleet.store.kept('pace')).toMatchObject({ members: {}, pace: { inFlight: 0 } });
    freeze();
  });

  test('Processes of one account are not held up by one that is stopped with the probe of a pause', async () => {
    let answers = 0;
    const fleet = new Fleet({ arrive: (atMs) => ({ status: answers++ === 0 ? 429 : 200, atMs }) });
    const [stopped, other] = [fleet.join(), fleet.join()];
    expect(await fleet.clock.until(fleet.send(other))).toBe(429);
    expect(await fleet.clock.until(stopped.acquire('create'))).not.toBeNull();
    const freeze = fleet.store.freeze('run 0');
    expect(await fleet.clock.until(fleet.send(other))).toBe(200);
    expect(fleet.clock.nowMs()).toBeLessThan(40_000);
    freeze();
  });

  test('Processes of one account go on soon after the store was away, however long that was', async () => {
    const fleet = new Fleet(unlimited(50, seeded(1)));
    const only = fleet.join(20, 4);
    expect(await fleet.clock.until(fleet.send(only))).toBe(200);
    const back = fleet.store.freeze('run 0');
    const away = fleet.clock.sleep(600_000).then(back);
    const waiting = Array.from({ length: 40 }, () => fleet.send(only));
    await fleet.clock.until(away);
    const backMs = fleet.clock.nowMs();
    expect(backMs).toBeGreaterThanOrEqual(600_000);
    await fleet.clock.until(Promise.all(waiting));
    expect(fleet.clock.nowMs() - backMs).toBeLessThan(10_000);
  });

  test('Processes of one account leave places for the next one when the last of them ends', async () => {
    const fleet = new Fleet(unlimited(50, seeded(1)));
    const first = fleet.join();
    // One turn reports all four answers, so that the places are judged as it leaves.
    const sent = Promise.all(Array.from({ length: 4 }, () => fleet.send(first)));
    await fleet.clock.until(sent.then(() => fleet.close(first)));
    expect(await fleet.clock.until(fleet.send(fleet.join()))).toBe(200);
    expect(fleet.clock.nowMs()).toBeLessThan(10_000);
  });

  test('Processes of one account leave nothing behind', async () => {
    const fleet = fleetOf(3, tokenBucket(50, 20, 50, seeded(1)));
    await fleet.deliver(300);
    await fleet.clock.until(Promise.all(fleet.limiters.map((limiter) => fleet.close(limiter))));
    expect(fleet.store.kept('pace')).toMatchObject({ members: {}, pace: { inFlight: 0 } });
  });

  test('Processes of one account stop together where the service asks for a pause of over 15 minutes', async () => {
    const fleet = fleetOf(2, {
      arrive: (atMs) => ({ status: 429, atMs, headers: { 'retry-after': '3600' } }),
    });
    const [first, second] = fleet.limiters;
    if (!first || !second) throw new Error('no fleet');
    await fleet.clock.until(fleet.send(first));
    await expect(fleet.clock.until(fleet.send(second))).rejects.toThrow(/accepts no requests before/);
  });

  test('Processes of one account end their waiting when the run is stopped', async () => {
    const fleet = fleetOf(1, unlimited(50, seeded(1)));
    const [limiter] = fleet.limiters;
    const waiting = Array.from({ length: 40 }, () => limiter?.acquire('create'));
    fleet.stopping.abort();
    const permits = await fleet.clock.until(Promise.all(waiting));
    expect(permits.filter((permit) => permit !== null).length).toBeLessThanOrEqual(1);
  });
});
