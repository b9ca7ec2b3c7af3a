import { expect, test } from 'vitest';
import { createdUnder, draftSentBefore } from '../../src/delivery/other-readings.ts';
import { prepareDraft } from '../../src/delivery/prepare.ts';
import { withCountry } from '../../src/request/contract/contract.ts';
import type { LoggedState } from '../../src/request/log/status.ts';
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
  expect(await createdUnder([{ mapping: plan.mapping, preparation: PREPARATION }], plan, log)).toEqual([told]);
});

test('all rows are looked at: those at the end may be the only ones that were created', async () => {
  const needs = Array.from({ length: 5_000 }, (_, at) => `Need ${at}`);
  const plan = await planOf(tableOf(needs), NEW as never);
  const last = plan.ledger.key(5_000);
  const log = {
    lookup: (key: string) => (key === last ? ('created' as const) : ('none' as const)),
    prefetch: async () => {},
  };
  const readings = [plan.mapping, { ...plan.mapping, sources: [] }].map((mapping) => ({
    mapping,
    preparation: PREPARATION,
  }));
  expect(await createdUnder(readings, plan, log)).toEqual([1, 0]);
});

test('of one request the other readings are not even made if the log knows it as it is', async () => {
  const draft = { row: 1, fields: { country: 'PT', phone: '+351912345678', request_text: 'Pintar a sala' } };
  const preparation = { ...PREPARATION, contract: withCountry(PREPARATION.contract, 'PT') };
  const own = await prepareDraft(draft, null, preparation);
  const asked: string[][] = [];
  const logWith = (state: LoggedState) => ({
    lookup: () => state,
    prefetch: async (keys: readonly string[]) => void asked.push([...keys]),
  });
  expect(await draftSentBefore(draft, own, preparation, logWith('created'))).toBeNull();
  const key = own.request ? own.key : 'of a request that is not ready';
  expect(asked).toEqual([[key]]);
  expect(await draftSentBefore(draft, own, preparation, logWith('none'))).toBeNull();
  expect(asked).toEqual([[key], [key], [expect.any(String)]]);
});
