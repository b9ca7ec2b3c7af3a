import { mkdtempSync, rmSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { type Results, resultsChunks } from '../../src/report/results-file.ts';
import type { EarlierOutcome, Row } from '../../src/request/lead/table.ts';
import type { RowReport } from '../../src/request/log/import-plan.ts';
import fc from '../helpers/fast-check.ts';
import { readTable } from '../helpers/read-table.ts';

const folder = mkdtempSync(join(tmpdir(), 'srq-results-'));
afterAll(() => rmSync(folder, { recursive: true }));

type Outcome = Partial<Omit<RowReport, 'row'>>;
const rowOf = (number: number, cells: readonly string[], earlier?: EarlierOutcome): Row => ({
  ...{ number, line: null, cells, problem: null },
  ...(earlier && { earlier }),
});
const reportOf = (row: Row, changes: Outcome = {}): RowReport => ({
  ...{ row, status: 'created', ids: {}, message: null, reason: null, record: null, problems: [], isKept: false },
  ...changes,
});

function resultsOf(columns: readonly string[], reports: readonly RowReport[]): Results {
  async function* rows() {
    yield* reports;
  }
  return { columns, delimiter: ';', rows: rows() };
}

/** A key that a spreadsheet would take for a number, but for the letter before it. */
const keyOf = (at: number) => `${at}e${'0'.repeat(32)}`.slice(0, 32);

let files = 0;
async function written(columns: readonly string[], reports: readonly RowReport[], ending = 'csv') {
  const path = join(folder, `${files++}.${ending}`);
  await writeFile(path, resultsChunks(path, resultsOf(columns, reports)));
  return readTable(path);
}

describe.each(['csv', 'xlsx', 'json'])('a results file as %s', (ending) => {
  test('a results file is read back with every cell and outcome as it was, whatever the cells hold', async () => {
    const cell = fc.oneof(
      fc.constantFrom('', '=1+1', '+351912345678', '-', '@x', "'=1", 'a;"b"', '007', '1E5', '_x0041_', '<a>&amp;'),
      fc.string({ maxLength: 30 }).map((text) => text.replace(/[\p{C}\u2028\u2029]/gu, '').trim()),
    );
    const row = fc.tuple(cell, cell, cell);
    await fc.assert(
      fc.asyncProperty(fc.array(row, { minLength: 1, maxLength: 30 }), async (cells) => {
        const reports = cells.map((each, at) =>
          reportOf(rowOf(at + 1, ['x', ...each]), {
            ...{ ids: { a: `id-${at}` }, message: 'a; "b"', record: { key: keyOf(at) } as never },
          }),
        );
        const { table, rows } = await written(['Always', 'One', 'Two', 'Three'], reports, ending);
        expect(table.columns.slice(0, 4)).toEqual(['Always', 'One', 'Two', 'Three']);
        expect(rows.map((each) => each.cells.slice(0, 4))).toEqual(cells.map((each) => ['x', ...each]));
        expect(rows.map(({ earlier }) => earlier)).toEqual(
          cells.map((_, at) => ({
            ...{ status: 'created', id: `id-${at}`, message: 'a; "b"', row: at + 1, key: keyOf(at) },
          })),
        );
      }),
      { numRuns: 40 },
    );
  });

  test('a results file of thousands of rows over thirty columns has all of them, in their order', async () => {
    const columns = Array.from({ length: 30 }, (_, at) => `C${at}`);
    const reports = Array.from({ length: 2_000 }, (_, at) =>
      reportOf(
        rowOf(
          at + 1,
          columns.map((name) => `${name} of row ${at + 1}`),
        ),
        { ids: { a: `id-${at}` } },
      ),
    );
    const { rows } = await written(columns, reports, ending);
    expect(rows.map((row) => row.cells.slice(0, 30))).toEqual(reports.map(({ row }) => [...row.cells]));
    expect(rows.map(({ earlier }) => earlier?.row)).toEqual(reports.map(({ row }) => row.number));
  });

  test('a results file of a results file has the new outcome in place of the old one', async () => {
    const columns = ['srq_status', 'Name', 'srq_id', 'Phone'];
    const row = rowOf(4, ['failed', 'Ana', '', '912'], { status: 'failed', id: '', message: '', row: 4 });
    const { table, rows } = await written(columns, [reportOf(row, { ids: { a: 'id-1' } })], ending);
    expect(table.columns).toEqual(['Name', 'Phone', 'srq_status', 'srq_id', 'srq_message', 'srq_row', 'srq_key']);
    expect(rows[0]).toMatchObject({
      cells: ['Ana', '912', 'created', 'id-1', '', '4', ''],
      earlier: { status: 'created' },
    });
  });
});

const EARLIER: EarlierOutcome = { status: 'duplicate', id: 'old', message: 'known', row: 9 };
/** A row outside the range of the import, of which the log knows nothing. */
const OUTSIDE: Outcome = { status: 'ready', isKept: true };
const EARLIER_DOUBT: EarlierOutcome = { ...EARLIER, status: 'unknown' };

test.each<[string, EarlierOutcome | undefined, Outcome, unknown[]]>([
  [
    'its outcome with the first identifier',
    undefined,
    { ids: { a: '1', b: '2' }, message: 'm' },
    ['created', '1', 'm'],
  ],
  [
    'nothing that a terminal would obey',
    undefined,
    { ids: { a: '1\u0007' }, message: 'a\u001b[2Jb\nc' },
    ['created', '1\\u{7}', 'a\\u{1b}[2Jb c'],
  ],
  ['the outcome of this run in place of an earlier one', EARLIER, { status: 'rejected' }, ['rejected', '', '']],
  ['what it states itself, if this run skips it', EARLIER, { isKept: true }, ['duplicate', 'old', 'known']],
  ['an identifier that the log knows by now', EARLIER, { isKept: true, ids: { a: '1' } }, ['duplicate', '1', 'known']],
  ['what it states itself outside the range', EARLIER, OUTSIDE, ['duplicate', 'old', 'known']],
  ['nothing outside the range without an earlier outcome', undefined, OUTSIDE, [null, '', '']],
  ['the identifier by which a doubt is looked up', EARLIER_DOUBT, { status: 'unknown' }, ['unknown', 'old', '']],
  ['no identifier of old if it failed', EARLIER_DOUBT, { status: 'failed' }, ['failed', '', '']],
])('a row of the results file says %s', async (_, earlier, outcome, [status, id, message]) => {
  const row = rowOf(3, ['Ana'], earlier);
  const { rows } = await written(['Name'], [reportOf(row, outcome)]);
  expect(rows[0]?.earlier).toEqual({ status, id, message, row: 3, key: null });
});

test('a row that this run skips, or knows nothing of, keeps its key; one that failed has none', async () => {
  const earlier = (status: EarlierOutcome['status']) => ({ ...EARLIER, status, key: keyOf(7) });
  const reports = [
    reportOf(rowOf(1, ['Ana'], earlier('created')), { status: 'repeated', isKept: true }),
    reportOf(rowOf(2, ['Ana'], earlier('failed')), OUTSIDE),
    reportOf(rowOf(3, ['Ana'], earlier('unknown')), { status: 'unknown' }),
    reportOf(rowOf(4, ['Ana'], earlier('rejected')), { status: 'failed' }),
  ];
  const { rows } = await written(['Name'], reports);
  expect(rows.map((row) => row.earlier?.key)).toEqual([keyOf(7), keyOf(7), keyOf(7), null]);
});

test('a row with too few or too many cells comes back as one, and is not sent as if it were whole', async () => {
  const columns = ['Name', 'Phone', 'srq_status', 'srq_id', 'srq_message', 'srq_row', 'srq_key'];
  const whole = (at: number) => rowOf(at, ['Ana', '912', 'failed', '', '', `${at}`, '']);
  const ragged = [
    rowOf(8, ['Ana', 'failed', '', '', '8', '']),
    rowOf(9, ['Ana', 'x', '912', 'failed', '', '', '9', '']),
  ];
  const reports = [...[1, 2, 3, 4, 5, 6, 7].map(whole), ...ragged].map((row) => reportOf(row, { status: 'invalid' }));
  const { rows } = await written(columns, reports);
  expect(rows.map(({ number, problem }) => (problem === null ? null : number)).filter(Boolean)).toEqual([8, 9]);
  expect(rows.slice(7).map(({ cells }) => cells.slice(0, -5))).toEqual([['Ana'], ['Ana', 'x', '912']]);
});
