import { expect, test } from 'vitest';
import type { Reading } from '../../src/delivery/prepare.ts';
import { loggedRows } from '../../src/delivery/report-rows.ts';
import { planMapping } from '../../src/input/mapping.ts';
import type { LogRecord } from '../../src/request/ports.ts';
import { drain, farLog, PREPARATION, submissionOf, tableOf } from './leads.ts';

const NOTHING = { map: {}, set: {} };

// An export that asked too early would tell a lead that was brought home as one that was never sent.
test('every row comes with what the store knows of it, which is asked for first', async () => {
  const table = tableOf(['Pintar', '', 'Limpar', 'Pintar', 'Outra']);
  const mapping = planMapping(table.columns, NOTHING);
  const { key } = submissionOf('Pintar');
  const record: LogRecord = {
    ...{ key, event: 'created', at: '2026-11-20T00:00:00Z', run: '', row: 1, ref: null, ids: { id: 'R-1' } },
    ...{ http: 201, ms: 1, message: null, raw: null, by: null, again: false },
  };
  const log = farLog(new Map([[key, 'created']]), record);
  const rowsOf = async (skip: number, earlier: readonly Reading[] = []) => {
    const range = { skip, limit: null };
    const { yielded } = await drain(loggedRows({ table, mapping }, PREPARATION, log, range, earlier));
    return yielded.map(({ row, status, record: found }) => [row.number, status, found?.ids['id'] ?? null]);
  };
  const all = [
    [1, 'created', 'R-1'],
    [2, 'invalid', null],
    [3, 'ready', null],
    [4, 'created', 'R-1'],
    [5, 'ready', null],
  ];
  expect(await rowsOf(0)).toEqual(all);
  // Once for each batch, whatever the number of its rows.
  expect(log.trips()).toBeLessThanOrEqual(3);
  expect(await rowsOf(2)).toEqual(all.slice(2));
  const other = {
    mapping: planMapping(table.columns, { map: {}, set: { notes: 'Urgent' } }),
    preparation: PREPARATION,
  };
  expect(await rowsOf(0, [other])).toEqual(all);
});
