import { afterEach, beforeEach, expect, test } from 'vitest';
import { reportRows } from '../../src/delivery/report-rows.ts';
import { sendRows } from '../../src/delivery/send-rows.ts';
import { Supervisor } from '../../src/delivery/supervise.ts';
import { drain, PREPARATION, planOf, tableOf } from './leads.ts';
import { Life } from './life.ts';
import { Machine, type Process } from './processes.ts';

let machine: Machine;
beforeEach(() => {
  machine = new Machine();
});
afterEach(() => machine.close());

const NEEDS = ['taken', 'refused', '', 'taken', 'doubtful', 'missing', 'late'];
const UNTRIED = 'Not tried.';

async function importAndReport({ api, log, clock, halt }: Process) {
  const plan = await planOf(tableOf(NEEDS), log);
  const deps = { api, log, clock, preparation: PREPARATION, halt };
  const options = {
    validate: false,
    onDuplicate: 'skip',
    again: false,
    concurrency: 1,
    supervisor: new Supervisor(null, 0),
  } as const;
  await drain(sendRows(plan, deps, options));
  const { yielded } = await drain(reportRows(plan, log, PREPARATION, UNTRIED));
  return yielded.map(({ row, status, ids, message }) => ({ row: row.number, status, ids, message }));
}

test('every row is told with its end: identifiers, reasons, the row it repeats, and that it was not tried', async () => {
  for (const [need, answer] of [
    ['refused', '422'],
    ['doubtful', '500'],
    ['missing', '404'],
  ] as const) {
    machine.service.script(need, [{ answer, acts: false }]);
  }
  const none = {};
  expect(await machine.run(importAndReport)).toEqual([
    { row: 1, status: 'created', ids: { request_id: 'R-77' }, message: null },
    { row: 2, status: 'rejected', ids: none, message: expect.stringContaining('422') },
    { row: 3, status: 'invalid', ids: none, message: expect.stringMatching(/\w+: .+/) },
    { row: 4, status: 'repeated', ids: { request_id: 'R-77' }, message: 'It has the same content as row 1.' },
    { row: 5, status: 'unknown', ids: none, message: expect.stringContaining('500') },
    { row: 6, status: 'failed', ids: none, message: expect.stringContaining('404') },
    { row: 7, status: 'failed', ids: none, message: UNTRIED },
  ]);
});

test('a later run tells from the log what was created and when, and what is still in doubt', async () => {
  await machine.run(importAndReport, { life: new Life({ at: 'the arrival', time: 5 }) });
  const rows = await machine.run(importAndReport);
  expect(rows).toMatchObject([
    { status: 'repeated', ids: { request_id: 'R-77' }, message: expect.stringContaining('on 2026-11-21T') },
    { status: 'repeated' },
    { status: 'invalid' },
    { status: 'repeated', message: 'It has the same content as row 1.' },
    { status: 'repeated' },
    { status: 'repeated' },
    { status: 'unknown', ids: {}, message: expect.stringContaining('not sent again') },
  ]);
});
