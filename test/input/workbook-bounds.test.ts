import { closeSync, ftruncateSync, openSync } from 'node:fs';
import { strToU8, unzipSync, zipSync } from 'fflate';
import { describe, expect, it } from 'vitest';
import { rawWorkbook, workbook } from '../../scripts/workbook.mjs';
import { openFile, readTable, scratchFile } from '../helpers/read-table.ts';

const MIB = 1024 * 1024;
const sheet = (rows: string) => rawWorkbook(`<worksheet><sheetData>${rows}</sheetData></worksheet>`);
/** The message that opening a file ends with. Where nothing else is wrong it is that there is no such sheet. */
const refusal = async (content: Uint8Array) => {
  const opened = openFile(scratchFile(content, 'xlsx'), { sheet: 'none' });
  const error = await opened.then(
    () => new Error('opened'),
    (reason: Error) => reason,
  );
  return error.message.replace(/^.*?\.xlsx /, '');
};
const FINE = expect.stringMatching(/^has no sheet "none"/);

describe('how far a sheet may reach', () => {
  it.each([
    ['100,100 rows', '<row r="100100"/>', true],
    ['a row more', '<row r="100101"/>', false],
    ['5,000 columns', '<row r="1"><c r="GJH1"/></row>', true],
    ['a column more', '<row r="1"><c r="GJI1"/></row>', false],
    ['a thousand rows of 5,000 columns', '<row r="1000"><c r="GJH1000"/></row>', true],
    ['a row more of 5,000 columns', '<row r="1001"><c r="GJH1"/></row>', false],
    ['a row that is told by its cell alone', '<row><c r="A100101"/></row>', false],
    ['column Z of 100,100 rows', '<row r="100100"><c r="Z1"/></row>', true],
    ['column AX of 100,000 rows', '<row r="100000"><c r="AX1"/></row>', true],
    ['column AY of 100,000 rows', '<row r="100000"><c r="AY1"/></row>', false],
    ['the last of several columns', '<row r="1"><c r="GJI1"/><c r="A1"/></row>', false],
    ['a cell without a place', '<row><c><v>1</v></c></row>', true],
  ])('%s: %s', async (_, rows, isFine) => {
    expect(await refusal(sheet(rows))).toEqual(
      isFine ? FINE : expect.stringMatching(/^The sheet of|reaches to row|^The file has more than 5000 columns/),
    );
  });

  it('is told with the numbers', async () => {
    await expect(openFile(scratchFile(sheet('<row r="100101"><c r="AB7"/></row>')))).rejects.toThrow(
      'reaches to row 100101, column 28; at most 100000 rows and 5000000 cells of a workbook are read.',
    );
  });

  it.each([
    '<row r="x"/>',
    '<row r="12345678"/>',
    '<c r="ABCD1"/>',
    '<c r="a1"/>',
    '<c r="A"/>',
    '<c r="A1" x=1/>',
    '<c r="A1"',
  ])('%s is damaged', async (rows) => {
    expect(await refusal(sheet(rows))).toMatch(/^is an Excel workbook that cannot be read\./);
  });
});

describe('an archive', () => {
  const parts: Record<string, Uint8Array> = unzipSync(workbook([{ name: 'L', rows: [['a'], ['1']] }]));
  const directoryAt = (zip: Buffer, name: string) => zip.lastIndexOf(Buffer.from(name)) - 46;

  it('has at most 10,000 entries', async () => {
    const zip = (count: number) =>
      zipSync(Object.fromEntries(Array.from({ length: count }, (_, at) => [`${at}`, strToU8('')])));
    expect(await refusal(zip(10_000))).toMatch(/^is a ZIP archive, but no workbook/);
    expect(await refusal(zip(10_001))).toMatch(/^is a damaged ZIP archive or workbook/);
  });

  it('may promise at most 100 MiB of parts, and has to keep that', async () => {
    const promising = (bytes: number) => {
      const zip = Buffer.from(zipSync({ 'xl/workbook.xml': strToU8('<workbook/>'), 'xl/media.png': strToU8('x') }));
      zip.writeUInt32LE(bytes, directoryAt(zip, 'xl/workbook.xml') + 24);
      return zip;
    };
    expect(await refusal(promising(100 * MIB))).toMatch(/^is a damaged ZIP/);
    expect(await refusal(promising(100 * MIB + 1))).toBe('unpacks to more than 100 MiB.');
    const unread = Buffer.from(zipSync({ ...parts, 'xl/media.png': strToU8('x') }));
    unread.writeUInt32LE(200 * MIB, directoryAt(unread, 'xl/media.png') + 24);
    expect(await refusal(unread)).toEqual(FINE);
  });

  it('has each part once', async () => {
    const zip = Buffer.from(zipSync({ ...parts, 'xl/workbool.xml': strToU8('<workbook/>') }));
    for (let at = zip.indexOf('xl/workbool.xml'); at >= 0; at = zip.indexOf('xl/workbool.xml', at + 1))
      zip.write('k', at + 10);
    expect(await refusal(zip)).toMatch(/^is a damaged ZIP/);
  });

  it('may end with a comment, with and without more behind it', async () => {
    const zip = Buffer.from(zipSync(parts));
    zip.writeUInt16LE(5, zip.length - 2);
    for (const tail of ['hello', 'hello and more']) {
      const { cells } = await readTable(scratchFile(Buffer.concat([zip, Buffer.from(tail)])));
      expect(cells).toEqual([['1']]);
    }
    expect(await refusal(zip)).toMatch(/^is a damaged ZIP/);
    expect(await refusal(zip.subarray(0, -1))).toMatch(/^is a damaged ZIP/);
  });

  it.each([
    [50 * MIB, /^is a damaged ZIP/],
    [50 * MIB + 1, /^is a workbook of more than 50 MiB\.$/],
  ])('has at most 50 MiB: %d', async (bytes, message) => {
    const path = scratchFile('PK\x03\x04', 'xlsx');
    const file = openSync(path, 'r+');
    ftruncateSync(file, bytes);
    closeSync(file);
    const error = await openFile(path).catch((reason: Error) => reason);
    expect((error as Error).message.replace(/^.*?\.xlsx /, '')).toMatch(message);
  });
});

describe('the sheet that is read', () => {
  const hidden = (state: string, count: number) => {
    const all: Record<string, Uint8Array> = unzipSync(
      workbook(
        Array.from({ length: 2 }, (_, at) => ({ name: `S${at}`, rows: [['a'], [`${at}`]], hidden: at < count })),
      ),
    );
    const xml = Buffer.from(all['xl/workbook.xml'] ?? []).toString();
    return zipSync({ ...all, 'xl/workbook.xml': strToU8(xml.replaceAll('"hidden"', `"${state}"`)) });
  };

  it.each([
    ['hidden', 1, '1'],
    ['veryHidden', 1, '1'],
    ['visible', 1, '0'],
    ['hidden', 2, '0'],
  ])('is the first that is not %s, of which %d are', async (state, count, cell) => {
    expect((await readTable(scratchFile(hidden(state, count)))).cells).toEqual([[cell]]);
  });

  it('is looked for by its name, and the first fifty are told', async () => {
    const many = workbook(Array.from({ length: 51 }, (_, at) => ({ name: `Page ${at}`, rows: [['a']] })));
    await expect(openFile(scratchFile(many), { sheet: 'xyz' })).rejects.toMatchObject({
      message: expect.stringMatching(/has no sheet "xyz"\.$/),
      hint: `The sheets are: ${Array.from({ length: 50 }, (_, at) => `Page ${at}`).join(', ')}`,
    });
  });
});

it('cells are texts as a person would write them', async () => {
  const day = (text: string) => new Date(text);
  const { cells, rows } = await readTable(
    scratchFile(
      workbook([
        {
          name: 'L',
          rows: [
            ['a', 'b', 'c', 'd', 'e'],
            [day('2026-01-31T23:59:59Z'), day('2026-01-31'), Number.MAX_SAFE_INTEGER, 2 ** 53, -0.5],
            [day('2026-01-31T00:00:01Z'), null, 1e21, 1e-7, 1.2345678901234567e19],
          ],
        },
      ]),
    ),
  );
  expect(cells).toEqual([
    ['2026-01-31 23:59:59', '2026-01-31', '9007199254740991', '9.007199254740992E+15', '-0.5'],
    ['2026-01-31 00:00:01', '', '1E+21', '1e-7', '1.2345678901234567E+19'],
  ]);
  expect(rows.map(({ line }) => line)).toEqual([2, 3]);
});

it('lines that are skipped, and titles within the first 200 rows, are set aside', async () => {
  const titles = (count: number) => [
    ...Array.from({ length: count }, () => ['Title']),
    ['a', 'b'],
    ['1', '2'],
    ['3', '4'],
  ];
  const path = scratchFile(workbook([{ name: 'L', rows: titles(3) }]));
  expect((await readTable(path)).table.notes).toContain('Set aside before the header: lines 1–3.');
  const skipped = await readTable(path, { skipLines: 2 });
  expect([skipped.table.columns, skipped.table.notes, skipped.cells]).toEqual([
    ['a', 'b'],
    ['Read from the sheet "L".', 'Set aside before the header: line 3.'],
    [
      ['1', '2'],
      ['3', '4'],
    ],
  ]);
});
