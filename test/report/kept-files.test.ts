import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { strFromU8, unzipSync } from 'fflate';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { requireOwnOrNew, requireWritable, writeWhole } from '../../src/report/output-file.ts';
import { writeResults } from '../../src/report/results-file.ts';
import { workbookChunks } from '../../src/report/workbook-writer.ts';
import type { RowReport } from '../../src/request/log/import-plan.ts';

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'srq-kept-'));
  path = join(folder, 'out.csv');
});
afterEach(() => rmSync(folder, { recursive: true }));

const unwritable = (reason: string) => ({
  reason: 'output.unwritable',
  message: `The results file ${path} could not be written (${reason}). Nothing was sent.`,
});
const required = (system?: string) => requireWritable(path, 'results file', '--results', system);

describe('before anything is sent', () => {
  test('a file that can be written is left as it was, and nothing beside it', async () => {
    await required();
    expect(readdirSync(folder)).toEqual([]);
    writeFileSync(path, 'as it was');
    await required();
    expect([readdirSync(folder), readFileSync(path, 'utf8')]).toEqual([['out.csv'], 'as it was']);
  });

  test('a folder that is missing is told with its reason, and what to say instead', async () => {
    path = join(folder, 'none', 'out.csv');
    await expect(required()).rejects.toMatchObject({
      ...unwritable('ENOENT'),
      hint: 'Name another place: --results FILE',
    });
  });

  test.skipIf(process.platform === 'win32' || process.getuid?.() === 0)(
    'a file that nobody may read is none that srq wrote (needs another user than root)',
    async () => {
      writeFileSync(path, 'srq', { mode: 0o200 });
      await expect(requireOwnOrNew(path, 'report', '--report', (head) => head === 'srq')).rejects.toThrow(
        'is not a file that srq wrote',
      );
      chmodSync(path, 0o600);
    },
  );
});

test('a source that is stopped is closed, so that its files are', async () => {
  const halt = new AbortController();
  let isClosed = false;
  async function* endless() {
    try {
      for (let at = 0; ; at++) {
        if (at === 3) halt.abort();
        yield 'x';
      }
    } finally {
      isClosed = true;
    }
  }
  expect(await writeWhole(path, endless(), halt.signal)).toBe(false);
  expect([isClosed, readdirSync(folder)]).toEqual([true, []]);
});

test('what cannot be put in its place leaves nothing beside it', async () => {
  mkdirSync(path);
  async function* text() {
    yield 'x';
  }
  await expect(writeWhole(path, text(), new AbortController().signal)).rejects.toMatchObject({ code: 'EISDIR' });
  expect(readdirSync(folder)).toEqual(['out.csv']);
});

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

  test('have a mark by which Excel knows their letters, are for their owner alone', async () => {
    const written = await writeResults(path, resultsOf('Zoé'), async () => path);
    expect(readFileSync(path, 'utf8')).toBe(
      '\ufeffName,srq_status,srq_id,srq_message,srq_row,srq_key\r\nZoé,created,,,1,\r\n',
    );
    expect(written).toBe(path);
    expect(readdirSync(folder)).toEqual(['out.csv']);
    if (process.platform !== 'win32') expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  test('are moved to no other place where theirs is not open in another program, but missing', async () => {
    const asked: (string | null)[] = [];
    const place = async (heldOpen: string | null) => {
      asked.push(heldOpen);
      return join(folder, 'none', 'out.csv');
    };
    await expect(writeResults(path, resultsOf('Ana'), place)).rejects.toMatchObject({
      reason: 'results.unwritable',
      message: expect.stringContaining('(ENOENT)'),
    });
    expect([asked, readdirSync(folder)]).toEqual([[null], []]);
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

  test('has the parts that a spreadsheet program needs, and its cells as texts', async () => {
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
  ])('has the text %j as %s', async (text, xml) => {
    expect((await partsOf([[text]], 1)).text(SHEET)).toContain(cell('A1', xml));
  });
});
