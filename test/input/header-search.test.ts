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
  it('the only sheet of a workbook with rows that look like leads is read, and named', async () => {
    const path = scratchFile(workbook([cover, { name: 'Leads', rows: [HEADER, ...LEADS] }]));
    const { table, cells } = await readTable(path);
    expect(cells).toEqual(LEADS);
    expect(table.notes[0]).toBe(
      'Read from the sheet "Leads", the only one with rows that look like leads. The others are left out (--sheet NAME): Deckblatt.',
    );
  });
  it.each([
    ['the same header', HEADER, LEADS.slice(4)],
    ['the same names in another order', [' ORT', 'Kundenname', 'e-mail'], [['Köln', 'Eva Roth', 'eva@example.com']]],
    ['other names', ['Wer', 'Was', 'Wo'], [['Eva Roth', 'Bad fliesen', '0176 1234567']]],
    ['a number as Meta writes it', ['Wer', 'Was', 'Wo'], [['Eva Roth', 'Bad fliesen', 'p:+491761234567']]],
    ['a telephone number beside a name', ['Team', 'Jan Berg'], [['Eva Holm', '0221 4567890']]],
  ])('of two sheets with leads, a person chooses one, also if the smaller one has %s', async (_, header, rows) => {
    const sheets = [
      { name: 'W48', rows: [HEADER, ...LEADS] },
      { name: 'W49', rows: [header, ...rows] },
    ];
    const path = scratchFile(workbook(sheets));
    const refusal = readTable(path);
    await expect(refusal).rejects.toMatchObject({
      reason: 'sheet.unclear',
      hint: expect.stringMatching(/^Choose one: --sheet NAME/),
    });
    await expect(refusal).rejects.toThrow('"W48" (5 rows), "W49" (1 row)');
    expect((await readTable(path, { sheet: 'W48' })).cells).toEqual(LEADS);
  });
  it('a sheet without a contact is left out, even with the header of the other one', async () => {
    const old = { name: 'W47', rows: [HEADER, ['Eva Roth', '', '', '', 'Köln']] };
    const path = scratchFile(workbook([old, { name: 'W48', rows: [HEADER, ...LEADS] }]));
    expect((await readTable(path)).cells).toEqual(LEADS);
  });
});
