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
        { name: 'Alt', rows: [HEADER, ...LEADS.slice(3)] },
      ]),
    );
    const { table, cells } = await readTable(path);
    expect(cells).toEqual(LEADS);
    expect(table.notes[0]).toBe(
      'Read from the sheet "Leads", which has the most rows that look like leads. The others are left out (--sheet NAME): Deckblatt, Alt.',
    );
    expect((await readTable(path, { sheet: 'Alt' })).cells).toEqual(LEADS.slice(3));
  });
  it('of two large sheets of leads, a person chooses one', async () => {
    const sheets = [
      { name: 'November', rows: [HEADER, ...LEADS.slice(2)] },
      { name: 'Archive', rows: [HEADER, ...LEADS] },
    ];
    const path = scratchFile(workbook(sheets));
    const refusal = readTable(path);
    await expect(refusal).rejects.toMatchObject({ reason: 'sheet.unclear', hint: 'Choose one: --sheet NAME' });
    await expect(refusal).rejects.toThrow('"November" (3 rows), "Archive" (5 rows)');
    expect((await readTable(path, { sheet: 'November' })).cells).toEqual(LEADS.slice(2));
  });
});
