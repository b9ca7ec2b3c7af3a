import { expect } from 'vitest';
import type { FaultKind } from '../../src/sandbox/service/faults.ts';
import {
  accountedFor,
  bulkArgs,
  createdThere,
  expectAllCreatedOnce,
  expectNothingHidden,
  faultOnRow,
} from '../helpers/delivery.ts';
import { test } from '../helpers/desk.ts';
import { leadsCsv } from '../helpers/leads.ts';
import { documentsOf } from '../helpers/run-srq.ts';
import { creates } from '../sandbox/sandbox-client.ts';

const ROWS = 400;
/** The rows struck, far enough from each other to keep the breaker closed. */
const DOUBTFUL: Readonly<Record<number, FaultKind>> = {
  20: 'reset-before',
  70: 'reset-after',
  120: '500',
  170: '503',
  220: '500-after',
  270: 'reset-after',
};
const PASSING: Readonly<Record<number, FaultKind>> = { 45: '429', 95: 'expire-token', 145: '429', 195: 'expire-token' };

test('an import through every kind of fault repeats what was certainly not taken, and nothing else', async ({
  partner,
  sandbox,
}) => {
  const faults = Object.entries({ ...DOUBTFUL, ...PASSING });
  sandbox.setInstructions(faults.map(([at, fault]) => faultOnRow(Number(at), fault)));
  const leads = partner.write('leads.csv', leadsCsv(ROWS));
  const ended = await partner.call(...bulkArgs(leads, '--concurrency', '16', '--in-doubt', 'park'));
  const struck = creates(sandbox).flatMap(({ fault }) => (fault === null ? [] : [fault]));
  expect(struck.sort()).toEqual(faults.map(([, fault]) => fault).sort());

  const doubtful = Object.keys(DOUBTFUL)
    .map((at) => `L-${at}`)
    .sort();
  expect([ended.code, accountedFor(ended, ROWS)['unknown']]).toEqual([7, doubtful.length]);
  const listed = documentsOf(await partner.call('log', '--status', 'unknown', '--json'));
  expect(listed.map(({ ref }) => ref).sort()).toEqual(doubtful);
  // Taken or not, each of them was sent once.
  const sent = creates(sandbox).map(({ params }) => `L-${params['request_text']?.split(' ').at(-1)}`);
  expect(sent.filter((ref) => doubtful.includes(ref)).sort()).toEqual(doubtful);
  expect(createdThere(sandbox)).toHaveLength(ROWS - 3);
  await expectNothingHidden(partner, sandbox);

  await expectAllCreatedOnce(partner, sandbox, leads, ROWS);
});
