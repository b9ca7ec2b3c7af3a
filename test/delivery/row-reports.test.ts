import { describe, expect, test } from 'vitest';
import { planImport } from '../../src/delivery/plan.ts';
import { prepareDraft, prepareRow, tieProblems } from '../../src/delivery/prepare.ts';
import { loggedRows, reportRows, runRowOf, runRowOfRecord, withRowsOutside } from '../../src/delivery/report-rows.ts';
import { planMapping } from '../../src/input/mapping.ts';
import { SrqError } from '../../src/request/errors.ts';
import type { ImportPlan, RowOutside, RowReport } from '../../src/request/import-plan.ts';
import type { LogRecord, LogView } from '../../src/request/ports.ts';
import type { AudioFile } from '../../src/request/service-request.ts';
import type { LoggedState } from '../../src/request/status.ts';
import type { EarlierOutcome, Mapping, Row, Table } from '../../src/request/table.ts';
import { TEST_LEAD } from '../../src/request/table.ts';
import { contractWith, parameter } from '../sandbox/contract-client.ts';
import { drain, PREPARATION, planOf, submissionOf, tableOf } from './leads.ts';

const NOTHING = { map: {}, set: {}, join: {} };
const AT = '2026-11-20T08:00:00.000Z';

const recordOf = (need: string, changes: Partial<LogRecord> = {}): LogRecord => ({
  ...{
    key: submissionOf(need).key,
    row: 1,
    ref: 'A-1',
    event: 'created',
    at: AT,
    run: 'r',
    ids: { id: 'R-1' },
    http: 201,
  },
  ...{ ms: 1, message: null, raw: null, by: null, again: false },
  ...changes,
});

/** A log that holds these records, by the needs of their requests. */
function logOf(records: Readonly<Record<string, Partial<LogRecord>>>): LogView {
  const byKey = new Map(
    Object.entries(records).map(([need, changes]) => [submissionOf(need).key, recordOf(need, changes)]),
  );
  const stateOf = ({ event }: LogRecord): LoggedState => (event === 'licence' ? 'licensed' : event);
  return {
    prefetch: async () => {},
    lookup: (key) => {
      const record = byKey.get(key);
      return record ? stateOf(record) : 'none';
    },
    read: (key) => byKey.get(key) ?? null,
  };
}

const reported = async (plan: ImportPlan, log: LogView, status?: 'failed' | 'ready') =>
  (await drain(reportRows(plan, log, PREPARATION, 'Not tried.', status))).yielded;

describe('A row is reported', () => {
  test.each<[Partial<LogRecord>, object]>([
    [
      {},
      {
        status: 'repeated',
        ids: { id: 'R-1' },
        message: `Already created on ${AT}, according to the log.`,
        reason: null,
      },
    ],
    [
      { event: 'duplicate', http: 409, message: 'Known.' },
      { status: 'duplicate', message: 'Known.', reason: null },
    ],
    [
      { event: 'sending', ids: {}, http: null },
      {
        status: 'unknown',
        message: 'An earlier try may have been taken; the row is not sent again until that is settled.',
        reason: 'request.in-doubt',
      },
    ],
    [
      { event: 'unknown', ids: {}, http: 204, message: 'Odd.' },
      { status: 'unknown', message: 'Odd.', reason: 'answer.unproven' },
    ],
  ])('as the log has it: %j', async (record, told) => {
    const log = logOf({ a: record });
    const [report] = await reported(await planOf(tableOf(['a']), log), log);
    expect(report).toMatchObject({ problems: [], isKept: false, record: { at: AT }, ...told });
  });

  test('that was not tried as failed, or as ready where it may still be sent', async () => {
    const log = logOf({ a: { event: 'failed', http: 500 } });
    const plan = await planOf(tableOf(['a']), log);
    const untried = { ids: {}, record: null, problems: [], isKept: false, message: 'Not tried.' };
    expect(await reported(plan, log)).toMatchObject([{ ...untried, status: 'failed', reason: 'request.not-tried' }]);
    expect(await reported(plan, log, 'ready')).toMatchObject([{ ...untried, status: 'ready', reason: null }]);
  });

  test('that failed in this run with its own reason, whatever the last record is about', async () => {
    const log = logOf({
      ...{ a: { event: 'failed', http: 503, message: 'Busy.' }, b: { event: 'created' } },
      ...{ c: { event: 'duplicate', message: 'Known.' }, d: { event: 'sending' } },
    });
    const plan = await planOf(tableOf(['a', 'b', 'c', 'd']), { lookup: () => 'none' });
    for (const row of [1, 2, 3, 4]) plan.ledger.setStatus(row, 'failed');
    const silent = { status: 'failed', message: null, reason: 'request.not-sent' };
    expect(await reported(plan, log)).toMatchObject([
      { status: 'failed', message: 'Busy.', reason: 'service.busy' },
      ...[silent, silent, silent],
    ]);
  });

  test('that says it is done with what it says, and whose content nobody knows as that', async () => {
    const earlier = (status: EarlierOutcome['status']): EarlierOutcome => ({ status, id: 'x', message: '', row: 1 });
    const columns = ['country', 'phone', 'request_text', 'srq_status'];
    const rows = (['created', 'unknown'] as const).map(
      (status, at): Row => ({
        ...{ number: at + 1, line: at + 2, cells: ['PT', '+351912345678', 'x', status], problem: null },
        earlier: earlier(status),
      }),
    );
    const table: Table = {
      ...{
        path: 'a.csv',
        format: 'csv',
        encoding: 'UTF-8',
        delimiter: ',',
        columns,
        notes: [],
        sizeBytes: 0,
        readBytes: () => 0,
      },
      rows: async function* () {
        yield rows;
      },
    };
    const log = logOf({});
    const mapping = planMapping(columns, NOTHING);
    const options = { onDuplicate: 'skip', again: false } as const;
    const plan = await planImport({ table, mapping }, { skip: 0, limit: null }, PREPARATION, log, options, () => {});
    expect(await reported(plan, log)).toMatchObject([
      { status: 'repeated', message: 'The row itself says that it was taken.', isKept: true, record: null },
      { status: 'unknown', reason: 'row.altered-doubt', isKept: false, record: null },
    ]);
  });

  test('that is invalid with all that keeps it from being sent, and with --strict its warnings', async () => {
    const plan = await planOf(tableOf(['']), { lookup: () => 'none' });
    const [report] = await reported(plan, logOf({}));
    expect(report?.problems.map(({ severity }) => severity)).toEqual(['error', 'error']);
    expect(report?.reason).toBe('country.unknown');
    expect(report?.message).toMatch(/^country: .*"Nowhere".* There is neither a text nor a recording/);
    const strict = { ...PREPARATION, strict: true };
    const told = (await drain(reportRows(plan, logOf({}), strict, ''))).yielded[0];
    expect(told?.problems.some(({ severity }) => severity === 'warning')).toBe(true);
  });
});

describe('The rows outside the range of an import', () => {
  const needs = ['a', 'b', 'c', 'd', 'e', ''];
  async function outside(skip: number, limit: number | null, table: Table = tableOf(needs)) {
    const log = logOf({ a: { event: 'failed', http: 503, message: 'Busy.' }, e: { event: 'sending', ids: {} } });
    const plan = await planOf(table, log, { range: { skip, limit } });
    const errors: string[] = [];
    const lookup = { log, preparation: PREPARATION };
    const all = withRowsOutside(plan, reportRows(plan, log, PREPARATION, ''), lookup, ({ reason }) =>
      errors.push(reason),
    );
    const yielded: (RowReport | RowOutside)[] = [];
    for await (const each of all) yielded.push(each);
    return { rows: yielded.map(({ row, status }) => [row.number, status]), yielded, errors };
  }

  test('come in their order, with what the log knows of them', async () => {
    const { rows, yielded } = await outside(1, 3);
    expect(rows).toEqual([
      [1, 'failed'],
      [2, 'failed'],
      [3, 'failed'],
      [4, 'failed'],
      [5, 'unknown'],
      [6, null],
    ]);
    expect(yielded[0]).toMatchObject({
      message: 'Busy.',
      reason: 'service.busy',
      record: { at: AT },
      ids: { id: 'R-1' },
      isKept: false,
    });
    expect(yielded[4]).toMatchObject({ message: expect.stringContaining('not sent again until that is settled') });
  });

  test('are none where the import has all of them', async () => {
    expect((await outside(0, null)).rows.map(([row]) => row)).toEqual([1, 2, 3, 4, 5, 6]);
    expect((await outside(2, null)).rows.map(([row]) => row)).toEqual([1, 2, 3, 4, 5, 6]);
  });

  test('that cannot be read any more are told of once, and a fault of ours is passed on', async () => {
    const table = tableOf(needs);
    const failing = (error: Error) => {
      let reads = 0;
      return {
        ...table,
        rows: async function* () {
          reads += 1;
          for await (const batch of table.rows()) {
            if (reads > 2 && (batch[0]?.number ?? 0) > 4) throw error;
            yield batch;
          }
        },
      };
    };
    const gone = new SrqError('file.unreadable', 'It is gone.');
    expect(await outside(0, 2, failing(gone))).toMatchObject({
      errors: ['file.unreadable'],
      rows: [
        [1, 'failed'],
        [2, 'failed'],
        [3, null],
        [4, null],
      ],
    });
    await expect(outside(0, 2, failing(new TypeError('ours')))).rejects.toThrow('ours');
  });

  test('keep what they say themselves where that settles them', async () => {
    const table = tableOf(needs);
    const earlier: EarlierOutcome = { status: 'created', id: '9', message: '', row: 1 };
    const stating = {
      ...table,
      rows: async function* () {
        for await (const batch of table.rows())
          yield batch.map((row) => (row.number === 1 ? { ...row, earlier } : row));
      },
    };
    expect((await outside(1, 1, stating)).rows[0]).toEqual([1, null]);
  });
});

test('rows with what the log knows of them are told as invalid or ready where it knows nothing', async () => {
  const table = tableOf(['a', '', 'b']);
  const mapping = planMapping(table.columns, NOTHING);
  const log = logOf({ b: { event: 'licence', by: 'person' } });
  const { yielded } = await drain(loggedRows({ table, mapping }, PREPARATION, log));
  expect(yielded.map(({ row, status, record }) => [row.number, status, record?.event ?? null])).toEqual([
    [1, 'ready', null],
    [2, 'invalid', null],
    [3, 'failed', 'licence'],
  ]);
});

describe('A row of the run report', () => {
  const MAPPING = planMapping(['country', 'phone', 'request_text', 'ref'], NOTHING);
  const report = (changes: Partial<RowReport> = {}, row: Partial<Row> = {}): RowReport => ({
    row: { number: 4, line: 5, cells: [' Portugal ', '+351912345678', 'Pintar', ' L-4 '], problem: null, ...row },
    ...{
      status: 'rejected',
      ids: { id: '1' },
      message: 'No.',
      reason: 'request.rejected',
      problems: [],
      isKept: false,
    },
    record: recordOf('a', { http: 422 }),
    ...changes,
  });

  test('has the facts of its record, its market and its reference, and cells only if they are asked for', () => {
    expect(runRowOf(report(), MAPPING, false)).toEqual({
      ...{
        row: 4,
        ref: 'L-4',
        key: submissionOf('a').key,
        market: 'PT',
        status: 'rejected',
        ids: { id: '1' },
        http: 422,
      },
      ...{ message: 'No.', reason: 'request.rejected', at: AT, problems: [], cells: null },
    });
    expect(runRowOf(report(), MAPPING, true).cells).toEqual([' Portugal ', '+351912345678', 'Pintar', ' L-4 ']);
    const bare = runRowOf(
      report({ record: null, message: null }, { cells: ['Atlantis', '', '', ' '] }),
      MAPPING,
      false,
    );
    expect(bare).toMatchObject({ ref: null, key: null, market: null, http: null, at: null, message: null });
    expect(runRowOf(report({}, { problem: 'has 3 cells' }), MAPPING, false)).toMatchObject({ ref: null, market: null });
    expect(runRowOf(report({}, { cells: ['', '1', '2', ''] }), MAPPING, false).market).toBeNull();
  });

  test('that is invalid holds no text of its cells, be it of four letters or more', () => {
    const problem = {
      ...({
        code: 'audio_file.unusable',
        severity: 'error',
        field: 'audio_file',
        column: 'Audio',
        value: 'Anabela',
      } as const),
      message: 'Anabela and Ana and Anab cannot be read',
    };
    const cells = ['Ana', 'Anab', ' Anabela ', ''];
    const invalid = report({ status: 'invalid', message: 'x', problems: [problem] }, { cells });
    const hidden = runRowOf(invalid, MAPPING, false);
    expect(hidden.message).toBe('Audio: … and Ana and … cannot be read');
    expect(hidden.problems).toEqual([{ ...problem, message: '… and Ana and … cannot be read', value: null }]);
    expect(runRowOf(invalid, MAPPING, true)).toMatchObject({ message: 'x', problems: [problem] });
    expect(runRowOf({ ...invalid, message: null }, MAPPING, false).message).toBeNull();
    // What the service said of a row is no text of ours, and stays.
    expect(runRowOf(report({ message: 'No Anabela.' }, { cells }), MAPPING, false).message).toBe('No Anabela.');
  });

  test('of the log alone has what its record has', () => {
    expect(runRowOfRecord(recordOf('a', { event: 'licence', by: 'validate', market: 'PT' }))).toEqual({
      ...{
        row: 1,
        ref: 'A-1',
        key: submissionOf('a').key,
        market: 'PT',
        status: 'failed',
        ids: { id: 'R-1' },
        http: 201,
      },
      ...{ message: 'Not taken, as validate shows; the next run sends it.', reason: 'request.not-taken', at: AT },
      ...{ problems: [], cells: null },
    });
    expect(runRowOfRecord(recordOf('a')).market).toBeNull();
  });
});

describe('A row that is prepared', () => {
  const MAPPING: Mapping = planMapping(['country', 'phone', 'request_text', 'audio_file', 'ref'], NOTHING);
  const rowOf = (cells: string[], problem: string | null = null): Row => ({ number: 3, line: 4, cells, problem });
  const AUDIO: AudioFile = { path: 'a.wav', sizeBytes: 9, sha256: 'ab'.repeat(32), mediaType: 'audio/wav' };
  const audio = { ...PREPARATION.audio, describe: async () => AUDIO };
  const codes = (prepared: Awaited<ReturnType<typeof prepareRow>>) =>
    prepared.problems.map(({ code, column }) => [code, column]);

  test('and cannot be read, or is a test of its platform, is told as that', async () => {
    expect(codes(await prepareRow(rowOf([], 'has 2 cells'), MAPPING, PREPARATION))).toEqual([['row.unreadable', null]]);
    expect(codes(await prepareRow(rowOf([], TEST_LEAD), MAPPING, PREPARATION))).toEqual([['row.test-lead', null]]);
  });

  test('with a warning is invalid with --strict alone', async () => {
    const row = rowOf(['PT', '+351912345678', 'Pintar', '', ' L-3']);
    expect((await prepareRow(row, MAPPING, PREPARATION)).request).not.toBeNull();
    const strict = await prepareRow(row, MAPPING, { ...PREPARATION, strict: true });
    expect(strict).toMatchObject({ request: null, ref: ' L-3', row: 3 });
    const whole = planMapping(['country', 'phone', 'request_text', 'location', 'fullname'], NOTHING);
    const clean = rowOf(['PT', '+351912345678', 'Pintar', 'Lisboa', 'Ana']);
    expect((await prepareRow(clean, whole, { ...PREPARATION, strict: true })).request).not.toBeNull();
  });

  test('with a recording holds it, unless it cannot be used', async () => {
    const row = rowOf(['PT', '+351912345678', '', 'a.wav', 'L-3']);
    const prepared = await prepareRow(row, MAPPING, { ...PREPARATION, audio });
    expect(prepared).toMatchObject({ request: { audio: AUDIO, ref: 'L-3' } });
    const missing = { ...audio, describe: () => Promise.reject(new SrqError('file.unreadable', 'It is missing.')) };
    const refused = await prepareRow(row, MAPPING, { ...PREPARATION, audio: missing });
    expect(refused).toMatchObject({ request: null, ref: 'L-3' });
    expect(refused.problems.at(-1)).toMatchObject({ code: 'audio_file.unusable', column: null, value: 'a.wav' });
    // What else was found of the row is told beside it.
    expect(codes(refused).map(([code]) => code)).toEqual([
      'location.missing',
      'fullname.missing',
      'audio_file.unusable',
    ]);
    const faulty = { ...audio, describe: () => Promise.reject(new TypeError('ours')) };
    await expect(prepareRow(row, MAPPING, { ...PREPARATION, audio: faulty })).rejects.toThrow('ours');
    const contract = contractWith({
      create: { parameters: [parameter('audio_file', { audioForm: 'binary', maxLength: 8 })] },
    });
    const long = await prepareRow(row, MAPPING, { ...PREPARATION, audio, contract });
    expect(codes(long).at(-1)).toEqual(['contract.recording-length', null]);
  });

  test('keeps what was found in its cells before', async () => {
    const found = {
      code: 'columns.differ',
      severity: 'warning',
      field: 'phone',
      column: 'A / B',
      message: 'm',
      value: null,
    } as const;
    const fields = { country: 'PT', phone: '+351912345678', request_text: 'x', location: 'Lisboa', fullname: 'Ana' };
    const prepared = await prepareDraft({ row: 1, fields }, null, PREPARATION, [found]);
    expect(prepared).toMatchObject({ request: { ref: null }, problems: [found] });
    expect((await prepareDraft({ row: 1, fields }, null, PREPARATION)).problems).toEqual([]);
    const { location: _, ...nowhere } = fields;
    expect(
      codes(await prepareDraft({ row: 1, fields: nowhere }, null, PREPARATION, [found])).map(([code]) => code),
    ).toEqual(['columns.differ', 'location.missing']);
    expect(codes(await prepareDraft({ row: 1, fields: nowhere }, null, PREPARATION))).toHaveLength(1);
  });
});

describe('Columns that match one field equally well', () => {
  const mapping = (changes: object = {}) =>
    ({
      columns: ['Tel', 'Mobile', 'Better'],
      ties: [{ field: 'phone', columns: [0, 1], better: [2], ...changes }],
    }) as unknown as Mapping;
  const differ = (cells: string[], changes: object = {}) =>
    tieProblems({ number: 1, line: 2, cells, problem: null }, mapping(changes)).map(({ code, field, column }) => [
      code,
      field,
      column,
    ]);
  const told = [['columns.differ', 'phone', 'Tel / Mobile']];

  test.each([
    [['912', '913', ''], told],
    [['912', ' 912 ', ''], []],
    [['912', '', ''], []],
    [['', '', ''], []],
    [['912'], []],
    // A column that is better decides, if it has something.
    [['912', '913', '914'], []],
    [['912', '913', ' '], told],
    [['912', '913', 'n/a'], told],
    // Who says that there is none says nothing else.
    [['912', 'n/a', ''], []],
  ])('and hold %j are told: %j', (cells, problems) => {
    expect(differ(cells)).toEqual(problems);
  });

  test('of other fields have words for values', () => {
    expect(differ(['Ana', 'n/a', ''], { field: 'fullname' })).toEqual([['columns.differ', 'fullname', 'Tel / Mobile']]);
    expect(
      tieProblems({ number: 1, line: 2, cells: ['1'], problem: null }, { columns: [], ties: [] } as unknown as Mapping),
    ).toEqual([]);
  });
});
