import { strToU8, unzipSync, zipSync } from 'fflate';
import { describe, expect, it } from 'vitest';
import { rawWorkbook, workbook } from '../../scripts/workbook.mjs';
import { openFile, scratchFile } from '../helpers/read-table.ts';

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
  ])('a sheet with %s can be read: %s', async (_, rows, isFine) => {
    expect(await refusal(sheet(rows))).toEqual(
      isFine ? FINE : expect.stringMatching(/^The sheet of|reaches to row|^The file has more than 5000 columns/),
    );
  });

  it('a sheet that reaches too far is refused with the numbers', async () => {
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
  ])('a sheet with %s is damaged', async (rows) => {
    expect(await refusal(sheet(rows))).toMatch(/^is an Excel workbook that cannot be read\./);
  });
});

describe('an archive', () => {
  const parts: Record<string, Uint8Array> = unzipSync(workbook([{ name: 'L', rows: [['a'], ['1']] }]));
  const directoryAt = (zip: Buffer, name: string) => zip.lastIndexOf(Buffer.from(name)) - 46;

  it('An archive may promise at most 100 MiB of parts, and has to keep that', async () => {
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
});
