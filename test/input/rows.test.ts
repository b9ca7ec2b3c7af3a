import { describe, expect, it } from 'vitest';
import type { CsvRecord } from '../../src/input/csv-records.ts';
import type { TextEncoding } from '../../src/input/decode.ts';
import { rowFit } from '../../src/input/row-fit.ts';
import { rowRestorer, rowsOf } from '../../src/input/rows.ts';
import type { Row } from '../../src/request/lead/table.ts';

const UTF8: TextEncoding = { name: 'utf-8', label: 'UTF-8', unexplained: /\uFFFD/u, note: null };
const record = (text: string, line: number, more: Partial<CsvRecord> = {}): CsvRecord => ({
  cells: text.split(','),
  line,
  afterEmptyLine: false,
  suspicion: null,
  ...more,
});
async function* only(...batches: CsvRecord[][]) {
  yield* batches;
}

/** Reads records, told by their lines: the rows by number, line and first cell, and what was said. */
async function read(columns: string, batches: CsvRecord[][], encoding: TextEncoding | null = null) {
  const names = columns.split(',');
  const said: string[] = [];
  const rows: Row[][] = [];
  let failure = '';
  try {
    const say = (note: string) => said.push(note);
    const found = rowsOf(only(...batches), names, rowFit(names, ',', []), encoding, say);
    for await (const batch of found) rows.push(batch);
  } catch (error) {
    failure = (error as Error).message;
  }
  return { rows: rows.flat(), batches: rows.map(({ length }) => length), said, failure };
}
const told = (rows: readonly Row[]) => rows.map(({ number, line, cells }) => `${number} ${line} ${cells[0]}`);

describe('rows', () => {
  it('rows keep a suspicion as their problem, unless their bytes are not explained', async () => {
    const header = record('a,b', 1);
    const odd = record('\uFFFD,2', 2, { suspicion: 'takes up lines' });
    const { rows } = await read(
      'a,b',
      [[header, odd, record('1,2', 3, { suspicion: 'takes up' }), record('1', 4)]],
      UTF8,
    );
    expect(rows.map(({ problem }) => problem?.slice(0, 20))).toEqual([
      'holds bytes that are',
      'takes up',
      'has 1 cell where the',
    ]);
    expect((await read('a,b', [[header, odd]])).rows[0]?.problem).toBe('takes up lines');
  });
});

describe('a footer', () => {
  const header = record('a,b,c', 1);
  const data = (line: number) => record('1,2,3', line);
  const one = (line: number, afterEmptyLine = false) => record('total,,', line, { afterEmptyLine });
  const blank = (line: number) => record(',,', line);

  it('a footer is set aside after a blank line or row, and reported with its lines', async () => {
    for (const before of [[blank(3), one(4)], [one(4, true)]]) {
      const { rows, said } = await read('a,b,c', [[header, data(2), ...before]]);
      expect([told(rows), said]).toEqual([['1 2 1'], ["Set aside as the report's footer: line 4."]]);
    }
    const two = await read('a,b,c', [
      [header, data(2), blank(3)],
      [one(4), blank(5), one(6)],
    ]);
    expect([two.rows.length, two.said]).toEqual([1, ["Set aside as the report's footer: lines 4–6."]]);
  });

  it('a row without a blank line before it, or with two filled cells, is no footer', async () => {
    for (const records of [
      [data(2), one(3)],
      [data(2), blank(3), record('Ana,5,', 4)],
      [blank(2), data(3), one(4)],
    ]) {
      const { rows, said } = await read('a,b,c', [[header, ...records]]);
      expect([rows.length, said]).toEqual([2, []]);
    }
    const narrow = await read('a,b', [[record('a,b', 1), record('1,2', 2), record(',', 3), record('total,', 4)]]);
    expect([narrow.rows.length, narrow.said]).toEqual([2, []]);
  });

  it('a row before other rows is no footer, and their numbers stay in order', async () => {
    const { rows, said } = await read('a,b,c', [[header, data(2), blank(3), one(4), one(5), data(6), one(7)]]);
    expect([told(rows), said]).toEqual([['1 2 1', '2 4 total', '3 5 total', '4 6 1', '5 7 total'], []]);
  });

  it('a footer has at most twenty rows', async () => {
    const footer = (count: number) => Array.from({ length: count }, (_, at) => one(at + 4));
    expect((await read('a,b,c', [[header, data(2), blank(3), ...footer(20)]])).rows).toHaveLength(1);
    expect((await read('a,b,c', [[header, data(2), blank(3), ...footer(21)]])).rows).toHaveLength(22);
  });
});

describe('a row of a results file', () => {
  const columns = ['phone', 'srq_status', 'srq_id', 'srq_message', 'srq_row', 'srq_key'];
  const restore = (cells: readonly string[], problem: string | null = null) =>
    rowRestorer(columns)({ number: 1, line: 2, cells, problem });
  const NOT_IN_PLACE = 'had too few or too many cells when it was first read; move them to their columns';

  it('a row of a results file has its outcome in the columns of srq', () => {
    expect(restore(["'+351", ' Created ', 'id-1', ' said ', '7'])).toMatchObject({
      cells: ['+351', ' Created ', 'id-1', ' said ', '7'],
      earlier: { status: 'created', id: 'id-1', message: 'said', row: 7 },
      problem: null,
    });
    expect(restore(['1', 'blorb', '', '', 'x']).earlier).toEqual({
      status: null,
      id: '',
      message: '',
      row: null,
      key: null,
    });
    expect(restore(['1', '', '', '', '']).earlier).toEqual({ status: null, id: '', message: '', row: null, key: null });
    const key = '0123456789abcdef'.repeat(2);
    expect(restore(['1', 'created', '', '', '7', `k${key}`]).earlier).toMatchObject({ row: 7, key });
    expect(restore(['1', 'created', '', '', '7', key]).earlier?.key).toBeNull();
    expect(restore(['1', '2', 'rejected', '', 'said', '3', `k${key}`])).toMatchObject({
      ...{ earlier: { status: 'rejected', row: 3, key }, problem: NOT_IN_PLACE },
    });
    expect(restore(['1', 'invalid', '', '', '123456789012345']).earlier?.row).toBe(123_456_789_012_345);
    expect(restore(['1', 'invalid', '', '', '1234567890123456']).earlier?.row).toBeNull();
  });

  it('a ragged row of a results file has its outcome behind its cells, filled up or not', () => {
    const earlier = { status: 'invalid', id: '', message: 'has 2 cells', row: 3 };
    expect(restore(['1', '2', 'invalid', '', 'has 2 cells', '3'])).toMatchObject({ earlier, problem: NOT_IN_PLACE });
    expect(restore(['invalid', '', 'has 2 cells', '3', ' '])).toMatchObject({ earlier, problem: NOT_IN_PLACE });
    expect(restore(['1', '2', 'invalid', '', 'x', '3'], 'is ragged').problem).toBe('is ragged');
  });

  it.each([
    [['1', '2', 'blorb', '', 'x', '3']],
    [['1', '2', 'invalid', '', 'x', 'y']],
    [['', '', '3']],
    [['', '', '', '', '']],
  ])('a row of a results file has no outcome behind its cells where these are %j', (cells) => {
    expect(restore(cells).problem).toBeNull();
  });
});
