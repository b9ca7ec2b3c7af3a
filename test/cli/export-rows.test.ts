import { describe, expect, test } from 'vitest';
import { type FileFindings, fileExport, logExport } from '../../src/commands/export/rows.ts';
import type { LogRecord } from '../../src/request/ports.ts';
import { contentKey } from '../../src/request/service-request.ts';
import { NO_MAPPING, PREPARATION } from '../delivery/leads.ts';

const AT = '2026-11-21T03:39:00.123Z';
const record = (changes: Partial<LogRecord>): LogRecord => ({
  ...{ key: 'k', row: 1, ref: null, event: 'created', at: AT, run: 'r', ids: {}, http: 201, ms: 1 },
  ...{ message: null, raw: null, by: null, again: false },
  ...changes,
});

async function all<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const found: Item[] = [];
  for await (const item of items) found.push(item);
  return found;
}

describe('An export of the log', () => {
  const store = (records: readonly LogRecord[], files: Readonly<Record<string, string>> = {}) =>
    ({
      latest: async function* () {
        yield* records;
      },
      notes: async function* () {
        for (const [run, file] of Object.entries(files)) yield { event: 'begin', run, file };
        yield { event: 'end', run: 'r', file: 'of no begin' };
      },
    }) as never;

  test('has a line for each wanted request, with its identifiers and its file', async () => {
    const records = [
      record({ key: 'a', row: 7, ref: 'L-7', ids: { id: '12', code: 'x y' }, run: 'r1' }),
      record({ key: 'b', event: 'sending', run: 'r2' }),
      record({ key: 'c', event: 'rejected' }),
    ];
    const { columns, delimiter, rows } = logExport(store(records, { r1: 'a.csv' }), ({ key }) => key !== 'c');
    const lines = await all(rows);
    expect([columns.length, delimiter]).toEqual([9, ',']);
    expect(lines.map(({ status, cells }) => [status, cells])).toEqual([
      ['created', ['L-7', '12', 'id=12 code=x y', 'created', AT, '7', 'a.csv', 'r1', 'a']],
      ['unknown', ['', '', '', 'unknown', AT, '1', '', 'r2', 'b']],
    ]);
    expect(lines.map((line) => line.document())).toEqual([
      {
        ref: 'L-7',
        id: '12',
        ids: { id: '12', code: 'x y' },
        status: 'created',
        at: AT,
        row: 7,
        file: 'a.csv',
        run: 'r1',
        key: 'a',
      },
      { ref: null, id: null, ids: {}, status: 'unknown', at: AT, row: 1, file: null, run: 'r2', key: 'b' },
    ]);
  });
});

describe('An export of a file', () => {
  const FIELDS = ['country', 'phone', 'request_text', 'ref'];
  const lead = (need: string) => ['PT', '+351912345678', need, 'L-1'];
  const keyOf = (need: string) =>
    contentKey(
      { params: { country: 'PT', request_text: need, phone: '+351912345678', lang: 'pt' }, audio: null, ref: 'L-1' },
      PREPARATION.destination,
    );

  interface File {
    /** More columns, which give no field. */
    readonly more?: readonly string[];
    readonly rows: readonly (readonly string[])[];
    /** What each row says of itself, as one of a results file. */
    readonly earlier?: readonly object[];
    readonly known?: Readonly<Record<string, LogRecord>>;
    readonly wanted?: ((record: LogRecord) => boolean) | null;
    readonly delimiter?: string | null;
  }

  async function exported({ more = [], rows, earlier = [], known = {}, wanted = null, delimiter = ';' }: File) {
    const columns = [...FIELDS, ...more];
    const table = {
      ...{ columns, delimiter },
      rows: async function* () {
        yield rows.map((cells, at) => ({ number: at + 1, line: at + 2, cells, problem: null, earlier: earlier[at] }));
      },
    };
    const source = { how: 'first', template: null, prefix: null, because: 'its name', level: 'certain' } as const;
    const mapping = {
      ...NO_MAPPING,
      columns,
      sources: FIELDS.map((field, at) => ({ ...source, field, columns: [at] })),
    };
    const byKey = new Map(Object.entries(known).map(([need, each]) => [keyOf(need), each]));
    const log = {
      lookup: (key: string) => (byKey.has(key) ? byKey.get(key)?.event : 'none'),
      read: (key: string) => byKey.get(key) ?? null,
      prefetch: async () => {},
    };
    const findings: FileFindings = { known: 0, tooLong: 0 };
    const file = { input: { table, mapping }, preparation: PREPARATION, log } as never;
    const { rows: lines, ...form } = fileExport(file, wanted, findings);
    const read = await all(lines);
    return { ...form, findings, lines: read, documents: read.map((line) => line.document()) };
  }

  const CREATED = record({ ids: { id: '12', code: 'x' } });
  const known = { Paint: CREATED, Fix: record({ event: 'rejected' }) };
  const rows = [lead('Paint'), lead('Fix'), lead('Clean'), ['XX', '', '', '']];

  test('adds the outcome to every row, known or not', async () => {
    const { columns, delimiter, lines, documents, findings } = await exported({ rows, known });
    expect([columns, delimiter]).toEqual([[...FIELDS, 'srq_status', 'srq_id', 'srq_at'], ';']);
    expect(lines.map(({ status, cells }) => [status, cells.slice(2)])).toEqual([
      ['created', ['Paint', 'L-1', 'created', '12', AT]],
      ['rejected', ['Fix', 'L-1', 'rejected', '', AT]],
      ['ready', ['Clean', 'L-1', 'ready', '', '']],
      ['invalid', ['', '', 'invalid', '', '']],
    ]);
    expect(documents[0]).toMatchObject({ request_text: 'Paint', srq_status: 'created', srq_id: '12', srq_at: AT });
    expect(documents[2]).toMatchObject({ srq_status: 'ready', srq_id: null, srq_at: null });
    expect(findings).toEqual({ known: 2, tooLong: 0 });
    expect((await exported({ rows: [], delimiter: null })).delimiter).toBe(',');
  });

  test('has only the wanted rows, and counts those that the log knows', async () => {
    const { lines, findings } = await exported({ rows, known, wanted: ({ event }) => event === 'rejected' });
    expect([lines.map(({ status }) => status), findings.known]).toEqual([['rejected'], 2]);
    expect((await exported({ rows, known, wanted: () => true })).lines).toHaveLength(2);
  });

  test('replaces an outcome of before, however its columns are written', async () => {
    const more = ['SRQ_Status', 'srq_at', 'note', 'srq_row', 'srq_id', 'srq_message'];
    const row = [...lead('Paint'), 'failed', 'then', 'mine', '9', '8', 'no'];
    const { columns, lines } = await exported({ more, rows: [row], known });
    expect(columns).toEqual([...FIELDS, 'note', 'srq_status', 'srq_id', 'srq_at']);
    expect(lines[0]?.cells.slice(4)).toEqual(['mine', 'created', '12', AT]);
  });

  test('keeps what a row of a results file says of itself, if a spreadsheet has changed its cells', async () => {
    const says = (status: string, id: string) => ({ status, id, message: '', row: 1 });
    const changed = ['PT', '3,51912E+11', 'Paint', 'L-1'];
    const earlier = [says('created', '12'), says('repeated', '13'), says('duplicate', ''), says('unknown', '')];
    const all = [...earlier, says('failed', '14'), says('rejected', '')];
    const { lines } = await exported({ rows: [...all.map(() => changed), lead('Paint')], earlier: all, known });
    expect(lines.map(({ status, cells }) => [status, cells[5], cells[6]])).toEqual([
      ['created', '12', ''],
      ['created', '13', ''],
      ['duplicate', '', ''],
      ['unknown', '', ''],
      ['invalid', '', ''],
      ['invalid', '', ''],
      ['created', '12', AT],
    ]);
    // The log knows better than the file.
    const told = await exported({ rows: [lead('Paint')], earlier: [says('unknown', '')], known });
    expect(told.lines.map(({ status }) => status)).toEqual(['created']);
  });

  test('tells a row whose line breaks another program wrote', async () => {
    const two = { 'Paint\r\ntwo': CREATED };
    const { lines } = await exported({ rows: [lead('Paint\ntwo')], known: two });
    expect(lines.map(({ status, cells }) => [status, cells[2]])).toEqual([['created', 'Paint\ntwo']]);
  });

  test('keeps each cell below its column: a short row is filled, a long one is cut and counted', async () => {
    const more = ['a', 'b'];
    const cells = [lead('Paint'), [...lead('Paint'), '1', '2'], [...lead('Paint'), '1', '2', '3']];
    const { lines, findings } = await exported({ more, rows: cells, known });
    expect(lines.map((line) => line.cells.slice(4, 6))).toEqual([
      ['', ''],
      ['1', '2'],
      ['1', '2'],
    ]);
    expect(lines.map((line) => line.cells.length)).toEqual([9, 9, 9]);
    expect(findings).toEqual({ known: 3, tooLong: 1 });
  });

  test('gives columns of one name, or of none, names of their own in a document', async () => {
    const more = ['Email', '', 'Email', 'Email (2)', 'Email', ''];
    const { documents } = await exported({ more, rows: [[...lead('Paint'), 'a', 'b', 'c', 'd', 'e', 'f']], known });
    expect(documents[0]).toMatchObject({
      ...{ Email: 'a', 'column 6': 'b', 'Email (2)': 'c', 'Email (2) (2)': 'd', 'Email (3)': 'e', 'column 10': 'f' },
    });
  });
});
