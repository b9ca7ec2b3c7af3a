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
  it('the first sheet of several with as many leads is read', async () => {
    const sheets = ['A', 'B'].map((name) => ({ name, rows: [HEADER, ...LEADS] }));
    expect((await readTable(scratchFile(workbook(sheets)))).table.notes[0]).toMatch(/^Read from the sheet "A"\. /);
  });
});
