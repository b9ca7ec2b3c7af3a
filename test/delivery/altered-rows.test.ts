import { describe, expect, test } from 'vitest';
import { ReturnedRows } from '../../src/delivery/earlier-outcomes.ts';
import { planAsLogged, planImport } from '../../src/delivery/plan.ts';
import { prepareRow } from '../../src/delivery/prepare.ts';
import { rereadRows, submissions } from '../../src/delivery/read-rows.ts';
import { cellVariants, hasLostDigits } from '../../src/delivery/sent-cells.ts';
import { unknownWithNeighbours } from '../../src/delivery/settle-rows.ts';
import { planMapping } from '../../src/input/mapping.ts';
import type { LogRecord, LogView } from '../../src/request/ports.ts';
import type { LoggedState, Status } from '../../src/request/status.ts';
import type { Row, Table } from '../../src/request/table.ts';
import { drain, PREPARATION, planOf, tableOf } from './leads.ts';

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
  test('is put back where the log proves what it was, and counted', async () => {
    const rows = [1, 2, 3].map((number) => rowOf(number, cellsOf(`10${number}`), 'failed'));
    const sent = [1, 2].map((number): Sent => [cellsOf(`010${number}`), 'failed']);
    const { notes, read, plan } = await planned(rows, sent);
    expect(notes).toEqual(['A spreadsheet changed cells of 2 rows: put back as they were sent.']);
    expect(read.map(({ cells }) => cells[2])).toEqual(['0101', '0102', '103']);
    expect(plan.table).toMatchObject({ path: 'a.csv', format: 'csv', delimiter: ',', columns: COLUMNS, sizeBytes: 7 });
    expect(plan.table.readBytes()).toBe(3);
  });

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

  test('counts what was put back by itself apart from what the log proves', async () => {
    const german = (code: string, message: string) => cellsOf(message, { 0: 'DE', 1: '+49 151 10000000', 3: code });
    const rows = [
      rowOf(1, german('1067', 'a'), 'failed'),
      rowOf(2, german('1068', 'b'), 'failed'),
      rowOf(3, cellsOf('103'), 'failed'),
    ];
    expect((await planned(rows, [[cellsOf('0103'), 'failed']])).notes).toEqual([
      'A spreadsheet changed cells of 1 row: put back as they were sent.',
      'A spreadsheet took the leading zero of the postal code in 2 rows: put back.',
    ]);
  });

  test('and says of itself that it is done is left as it is', async () => {
    const rows = [rowOf(1, cellsOf('Obra', { 1: '351912345678' }), 'created')];
    const { read, notes } = await planned(rows, [[cellsOf('Obra'), 'created', '']]);
    expect([read[0]?.cells[1], notes]).toEqual(['351912345678', []]);
  });
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

  test('is judged by others of its file, whichever batch they come in', async () => {
    const rows = [taken(1, 'b'), taken(2, 'c'), taken(3, 'a')];
    expect((await planned(rows, [sent('a', 'created', 'R-1')], 1)).other).toEqual([1, 2]);
  });

  test('cannot be sent is told too, as its content is none that was', async () => {
    const rows = [taken(1, 'a'), rowOf(2, cellsOf('b', { 0: 'Atlantis' }), 'created', 'R-2')];
    expect((await planned(rows, [sent('a', 'created', 'R-1')])).other).toEqual([2]);
  });

  test('of another log is said once, with their number', async () => {
    const { notes } = await planned([taken(1, 'a'), taken(2, 'b'), rowOf(3, cellsOf('c'))], []);
    expect(notes).toEqual([expect.stringContaining('that they were taken (2): they may be of another profile')]);
    expect(notes[0]).toContain('without the columns srq_status, srq_id, srq_message, srq_row they would be');
  });
});

describe('Of the rows that say that they were taken', () => {
  /** How many of them are examined before anything is planned. */
  async function examined(rows: readonly Row[], sent: readonly Sent[], size = 100) {
    const { log, trips } = await logWith(sent);
    await ReturnedRows.of(tableWith(rows, size), MAPPING, PREPARATION, log, FINALITY);
    return trips();
  }
  const dated = (number: number) => rowOf(number, cellsOf('20.11.2026', { 4: `R ${number}` }), 'created');

  test('fifty with a date are examined at most, and of those without one the first that the log knows', async () => {
    const known: Sent[] = [[cellsOf('20.11.2026'), 'created']];
    expect(
      await examined(
        Array.from({ length: 60 }, (_, at) => dated(at + 1)),
        known,
      ),
    ).toBe(50);
    expect(
      await examined(
        Array.from({ length: 49 }, (_, at) => dated(at + 1)),
        known,
      ),
    ).toBe(49);
    const plain = Array.from({ length: 60 }, (_, at) => rowOf(at + 1, cellsOf('a'), 'created'));
    expect(await examined(plain, [[cellsOf('a'), 'created']])).toBe(1);
  });

  test('those among the first ten thousand rows are looked for', async () => {
    const known: Sent[] = [[cellsOf('20.11.2026'), 'created']];
    const others = (count: number) => Array.from({ length: count }, (_, at) => rowOf(at + 1, cellsOf('b')));
    expect(await examined([...others(9_900), dated(9_901)], known)).toBe(1);
    expect(await examined([...others(9_999), dated(10_000)], known)).toBe(1);
    expect(await examined([...others(10_000), dated(10_001)], known)).toBe(0);
    expect(await examined([...others(9_999), dated(10_000)], known, 9_999)).toBe(1);
  });
});

describe('Rows that are read again', () => {
  const readAgain = (needs: readonly string[], changed: readonly string[]) => {
    let reads = 0;
    const [first, second] = [tableOf(needs), tableOf(changed)];
    return { ...first, rows: () => (reads++ === 0 ? first.rows() : second.rows()) };
  };

  test('and have changed end the reading before them', async () => {
    const plan = await planOf(readAgain(['a', 'b', 'c'], ['a', 'x', 'c']), { lookup: () => 'none' });
    const reading = { preparation: PREPARATION, halt: new AbortController() };
    const rows: number[] = [];
    const all = async () => {
      for await (const { row } of rereadRows(plan, reading, () => true)) rows.push(row);
    };
    await expect(all()).rejects.toMatchObject({
      reason: 'file.changed',
      message: 'Row 2 of leads.csv changed while it was being imported.',
    });
    expect(rows).toEqual([1]);
    // A row that nobody wants may have changed.
    const { yielded } = await drain(rereadRows(plan, reading, (row) => row !== 2));
    expect(yielded.map(({ row }) => row)).toEqual([1, 3]);
  });

  test('are those of one status whose requests are known, and none after a halt', async () => {
    const plan = await planOf(tableOf(['a', 'b', '', 'c', 'd']), { lookup: () => 'none' });
    plan.ledger.setStatus(2, 'unknown');
    plan.ledger.setStatus(3, 'unknown');
    const halt = new AbortController();
    const reading = { preparation: PREPARATION, halt };
    const rowsAre = async (status: Status) =>
      (await drain(submissions(plan, reading, status, () => null))).yielded.map(({ row }) => row);
    expect([await rowsAre('ready'), await rowsAre('unknown')]).toEqual([[1, 4, 5], [2]]);
    const some: number[] = [];
    for await (const { row } of submissions(plan, reading, 'ready', () => null)) {
      some.push(row);
      if (row === 4) halt.abort();
    }
    expect([some, await rowsAre('ready')]).toEqual([[1, 4], []]);
  });

  test('wait where they are held, and are not read once halted while they wait', async () => {
    const plan = await planOf(tableOf(['a', 'b']), { lookup: () => 'none' });
    const halt = new AbortController();
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const rows = submissions(plan, { preparation: PREPARATION, halt }, 'ready', () => held);
    let isThere = false;
    const first = rows.next().then((next) => {
      isThere = true;
      return next;
    });
    for (let turn = 0; turn < 5; turn++) await new Promise(setImmediate);
    expect(isThere).toBe(false);
    release();
    expect((await first).value).toMatchObject({ row: 1 });
    halt.abort();
    expect(await rows.next()).toMatchObject({ done: true });
  });

  test('of a range are looked at from its first row on', async () => {
    const plan = await planOf(
      tableOf(['a', 'b', 'c', 'd']),
      { lookup: () => 'none' },
      { range: { skip: 1, limit: null } },
    );
    const reading = { preparation: PREPARATION, halt: new AbortController() };
    const as = (...statuses: Status[]) => {
      for (const [at, status] of statuses.entries()) plan.ledger.setStatus(at + 2, status);
    };
    as('unknown', 'created', 'created');
    const neighbours = (await drain(unknownWithNeighbours(plan, reading))).yielded;
    expect(neighbours.map(({ doubt, neighbours: near }) => [doubt.row, near.map(({ row }) => row)])).toEqual([
      [2, [3, 4]],
    ]);
    as('ready', 'ready', 'ready');
    await planAsLogged(plan, { lookup: () => 'created', prefetch: async () => {}, read: () => null });
    expect([2, 3, 4].map((row) => plan.ledger.status(row))).toEqual(['created', 'created', 'created']);
  });

  test('in doubt come with exactly the hundred created rows before and after them', async () => {
    const needs = Array.from({ length: 305 }, (_, at) => `Need ${at + 1}`);
    const plan = await planOf(tableOf(needs), { lookup: () => 'none' });
    for (let row = 1; row <= 305; row++) plan.ledger.setStatus(row, row === 152 ? 'unknown' : 'created');
    const read: number[] = [];
    const table = {
      ...plan.table,
      rows: async function* () {
        for await (const batch of plan.table.rows()) {
          read.push(...batch.map(({ number }) => number));
          yield batch;
        }
      },
    };
    const doubts = unknownWithNeighbours({ ...plan, table }, { preparation: PREPARATION, halt: new AbortController() });
    const [found] = (await drain(doubts)).yielded;
    const near = found?.neighbours.map(({ row }) => row) ?? [];
    expect([near.length, near[0], near[99], near[100], near.at(-1)]).toEqual([200, 52, 151, 153, 252]);
  });

  test('in doubt are told as soon as the rows after them are read', async () => {
    const needs = Array.from({ length: 400 }, (_, at) => `Need ${at + 1}`);
    const plan = await planOf(tableOf(needs), { lookup: () => 'none' });
    for (let row = 1; row <= 400; row++) plan.ledger.setStatus(row, row === 1 || row === 300 ? 'unknown' : 'created');
    let read = 0;
    const table = {
      ...plan.table,
      rows: async function* () {
        for await (const batch of plan.table.rows()) {
          read = batch.at(-1)?.number ?? read;
          yield batch;
        }
      },
    };
    const readAt: number[] = [];
    for await (const _ of unknownWithNeighbours(
      { ...plan, table },
      { preparation: PREPARATION, halt: new AbortController() },
    ))
      readAt.push(read);
    expect(readAt).toEqual([102, 400]);
  });
});

test('a plan says which rows it has read, after each batch', async () => {
  const ticks: number[] = [];
  const table = tableOf(['a', 'b', 'c', 'd', 'e']);
  const mapping = planMapping(table.columns, NOTHING);
  const { log } = await logWith([]);
  await planImport({ table, mapping }, { skip: 0, limit: null }, PREPARATION, log, FINALITY, (rows) =>
    ticks.push(rows),
  );
  expect(ticks).toEqual([2, 4, 5]);
  const none = planImport(
    { table: tableOf([]), mapping },
    { skip: 0, limit: null },
    PREPARATION,
    log,
    FINALITY,
    () => {},
  );
  await expect(none).rejects.toMatchObject({ reason: 'file.no-rows', message: 'leads.csv has no rows to import.' });
});

test.each([
  [999, 999],
  [1_000, 500],
  [1_001, 501],
  [1_002, 501],
  [1_998, 999],
  [2_000, 500],
])('of %d references %d are kept as a sample of all', async (count, kept) => {
  const plan = await planOf(tableOf(Array.from({ length: count }, (_, at) => `Need ${at}`)), { lookup: () => 'none' });
  expect([plan.refs.count, plan.refs.sample.length, plan.refs.sample[0]]).toEqual([count, kept, 'A-1']);
});

describe('A cell may have been', () => {
  const texts = (cell: string) => cellVariants(cell).map(({ text }) => text);

  test.each<[string, number]>([
    // Of more than 40 letters none is a number.
    [`1,${'0'.repeat(38)}`, 3],
    [`1,${'0'.repeat(39)}`, 0],
  ])('other than %s in %d ways', (cell, ways) => {
    expect(Math.min(texts(cell).length, 3)).toBe(ways);
  });

  test.each([
    ['0123', []],
    ['1.5E+2', ['150', '0150', '00150', '000150']],
    ['1.55E+1', []],
    ["12'345", ['12345', '012345', '0012345', '00012345']],
    ['12’345', ['12345', '012345', '0012345', '00012345']],
    ['12 345', ['12345', '012345', '0012345', '00012345']],
    ['1234.567', ['1234.567', '1234.5670', '1234,567', '1234,5670'].slice(1)],
    ['1.5', ['1.50', '1,5', '1,50']],
  ])('%s: one of %j', (cell, were) => {
    expect(texts(cell)).toEqual(were);
  });

  test.each([
    ['123456789012345', false],
    ['1234567890123450', true],
    ['1234567890123451', false],
    ['12345678901234500', true],
    [' 1234567890123450 ', true],
    ['1234567890123450x', false],
  ])('%s has lost its last digits: %s', (cell, has) => {
    expect(hasLostDigits(cell)).toBe(has);
  });
});
