import { describe, expect, test } from 'vitest';
import { rowsInRange } from '../../src/delivery/read-rows.ts';
import type { LoggedState } from '../../src/request/status.ts';
import { failureOf } from '../helpers/log-subjects.ts';
import { planOf, submissionOf, tableOf } from './leads.ts';

const NOTHING_KNOWN = { lookup: (): LoggedState => 'none' };
/** A log that knows this of the request with this need, and of no other. */
const knows = (need: string, state: LoggedState) => {
  const { key } = submissionOf(need);
  return { lookup: (asked: string): LoggedState => (asked === key ? state : 'none') };
};

test('every row has one status: what is ready, what is invalid, and what repeats a row before it', async () => {
  const plan = await planOf(tableOf(['a', '', 'b', 'a', 'a']), NOTHING_KNOWN);
  expect(plan.rows).toBe(5);
  expect(plan.counts).toMatchObject({ ready: 2, invalid: 1, repeated: 2 });
  expect([1, 2, 3, 4, 5].map((row) => plan.ledger.status(row))).toEqual([
    'ready',
    'invalid',
    'ready',
    'repeated',
    'repeated',
  ]);
  expect([4, 5].map((row) => plan.ledger.firstRow(row))).toEqual([1, 1]);
  expect(plan.problems.filter(({ severity }) => severity === 'error').map(({ row }) => row)).toContain(2);
});

describe('What the log knows of a request decides about its row', () => {
  test.each<[LoggedState, string]>([
    ['none', 'ready'],
    ['failed', 'ready'],
    ['rejected', 'ready'],
    ['licensed', 'ready'],
    ['created', 'repeated'],
    ['duplicate', 'duplicate'],
    ['sending', 'unknown'],
    ['unknown', 'unknown'],
    ['parked', 'unknown'],
  ])('%s: %s', async (state, status) => {
    const plan = await planOf(tableOf(['a', 'b']), knows('b', state));
    expect([plan.ledger.status(1), plan.ledger.status(2)]).toEqual(['ready', status]);
  });

  test.each<[LoggedState, string]>([
    ['created', 'ready'],
    ['duplicate', 'ready'],
    ['sending', 'unknown'],
    ['unknown', 'unknown'],
    ['parked', 'unknown'],
  ])('%s, where all is to be sent again: %s', async (state, status) => {
    const plan = await planOf(tableOf(['b']), knows('b', state), { again: true });
    expect(plan.ledger.status(1)).toBe(status);
  });

  test('a duplicate that is wanted is ready', async () => {
    const plan = await planOf(tableOf(['b']), knows('b', 'duplicate'), { onDuplicate: 'create' });
    expect(plan.ledger.status(1)).toBe('ready');
  });
});

test('what an earlier run has brought to an end is not looked at again: nothing is found on it', async () => {
  const found = async (state: LoggedState) => {
    const { problemGroups } = await planOf(tableOf(['a', 'b']), knows('a', state));
    return new Set(problemGroups.flatMap(({ examples }) => examples.map(({ row }) => row)));
  };
  expect(await found('created')).toEqual(new Set([2]));
  expect(await found('unknown')).toEqual(new Set([1, 2]));
});

test('rows of an earlier run are not looked at again in any batch, once most of those before were', async () => {
  const all = { lookup: (): LoggedState => 'created' };
  const needs = ['a', 'b', 'c', 'd', 'e', 'f'];
  expect((await planOf(tableOf(needs), NOTHING_KNOWN)).problems.length).toBeGreaterThan(0);
  expect((await planOf(tableOf(needs), all)).problems).toEqual([]);
});

test('the first request shown is the first that will be sent', async () => {
  const plan = await planOf(tableOf(['', 'a', 'b']), knows('a', 'created'));
  expect(plan.first).toMatchObject({ row: 3, request: { params: { request_text: 'b' } } });
});

test('a request that is sorted or moved to another file is known all the same', async () => {
  const [one, other] = await Promise.all([
    planOf(tableOf(['a', 'b', 'c']), NOTHING_KNOWN),
    planOf(tableOf(['c', 'a']), NOTHING_KNOWN),
  ]);
  expect([other.ledger.key(1), other.ledger.key(2)]).toEqual([one.ledger.key(3), one.ledger.key(1)]);
});

describe('A range', () => {
  const numbers = async (skip: number, limit: number | null) => {
    const found: number[] = [];
    for await (const batch of rowsInRange(tableOf(['a', 'b', 'c', 'd', 'e']), { skip, limit })) {
      found.push(...batch.map(({ number }) => number));
    }
    return found;
  };

  test.each<[number, number | null, number[]]>([
    [0, null, [1, 2, 3, 4, 5]],
    [0, 2, [1, 2]],
    [1, 2, [2, 3]],
    [4, 9, [5]],
    [5, null, []],
  ])('that skips %i and takes %s holds the rows %j', async (skip, limit, rows) => {
    expect(await numbers(skip, limit)).toEqual(rows);
  });

  test('keeps the rows by their numbers in the file', async () => {
    const plan = await planOf(tableOf(['a', 'b', 'c', 'd']), NOTHING_KNOWN, { range: { skip: 2, limit: 1 } });
    expect([plan.rows, plan.ledger.status(3), plan.ledger.has(2), plan.ledger.has(4)]).toEqual([
      1,
      'ready',
      false,
      false,
    ]);
  });

  test('without rows is an error of the command', async () => {
    const failure = await failureOf(planOf(tableOf(['a']), NOTHING_KNOWN, { range: { skip: 1, limit: null } }));
    expect(failure).toMatchObject({ code: 'input', message: expect.stringContaining('after those skipped') });
  });
});
