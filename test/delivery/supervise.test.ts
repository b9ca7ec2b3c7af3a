import { describe, expect, test } from 'vitest';
import type { Advice } from '../../src/delivery/breaker.ts';
import type { Submitted } from '../../src/delivery/submit.ts';
import { Supervisor } from '../../src/delivery/supervise.ts';
import { SrqError } from '../../src/request/errors.ts';
import type { RowResult } from '../../src/request/outcome.ts';
import type { UnprovenAnswer } from '../../src/request/ports.ts';
import type { Status } from '../../src/request/status.ts';
import { unprovenAnswer } from '../helpers/fake-api.ts';

const ended = (status: Status, more: Partial<Submitted & RowResult> = {}): Submitted => {
  const { http = null, message = null, ...rest } = more;
  const result = { row: 1, status, ref: null, key: null, ids: {}, http, message, reason: null };
  const usual = { unrecorded: false, unreadable: false, unproven: null, alsoUnknown: null, stop: null };
  return { result, ...usual, isFromLog: false, ...rest };
};
const DENIED = ended('rejected', { http: 403 });
const watch = (invalid = 0, count: number | null = null) => new Supervisor(count, invalid);
/** What is advised after each of so many alike. */
const adviceOn = (supervisor: Supervisor, times: number, each: Submitted): Advice[] =>
  Array.from({ length: times }, () => supervisor.observe(each));
/** Number of the result at which the run stops, from 1; 0: it does not. */
const stopsAt = (advice: readonly Advice[]) => advice.findIndex(({ stop }) => stop !== null) + 1;
const pausesAt = (advice: readonly Advice[]) => advice.flatMap(({ pauseMs }, at) => (pauseMs > 0 ? [at + 1] : []));

describe('The first rows', () => {
  test.each(['created', 'duplicate', 'rejected'] as const)('go one at a time until three were %s', (status) => {
    const supervisor = watch();
    const limits = Array.from({ length: 4 }, () => {
      const limit = supervisor.limit(16);
      supervisor.observe(ended(status));
      return limit;
    });
    expect(limits).toEqual([1, 1, 1, 16]);
  });

  test('go three at a time where the service is familiar, but never more than the user wants', () => {
    const supervisor = new Supervisor(null, 0, { isFamiliar: true });
    expect(supervisor.limit(2)).toBe(2);
    const limits = Array.from({ length: 4 }, () => {
      const limit = supervisor.limit(16);
      supervisor.observe(ended('created'));
      return limit;
    });
    expect(limits).toEqual([3, 3, 3, 16]);
    supervisor.beginFile();
    expect(supervisor.limit(16)).toBe(3);
  });

  test.each(['failed', 'unknown'] as const)('that were %s have not given a result that could be read', (status) => {
    const supervisor = watch();
    adviceOn(supervisor, 2, ended('created'));
    supervisor.observe(ended(status));
    expect(supervisor.limit(16)).toBe(1);
    supervisor.observe(ended('created'));
    expect(supervisor.limit(16)).toBe(16);
  });

  test('of the next file go one at a time again, and are looked at for the same refusal anew', () => {
    const refused = ended('rejected', { message: 'No such country.' });
    const supervisor = watch();
    expect(stopsAt(adviceOn(supervisor, 19, refused))).toBe(0);
    supervisor.beginFile();
    expect(supervisor.limit(16)).toBe(1);
    expect(stopsAt(adviceOn(supervisor, 20, refused))).toBe(20);
  });
});

describe('An answer that cannot be read', () => {
  const unreadable = ended('failed', { unreadable: true });

  test('stops the run as the tenth in a row, for the first rows may all be duplicates', () => {
    const supervisor = watch();
    const advice = adviceOn(supervisor, 10, unreadable);
    expect([stopsAt(advice), advice[9]?.stop?.reason]).toEqual([10, 'answer.unreadable']);
  });

  test('is not counted with those before another result', () => {
    const supervisor = watch();
    adviceOn(supervisor, 9, unreadable);
    supervisor.observe(ended('created'));
    expect(stopsAt(adviceOn(supervisor, 9, unreadable))).toBe(0);
  });
});

describe('A success that proves nothing', () => {
  const answered = (changes: Partial<UnprovenAnswer> = {}) =>
    ended('unknown', { unproven: unprovenAnswer({ text: '204', http: 204, ...changes }), http: 204 });

  test.each([1, 2, 3])('stops the run as number %i, and says how a person teaches what it means', (number) => {
    const supervisor = watch();
    adviceOn(supervisor, number - 1, ended('created'));
    const { stop } = supervisor.observe(answered());
    expect(stop).toMatchObject({ reason: 'answer.unproven', message: expect.stringContaining('answered 204.') });
    expect(stop?.hint).toContain('srq contract learn --taken-by form');
    expect(stop?.hint).toContain('srq contract learn --refused-by form');
  });

  test('that names an identifier is taught by it, and a page is no answer of the service', () => {
    expect(watch().observe(answered({ ids: { id: '7' } })).stop?.hint).toContain('--taken-by id');
    expect(watch().observe(answered({ text: '' })).stop?.hint).toContain('srq status');
  });

  test('later is a doubt like others', () => {
    const supervisor = watch();
    adviceOn(supervisor, 3, ended('created'));
    expect(pausesAt(adviceOn(supervisor, 3, answered()))).toEqual([3]);
  });
});

describe('HTTP 403', () => {
  test('on the first row ends the run as a refusal of the credentials', () => {
    expect(watch().observe(DENIED).stop).toMatchObject({ code: 'auth' });
  });

  test('later is about a row, until five come in a row', () => {
    const supervisor = watch();
    supervisor.observe(ended('created'));
    expect(stopsAt(adviceOn(supervisor, 4, DENIED))).toBe(0);
    supervisor.observe(ended('created'));
    const advice = adviceOn(supervisor, 5, DENIED);
    expect([stopsAt(advice), advice[4]?.stop?.code]).toEqual([5, 'auth']);
  });
});

describe('The same refusal', () => {
  const refused = ended('rejected', { http: 422, message: 'No such country.' });

  test('on 20 of the first 25 rows stops the run, naming the refusal', () => {
    const supervisor = watch();
    adviceOn(supervisor, 5, ended('created'));
    const advice = adviceOn(supervisor, 20, refused);
    expect(stopsAt(advice)).toBe(20);
    expect(advice[19]?.stop).toMatchObject({ code: 'stopped', message: expect.stringContaining('No such country.') });
  });

  test('does not on 19, nor on more of them after the first 25 rows', () => {
    const supervisor = watch();
    adviceOn(supervisor, 6, ended('created'));
    expect(stopsAt(adviceOn(supervisor, 100, refused))).toBe(0);
  });

  test('is not made of different refusals', () => {
    const supervisor = watch();
    const advice = Array.from({ length: 25 }, (_, at) =>
      supervisor.observe(ended('rejected', { http: 422, message: `Number ${at % 2}` })),
    );
    expect(stopsAt(advice)).toBe(0);
  });
});

describe('The error budget', () => {
  const refused = ended('rejected', { http: 422, message: 'No.' });

  test('counts rejected and invalid rows together', () => {
    const supervisor = watch(2, 4);
    expect(supervisor.budgetStop()).toBeNull();
    supervisor.observe(ended('failed'));
    const advice = adviceOn(supervisor, 2, refused);
    expect([stopsAt(advice), advice[1]?.stop?.code]).toEqual([2, 'stopped']);
  });

  test('that the invalid rows alone exceed lets nothing begin', () => {
    expect(watch(4, 4).budgetStop()).toMatchObject({ code: 'stopped' });
    expect(watch(3, 4).budgetStop()).toBeNull();
  });

  test('is without limit unless it is asked for', () => {
    const supervisor = watch(1_000);
    adviceOn(supervisor, 30, ended('created'));
    expect([supervisor.budgetStop(), stopsAt(adviceOn(supervisor, 1_000, refused))]).toEqual([null, 0]);
  });
});

describe('The breaker', () => {
  const doubt = ended('unknown');

  test('pauses after three doubts in a row, longer the second time, and stops the run the third time', () => {
    const advice = adviceOn(watch(), 9, doubt);
    expect(pausesAt(advice)).toEqual([3, 6]);
    expect(advice[5]?.pauseMs).toBeGreaterThan(advice[2]?.pauseMs ?? 0);
    expect([stopsAt(advice), advice[8]?.stop?.code]).toEqual([9, 'stopped']);
  });

  test('pauses at the fifth doubt among two hundred results', () => {
    const supervisor = watch();
    const advice = Array.from({ length: 200 }, (_, at) =>
      supervisor.observe(at % 40 === 39 ? doubt : ended('created')),
    );
    expect(pausesAt(advice)).toEqual([200]);
  });

  test('takes four among two hundred for the usual', () => {
    const supervisor = watch();
    const advice = Array.from({ length: 1_000 }, (_, at) =>
      supervisor.observe(at % 50 === 49 ? doubt : ended('created')),
    );
    expect([pausesAt(advice), stopsAt(advice)]).toEqual([[], 0]);
  });

  test('begins to count anew after a pause', () => {
    const supervisor = watch();
    adviceOn(supervisor, 3, doubt);
    expect(pausesAt(adviceOn(supervisor, 2, doubt))).toEqual([]);
  });
});

test('what makes every further call pointless stops the run at once', () => {
  const stop = new SrqError('service.failed', 'Moved.');
  expect(watch().observe(ended('failed', { stop }))).toEqual({ stop, pauseMs: 0 });
});

describe('What the log knew of a row', () => {
  const known = (status: Status) => ended(status, { isFromLog: true });

  test('counts for the first rows, for the service answered somebody', () => {
    const supervisor = watch();
    adviceOn(supervisor, 3, known('repeated'));
    expect(supervisor.limit(16)).toBe(16);
  });

  test('is no doubt of this run, and no sign either', () => {
    const supervisor = watch();
    expect(pausesAt(adviceOn(supervisor, 50, known('unknown')))).toEqual([]);
    expect(supervisor.limit(16)).toBe(1);
  });
});
