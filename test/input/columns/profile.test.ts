import { describe, expect, test } from 'vitest';
import { type ContentProfile, profileOf } from '../../../src/input/columns/content.ts';
import { sampleOf } from '../../../src/input/columns/sample.ts';
import { parseMarket } from '../../../src/request/markets.ts';

const of = (texts: readonly string[], country = '', most = 1000) => profileOf(texts, () => parseMarket(country), most);
type Share = keyof ContentProfile;

const x = (count: number) => 'x'.repeat(count);

test.each<[Share, string, string, 0 | 1]>([
  ['email', 'ana@example.com', '', 1],
  ['email', 'ana example.com', '', 0],
  ['email', 'ana @example.com', '', 0],
  ['email', 'ana@', '', 0],
  ['phoneShape', '123456', '', 0],
  ['phoneShape', '1234567', '', 1],
  ['phoneShape', '1'.repeat(30), '', 1],
  ['phoneShape', '1'.repeat(31), '', 0],
  ['phoneShape', `1${' '.repeat(33)}234567`, '', 1],
  ['phoneShape', `1${' '.repeat(34)}234567`, '', 0],
  ['phoneShape', '2026-11-20', '', 0],
  ['phoneShape', '192.168.100.200', '', 0],
  ['phoneShape', '1.234.567 €', '', 0],
  ['phoneShape', 'blorb', '', 0],
  ['writtenAsPhone', '+351912345678', '', 1],
  ['writtenAsPhone', '0912345678', '', 1],
  ['writtenAsPhone', '912 345 678', '', 1],
  ['writtenAsPhone', '912345678', '', 0],
  ['writtenAsPhone', '0 12', '', 0],
  ['phone', '912345678', '', 0],
  ['phone', '912345678', 'PT', 1],
  ['phone', '112345678', 'PT', 0],
  ['phone', '912 345 678', '', 1],
  ['phone', '0912345678', '', 1],
  ['phone', '+351912345678', '', 1],
  ['phone', '+351112345678', '', 0],
  ['phone', '00351912345678', '', 1],
  ['phone', '00351112345678', '', 0],
  ['phone', '912345678 / 961234567', 'PT', 1],
  ['phone', 'p:+351912345678', '', 1],
  ['postalCode', '1000-001', 'PT', 1],
  ['postalCode', '10115', 'DE', 1],
  ['postalCode', 'Berlin', 'DE', 0],
  ['postalCode', '101', 'DE', 0],
  ['postalCode', '1000-001', '', 1],
  ['postalCode', 'D-10115', '', 1],
  ['postalCode', '123', '', 0],
  ['country', 'PT', '', 1],
  ['country', 'Alemanha', '', 1],
  ['country', 'BR', '', 1],
  ['country', 'USA', '', 1],
  ['country', 'Brasil', '', 1],
  ['country', 'XX', '', 0],
  ['language', 'de', '', 1],
  ['language', 'pt-PT', '', 1],
  ['language', 'Deutsch', '', 1],
  ['language', 'deu', '', 0],
  ['language', 'blorb', '', 0],
  ['language', 'de1', '', 0],
  ['digits', '123', '', 1],
  ['digits', '1a', '', 0],
  ['recording', 'call.mp3', '', 1],
  ['recording', 'call.txt', '', 0],
  ['wordsOnly', 'Ana Silva', '', 1],
  ['wordsOnly', 'Ana', '', 0],
  ['wordsOnly', 'a b c d e f', '', 1],
  ['wordsOnly', 'a b c d e f g', '', 0],
  ['wordsOnly', `Ana ${x(41)}`, '', 1],
  ['wordsOnly', `Ana ${x(42)}`, '', 0],
  ['oneWord', 'Ana', '', 1],
  ['oneWord', 'Ana Silva', '', 0],
  ['givenName', `Maria ${x(39)}`, '', 1],
  ['givenName', `Maria ${x(40)}`, '', 0],
  ['givenName', 'Maria 2', '', 0],
  ['givenName', 'maria@example', '', 0],
  ['town', 'Lisboa', '', 1],
  ['town', 'Bern, Bümpliz', '', 1],
  ['town', 'Tchioco, Lubango', '', 1],
  ['town', 'Achada / Praia', '', 1],
  ['town', 'Winterthur ZH', '', 1],
  ['town', 'St. Gallen', '', 1],
  ['town', 'Lisboa Alfama', '', 0],
  ['town', 'a, b, c, Lisboa', '', 1],
  ['town', 'a, b, c, d, Lisboa', '', 0],
  ['town', 'a, Lisboa, b', '', 0],
  ['town', ',', '', 0],
  ['town', 'Lisboa 1', '', 0],
  ['streetWord', 'Rua das Flores', '', 1],
  ['streetWord', 'Lindenweg 5', '', 1],
  ['streetWord', 'C/ Mayor', '', 1],
  ['streetWord', 'R. Augusta', '', 1],
  ['streetWord', 'Blorb', '', 0],
  ['streetWord', 'rua@example.com', '', 0],
  ['streetWord', `Rua ${x(76)}`, '', 1],
  ['streetWord', `Rua ${x(77)}`, '', 0],
  ['clientele', 'Privat', '', 1],
  ['clientele', 'Blorb', '', 0],
  ['placeLike', '10115 Berlin', '', 1],
  ['placeLike', 'Rua Augusta 1234', '', 0],
  ['placeLike', 'Rua, Augusta 1234', '', 1],
  ['placeLike', '10115 B', '', 0],
  ['placeLike', `10115 ${x(154)}`, '', 1],
  ['placeLike', `10115 ${x(155)}`, '', 0],
  ['placeLike', '10115 Berlin', 'DE', 1],
  ['placeLike', '101155 Berlin', 'DE', 0],
  ['placeLike', 'Lisboa, 1000-001', 'PT', 1],
  ['placeLike', 'Lisboa, 10115', 'PT', 0],
  ['placeLike', 'London SW1A 1AA', 'GB', 1],
  ['placeLike', 'London, England', 'GB', 0],
  ['hasSpace', 'a b', '', 1],
  ['hasSpace', 'ab', '', 0],
  ['codeLike', 'A-12', '', 1],
  ['codeLike', 'A-x', '', 0],
  ['codeLike', 'A 12', '', 0],
])('%s of %j in %j is %d', (share, text, country, expected) => {
  expect(of([text], country)[share]).toBe(expected);
});

describe('consecutive numbers', () => {
  test.each([
    [['1', '2', '3'], true],
    [['7', '8'], true],
    [['999', '1000'], true],
    [['1000', '1001'], false],
    [['1'], false],
    [['1', '3'], false],
    [['1', '2', '2'], false],
    [['1.5', '2.5'], false],
    [['a', 'b'], false],
    [[], false],
  ])('%j: %s', (texts, isSequence) => {
    expect(of(texts).isSequence).toBe(isSequence);
  });
});

test('blank cells do not count, and each cell has the market of its row', () => {
  const seen = profileOf(['', ' 912345678 ', '912345678'], (row) => parseMarket(row === 1 ? 'PT' : ''), 10);
  expect([seen.filled, seen.phone]).toEqual([2, 0.5]);
  expect(of(['a', '', 'b', 'c'], '', 2).filled).toBe(2);
});

test('numbers that were exported as decimals are examined without their fraction', () => {
  expect(of(['1712345678.0', '3012345678.0'], 'DE')).toEqual(of(['1712345678', '3012345678'], 'DE'));
});

test('error values of a spreadsheet do not count', () => {
  expect(of(['#N/A', 'Lisboa', '#BEZUG!', 'Porto'])).toEqual(of(['Lisboa', 'Porto']));
});

test('what says that there is none does not count beside numbers or addresses, and does beside other texts', () => {
  expect([of(['n/a', 'ana@example.com']).filled, of(['n/a', '912345678']).filled]).toEqual([1, 1]);
  expect([of(['n/a', 'blorb']).filled, of(['n/a', '-']).filled]).toEqual([2, 2]);
});

test('names and towns are looked for in the first sixty cells', () => {
  const cells = (text: string, count: number) => [...Array<string>(count).fill(text), ...Array<string>(60).fill('x')];
  expect([of(cells('Maria', 60)).givenName, of(cells('Lisboa', 60)).town]).toEqual([1, 1]);
  expect(of(cells('Maria', 59)).givenName).toBeCloseTo(59 / 60);
  expect(of(cells('Rua A', 59)).streetWord).toBeCloseTo(59 / 60);
});

test('texts are alike in any case, and the middle one is as long as the column is said to be', () => {
  expect(of(['a', 'A', 'b', 'b']).distinct).toBe(0.5);
  expect([of(['aaa', 'b', 'cc']).medianLength, of(['aaaa', 'b', 'cc', 'ddd']).medianLength]).toEqual([2, 3]);
  expect(of([])).toMatchObject({ filled: 0, medianLength: 0, distinct: 0, email: 0, givenName: 0 });
});

describe('the sample of a table', () => {
  /** A table whose rows come one by one; tells how many were read. */
  function table(
    columns: number,
    cells: (row: number) => readonly string[],
    rows: number,
    problem: string | null = null,
  ) {
    const read = { rows: 0 };
    return {
      read,
      columns: Array.from({ length: columns }, (_, at) => `c${at}`),
      async *rows() {
        for (let row = 1; row <= rows; row++) {
          read.rows = row;
          yield [{ number: row, line: null, cells: cells(row), problem }];
        }
      },
    };
  }

  test('has 200 rows, and no more are read if each column has twenty cells', async () => {
    const full = table(1, () => ['x'], 500);
    expect((await sampleOf(full))[0]).toHaveLength(200);
    expect(full.read.rows).toBe(200);
  });

  test('has further rows that fill a column with fewer than twenty cells', async () => {
    const rare = table(2, (row) => ['x', row > 200 && row % 2 === 0 ? `${row}` : ''], 2_500);
    const [often, seldom] = await sampleOf(rare);
    expect(seldom?.filter((cell) => cell !== '')).toEqual(Array.from({ length: 20 }, (_, at) => `${202 + at * 2}`));
    expect(often).toHaveLength(220);
    expect(rare.read.rows).toBe(240);
  });

  test('is looked for in 2,000 rows', async () => {
    const never = table(2, (row) => ['x', row > 1_999 ? 'y' : ''], 2_500);
    expect((await sampleOf(never))[1]?.filter((cell) => cell !== '')).toEqual(['y']);
    expect(never.read.rows).toBe(2_000);
  });

  test('has a million cells, but twenty rows at least', async () => {
    for (const [width, most] of [
      [10_000, 100],
      [100_000, 20],
    ] as const) {
      const wide = table(width, () => [], 120);
      expect((await sampleOf(wide))[0]).toHaveLength(most);
      expect(wide.read.rows).toBe(most);
    }
  });

  test('has a thousand letters of a cell, and nothing of a row that has a problem', async () => {
    const cells = await sampleOf(table(2, () => [x(1_000), x(1_001)], 1));
    expect(cells.map(([cell]) => cell?.length)).toEqual([1_000, 1_000]);
    expect(await sampleOf(table(1, () => ['x'], 3, 'is ragged'))).toEqual([[]]);
    expect(await sampleOf(table(2, () => ['x'], 1))).toEqual([['x'], ['']]);
  });

  test('fails as the table does, unless it is damage that is told where its rows are needed', async () => {
    const failing = {
      columns: ['a'],
      async *rows(): AsyncGenerator<never[]> {
        yield [];
        throw new TypeError('broken');
      },
    };
    await expect(sampleOf(failing)).rejects.toThrow('broken');
  });
});
