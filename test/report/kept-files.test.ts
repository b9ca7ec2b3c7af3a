import { strFromU8, unzipSync } from 'fflate';
import { describe, expect, test } from 'vitest';
import { resultsChunks } from '../../src/report/results-file.ts';
import { workbookChunks } from '../../src/report/workbook-writer.ts';
import type { RowReport } from '../../src/request/log/import-plan.ts';

describe('results', () => {
  const reportOf = (number: number, name: string): RowReport => ({
    row: { number, line: null, cells: [name], problem: null },
    ...{ status: 'created', ids: {}, message: null, reason: null, record: null, problems: [], isKept: false },
  });
  const resultsOf = (...names: string[]) => {
    async function* rows() {
      for (const [at, name] of names.entries()) yield reportOf(at + 1, name);
    }
    return { columns: ['Name'], delimiter: ',', rows: rows() };
  };

  test('results begin with the mark by which Excel knows their letters', async () => {
    let text = '';
    for await (const chunk of resultsChunks('out.csv', resultsOf('Zoé'))) text += chunk;
    expect(text).toBe('\ufeffName,srq_status,srq_id,srq_message,srq_row,srq_key\r\nZoé,created,,,1,\r\n');
  });
});

describe('a workbook', () => {
  async function partsOf(rows: readonly (readonly string[])[], columns: number) {
    async function* each() {
      yield* rows;
    }
    const chunks: Uint8Array[] = [];
    for await (const chunk of workbookChunks(each(), columns)) chunks.push(chunk);
    const parts = unzipSync(Buffer.concat(chunks));
    return { chunks, text: (name: string) => strFromU8(parts[name] ?? new Uint8Array()), names: Object.keys(parts) };
  }
  const SHEET = 'xl/worksheets/sheet1.xml';
  const cell = (place: string, text: string) =>
    `<c r="${place}" s="1" t="inlineStr"><is><t xml:space="preserve">${text}</t></is></c>`;

  test('a workbook has the parts that a spreadsheet program needs, and its cells as texts', async () => {
    const { text, names } = await partsOf([['a', '', 'b'], ['c']], 3);
    expect(names.sort()).toEqual(
      [
        '[Content_Types].xml',
        '_rels/.rels',
        'xl/_rels/workbook.xml.rels',
        'xl/styles.xml',
        'xl/workbook.xml',
        SHEET,
      ].sort(),
    );
    // The format 49 is text: digits that a person types in stay as they are.
    expect(text('xl/styles.xml')).toContain('<xf numFmtId="49" ');
    expect(text(SHEET)).toContain('<col min="1" max="3" ');
    expect(text(SHEET)).toContain(
      `<row r="1">${cell('A1', 'a')}${cell('C1', 'b')}</row><row r="2">${cell('A2', 'c')}</row></sheetData></worksheet>`,
    );
  });

  test.each([
    ['a & b <c> "d"', 'a &amp; b &lt;c&gt; "d"'],
    ['one\r\ntwo\tthree', 'one&#13;\ntwo\tthree'],
    ['\u0000\u0008\u000b\u000c\u000e\u001f', '_x0000__x0008__x000B__x000C__x000E__x001F_'],
    ['\ufffe\uffff', '_xFFFE__xFFFF_'],
    ['_x0041_ _xzz41_ _x41_', '_x005F_x0041_ _xzz41_ _x41_'],
    ['\ud800', '\ufffd'],
  ])('a workbook has the text %j as %s', async (text, xml) => {
    expect((await partsOf([[text]], 1)).text(SHEET)).toContain(cell('A1', xml));
  });
});
