import { describe, expect, test } from 'vitest';
import { asksToWait, retryDelayMs } from '../../src/service/pacing/retry.ts';
import { type BackoffRecord, ThrottleBackoff } from '../../src/service/pacing/throttle-backoff.ts';
import { answerWith } from '../helpers/api-client.ts';

const MINUTE_MS = 60_000;
const backoffWith = (random: number, kept: BackoffRecord = { untilMs: null, refusing: null }) =>
  new ThrottleBackoff(kept, () => random);

/** How long each of these refusals in a row, a second apart and without a word of a pause, has all wait. */
function pausesOf(refusals: number, random: number): number[] {
  const backoff = backoffWith(random);
  return Array.from({ length: refusals }, (_, at) => {
    const nowMs = at * 10 * MINUTE_MS;
    backoff.refused(nowMs, null);
    return backoff.leftMs(nowMs);
  });
}

describe('After a refusal that does not say how long', () => {
  test('all wait up to a second, then 2 to 4, twice that after each further one, and half a minute to a minute at most', () => {
    expect(pausesOf(8, 0)).toEqual([0.5, 2, 4, 8, 16, 30, 30, 30].map((seconds) => seconds * 1000));
    expect(pausesOf(8, 1)).toEqual([1, 4, 8, 16, 32, 60, 60, 60].map((seconds) => seconds * 1000));
  });

  test('one is sent first, and only if that one is taken the others follow', () => {
    const backoff = backoffWith(0);
    expect([backoff.isRefusing, backoff.isProbing, backoff.leftMs(0)]).toEqual([false, false, 0]);
    backoff.sent(1);
    expect(backoff.taken(0, 1)).toBeNull();
    backoff.refused(1_000, null);
    expect([backoff.isRefusing, backoff.isProbing]).toEqual([true, false]);
    // One that was under way before says nothing.
    expect(backoff.taken(1_500, 2)).toBeNull();
    backoff.sent(7);
    expect([backoff.isProbing, backoff.taken(1_600, 8)]).toEqual([true, null]);
    backoff.untold(8);
    expect(backoff.isProbing).toBe(true);
    backoff.untold(7);
    expect([backoff.isRefusing, backoff.isProbing, backoff.taken(1_700, 7)]).toEqual([true, false, null]);
    backoff.sent(9);
    backoff.refused(2_000, null);
    expect([backoff.isProbing, backoff.taken(2_500, 9)]).toEqual([false, null]);
    backoff.sent(10);
    // The service took again somewhere between the last refusal and the probe.
    expect(backoff.taken(4_000, 10)).toEqual({ fromMs: 1_000, toMs: 3_000 });
    expect([backoff.isRefusing, backoff.taken(5_000, 10)]).toEqual([false, null]);
    backoff.refused(6_000, null);
    expect(backoff.leftMs(6_000)).toBe(500);
  });
});

describe('After a refusal that says how long', () => {
  test.each<[asked: number, least: number, most: number]>([
    [0, 0, 100],
    [500, 500, 600],
    [20_000, 20_000, 22_000],
    [10 * MINUTE_MS, 10 * MINUTE_MS, 10 * MINUTE_MS + 5_000],
    [15 * MINUTE_MS - 1_000, 15 * MINUTE_MS - 1_000, 15 * MINUTE_MS],
    // A run stops for a longer one, and has to know how long it was.
    [16 * MINUTE_MS, 16 * MINUTE_MS, 16 * MINUTE_MS],
  ])('of %i ms all wait as long, spread up to a tenth more', (asked, least, most) => {
    for (const [random, waited] of [
      [0, least],
      [1, most],
    ] as const) {
      const backoff = backoffWith(random);
      backoff.refused(1_000, asked);
      expect(backoff.leftMs(1_000)).toBe(waited);
    }
  });

  test('a service that keeps refusing at once is left alone for longer each time', () => {
    const backoff = backoffWith(0);
    const waited = [1, 2, 3, 4].map((at) => {
      backoff.refused(at * MINUTE_MS, 0);
      return backoff.leftMs(at * MINUTE_MS);
    });
    expect(waited).toEqual([0, 500, 2_000, 4_000]);
  });

  test('the end is when it took again; and no pause is cut short by a shorter one', () => {
    const backoff = backoffWith(0);
    backoff.refused(0, 30_000);
    backoff.hold(1_000, 5_000);
    backoff.refused(2_000, null);
    expect([backoff.leftMs(10_000), backoff.leftMs(30_000)]).toEqual([20_000, 0]);
    backoff.refused(31_000, 1_000);
    backoff.sent(4);
    expect(backoff.taken(40_000, 4)).toEqual({ fromMs: 0, toMs: 40_000 });
  });
});

describe('A call that changes nothing', () => {
  test('is tried again after 0.25 to 0.5 s, twice that each time, and 15 to 30 s at most', () => {
    const delays = (random: number) =>
      [1, 2, 3, 4, 7, 8, 20].map((tried) => retryDelayMs(tried, null, 0, () => random) / 1000);
    expect(delays(0)).toEqual([0.25, 0.5, 1, 2, 15, 15, 15]);
    expect(delays(1)).toEqual([0.5, 1, 2, 4, 30, 30, 30]);
  });

  test('is tried again when the service says so, if it does', () => {
    const asking = answerWith({}, { status: 503, headers: { 'retry-after': '7' } });
    expect([asksToWait(asking), retryDelayMs(1, asking, 0)]).toEqual([true, 7_000]);
    const silent = answerWith({}, { status: 503 });
    expect([asksToWait(silent), asksToWait(null)]).toEqual([false, false]);
    expect(retryDelayMs(1, silent, 0, () => 1)).toBe(500);
  });
});
