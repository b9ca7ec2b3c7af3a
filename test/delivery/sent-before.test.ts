import { expect, test } from 'vitest';
import { createdUnder } from '../../src/commands/bulk/sent-before.ts';
import type { LoggedState } from '../../src/request/status.ts';
import { PREPARATION, planOf, tableOf } from './leads.ts';

const NEW = { lookup: () => 'none' as const, prefetch: async () => {}, read: () => null };

test.each<[LoggedState, number]>([
  ['created', 2],
  ['unknown', 2],
  ['sending', 2],
  ['parked', 2],
  ['none', 0],
  ['failed', 0],
])('of two ready rows whose requests are %s under another mapping, %i are told', async (state, told) => {
  const plan = await planOf(tableOf(['Need 1', 'Need 2']), NEW as never);
  expect(plan.counts.ready).toBe(2);
  const log = { lookup: () => state, prefetch: async () => {} };
  expect(await createdUnder(plan.mapping, plan, PREPARATION, log)).toBe(told);
});
