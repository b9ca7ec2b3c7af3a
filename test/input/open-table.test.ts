import {
  appendFileSync,
  chmodSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import iconv from 'iconv-lite';
import { afterAll, describe, expect, it } from 'vitest';
import { openTable } from '../../src/input/open-table.ts';
import type { ReadOptions, Row } from '../../src/request/lead/table.ts';
import { escapeFormulas } from '../../src/request/words/csv-text.ts';
import fc from '../helpers/fast-check.ts';

const fixtures = new URL('../../fixtures/csv/', import.meta.url).pathname;
const scratch = mkdtempSync(join(tmpdir(), 'srq-open-table-'));
afterAll(() => rmSync(scratch, { recursive: true }));
let files = 0;
const file = (content: string | Buffer, ending = 'csv'): string => {
  const path = join(scratch, `${files++}.${ending}`);
  writeFileSync(path, content);
  return path;
};
const detected: ReadOptions = { format: null, encoding: null, delimiter: null, skipLines: 0, sheet: null };
const open = (path: string, options: Partial<ReadOptions> = {}) => openTable(path, { ...detected, ...options });

async function read(path: string, options: Partial<ReadOptions> = {}) {
  const table = await open(path, options);
  const rows: Row[] = [];
  for await (const batch of table.rows()) rows.push(...batch);
  return { table, rows, cells: rows.map((row) => [...row.cells]) };
}

describe('encodings', () => {
  it('one wrong byte at the far end makes its row invalid, and the file stays UTF-8', async () => {
    const path = file(Buffer.concat([Buffer.from(`a,b\n${'é,x\n'.repeat(200_000)}`), Buffer.from([0xe9, 0x2c, 0x78])]));
    const { table, rows } = await read(path);
    expect(table.encoding).toBe('UTF-8');
    expect(table.notes).toEqual(['Read as UTF-8, but one place is not: such rows are invalid.']);
    expect(rows.flatMap(({ number, problem }) => (problem === null ? [] : [[number, problem]]))).toEqual([
      [200_001, 'holds bytes that are not UTF-8 in a, unlike the rest of the file; write the letters anew'],
    ]);
  });

  it('rows in another encoding are invalid, whichever of the two most of the file has', async () => {
    const row = (at: number, encoding: BufferEncoding) => Buffer.from(`${at},João Gonçalves,Fußböden\n`, encoding);
    for (const [most, few, what] of [
      ['utf8', 'latin1', 'bytes that are not UTF-8'],
      ['latin1', 'utf8', 'text that looks like UTF-8'],
    ] as const) {
      const parts = Array.from({ length: 60 }, (_, at) => row(at, at % 7 === 3 ? few : most));
      const { table, rows } = await read(file(Buffer.concat([Buffer.from('ref,name,text\n'), ...parts])));
      expect(table.encoding).toBe(most === 'utf8' ? 'UTF-8' : 'Windows-1252');
      for (const { problem, cells } of rows) {
        const isOdd = Number(cells[0]) % 7 === 3;
        expect([cells, problem]).toEqual([cells, isOdd ? expect.stringContaining(`${what} in name`) : null]);
        if (!isOdd) expect(cells.slice(1)).toEqual(['João Gonçalves', 'Fußböden']);
      }
    }
  });

  it('characters that lie across two chunks of the file stay whole', async () => {
    for (const shift of [0, 1, 2, 3]) {
      const text = `a,b\n${'x'.repeat(shift)},1\n${'😀é,€\n'.repeat(60_000)}`;
      for (const encoding of ['utf-8', 'utf-16be']) {
        const { rows } = await read(file(iconv.encode(text, encoding, { addBOM: true })));
        expect(rows.slice(1).every(({ cells }) => cells[0] === '😀é' && cells[1] === '€')).toBe(true);
      }
    }
  });

  it('an unknown --encoding is refused', async () => {
    await expect(open(`${fixtures}utf8.csv`, { encoding: 'klingon' })).rejects.toMatchObject({ code: 'usage' });
  });
});

describe('JSON', () => {
  it('a list within a JSON object is read from the list alone', async () => {
    const list = '[\n{"a":"]"},\n{"a":[2]}]';
    for (const [before, after] of [
      ['{"data":', '}'],
      ['\n{ "leads" :\n', ',"paging":{"next":["x"]},"data":[{"a":3}]}\n'],
      ['{"data":', `,"more":"${'] '.repeat(100_000)}"}`],
    ]) {
      const { rows, table } = await read(file(`${before}${list}${after}`, 'txt'));
      expect(rows.map(({ cells }) => cells)).toEqual([[']'], ['2']]);
      expect(table.format).toBe('json');
    }
    await expect(read(file('{"data":[]}', 'json'))).rejects.toThrow('no rows');
    await expect(read(file('{"data":[{"a":1},', 'json'))).rejects.toThrow('not valid JSON');
  });

  it('a JSON list whose name is no word is named without a command to paste', async () => {
    const value = JSON.stringify({ object: 'page', "x'$(id)": [{ name: 'Ana' }] });
    await expect(open(file(value, 'json'))).rejects.toMatchObject({ hint: 'Give a file with that list alone.' });
  });
});

describe('files that cannot be read', () => {
  it('a missing file, a folder and nothing but a byte order mark cannot be read', async () => {
    mkdirSync(join(scratch, 'folder'));
    await expect(open(join(scratch, 'none.csv'))).rejects.toMatchObject({
      code: 'input',
      message: expect.stringContaining('no file'),
    });
    const folder = { message: expect.stringMatching(/ is a folder\.$/), hint: 'Name one file in it.' };
    await expect(open(join(scratch, 'folder'))).rejects.toMatchObject(folder);
    const device = {
      message: '/dev/null is not a regular file.',
      hint: expect.stringMatching(/^Save the data to a file/),
    };
    await expect(open('/dev/null')).rejects.toMatchObject(device);
    await expect(open(file('\uFEFF'))).rejects.toThrow('empty');
  });

  it.skipIf(process.getuid?.() === 0)('a file without permission (needs another user than root)', async () => {
    const path = file('a,b\n1,2\n');
    chmodSync(path, 0);
    await expect(open(path)).rejects.toThrow('You may not read');
  });

  it('a file that grows between two passes or during one is refused', async () => {
    const path = file(`a,b\n${'1,2\n'.repeat(200_000)}`);
    const table = await open(path);
    const during = async () => {
      for await (const batch of table.rows()) if (batch[0]?.number === 1) appendFileSync(path, '3,4\n');
    };
    await expect(during()).rejects.toThrow('changed while it was read');
    await expect(table.rows()[Symbol.asyncIterator]().next()).rejects.toThrow('changed while it was read');
  });

  it('a file replaced by one of the same size, or of the same time, is refused', async () => {
    const path = file('a,b\n1,2\n');
    utimesSync(path, 1_000, 1_000);
    const rewritten = await open(path);
    writeFileSync(path, 'a,b\n3,4\n');
    await expect(rewritten.rows()[Symbol.asyncIterator]().next()).rejects.toThrow('changed');
    utimesSync(path, 1_000, 1_000);
    const replaced = await open(path);
    const other = file('a,b\n5,6\n');
    utimesSync(other, 1_000, 1_000);
    renameSync(other, path);
    await expect(replaced.rows()[Symbol.asyncIterator]().next()).rejects.toThrow('changed');
  });
});

describe('any rows', () => {
  const text = fc
    .string({ unit: 'binary', maxLength: 12 })
    .map((each) => `x${each}`.replace(/^\uFEFF|\r|\p{Surrogate}/gu, ''));
  const table = fc.array(fc.tuple(text, text, text), { minLength: 1, maxLength: 8 });
  const quoted = (row: readonly string[], delimiter: string) =>
    row.map((cell) => `"${cell.replaceAll('"', '""')}"`).join(delimiter);

  it('rows are the same from every delimiter, line end and Unicode encoding', async () => {
    const dialect = fc.tuple(
      fc.constantFrom(',', ';', '\t', '|'),
      fc.constantFrom('\n', '\r\n', '\r'),
      fc.constantFrom('utf-8', 'utf-16le', 'utf-16be'),
    );
    await fc.assert(
      fc.asyncProperty(table, dialect, async (rows, [delimiter, end, encoding]) => {
        const content = [['country', 'phone', 'email'], ...rows].map((row) => quoted(row, delimiter) + end).join('');
        const { cells } = await read(file(iconv.encode(content, encoding, { addBOM: true })), { delimiter });
        expect(cells).toEqual(rows);
      }),
      { numRuns: 150 },
    );
  });

  it('rows are the same from a results file', async () => {
    const result = ['srq_status', 'srq_id', 'srq_message', 'srq_row', 'srq_key'];
    const formula = fc
      .tuple(fc.constantFrom('=', '+', '-', '@', "'=", "''+", "'", '', ' ＝', 'a;=', "a,'-", '\n- '), text)
      .map(([head, rest]) => head + rest);
    await fc.assert(
      fc.asyncProperty(fc.array(formula, { minLength: 1, maxLength: 5 }), async (cells) => {
        const rows = cells.map((cell) => quoted([escapeFormulas(cell), 'created', '', '', '1', ''], ','));
        const back = await read(file([quoted(['phone', ...result], ','), ...rows].join('\n')), { delimiter: ',' });
        expect(back.cells.map(([first]) => first)).toEqual(cells);
      }),
      { numRuns: 60 },
    );
  });
});
