import iconv from 'iconv-lite';
import { describe, expect, it } from 'vitest';
import { rawWorkbook } from '../../scripts/workbook.mjs';
import { openFile, readTable, scratchFile } from '../helpers/read-table.ts';

describe('encodings that look like others', () => {
  const TEXT = 'Name;Straße;Ort\nÄnne Müller;Größe 1;München\nJosé Peña;Calle Núñez;Sevilla\n';
  it.each(['macintosh', 'cp850'])('the encoding %s is refused, and read if it is named', async (encoding) => {
    const path = scratchFile(iconv.encode(TEXT, encoding), 'csv');
    await expect(openFile(path)).rejects.toMatchObject({ hint: expect.stringContaining(encoding) });
    expect((await readTable(path, { encoding })).cells[0]).toEqual(['Änne Müller', 'Größe 1', 'München']);
  });
});

describe('a workbook', () => {
  const sheet = (rows: string) => rawWorkbook(`<worksheet><sheetData>${rows}</sheetData></worksheet>`);
  const HEAD = '<row r="1"><c r="A1" t="str"><v>name</v></c><c r="B1" t="str"><v>city</v></c></row>';
  it('a workbook shows a formula without a value as an error, and an empty text as that', async () => {
    const row = (at: number, cell: string) => `<row r="${at}"><c r="A${at}" t="str"><v>Ana</v></c>${cell}</row>`;
    const { cells } = await readTable(
      scratchFile(
        sheet(
          HEAD +
            row(2, '<c r="B2"><f>X1</f></c>') +
            row(3, '<c r="B3" s="0"><f>X1</f><v/></c>') +
            row(4, '<c r="B4" t="str"><f t="shared" si="0"/><v></v></c>') +
            row(5, '<c r="B5" t="str"><f>X1</f><v>Porto</v></c>'),
        ),
        'xlsx',
      ),
    );
    expect(cells.map(([, city]) => city)).toEqual(['#N/A', '#N/A', '', 'Porto']);
  });
  it.each([
    ['an attribute', `<row r="2" x="${'a'.repeat(70_000)}"/>`],
    ['a comment', `<!--${'<a '.repeat(30_000)}-->`],
    ['a text', `<row r="2"><c r="A2" t="str"><v>${'a'.repeat(70_000)}</v></c></row>`],
    ['a tag that does not end', `<row r="2"${' '.repeat(70_000)}`],
  ])('a workbook with %s of more than 64 KiB is refused at once', async (_, rows) => {
    const started = performance.now();
    await expect(openFile(scratchFile(sheet(HEAD + rows), 'xlsx'))).rejects.toThrow('of more than 64 KiB');
    expect(performance.now() - started).toBeLessThan(5_000);
  });
});
