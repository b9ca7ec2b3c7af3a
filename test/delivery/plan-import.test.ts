import { describe, expect, test } from 'vitest';
import type { LoggedState } from '../../src/request/log/status.ts';
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
});

test('the first request shown is the first that will be sent', async () => {
  const plan = await planOf(tableOf(['', 'a', 'b']), knows('a', 'created'));
  expect(plan.first).toMatchObject({ row: 3, request: { params: { request_text: 'b' } } });
});
