import { describe, expect, it } from 'vitest';
import { mapRow } from '../../src/delivery/prepare.ts';
import { planMapping } from '../../src/input/mapping.ts';
import fc from '../helpers/fast-check.ts';
import { readTable, scratchFile } from '../helpers/read-table.ts';

const HEADER = ['Ref', 'Name', 'Email', 'Phone', 'Street', 'City', 'Country', 'Text'];
const lead = (at: number) => [
  `A-${at}`,
  ['Ana Silva', 'Rui', 'Marta da Costa'][at % 3] ?? '',
  `lead${at}@example.com`,
  `+35191234${1000 + at}`,
  `Rua das Flores ${at}`,
  ['Lisboa', 'Porto', 'Vila Nova'][at % 3] ?? '',
  'PT',
  at % 5 === 4 ? '' : `Pintar a casa toda, ${at} quartos`,
];
const leads = (count: number) => Array.from({ length: count }, (_, at) => lead(at));
const line = (cells: readonly string[], delimiter = ';') => `${cells.join(delimiter)}\n`;
const csv = (...rows: readonly (readonly string[])[]) => [HEADER, ...rows].map((cells) => line(cells)).join('');
const read = (text: string) => readTable(scratchFile(text));

async function problems(text: string) {
  const { rows } = await read(text);
  return rows.map(({ problem }) => problem);
}

describe('a row with another number of cells than the header', () => {
  const good = leads(20);
  const odd = lead(20);
  const [ref = '', name = '', email = '', phone = '', , city = '', country = '', text = ''] = odd;

  it.each([
    [
      'a cut text',
      [ref, name, email, phone, 'Rua A', ' 5', city, country, text],
      'has 9 cells where the header has 8; check for a semicolon that is not quoted, or one too many',
    ],
    [
      'a cut text, the last cell empty',
      [ref, name, email, phone, 'Rua A', ' 5', city, country, ''],
      'has 9 cells where the header has 8; check for a semicolon that is not quoted, or one too many',
    ],
    [
      'a text cut twice',
      [ref, 'Silva', ' Costa', ' Ana', email, phone, 'Rua A', city, country, text],
      'has 10 cells where the header has 8; check for a semicolon that is not quoted, or one too many',
    ],
    [
      'an empty cell at its end',
      [...odd, ''],
      'has 9 cells where the header has 8; check for a semicolon that is not quoted, or one too many',
    ],
    [
      'a cell lost',
      [ref, name, phone, 'Rua A', city, country, text],
      'has 7 cells where the header has 8; is a line break in it not quoted, or is a cell missing?',
    ],
    [
      'its last cell lost',
      odd.slice(0, -1),
      'has 7 cells where the header has 8; is a line break in it not quoted, or is a cell missing?',
    ],
  ])('a row with another number of cells than the header is invalid and says why: %s', async (_, cells, problem) => {
    const { rows } = await read(csv(...good, cells, ...good));
    expect(rows.map((row) => row.problem)).toEqual([...good.map(() => null), problem, ...good.map(() => null)]);
    expect(rows[20]?.cells).toEqual(cells);
  });

  it('a row with another number of cells is reported with its delimiter', async () => {
    const comma = [HEADER, ...good, [...odd, 'x']]
      .map((cells) =>
        line(
          cells.map((cell) => cell.replace(',', '')),
          ',',
        ),
      )
      .join('');
    expect((await problems(comma)).at(-1)).toContain('comma');
  });
});

describe('rows that nearly all have the same number of cells', () => {
  it('rows may end with a delimiter that the header lacks, if nearly all do', async () => {
    const rows = leads(30).map((cells) => [...cells, '']);
    const { cells } = await read(csv(...rows));
    expect(cells).toEqual(leads(30));
  });

  it('a row with a cut text stays invalid among rows that end with a delimiter', async () => {
    const rows = leads(40).map((cells) => [...cells, '']);
    const cut = lead(40).with(4, 'Rua A; 5');
    const found = await problems(
      csv(...rows) + line([...cut, '']) + line(cut.with(7, '')) + line(lead(41).with(7, '')),
    );
    expect(found.slice(0, 40).every((problem) => problem === null)).toBe(true);
    expect(found.slice(40).map((problem) => problem?.slice(0, 45))).toEqual([
      'has 10 cells where nearly all rows have 9; ch',
      expect.stringMatching(/^has 9 cells/),
      expect.stringMatching(/^has 8 cells/),
    ]);
  });

  it('rows with more cells than the header are not read if one fills the surplus', async () => {
    const rows = leads(30).map((cells, at) => [...cells, at === 20 ? 'x' : '']);
    expect((await problems(csv(...rows))).filter((problem) => problem === null)).toEqual([]);
  });

  it('rows with an empty surplus are read, except one that fills it, however late it comes', async () => {
    const rows = leads(1_500).map((cells, at) => [...cells, at === 1_400 ? 'x' : '']);
    const found = await problems(csv(...rows));
    expect(found.flatMap((problem, at) => (problem === null ? [] : [at]))).toEqual([1_400]);
  });

  it('rows may leave out the last columns, if nearly all do; one with a cut text stays invalid', async () => {
    const rows = leads(40).map((cells) => cells.slice(0, -1));
    const cut = lead(40).with(4, 'Rua A; 5').slice(0, -1);
    const { table, rows: back } = await read(csv(...rows) + line(cut) + line(lead(41)));
    expect(table.notes).toEqual(['Read as empty, because nearly all rows leave them out: Text.']);
    expect(back.slice(0, 40).map(({ cells }) => cells)).toEqual(rows.map((cells) => [...cells, '']));
    expect(back.slice(40).map(({ problem }) => problem === null)).toEqual([false, true]);
  });

  it('rows whose content stands beside its columns are not read', async () => {
    const lost = leads(30).map((cells) => cells.toSpliced(1, 1));
    const cut = leads(30).map((cells) => [...cells.toSpliced(1, 1, 'Silva', 'Ana').slice(0, -1), '']);
    for (const rows of [lost, cut]) expect((await problems(csv(...rows))).filter((each) => each === null)).toEqual([]);
  });

  it('rows are not read where the header has a separator too many or too few', async () => {
    const rows = leads(30).map((cells) => cells.with(7, ''));
    const many =
      line(HEADER.toSpliced(5, 0, '')) +
      leads(30)
        .map((cells) => line(cells))
        .join('');
    const few = line(HEADER.with(6, 'Area').toSpliced(2, 2, 'EmailPhone')) + rows.map((cells) => line(cells)).join('');
    const country = line(HEADER.toSpliced(4, 2, 'StreetCity')) + rows.map((cells) => line(cells)).join('');
    for (const text of [many, few, country]) {
      expect((await problems(text)).filter((problem) => problem === null)).toEqual([]);
    }
  });

  it('rows are not read where each of them has a comma and a blank too many', async () => {
    const rows = leads(30).map((cells) => cells.with(4, 'Rua A, 5').with(7, ''));
    const text = [HEADER.with(6, 'Area'), ...rows].map((cells) => line(cells, ',')).join('');
    expect((await problems(text)).filter((problem) => problem === null)).toEqual([]);
  });

  it('rows may lack the unnamed columns at the end of the header, if all do', async () => {
    const head = line([...HEADER, '', '']);
    const { cells } = await read(
      head +
        leads(20)
          .map((each) => line(each))
          .join(''),
    );
    expect(cells[0]).toEqual([...lead(0), '', '']);
    const found = await problems(
      head +
        leads(20)
          .map((each) => line(each))
          .join('') +
        line([...lead(20), '']),
    );
    expect(found.map((problem) => problem === null)).toEqual([...leads(20).map(() => true), false]);
  });

  it('one or two rows are too few to allow another number of cells', async () => {
    expect(await problems(csv([...lead(0), '']))).toEqual([expect.stringContaining('has 9 cells')]);
    expect(await problems(csv([...lead(0), ''], [...lead(1), '']))).not.toContain(null);
  });
});

describe('whatever happens to the cells of rows', () => {
  const FIELDS = ['ref', 'fullname', 'email', 'phone', 'location', 'country', 'request_text', 'category'] as const;
  type Change = (cells: readonly string[], at: number) => readonly string[];
  const CHANGES: Readonly<Record<string, Change>> = {
    'a cell lost': (cells, at) => cells.toSpliced(at, 1),
    'two cells lost': (cells, at) => cells.toSpliced(at, 2),
    'an empty cell more': (cells, at) => cells.toSpliced(at, 0, ''),
    'a cell cut in two': (cells, at) => cells.toSpliced(at, 1, 'Rua A', ' 5'),
    'a cell cut in two, the last one empty': (cells, at) => [...cells.toSpliced(at, 1, 'Rua A', ' 5').slice(0, -1), ''],
    'a cell cut in two, without a blank': (cells, at) => [...cells.toSpliced(at, 1, 'Rua A', '5').slice(0, -1), ''],
    'a cell copied': (cells, at) => cells.toSpliced(at, 0, cells[at] ?? ''),
  };
  const value = (field: string, at: number) =>
    ({
      ref: `R${at}`,
      fullname: `Ana Silva ${'x'.repeat(at % 4)}`,
      email: `a${at}@example.com`,
      phone: `+35191234${1000 + at}`,
      location: `Rua ${at}`,
      country: 'PT',
      request_text: at % 3 === 0 ? '' : `Pintar a casa ${at}`,
      category: at % 2 === 0 ? '' : `cat ${at}`,
    })[field] ?? '';

  it('a row that is read never has a field with other content than before', async () => {
    let kept = 0;
    let refused = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.shuffledSubarray([...FIELDS], { minLength: 4 }),
        fc.array(
          fc.record({ change: fc.option(fc.constantFrom(...Object.keys(CHANGES)), { freq: 2 }), at: fc.nat(7) }),
          { minLength: 1, maxLength: 40 },
        ),
        fc.constantFrom(',', ';', '\t'),
        async (columns, plan, delimiter) => {
          // The last row is whole, so that there is always one.
          const whole = [...plan, null].map((_, at) => columns.map((field) => value(field, at)));
          const changed = whole.map((cells, row) => {
            const { change, at } = plan[row] ?? { change: null, at: 0 };
            return change === null ? cells : (CHANGES[change]?.(cells, at % cells.length) ?? cells);
          });
          const text = [columns, ...changed].map((cells) => line(cells, delimiter)).join('');
          const { table, rows } = await readTable(scratchFile(text), { delimiter });
          const mapping = planMapping(table.columns, { map: {}, set: {} });
          const indexOf = new Map(rows.map((row) => [row.line, row]));
          for (const [at, cells] of whole.entries()) {
            const row = indexOf.get(at + 2);
            if (!row || row.problem !== null) {
              refused += 1;
              continue;
            }
            kept += 1;
            const expected = mapRow({ ...row, cells }, mapping).fields;
            const cutOnly = changed[at]?.length === cells.length;
            if (!cutOnly) expect([text, at, mapRow(row, mapping).fields]).toEqual([text, at, expected]);
          }
        },
      ),
      { numRuns: 400 },
    );
    expect(Math.min(kept, refused)).toBeGreaterThan(300);
  });
});
