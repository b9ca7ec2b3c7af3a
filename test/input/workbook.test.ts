import { strFromU8, strToU8, unzipSync, zipSync } from 'fflate';
import { describe, expect, it } from 'vitest';
import { rawWorkbook, type SheetToWrite, workbook } from '../../scripts/workbook.mjs';
import { openFile, readTable, scratchFile } from '../helpers/read-table.ts';

const xlsx = (...sheets: SheetToWrite[]) => scratchFile(workbook(sheets), 'xlsx');
const one = (...rows: SheetToWrite['rows']) => xlsx({ name: 'Leads', rows });
const sheet = (rows: string) =>
  rawWorkbook(
    `<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>${rows}</sheetData></worksheet>`,
  );

describe('a workbook', () => {
  it('a workbook gives its cells as text: all digits of numbers, dates as a person writes them', async () => {
    const { table, cells } = await readTable(
      one(
        ['text', 'number', 'day', 'moment', 'truth', 'share'],
        [' 007 \n"x" & <b>', 912345678, new Date('2026-11-20'), new Date('2026-11-20T09:30:00Z'), true, 0.1],
        ['+351912345678', 351912345678, null, null, false, 9.12345678e8],
      ),
    );
    expect(table).toMatchObject({ format: 'xlsx', encoding: null, delimiter: null });
    expect(cells).toEqual([
      [' 007 \n"x" & <b>', '912345678', '2026-11-20', '2026-11-20 09:30:00', 'true', '0.1'],
      ['+351912345678', '351912345678', '', '', 'false', '912345678'],
    ]);
  });

  it('a workbook shows what a failed formula shows, and not an empty cell', async () => {
    const { cells } = await readTable(
      scratchFile(
        sheet(
          '<row r="1"><c r="A1" t="str"><v>name</v></c><c r="B1" t="str"><v>city</v></c></row>' +
            '<row r="2"><c r="A2" t="str"><v>Ana</v></c><c r="B2" s="0" t="e"><f>1/0</f><v>#DIV/0!</v></c></row>' +
            `<row r="3"><c t='e' r="A3"><v>#N/A</v></c><c r="B3" t="str"><v>t="e"</v></c></row>`,
        ),
        'xlsx',
      ),
    );
    expect(cells).toEqual([
      ['Ana', '#DIV/0!'],
      ['#N/A', 't="e"'],
    ]);
  });

  it('a workbook says where a number has lost digits', async () => {
    const { cells } = await readTable(one(['phone'], [4.91512345678901e17], [1.2345678901234567e19]));
    expect(cells.flat().every((text) => /^\d\.\d+E\+\d+$/.test(text))).toBe(true);
  });

  it('a workbook shows formatted numbers of formulas, and no texts', async () => {
    const parts: Record<string, Uint8Array> = unzipSync(
      workbook([
        {
          name: 'Leads',
          rows: [
            ['zip', 'é & <'],
            [{ number: 1067, format: '"&<"00000' }, 'y'],
          ],
        },
      ]),
    );
    const text = (name: string, edit: (xml: string) => string) => {
      parts[name] = strToU8(edit(strFromU8(parts[name] as Uint8Array)));
    };
    const cell = (rest: string) => `<c r="A2" s="2"${rest}</c>`;
    text('xl/worksheets/sheet1.xml', (xml) =>
      xml.replace(/<c r="A2".*?<\/c>/, cell(' t="n" ><f t="shared" si="0">A1&lt;2</f> <v>1067</v>')),
    );
    text('xl/_rels/workbook.xml.rels', (xml) => xml.replace('styles.xml', 'look/other.xml'));
    parts['xl/look/other.xml'] = parts['xl/styles.xml'] as Uint8Array;
    delete parts['xl/styles.xml'];
    expect((await readTable(scratchFile(zipSync(parts)))).cells).toEqual([['01067', 'y']]);
    text('xl/worksheets/sheet1.xml', (xml) => xml.replace('t="n" ', 't="str" '));
    expect((await readTable(scratchFile(zipSync(parts)))).cells).toEqual([['1067', 'y']]);
  });

  it('a workbook has titles, a footer, unnamed columns and empty rows set aside as CSV has', async () => {
    const { table, rows } = await readTable(
      one(
        ['Leads of the week'],
        [],
        ['a', 'b', 'c', null, 'e'],
        ['1', '2', '3', 'x'],
        [],
        ['4', '5', '6'],
        [],
        ['7 rows'],
      ),
    );
    expect(rows.map(({ line, cells }) => [line, cells.join()])).toEqual([
      [4, '1,2,3,x,'],
      [6, '4,5,6,,'],
    ]);
    expect(table.notes).toEqual([
      'Read from the sheet "Leads".',
      'Set aside before the header: lines 1–2.',
      'Without a name in the header: column 4.',
      "Set aside as the report's footer: line 8.",
    ]);
  });

  it('a workbook is read from its first visible sheet, and the others are named', async () => {
    const path = xlsx(
      { name: 'Setup', hidden: true, rows: [['x'], ['9']] },
      { name: 'Leads & more', rows: [['a'], ['1']] },
      { name: 'Old', rows: [['a'], ['2']] },
    );
    const { table, cells } = await readTable(path);
    expect(cells).toEqual([['1']]);
    expect(table.notes[0]).toBe(
      'Read from the sheet "Leads & more". The others are left out (--sheet NAME): Setup, Old.',
    );
    expect((await readTable(path, { sheet: 'old' })).cells).toEqual([['2']]);
    expect((await readTable(path, { sheet: ' setup ' })).cells).toEqual([['9']]);
    await expect(openFile(path, { sheet: 'Olt' })).rejects.toMatchObject({
      code: 'usage',
      message: expect.stringContaining('Did you mean "Old"?'),
      hint: 'The sheets are: Setup, Leads & more, Old',
    });
  });

  it('hidden rows of a workbook are read, and the plan counts them', async () => {
    const row = (at: number, hidden = '') =>
      `<row r="${at}"${hidden}><c r="A${at}" t="inlineStr"><is><t>x${at}</t></is></c></row>`;
    const rows = [row(1), row(2, ' hidden="1"'), row(3), row(4, ' hidden="true"')].join('');
    const { table, cells } = await readTable(
      scratchFile(rawWorkbook(`<worksheet><sheetData>${rows}</sheetData></worksheet>`)),
    );
    expect(cells).toEqual([['x2'], ['x3'], ['x4']]);
    expect(table.notes).toContain(
      'Hidden rows of the workbook are read like all others, also those that a filter hides: 2.',
    );
  });

  it('the rows of a workbook may be read again', async () => {
    const { table, cells } = await readTable(scratchFile(workbook([{ name: 'L', rows: [['a'], ['1']] }])));
    expect(cells).toEqual([['1']]);
    for await (const batch of table.rows()) expect(batch).toHaveLength(1);
  });

  it('a file that is no workbook has no sheet', async () => {
    await expect(openFile(scratchFile('a,b\n1,2\n'), { sheet: 'x' })).rejects.toMatchObject({ code: 'usage' });
  });

  it('a workbook without rows is refused', async () => {
    await expect(openFile(one(['a', 'b']))).rejects.toThrow('no rows');
    await expect(openFile(one([]))).rejects.toThrow('no header');
  });
});

describe('what is no workbook, or none that srq reads, is named and refused', () => {
  it.each([
    [{ 'leads.csv': 'a,b' }, 'a ZIP archive, but no workbook', 'Unpack it'],
    [{ 'xl/workbook.bin': '' }, '.xlsb', 'CSV UTF-8'],
    [{ mimetype: 'application/vnd.oasis.opendocument.spreadsheet', 'content.xml': '' }, '.ods', 'CSV UTF-8'],
    [{ 'xl/workbook.xml': '<workbook/>' }, 'cannot be read', 'save it again'],
  ])('a file that is no workbook, %j, is named and refused', async (parts, what, hint) => {
    const zip = zipSync(Object.fromEntries(Object.entries(parts).map(([name, text]) => [name, strToU8(text)])));
    await expect(openFile(scratchFile(zip, 'xlsx'))).rejects.toMatchObject({
      code: 'input',
      message: expect.stringContaining(what),
      hint: expect.stringContaining(hint),
    });
  });

  it('a cell that cannot be read is named, and its workbook refused', async () => {
    await expect(openFile(scratchFile(sheet('<row r="1"><c r="A1" t="s"><v>99</v></c></row>')))).rejects.toThrow(
      'cannot be read (row 1, column 1)',
    );
  });

  it('a workbook that is cut off anywhere is refused', async () => {
    const whole = workbook([{ name: 'L', rows: [['a'], ['1']] }]);
    for (let bytes = 4; bytes < whole.length; bytes += 97) {
      await expect(openFile(scratchFile(whole.subarray(0, bytes)))).rejects.toMatchObject({ code: 'input' });
    }
  });
});

describe('a hostile workbook costs no memory', () => {
  it.each([
    ['a row far down', '<row r="1048576"><c r="A1048576"><v>1</v></c></row>', 'at most 100000 rows'],
    ['a row beyond any sheet', '<row r="999999999"><c r="A1"><v>1</v></c></row>', 'cannot be read'],
    ['a cell far to the right', '<row r="1"><c r="XFD1"><v>1</v></c></row>', 'more than 5000 columns'],
    ['a column beyond any sheet', '<row r="1"><c r="ZZZZZZZ1"><v>1</v></c></row>', 'cannot be read'],
    ['a place written as entities', '<row r="&#57;99999999"><c r="A1"><v>1</v></c></row>', 'cannot be read'],
    ['a place behind a bracket', '<row x=">" r="99999999"><c r="A1"><v>1</v></c></row>', 'cannot be read'],
    ['a place behind what is no XML', '<row x="<" r="999999"><c r="A1"><v>1</v></c></row>', 'cannot be read'],
    ['many wide rows', '<row r="1"><c r="EWV1"><v>1</v></c></row><row r="9000"></row>', 'cells of a workbook'],
  ])('a hostile workbook costs no memory: %s', async (_, rows, message) => {
    const before = process.memoryUsage().rss;
    await expect(openFile(scratchFile(sheet(rows), 'xlsx'))).rejects.toMatchObject({
      code: 'input',
      message: expect.stringContaining(message),
    });
    expect(process.memoryUsage().rss - before).toBeLessThan(64 * 1024 * 1024);
  });

  it.each([
    ['styles that never end', '<cellXfs ', 'xl/styles.xml'],
    ['formats that never end', '<numFmt ', 'xl/styles.xml'],
    ['relations that never end', '<Relationship ', 'xl/_rels/workbook.xml.rels'],
    ['blanks in a cell', '<c r="A2" s="2"> ', 'xl/worksheets/sheet1.xml'],
  ])('a hostile workbook with %s costs no time', async (_, text, name) => {
    const parts: Record<string, Uint8Array> = unzipSync(
      workbook([{ name: 'Leads', rows: [['zip'], [{ number: 1067, format: '00000' }]] }]),
    );
    const xml = strFromU8(parts[name] ?? new Uint8Array());
    parts[name] = strToU8(xml.replace(/(?=<\/[^>]*>$)/, text.repeat(1_000_000)));
    const before = process.cpuUsage();
    await readTable(scratchFile(zipSync(parts))).catch((error: unknown) =>
      expect(error).toMatchObject({ code: 'input' }),
    );
    expect(process.cpuUsage(before).user / 1e6).toBeLessThan(30);
  });

  const blanks = strToU8(' '.repeat(60 * 1024 * 1024));

  it('a zip bomb is refused by what its directory says', async () => {
    const bomb = zipSync({ 'xl/workbook.xml': blanks, 'xl/b.xml': blanks });
    expect(bomb.length).toBeLessThan(1024 * 1024);
    const before = process.memoryUsage().rss;
    await expect(openFile(scratchFile(bomb, 'xlsx'))).rejects.toThrow('more than 100 MiB');
    expect(process.memoryUsage().rss - before).toBeLessThan(64 * 1024 * 1024);
  });

  it('a zip bomb whose directory lies is stopped while it is unpacked', async () => {
    const bomb = Buffer.from(zipSync({ 'xl/workbook.xml': blanks }));
    const directory = bomb.lastIndexOf(Buffer.from([0x50, 0x4b, 0x01, 0x02]));
    bomb.writeUInt32LE(1000, directory + 24);
    const before = process.memoryUsage().rss;
    await expect(openFile(scratchFile(bomb, 'xlsx'))).rejects.toThrow('damaged');
    expect(process.memoryUsage().rss - before).toBeLessThan(64 * 1024 * 1024);
  });
});
