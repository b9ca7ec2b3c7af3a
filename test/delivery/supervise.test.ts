import { describe, expect, test } from 'vitest';
import type { Sent } from '../../src/delivery/submit.ts';
import type { Advice } from '../../src/delivery/supervise.ts';
import { Supervisor } from '../../src/delivery/supervise.ts';
import type { RowResult } from '../../src/request/log/outcome.ts';
import type { Status } from '../../src/request/log/status.ts';

const ended = (status: Status, more: Partial<Sent & RowResult> = {}): Sent => {
  const { http = null, message = null, ...rest } = more;
  const result = { row: 1, status, ref: null, key: null, ids: {}, http, message, reason: null };
  const usual = { unrecorded: false, unreadable: false, unproven: null, alsoUnknown: null, stop: null };
  return { ...result, ...usual, isFromLog: false, ...rest };
};
const DENIED = ended('rejected', { http: 403 });
const watch = (invalid = 0, count: number | null = null) => new Supervisor(count, invalid);
/** What is advised after each of so many alike. */
const adviceOn = (supervisor: Supervisor, times: number, each: Sent): Advice[] =>
  Array.from({ length: times }, () => supervisor.observe(each));
const times = <T>(count: number, make: (at: number) => T): T[] => Array.from({ length: count }, (_, at) => make(at));
/** Number of the result at which the run stops, from 1; 0: it does not. */
const stopsAt = (advice: readonly Advice[]) => advice.findIndex(({ stop }) => stop !== null) + 1;

describe('The first rows', () => {
  test.each([
    ['created', [1, 2, 1, 16]],
    ['duplicate', [1, 1, 1, 16]],
    ['rejected', [1, 1, 1, 16]],
  ] as const)('The first rows that are %s let so many go at once: %j', (status, expected) => {
    const supervisor = watch();
    const limits = Array.from({ length: 4 }, () => {
      const limit = supervisor.limit(16);
      supervisor.observe(ended(status));
      return limit;
    });
    expect(limits).toEqual(expected);
  });

  test('The first rows go three at a time where the service is familiar, but never above the limit', () => {
    const supervisor = new Supervisor(null, 0, { isFamiliar: true });
    expect(supervisor.limit(2)).toBe(2);
    const limits = Array.from({ length: 4 }, () => {
      const limit = supervisor.limit(16);
      supervisor.observe(ended('created'));
      return limit;
    });
    expect(limits).toEqual([3, 3, 3, 16]);
  });

  test.each(['failed', 'unknown'] as const)('First rows that were %s have no result that could be read', (status) => {
    const supervisor = watch();
    adviceOn(supervisor, 2, ended('created'));
    supervisor.observe(ended(status));
    expect(supervisor.limit(16)).toBe(1);
    supervisor.observe(ended('created'));
    expect(supervisor.limit(16)).toBe(16);
  });
});

describe('HTTP 403', () => {
  test('HTTP 403 later is about a row, until five come in succession', () => {
    const supervisor = watch();
    supervisor.observe(ended('created'));
    expect(stopsAt(adviceOn(supervisor, 4, DENIED))).toBe(0);
    supervisor.observe(ended('created'));
    const advice = adviceOn(supervisor, 5, DENIED);
    expect([stopsAt(advice), advice[4]?.stop?.code]).toEqual([5, 'auth']);
  });
});

describe('The supervisor of a run', () => {
  test('A run pauses for two seconds, then for six, and stops at the third break', () => {
    const supervisor = new Supervisor(null, 0);
    const advice = times(9, () => supervisor.observe(ended('unknown')));
    expect(advice.map(({ pauseMs }) => pauseMs)).toEqual([0, 0, 2_000, 0, 0, 6_000, 0, 0, 0]);
    expect(advice[8]?.stop).toMatchObject({ reason: 'rows.too-many-doubts' });
  });

  test('What was in flight at a break breaks nothing more, and then three go at once until one can be read', () => {
    const supervisor = new Supervisor(null, 0);
    adviceOn(supervisor, 3, ended('created'));
    // Sixteen calls are cut at once, fifteen others being in flight when the first is counted.
    const cut = times(16, (at) => supervisor.observe(ended('unknown'), 15 - at).pauseMs);
    expect(cut.filter((pauseMs) => pauseMs > 0)).toEqual([2_000]);
    expect([cut[2], supervisor.limit(16)]).toEqual([2_000, 3]);
    const next = times(3, () => supervisor.observe(ended('unknown')).pauseMs);
    expect(next).toEqual([0, 0, 6_000]);
    supervisor.observe(ended('created'));
    expect(supervisor.limit(16)).toBe(16);
  });

  test.each([
    [999, 0],
    [1_000, 2_000],
  ])('After the second break, %d outcomes before a third make its pause %d ms', (known, pauseMs) => {
    const supervisor = new Supervisor(null, 0);
    times(6, () => supervisor.observe(ended('unknown')));
    times(known, () => supervisor.observe(ended('created')));
    const advice = times(3, () => supervisor.observe(ended('unknown')));
    expect([advice[2]?.pauseMs, advice[2]?.stop === null]).toEqual([pauseMs, pauseMs > 0]);
  });

  test.each([
    // The first of five is the 200th result before the last one, and one more.
    [200, true],
    [201, false],
  ])('Five unknown rows within %d results are too many: %s', (results, isTooMany) => {
    const supervisor = new Supervisor(null, 0);
    const doubts = new Set([0, 50, 100, 150, results - 1]);
    const advice = times(results, (at) => supervisor.observe(ended(doubts.has(at) ? 'unknown' : 'created')));
    expect(advice.at(-1)?.pauseMs).toBe(isTooMany ? 2_000 : 0);
  });

  test('A file that repeats what others sent is not taken for one whose answers cannot be read', () => {
    const supervisor = new Supervisor(null, 0);
    for (const status of ['repeated', 'duplicate', 'unknown'] as const)
      supervisor.observe(ended(status, { isFromLog: true }));
    expect(supervisor.limit(16)).toBe(1);
    supervisor.observe(ended('repeated', { isFromLog: true }));
    expect(supervisor.limit(16)).toBe(16);
    expect(supervisor.limit(0)).toBe(0);
  });

  test('Ten unreadable answers stop a run only if nothing else came between them', () => {
    const supervisor = new Supervisor(null, 0);
    const unreadable = ended('failed', { unreadable: true });
    const stops = times(20, (at) => supervisor.observe(at === 9 ? ended('failed') : unreadable).stop?.reason);
    expect(stops.map((reason) => reason ?? '').indexOf('answer.unreadable')).toBe(19);
  });

  test('Ten rows that failed one after the other stop a run, with what was said of the last', () => {
    const supervisor = new Supervisor(null, 0);
    const failed = ended('failed', { http: 502, message: 'Costs $& (HTTP 502).' });
    const stops = times(20, (at) => supervisor.observe(at === 9 ? ended('created') : failed).stop);
    expect(stops.findIndex((stop) => stop !== null)).toBe(19);
    expect(stops[19]).toMatchObject({
      reason: 'service.failed',
      message: '10 rows in a row have failed. Costs $& (HTTP 502).',
    });
  });

  test('Only the first 25 rows stop a run by the same refusal', () => {
    const refused = ended('rejected', { message: 'No.', http: 422 });
    const stopsAt = (before: number) => {
      const supervisor = new Supervisor(null, 0);
      for (const _ of times(before, () => 0)) supervisor.observe(ended('created'));
      return times(30, () => supervisor.observe(refused).stop !== null).indexOf(true) + 1;
    };
    expect([stopsAt(0), stopsAt(5), stopsAt(6)]).toEqual([20, 20, 0]);
  });
});

describe('Answers that say that there is nothing', () => {
  test('Five in a row stop the run, as the service may have moved; fewer are about their rows', () => {
    const none = (http: number) => ended('rejected', { http, message: 'nothing there' });
    const supervisor = new Supervisor(null, 0, { isFamiliar: true });
    const first = [none(404), none(410), none(404), none(404), ended('created', { http: 201 })];
    expect(first.map((each) => supervisor.observe(each).stop)).toEqual([null, null, null, null, null]);
    const then = times(5, () => supervisor.observe(none(404)).stop);
    expect(then.map((stop) => stop?.reason ?? null)).toEqual([null, null, null, null, 'service.wrong-address']);
  });
});
