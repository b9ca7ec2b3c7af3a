import { describe, expect } from 'vitest';
import {
  bulkArgs,
  createdThere,
  expectAllCreatedOnce,
  expectNothingHidden,
  faultOnRow,
  lastRecords,
} from '../helpers/delivery.ts';
import { test } from '../helpers/desk.ts';
import { leadsCsv } from '../helpers/leads.ts';
import { createdAtLeast } from '../helpers/sandbox-view.ts';

const ROWS = 60;

describe.concurrent('an import of which the service has seen a part', () => {
  test('an import is left at once on the second Ctrl-C; what was in flight is settled later', async ({
    partner,
    sandbox,
  }) => {
    // Every place is taken by a request that the service has, and whose answer does not come.
    sandbox.setInstructions([20, 21, 22].map((at) => faultOnRow(at, 'slow', 60_000)));
    const leads = partner.write('leads.csv', leadsCsv(ROWS));
    const running = partner.start(bulkArgs(leads, '--concurrency', '3'));
    await createdAtLeast(sandbox, 23, running);
    running.process.kill('SIGINT');
    await running.until(/Ctrl-C again/);
    running.process.kill('SIGINT');
    const ended = await running.ended;
    expect([ended.code, ended.stdout]).toEqual([130, '']);
    const inDoubt = lastRecords(partner).filter(({ event }) => event === 'sending');
    expect(inDoubt.map(({ ref }) => ref).sort()).toEqual(['L-20', 'L-21', 'L-22']);
    expect(createdThere(sandbox)).toEqual(expect.arrayContaining(['L-20', 'L-21', 'L-22']));
    await expectNothingHidden(partner, sandbox);
    await expectAllCreatedOnce(partner, sandbox, leads, ROWS);
  });
});
