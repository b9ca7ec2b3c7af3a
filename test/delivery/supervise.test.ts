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
  test('HTTP 403 on the first row ends the run as a refusal of the credentials', () => {
    expect(watch().observe(DENIED).stop).toMatchObject({ code: 'auth' });
  });

  test('HTTP 403 later is about a row, until five come in succession', () => {
    const supervisor = watch();
    supervisor.observe(ended('created'));
    expect(stopsAt(adviceOn(supervisor, 4, DENIED))).toBe(0);
    supervisor.observe(ended('created'));
    const advice = adviceOn(supervisor, 5, DENIED);
    expect([stopsAt(advice), advice[4]?.stop?.code]).toEqual([5, 'auth']);
  });
});
