import { describe, expect, test } from 'vitest';
import { firstInFlight, InFlightLimit } from '../../src/service/pacing/in-flight-limit.ts';
import fc from '../helpers/fast-check.ts';

const SECONDS_MS = 1_000;
const limitOf = (places: number, max = 64, doubleUpTo = 16) =>
  new InFlightLimit(firstInFlight(places), max, doubleUpTo);

/** Answers as many requests as it takes for the limit to be judged once, each after `tookMs`. */
function judged(limit: InFlightLimit, tookMs: number, { nowMs = 0, full = true, alone = false } = {}): number {
  limit.sent(full ? limit.places : limit.places - 1);
  const answers = Math.max(4, 2 * limit.places);
  for (let at = 0; at < answers; at += 1) limit.timed(nowMs, 'create', tookMs, alone);
  return limit.places;
}

describe('The number in flight', () => {
  test('doubles up to what is fast, grows by one from there to the maximum, and only as far as it is used', () => {
    const limit = limitOf(1, 19, 16);
    expect(judged(limit, 100, { full: false })).toBe(1);
    expect(Array.from({ length: 9 }, () => judged(limit, 100))).toEqual([2, 4, 8, 16, 17, 18, 19, 19, 19]);
    expect(limit.ceiling).toBe(19);
  });

  test('is judged after two answers for each place, and four at least', () => {
    const limit = limitOf(1);
    limit.sent(1);
    for (let at = 0; at < 3; at += 1) limit.timed(0, 'create', 100, false);
    expect(limit.places).toBe(1);
    limit.timed(0, 'create', 100, false);
    expect(limit.places).toBe(2);
    const wide = limitOf(8);
    wide.sent(8);
    for (let at = 0; at < 15; at += 1) wide.timed(0, at % 2 === 0 ? 'create' : 'validate', 100, false);
    expect(wide.places).toBe(8);
    wide.timed(0, 'validate', 100, false);
    expect(wide.places).toBe(16);
  });

  test('shrinks by a fifth where answers queue up, down to one, and doubles no more', () => {
    const limit = limitOf(10);
    judged(limit, 100, { full: false });
    expect(limit.slowMs('create')).toBe(350);
    expect(judged(limit, 351)).toBe(8);
    expect(Array.from({ length: 12 }, () => judged(limit, 10_000)).at(-1)).toBe(1);
    expect(judged(limit, 100)).toBe(2);
    expect(judged(limit, 100)).toBe(3);
  });

  test.each([
    [100, 350],
    [250, 500],
    [400, 800],
  ])('has room where answers take %i ms at best until they take %i ms', (bestMs, slowMs) => {
    const limit = limitOf(4, 64, 1);
    judged(limit, bestMs, { full: false });
    expect([limit.slowMs('create'), limit.slowMs('validate')]).toEqual([slowMs, 0]);
    expect(judged(limit, slowMs)).toBe(4);
    expect(judged(limit, slowMs + 1)).toBe(3);
  });

  test('forgets a best time when a service has become slower for good, but not because of a queue', () => {
    const best = (alone: boolean, ...tookMs: number[]) => {
      const limit = limitOf(1);
      for (const each of tookMs) judged(limit, each, { full: false, alone });
      return limit.slowMs('create') / 2;
    };
    expect(best(false, 1_000, 2_000)).toBe(1_000);
    expect(best(false, 1_000, 600)).toBe(900);
    expect(best(true, 1_000, 2_000)).toBe(1_500);
    expect(best(true, 1_000, 600)).toBe(800);
  });
});

describe('A refusal', () => {
  const taken = (limit: InFlightLimit, level: number, count: number) => {
    for (let at = 0; at < count; at += 1) limit.taken(level);
  };

  test.each([
    [8, 11, 7],
    [8, 12, 64],
    [4, 11, 3],
    [4, 12, 64],
    [3, 2, 2],
    [3, 3, 64],
    [2, 2, 1],
    [1, 0, 64],
  ])('at %i in flight, of which %i were taken, leaves a ceiling of %i', (level, count, ceiling) => {
    const limit = limitOf(16);
    taken(limit, level, count);
    expect(limit.refused(0, level, true)).toBe(ceiling < 64 && level > 3);
    expect([limit.ceiling, limit.places]).toEqual([ceiling, Math.min(16, ceiling)]);
  });

  test('counts those at a lower level not at all, and those of before by half', () => {
    const limit = limitOf(16);
    taken(limit, 7, 100);
    taken(limit, 9, 22);
    expect(limit.refused(0, 8, false)).toBe(true);
    const other = limitOf(16);
    taken(other, 9, 24);
    expect(other.refused(0, 8, false)).toBe(false);
  });

  test('is blamed on the number alone three times, and then on the rate as well', () => {
    const limit = limitOf(16);
    expect([16, 15, 14, 13].map((level) => limit.refused(0, level, true))).toEqual([true, true, true, false]);
    expect(limit.ceiling).toBe(12);
    // One that was sent above what is allowed by now says nothing new.
    expect([limit.refused(0, 14, true), limit.ceiling]).toEqual([false, 12]);
  });

  test('has the number raised again after 20 s, and after twice that each time it was too early, 10 min at most', () => {
    const limit = limitOf(8, 64, 1);
    let nowMs = 0;
    const waits: number[] = [];
    for (let round = 0; round < 8; round += 1) {
      const fromMs = nowMs;
      limit.refused(nowMs, 8, true);
      expect(limit.ceiling).toBe(7);
      for (; limit.ceiling === 7; nowMs += SECONDS_MS) judged(limit, 100, { nowMs });
      waits.push((nowMs - SECONDS_MS - fromMs) / SECONDS_MS);
      judged(limit, 100, { nowMs });
    }
    expect(waits).toEqual([20, 40, 80, 160, 320, 600, 600, 600]);
  });
});

test('whatever happens, at least one is in flight and never more than allowed, also after it was kept', () => {
  const events = fc.array(
    fc.record({
      kind: fc.constantFrom('slow', 'fast', 'refused', 'taken', 'kept'),
      level: fc.integer({ min: 1, max: 20 }),
    }),
    { maxLength: 60 },
  );
  fc.assert(
    fc.property(events, fc.integer({ min: 1, max: 16 }), (happened, max) => {
      let kept = firstInFlight(1);
      let limit = new InFlightLimit(kept, max, 8);
      for (const [at, { kind, level }] of happened.entries()) {
        if (kind === 'refused') limit.refused(at * 5_000, level, false);
        else if (kind === 'taken') limit.taken(level);
        else if (kind === 'kept') {
          kept = JSON.parse(JSON.stringify(kept));
          limit = new InFlightLimit(kept, max, 8);
        } else judged(limit, kind === 'slow' ? 5_000 : 50, { nowMs: at * 5_000 });
        expect(limit.places).toBeGreaterThanOrEqual(1);
        expect(limit.places).toBeLessThanOrEqual(limit.ceiling);
        expect(limit.ceiling).toBeLessThanOrEqual(max);
      }
    }),
  );
});
