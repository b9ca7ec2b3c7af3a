import { describe, expect, it } from 'vitest';
import { workbook } from '../../scripts/workbook.mjs';
import { readTable, scratchFile } from '../helpers/read-table.ts';

const HEADER = ['Kundenname', 'Telefonnummer', 'E-Mail', 'PLZ', 'Ort', 'Anliegen'];
const LEADS = Array.from({ length: 5 }, (_, at) => [
  ...[`Ana Roth ${at}`, `0176 1234567${at}`, `ana${at}@example.com`, '50667', 'Köln', `Bad ${at} fliesen`],
]);
const csv = (lines: readonly (readonly string[])[]) => `${lines.map((cells) => cells.join(';')).join('\n')}\n`;
const padded = (...cells: string[]) => [...cells, ...Array<string>(6 - cells.length).fill('')];

describe('what stands above the header', () => {
  it.each([
    ['a title', [['Anfragen November']]],
    ['a title in a row of cells', [padded('Anfragen November')]],
    ['a day', [['Stand: 23.11.2026']]],
    ['a day in two cells', [padded('Stand:', '23.11.2026')]],
    ['title, day and blank', [padded('Anfragen', 'Region West'), padded('Stand', '23.11.2026'), padded()]],
    ['groups of columns', [padded('Kunde', '', '', 'Objekt')]],
    ['groups of columns, repeated', [['Kunde', 'Kunde', 'Kunde', 'Objekt', 'Objekt', 'Auftrag']]],
    ['many lines', Array.from({ length: 15 }, (_, at) => padded(`Hinweis ${at}`, 'siehe Anlage'))],
  ])('%s above the header is set aside, in CSV and in a workbook', async (_, above) => {
    const lines = [...above, HEADER, ...LEADS];
    for (const content of [csv(lines), workbook([{ name: 'Leads', rows: lines }])]) {
      const { table, cells } = await readTable(scratchFile(content));
      expect(table.columns).toEqual(HEADER);
      expect(cells).toEqual(LEADS);
      expect(table.notes.join()).toContain('Set aside before the header');
    }
  });

  it('nothing is set aside above a header with names that srq does not know', async () => {
    const { table, cells } = await readTable(
      scratchFile(csv([['Alpha', 'Beta', 'Gamma'], ...LEADS.map((row) => row.slice(3))])),
    );
    expect([table.columns, cells.length]).toEqual([['Alpha', 'Beta', 'Gamma'], 5]);
  });
});

it('totals below the rows are no lead', async () => {
  const { cells, table } = await readTable(scratchFile(csv([HEADER, ...LEADS, padded(), padded('Summe', '5')])));
  expect(cells).toEqual(LEADS);
  expect(table.notes.join()).toContain("Set aside as the report's footer: line 8.");
});

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
