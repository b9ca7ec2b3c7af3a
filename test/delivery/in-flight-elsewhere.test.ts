import { expect } from 'vitest';
import { bulkArgs, requestOfRow } from '../helpers/delivery.ts';
import { test } from '../helpers/desk.ts';
import { gateBefore } from '../helpers/gate.ts';
import { leadsCsv } from '../helpers/leads.ts';
import { statsOf } from '../helpers/sandbox-view.ts';

test('what a living process has in flight is not settled by another one', async ({ desk, sandbox }) => {
  // The service gets the request late: all creates are held before it.
  const gate = await gateBefore(sandbox.baseUrl, '/v1/request/create');
  const at = { ...sandbox, baseUrl: gate.baseUrl };
  desk.use(at);
  const one = desk.start(['create', ...requestOfRow(0), '--no-validate', '--json']);
  await gate.holding(1);
  const bulk = desk.start(bulkArgs(desk.write('leads.csv', leadsCsv(1)), '--settle', '1'));
  await Promise.race([gate.holding(2), bulk.ended]);
  gate.open();
  await Promise.all([one.ended, bulk.ended]);
  expect(await statsOf(sandbox)).toMatchObject({ created: 1, doubled: 0 });
});
