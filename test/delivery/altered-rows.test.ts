import { describe, expect, test } from 'vitest';
import { planImport } from '../../src/delivery/plan.ts';
import { prepareRow } from '../../src/delivery/prepare.ts';
import { planMapping } from '../../src/input/mapping.ts';
import type { LogRecord, LogView } from '../../src/request/ports.ts';
import type { LoggedState, Status } from '../../src/request/status.ts';
import type { Row, Table } from '../../src/request/table.ts';
import { PREPARATION } from './leads.ts';

const NOTHING = { map: {}, set: {}, join: {} };
const COLUMNS = ['Country', 'Phone', 'Message', 'Postal code', 'Reference', 'srq_status'];
const MAPPING = planMapping(COLUMNS, NOTHING);
const FINALITY = { onDuplicate: 'skip', again: false } as const;
const PHONE = '+351912345678';

type Cells = readonly string[];
const rowOf = (number: number, cells: Cells, status: Status | null = null, id = ''): Row => ({
  ...{ number, line: number + 1, cells: [...cells, status ?? ''], problem: null },
  ...(status === null ? {} : { earlier: { status, id, message: '', row: number } }),
});
const cellsOf = (message: string, changes: Partial<Record<number, string>> = {}): Cells =>
  ['PT', PHONE, message, '1200-109', ''].map((cell, at) => changes[at] ?? cell);

function tableWith(rows: readonly Row[], size = 100): Table {
  return {
    ...{
      path: 'a.csv',
      format: 'csv',
      encoding: 'UTF-8',
      delimiter: ',',
      columns: COLUMNS,
      notes: ['read'],
      sizeBytes: 7,
    },
    readBytes: () => 3,
    rows: async function* () {
      for (let at = 0; at < rows.length; at += size) yield rows.slice(at, at + size);
    },
  };
}

type Sent = readonly [cells: Cells, state: LoggedState, id?: string | undefined, again?: boolean];
/** A log that knows what became of rows with these cells, and counts how often it was asked. */
async function logWith(sent: readonly Sent[]) {
  const known = new Map<string, Sent>();
  for (const each of sent) {
    const prepared = await prepareRow(rowOf(1, each[0]), MAPPING, PREPARATION);
    if (prepared.request) known.set(prepared.key, each);
  }
  let trips = 0;
  const log: LogView = {
    prefetch: async () => {
      trips += 1;
    },
    lookup: (key) => known.get(key)?.[1] ?? 'none',
    read: (key) => {
      const [, state, id, again = false] = known.get(key) ?? [];
      if (state === undefined || state === 'none') return null;
      const record = { key, event: state, at: '2026-11-20T00:00:00Z', run: '', row: 1, ref: null, http: 201, again };
      return { ...record, ids: id === undefined ? {} : { id }, ms: 1, message: null, raw: null, by: null } as LogRecord;
    },
  };
  return { log, trips: () => trips };
}

async function planned(rows: readonly Row[], sent: readonly Sent[], size = 100) {
  const { log } = await logWith(sent);
  const table = tableWith(rows, size);
  const plan = await planImport(
    { table, mapping: MAPPING },
    { skip: 0, limit: null },
    PREPARATION,
    log,
    FINALITY,
    () => {},
  );
  const other = plan.problems.filter(({ code }) => code === 'row.other-content').map(({ row }) => row);
  const read: Row[] = [];
  for await (const batch of plan.table.rows()) read.push(...batch);
  return {
    plan,
    other,
    notes: plan.table.notes.slice(1),
    read,
    statuses: rows.map(({ number }) => plan.ledger.status(number)),
  };
}

describe('A row that a spreadsheet has changed', () => {
  test('is not sent where digits of it are lost, in any column that is sent', async () => {
    const { statuses, read } = await planned([rowOf(1, cellsOf('12345678901234500000'), 'failed')], []);
    expect(statuses).toEqual(['invalid']);
    expect(read[0]?.problem).toBe(
      'A spreadsheet has replaced the last digits of Message by zeros. Write the number again, in a cell formatted as text.',
    );
    const byReference = await planned([rowOf(1, cellsOf('Obra', { 4: '12345678901234500000' }), 'failed')], []);
    expect(byReference.read[0]?.problem).toContain('the last digits of Reference by zeros');
  });

  test.each<[string, string, string, string]>([
    ['DE', '1067', '01067', 'ready'],
    // Four digits are a postal code of these, and three of none.
    ['PT', '1200', '1200', 'ready'],
    ['DE', '106', '106', 'ready'],
    ['DE', '10115', '10115', 'ready'],
    // The code of a province cannot begin with two zeros.
    ['ES', '1001', '01001', 'ready'],
    ['CL', '832', '832', 'ready'],
    ['Atlantis', '1067', '1067', 'invalid'],
  ])(
    'of %s has the zero of its postal code %s back if that leaves no other reading: %s',
    async (country, code, now, status) => {
      const cells = cellsOf('Obra', { 0: country, 1: '+49 151 10000000', 3: ` ${code} ` });
      const { read, statuses, notes } = await planned([rowOf(1, cells, 'failed')], []);
      expect([read[0]?.cells[3]?.trim(), statuses[0]]).toEqual([now, status]);
      expect(notes).toEqual(
        now === code ? [] : ['A spreadsheet took the leading zero of the postal code in 1 row: put back.'],
      );
    },
  );
});

describe('A row that says that it was taken', () => {
  const taken = (number: number, message: string, id = 'R-1', status: Status = 'created') =>
    rowOf(number, cellsOf(message), status, id);
  const sent = (message: string, state: LoggedState = 'created', id?: string, again = false): Sent => [
    cellsOf(message),
    state,
    id,
    again,
  ];

  test.each<[string, Row[], Sent[], number[]]>([
    ['and was', [taken(1, 'a')], [sent('a', 'created', 'R-1')], []],
    ['with another identifier', [taken(1, 'a', 'R-2')], [sent('a', 'created', 'R-1')], [1]],
    ['with none', [taken(1, 'a', '')], [sent('a', 'created', 'R-1')], []],
    ['where the log has none', [taken(1, 'a', 'R-2')], [sent('a', 'created')], []],
    ['but was refused', [taken(1, 'a'), taken(2, 'b')], [sent('a', 'created', 'R-1'), sent('b', 'rejected')], [2]],
    ['but failed', [taken(1, 'a'), taken(2, 'b')], [sent('a', 'created', 'R-1'), sent('b', 'failed')], [2]],
    ['and is in doubt', [taken(1, 'a'), taken(2, 'b')], [sent('a', 'created', 'R-1'), sent('b', 'unknown')], []],
    ['as a duplicate of another', [taken(1, 'a', 'R-9', 'duplicate')], [sent('a', 'created', 'R-1')], []],
    ['and was sent again since', [taken(1, 'a', 'R-2')], [sent('a', 'created', 'R-1', true)], []],
    ['with content that was never sent', [taken(1, 'a'), taken(2, 'b')], [sent('a', 'created', 'R-1')], [2]],
    ['of a log that knows none of them', [taken(1, 'a'), taken(2, 'b')], [], []],
    [
      'repeating one that was refused',
      [taken(1, 'a'), taken(2, 'b', '', 'repeated')],
      [sent('a', 'created', 'R-1'), sent('b', 'rejected')],
      [],
    ],
    [
      'whose content a row before it has',
      [taken(1, 'a', ''), rowOf(2, cellsOf('b')), taken(3, 'b', '')],
      [sent('a', 'created')],
      [],
    ],
    [
      'whose date a spreadsheet may have changed',
      [taken(1, 'a'), taken(2, '1.5E+11')],
      [sent('a', 'created', 'R-1')],
      [],
    ],
  ])('%s', async (_, rows, log, other) => {
    expect((await planned(rows, log)).other).toEqual(other);
  });
});
