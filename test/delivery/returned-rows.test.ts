import { expect, test } from 'vitest';
import { planImport } from '../../src/delivery/plan.ts';
import { mapRow, prepareRow } from '../../src/delivery/prepare.ts';
import { planMapping } from '../../src/input/mapping.ts';
import type { LogRecord } from '../../src/request/ports.ts';
import type { LoggedState, Status } from '../../src/request/status.ts';
import type { Row, Table } from '../../src/request/table.ts';
import { PREPARATION } from './leads.ts';

const COLUMNS = ['Country', 'Phone', 'Message', 'Postal code', 'srq_status'];
const MAPPING = planMapping(COLUMNS, { map: {}, set: {}, join: {} });
const OPTIONS = { onDuplicate: 'skip', again: false } as const;

const rowOf = (number: number, cells: readonly string[], status: Status | null = null, id = ''): Row => ({
  ...{ number, line: number + 1, cells: [...cells, status ?? ''], problem: null },
  ...(status === null ? {} : { earlier: { status, id, message: '', row: number } }),
});

/** A log in a store, which knows of a request only once it was fetched, and complains of who does not wait for that. */
async function remoteLog(sent: readonly (readonly [cells: readonly string[], state: LoggedState, id?: string])[]) {
  const states = new Map<string, LoggedState>();
  const ids = new Map<string, string>();
  for (const [cells, state, id] of sent) {
    const { key = '' } = (await prepareRow(rowOf(1, cells), MAPPING, PREPARATION)) as { key?: string };
    states.set(key, state);
    if (id !== undefined) ids.set(key, id);
  }
  const fetched = new Set<string>();
  return {
    prefetch: async (keys: readonly string[]) => {
      await new Promise(setImmediate);
      for (const key of keys) fetched.add(key);
    },
    lookup: (key: string) => {
      if (!fetched.has(key)) throw new Error('It was looked up before it was there.');
      return states.get(key) ?? 'none';
    },
    read: (key: string) => {
      const state = states.get(key);
      const record = { ...{ key, event: state, at: '2026-11-20T00:00:00Z', run: '', row: 1, ref: null, http: 201 } };
      const details = {
        ...{ ms: 1, message: null, raw: null, by: null, again: false, ids: { id: ids.get(key) ?? '' } },
      };
      return state === 'created' ? ({ ...record, ...details } as LogRecord) : null;
    },
  };
}

async function planOf(rows: readonly Row[], log: Awaited<ReturnType<typeof remoteLog>>) {
  const table: Table = {
    ...{ path: 'leads.results.csv', format: 'csv', encoding: 'UTF-8', delimiter: ',', columns: COLUMNS },
    ...{ notes: ['read'], sizeBytes: 0, readBytes: () => 0 },
    rows: async function* () {
      for (let at = 0; at < rows.length; at += 2) yield rows.slice(at, at + 2);
    },
  };
  const range = { skip: 0, limit: null };
  const plan = await planImport({ table, mapping: MAPPING }, range, PREPARATION, log, OPTIONS, () => {});
  const now: Row[] = [];
  for await (const batch of plan.table.rows()) now.push(...batch);
  const messages = now.map(({ problem, cells }) => problem ?? mapRow({ ...rowOf(1, []), cells }, MAPPING).fields);
  return {
    plan,
    now,
    notes: plan.table.notes,
    messages,
    statuses: rows.map(({ number }) => plan.ledger.status(number)),
  };
}

const PAINT = ['PT', '+351912345678', 'Pintar 2026-11-20', '1200-109'] as const;

test('rows that say they were taken are not sent, and what a spreadsheet did to the others is undone as they show', async () => {
  const phone = '+351912345678';
  const log = await remoteLog([
    [['PT', phone, '2026-11-20', '1200-109'], 'created'],
    [['PT', phone, '2026-11-21', '1200-109'], 'rejected'],
    [['PT', phone, 'Azulejos', '1200-109'], 'unknown'],
  ]);
  const { statuses, messages, notes } = await planOf(
    [
      rowOf(1, ['PT', '351912345678', '20.11.26', '1200-109'], 'created'),
      rowOf(2, ['PT', '351912345678', '21.11.26', '1200-109'], 'rejected'),
      rowOf(3, ['PT', '351912345678', '22.11.26', '1200-109'], 'failed'),
      rowOf(4, ['PT', '351912345678', 'Azulejos', '1200-109'], 'unknown'),
    ],
    log,
  );
  expect(statuses).toEqual(['repeated', 'ready', 'invalid', 'unknown']);
  expect(messages[1]).toMatchObject({ request_text: '2026-11-21' });
  expect(messages[2]).toContain('A spreadsheet has changed the dates in Message');
  expect(notes).toEqual(['read', 'A spreadsheet changed cells of 1 row: put back as they were sent.']);
});

test('a log that knows none of the rows that say they were taken is of somebody else, which is said once', async () => {
  const log = await remoteLog([]);
  const { statuses, notes, plan } = await planOf(
    [rowOf(1, PAINT, 'created'), rowOf(2, ['PT', '+351912345678', 'Azulejos', ''], 'duplicate')],
    log,
  );
  expect(statuses).toEqual(['repeated', 'duplicate']);
  expect(plan.table.strangers).toBe(2);
  expect(notes.slice(1)).toEqual([
    expect.stringMatching(
      /^This log knows none of the rows that say that they were taken \(2\): they may be of another/,
    ),
  ]);
});

test('a row that says it was taken and holds other content is told, by its cells or by its identifier', async () => {
  const other = ['PT', '+351912345678', 'Outra obra', '1200-109'] as const;
  const log = await remoteLog([
    [PAINT, 'created', 'R-1'],
    [other, 'created', 'R-2'],
  ]);
  const codes = async (...rows: Row[]) =>
    (await planOf(rows, log)).plan.problems.filter(({ code }) => code === 'row.other-content').map(({ row }) => row);
  expect(await codes(rowOf(1, PAINT, 'created', 'R-1'), rowOf(2, other, 'created', 'R-2'))).toEqual([]);
  // Somebody has sorted one column without the others.
  expect(await codes(rowOf(1, PAINT, 'created', 'R-2'), rowOf(2, PAINT, 'created', 'R-1'))).toEqual([1]);
  const strange = ['PT', '+351912345678', 'Nunca enviada', '1200-109'];
  expect(await codes(rowOf(1, PAINT, 'created', 'R-1'), rowOf(2, strange, 'created', 'R-2'))).toEqual([2]);
});

test('rows of another log are told wherever they stand among those of this one', async () => {
  const log = await remoteLog([[PAINT, 'created', 'R-1']]);
  const known = (number: number) => rowOf(number, PAINT, 'created', 'R-1');
  // They are more than the witnesses that are examined, in several batches. The last one repeats the first.
  const others = (from: number) =>
    Array.from({ length: 60 }, (_, at) =>
      rowOf(from + at, ['PT', '+351912345678', `Obra ${at % 59}`, '1200-109'], 'created', `A-${at}`),
    );
  const strange = rowOf(62, ['PT', '+351912345678', 'Nunca enviada', '1200-109'], 'created', 'A-62');
  const numbers = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, at) => from + at);
  for (const [rows, expected] of [
    [
      [known(1), ...others(2), strange],
      [...numbers(2, 60), 62],
    ],
    [
      [...others(1), known(61), strange],
      [...numbers(1, 59), 62],
    ],
  ] as const) {
    const { plan, notes } = await planOf(rows, log);
    const told = plan.problems.filter(({ code }) => code === 'row.other-content').map(({ row }) => row);
    expect(told).toEqual(expected);
    expect([plan.table.strangers, notes]).toEqual([0, ['read']]);
  }
});
