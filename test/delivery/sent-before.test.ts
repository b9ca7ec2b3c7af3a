import { expect, test } from 'vitest';
import { knownUnder } from '../../src/delivery/other-readings.ts';
import type { LoggedState } from '../../src/request/log/status.ts';
import { farLog, PREPARATION, planOf, tableOf } from './leads.ts';

const NEW = { lookup: () => 'none' as const };

test.each<[LoggedState, { taken: number; unknown: number }]>([
  ['created', { taken: 2, unknown: 0 }],
  ['unknown', { taken: 0, unknown: 2 }],
  ['sending', { taken: 0, unknown: 2 }],
  ['parked', { taken: 0, unknown: 2 }],
  ['none', { taken: 0, unknown: 0 }],
  ['failed', { taken: 0, unknown: 0 }],
])('of two ready rows whose requests are %s under another mapping, %o are reported', async (state, told) => {
  const plan = await planOf(tableOf(['Need 1', 'Need 2']), NEW);
  expect(plan.counts.ready).toBe(2);
  const log = farLog(new Map([1, 2].map((row) => [plan.ledger.key(row) ?? '', state])));
  expect(await knownUnder([{ mapping: plan.mapping, preparation: PREPARATION }], plan, log)).toEqual([told]);
});

test('rows sent before are looked for to the end: the last may be the only ones that were created', async () => {
  const needs = Array.from({ length: 5_000 }, (_, at) => `Need ${at}`);
  const plan = await planOf(tableOf(needs), NEW);
  const last = plan.ledger.key(5_000) ?? '';
  const log = farLog(new Map([[last, 'created']]));
  const readings = [plan.mapping, { ...plan.mapping, sources: [] }].map((mapping) => ({
    mapping,
    preparation: PREPARATION,
  }));
  expect(await knownUnder(readings, plan, log)).toMatchObject([{ taken: 1 }, { taken: 0 }]);
});
