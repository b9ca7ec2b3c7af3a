import { afterEach, beforeEach, expect, test } from 'vitest';
import { type ImportUi, type RunImportOptions, runImport, type ServiceConnection } from '../../src/delivery/import.ts';
import type { RowReport } from '../../src/request/log/import-plan.ts';
import type { RunNote } from '../../src/request/log/log-store.ts';
import { PREPARATION, planOf, tableOf } from './leads.ts';
import { Machine } from './processes.ts';

const OPTIONS: RunImportOptions = {
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

const needs = (count: number, name = 'Need') => Array.from({ length: count }, (_, at) => `${name} ${at + 1}`);

/** Imports a file with these needs, and tells what the user interface and the connection were told, and why the run stopped. */
async function imported(rows: readonly string[], changes: Partial<ServiceConnection> = {}) {
  const reported: RowReport['status'][] = [];
  const told: string[] = [];
  const stop = await machine.run(async ({ api, log, clock, halt }) => {
    const ui: ImportUi = {
      agree: () => planOf(tableOf(rows), log),
      watch: async () => ({ row: () => {}, waiting: () => {}, end: () => {} }),
      report: async (_plan, lines) => {
        for await (const { status } of lines) reported.push(status);
      },
    };
    const connection: ServiceConnection = {
      ...{ api, mayValidate: true, isProxied: false, isFamiliar: false },
      keepRate: () => {},
      hold: () => void told.push('held'),
      ...changes,
    };
    const deps = {
      ...{ log, clock, halt },
      notes: { note: ({ event }: RunNote) => void told.push(event), flush: async () => {} },
      confirm: async () => {},
      connect: async () => connection,
    };
    return (await runImport(deps, { preparation: PREPARATION, ui }, OPTIONS)).stop;
  });
  return { reported, told, stop };
}

test.each([
  ['one at a time', false, [1, 1, 1]],
  ['together where the service is familiar', true, [1, 2, 3]],
])('the first rows go %s', async (_, isFamiliar, first) => {
  const levels: number[] = [];
  let underWay = 0;
  machine.service.meanwhile = async () => {
    underWay += 1;
    levels.push(underWay);
    // The first ones end only once as many are there as may be.
    while (levels.length < Math.max(...first)) await new Promise(setImmediate);
    underWay -= 1;
  };
  expect(await imported(needs(8), { isFamiliar })).toMatchObject({ stop: null, reported: Array(8).fill('created') });
  expect(levels.slice(0, 3)).toEqual(first);
});
