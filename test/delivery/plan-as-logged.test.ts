import { expect, test } from 'vitest';
import { refreshUnknown } from '../../src/delivery/plan.ts';
import type { LoggedState } from '../../src/request/status.ts';
import { planOf, submissionOf, tableOf } from './leads.ts';

const logWith = (states: Readonly<Record<string, LoggedState>>) => {
  const byKey = new Map(Object.entries(states).map(([need, state]) => [submissionOf(need).key, state]));
  return { lookup: (key: string): LoggedState => byKey.get(key) ?? 'none', prefetch: async () => {}, read: () => null };
};

test('rows in doubt get the status that the log has for them now; the others keep theirs', async () => {
  const needs = ['a', 'b', 'c', 'd', 'e', 'f'];
  const before = logWith({ a: 'sending', b: 'sending', c: 'sending', d: 'unknown', e: 'sending' });
  const plan = await planOf(tableOf(needs), before);
  expect(plan.counts).toMatchObject({ unknown: 5, ready: 1 });
  await refreshUnknown(
    plan,
    logWith({ a: 'created', b: 'failed', c: 'rejected', d: 'unknown', e: 'duplicate', f: 'created' }),
  );
  expect(needs.map((_, at) => plan.ledger.status(at + 1))).toEqual([
    'repeated',
    'failed',
    'rejected',
    'unknown',
    'duplicate',
    'ready',
  ]);
});
