import { describe, expect, it } from 'vitest';
import { workbook } from '../../scripts/workbook.mjs';
import { readTable, scratchFile } from '../helpers/read-table.ts';

const HEADER = ['Kundenname', 'Telefonnummer', 'E-Mail', 'PLZ', 'Ort', 'Anliegen'];
const LEADS = Array.from({ length: 5 }, (_, at) => [
  ...[`Ana Roth ${at}`, `0176 1234567${at}`, `ana${at}@example.com`, '50667', 'Köln', `Bad ${at} fliesen`],
]);

describe('the sheet of a workbook', () => {
  const cover = {
    name: 'Deckblatt',
    rows: [
      ['Bericht', 'November'],
      ['Erstellt von', 'Marketing'],
    ],
  };
  it('the sheet of a workbook with most rows that look like leads is read, and named', async () => {
    const path = scratchFile(
      workbook([
        cover,
        { name: 'Leads', rows: [HEADER, ...LEADS] },
        { name: 'Alt', rows: [HEADER.slice(1), ...LEADS.slice(3).map((cells) => cells.slice(1))] },
      ]),
    );
    const { table, cells } = await readTable(path);
    expect(cells).toEqual(LEADS);
    expect(table.notes[0]).toBe(
      'Read from the sheet "Leads", which has the most rows that look like leads. The others are left out (--sheet NAME): Deckblatt, Alt.',
    );
    expect((await readTable(path, { sheet: 'Alt' })).cells).toHaveLength(2);
  });
  it('of two large sheets of leads, a person chooses one', async () => {
    const sheets = [
      { name: 'November', rows: [HEADER.slice(1), ...LEADS.slice(2).map((cells) => cells.slice(1))] },
      { name: 'Archive', rows: [HEADER, ...LEADS] },
    ];
    const path = scratchFile(workbook(sheets));
    const refusal = readTable(path);
    await expect(refusal).rejects.toMatchObject({
      reason: 'sheet.unclear',
      hint: expect.stringMatching(/^Choose one: --sheet NAME/),
    });
    await expect(refusal).rejects.toThrow('"November" (3 rows), "Archive" (5 rows)');
    expect((await readTable(path, { sheet: 'November' })).cells).toHaveLength(3);
  });
  it.each([
    [
      'the same names in another order and case',
      [' ORT', 'Kundenname', 'Telefonnummer', 'e-mail', 'PLZ', 'Anliegen'],
      true,
    ],
    ['a column more', [...HEADER, 'Datum'], false],
    ['a column less', HEADER.slice(1), false],
  ])('a sheet beside one whose header has %s', async (_, header, isUnclear) => {
    const sheets = (rows: string[][]) => [
      { name: 'W48', rows: [HEADER, ...LEADS] },
      { name: 'W49', rows: [header, ...rows] },
    ];
    const read = (rows: string[][]) => readTable(scratchFile(workbook(sheets(rows))));
    const one = read([['Köln', 'Eva Roth']]);
    if (isUnclear) await expect(one).rejects.toThrow('"W48" (5 rows), "W49" (1 row)');
    else expect((await one).cells).toEqual(LEADS);
    expect((await read([['', ' ']])).cells).toEqual(LEADS);
  });
});
