import { afterEach, beforeEach, expect, test } from 'vitest';
import { type ImportOptions, type ImportUi, runImport, type ServiceConnection } from '../../src/delivery/import.ts';
import { SrqError } from '../../src/request/errors.ts';
import type { RowReport } from '../../src/request/import-plan.ts';
import { NO_VISIBILITY_HISTORY } from '../../src/request/visibility.ts';
import { PREPARATION, planOf, tableOf } from './leads.ts';
import { Machine } from './processes.ts';

const AWAY = new SrqError('log.unwritable', 'The store cannot be reached.');
const OPTIONS: ImportOptions = {
  validate: false,
  onDuplicate: 'skip',
  again: false,
  concurrency: 4,
  inDoubt: 'park',
  range: { skip: 0, limit: null },
  maxErrors: null,
  settleMs: null,
};

let machine: Machine;
beforeEach(() => {
  machine = new Machine();
});
afterEach(() => machine.close());

/** Imports so many rows, and tells what the user interface and the connection were told. */
async function imported(rows: number, changes: Partial<ServiceConnection> = {}) {
  const reported: RowReport['status'][] = [];
  const told: string[] = [];
  await machine.run(async ({ api, log, clock, halt }) => {
    const ui: ImportUi = {
      agree: () => planOf(tableOf(Array.from({ length: rows }, (_, at) => `Need ${at + 1}`)), log),
      watch: async () => ({ row: () => {}, waiting: () => {}, end: () => {} }),
      report: async (_plan, lines) => {
        for await (const { status } of lines) reported.push(status);
      },
    };
    const connection: ServiceConnection = {
      ...{ api, mayValidate: true, isProxied: false, evidence: NO_VISIBILITY_HISTORY },
      keep: async () => {},
      keepRate: () => {},
      hold: () => void told.push('held'),
      ...changes,
    };
    const file = { file: 'leads.csv', preparation: PREPARATION, ui };
    const ports = {
      ...{ log, clock, halt },
      confirm: async () => {},
      connect: async () => connection,
      breakerOpened: () => void told.push('shown'),
      ended: async () => {},
    };
    await runImport(ports, [file], OPTIONS);
  });
  return { reported, told };
}

test('every row is reported though what was learned of validate cannot be kept at the end', async () => {
  const { reported } = await imported(5, { keep: () => Promise.reject(AWAY) });
  expect(reported).toEqual(['created', 'created', 'created', 'created', 'created']);
});

test('when the breaker opens, the account is held for all its processes, and the user is shown it', async () => {
  for (let row = 4; row <= 40; row++)
    machine.service.script(`Need ${row}`, [{ answer: 'reset after writing', acts: true }]);
  const { reported, told } = await imported(40);
  expect(told.slice(0, 2)).toEqual(['held', 'shown']);
  expect(reported).toHaveLength(40);
});
