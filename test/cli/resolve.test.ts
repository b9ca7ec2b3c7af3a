import { expect } from 'vitest';
import { test } from '../helpers/desk.ts';
import { bulkArgs, leadsCsv } from '../helpers/leads.ts';
import { createdAtLeast, statsOf } from '../helpers/sandbox-view.ts';

test('srq resolve is refused while an import is running: what the import has in flight is not settled', async ({
  desk,
  openSandbox,
}) => {
  const sandbox = await openSandbox({ latencyMs: 500 });
  desk.use(sandbox);
  const running = desk.start(bulkArgs(desk.write('leads.csv', leadsCsv(60))));
  await createdAtLeast(sandbox, 5, running);
  const refused = await desk.call('resolve', '--all', '--not-created');
  expect([refused.code, refused.stderr]).toEqual([9, expect.stringMatching(/srq bulk leads\.csv, process \d+/)]);
  sandbox.setLatency(0);
  expect(await running.ended).toMatchObject({ code: 0 });
  expect(await statsOf(sandbox)).toMatchObject({ created: 60, doubled: 0 });
});
