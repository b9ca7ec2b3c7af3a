import { describe, expect } from 'vitest';
import {
  bulkArgs,
  expectAllCreatedOnce,
  expectNothingHidden,
  faultOnRow,
  lastRecords,
  requestOfRow,
} from '../helpers/delivery.ts';
import { test } from '../helpers/desk.ts';
import { leadsCsv } from '../helpers/leads.ts';
import { documentOf } from '../helpers/run-srq.ts';
import { createdAtLeast, statsOf } from '../helpers/sandbox-view.ts';

describe.concurrent('a row whose turn never came', () => {
  test("a row whose turn never came does not report another process's outcome", async ({ partner, sandbox }) => {
    const leads = partner.write('leads.csv', leadsCsv(30));
    const running = partner.start(bulkArgs(leads, '--rate', '1', '--concurrency', '16'));
    // Now sixteen rows wait for their turn, row 18 among them; a one-off request of the same content comes first.
    await createdAtLeast(sandbox, 4, running);
    sandbox.setInstructions([faultOnRow(18, 'reset-after')]);
    expect(await partner.run('create', ...requestOfRow(18), '--no-validate')).toMatchObject({ code: 7 });
    running.process.kill('SIGINT');
    expect(documentOf(await running.ended)).toMatchObject({ unknown: 1 });
    await expectNothingHidden(partner, sandbox);
    await partner.run(...bulkArgs(leads, '--in-doubt', 'park'));
    await expectNothingHidden(partner, sandbox);
    await expectAllCreatedOnce(partner, sandbox, leads, 30);
  });

  test('a row whose wanted repetition never came stays created', async ({ partner, sandbox }) => {
    const leads = partner.write('leads.csv', leadsCsv(30));
    await partner.run(...bulkArgs(leads));
    const again = partner.start(bulkArgs(leads, '--again', '--rate', '1'));
    await createdAtLeast(sandbox, 34, again);
    again.process.kill('SIGINT');
    await again.ended;
    const { created } = await statsOf(sandbox);
    expect(lastRecords(partner).map(({ event }) => event)).toEqual(Array(30).fill('created'));
    expect(documentOf(await partner.run(...bulkArgs(leads)))).toMatchObject({ repeated: 30, created: 0 });
    expect(await statsOf(sandbox)).toMatchObject({ created });
  });
});
