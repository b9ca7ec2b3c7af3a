import { describe, expect, it } from 'vitest';
import { isBlank, RowFit } from '../../src/input/row-fit.ts';

const cells = (text: string) => text.split(',');
const times = (count: number, text: string) => Array.from({ length: count }, () => cells(text));
/** How many cells a row may have, of those with the same content and more or fewer of them. */
function widths(header: string, sample: readonly (readonly string[])[], delimiter = ';') {
  const fit = new RowFit(cells(header), delimiter, sample);
  return { fit, note: fit.note };
}

describe('how many cells complete rows have', () => {
  const NINE = '1,2,3,4';
  it.each([
    ['nine of ten agree', [...times(9, NINE), ...times(1, '1,2,3')], true],
    ['eight of ten agree', [...times(8, NINE), ...times(2, '1,2,3')], false],
    ['three do', times(3, '1,2,3,'), true],
    ['two do', times(2, '1,2,3,'), false],
  ])('is not that of the header if %s: %s', (_, sample, isRead) => {
    const { fit } = widths(
      'a,b,c',
      sample.map((each) => (each.length === 4 ? each.with(3, '') : each)),
    );
    expect(fit.whole(cells('1,2,3,')) !== null).toBe(isRead);
  });

  it.each([
    ['all are empty beyond it', times(9, '1,2,3,'), true],
    ['all are blank beyond it', times(9, '1,2,3, '), true],
    ['one is filled beyond it', [...times(8, '1,2,3,'), ...times(1, '1,2,3,4')], false],
  ])('is more if %s: %s', (_, sample, isRead) => {
    const { fit } = widths('a,b,c', sample);
    expect(fit.whole(cells('1,2,3,'))).toEqual(isRead ? ['1', '2', '3'] : null);
  });

  it('is less if the last columns have no name, also in a single row', () => {
    const { fit, note } = widths('a,b,,', times(1, '1,2'));
    expect([fit.whole(cells('1,2')), note]).toEqual([['1', '2', '', ''], null]);
    expect(widths('a,b,,', times(1, '1,2,3')).fit.whole(cells('1,2,3'))).toEqual(['1', '2', '3', '']);
  });

  it('is less if nearly all leave out the last columns, which is said of those with a name', () => {
    expect(widths('a,b,c,d', times(3, '1,2')).note).toBe(
      'Read as empty, because nearly all rows leave them out: c, d.',
    );
    expect(widths('a,b,c,d', times(2, '1,2')).note).toBeNull();
    expect(widths('a,b,c', times(3, '1,2,3')).note).toBeNull();
    expect(widths('a,,c,d', times(3, '1,2,3')).note).toBeNull();
    expect(widths('a,b,c,', times(3, '1,2')).note).toBe('Read as empty, because nearly all rows leave them out: c.');
  });

  it('is told by the rows with two filled cells, or with one if there is one column', () => {
    const { fit } = widths('a,b,c', [...times(9, '1,,,'), ...times(3, '1,2,3')]);
    expect([fit.whole(cells('1,2,3,')), fit.whole(cells('1,2,3'))]).toEqual([null, ['1', '2', '3']]);
    expect(widths('a,b,c', times(3, '1,2,,')).fit.whole(cells('1,2,,'))).toEqual(['1', '2', '']);
    const one = widths('a', times(3, '1,')).fit;
    expect(one.whole(cells('1,'))).toEqual(['1']);
  });

  it('is that of the header in a results file', () => {
    const own = 'srq_status,srq_id,srq_message,srq_row';
    expect(widths(`a,b,${own}`, times(5, '1,2,invalid,,x,3,')).fit.whole(cells('1,2,invalid,,x,3,'))).toBeNull();
    expect(
      widths('a,b,srq_status,d,e,f', times(5, '1,2,invalid,,x,3,')).fit.whole(cells('1,2,invalid,,x,3,')),
    ).not.toBeNull();
  });
});

describe('rows of another width are not read where their cells fit other columns', () => {
  const read = (header: string, row: string, count = 5, delimiter = ';') => {
    const sample = times(count, row);
    return widths(header, sample, delimiter).fit.whole(cells(row)) !== null;
  };

  it.each([
    ['email', 'ana@example.com', 'x'],
    ['phone', '+351 912 345 678', 'x'],
    ['phone', '912345678', 'x'],
    ['country', 'PT', 'blorb'],
  ])('%s: %s beside its column', (field, fitting, other) => {
    expect(read(`a,${field},c`, `${other},${other},${fitting},`)).toBe(false);
    expect(read(`a,${field},c`, `${other},${fitting},${other},`)).toBe(true);
    expect(read(`a,${field},c`, `${fitting},${other},${other},`)).toBe(true);
    // Where cells are missing, the texts stand before their columns.
    expect(read(`a,b,${field},d`, `${other},${fitting},${other}`)).toBe(false);
    expect(read(`a,b,${field},d`, `${other},${other},${fitting}`)).toBe(true);
  });

  it('as far as cells are missing or too many, and not further', () => {
    expect(read('a,email,c,d', 'x,x,x,ana@example.com,,')).toBe(false);
    expect(read('a,email,c,d', 'x,x,x,ana@example.com,')).toBe(true);
  });

  it.each([
    ['ana@example.com', false],
    ['+351 912 345 678', false],
    ['912345678', true],
    ['Ana', true],
  ])('a column of another field that holds %s: %s', (text, isRead) => {
    expect(read('a,fullname,c', `x,${text},y,`)).toBe(isRead);
    expect(read('a,blorb,c', `x,${text},y,`)).toBe(true);
  });

  it('if that is so in more than half of them', () => {
    const of = (odd: number) => {
      const sample = [...times(odd, 'x,ana@example.com,y,'), ...times(10 - odd, 'x,Ana,y,')];
      return widths('a,fullname,c', sample).fit.whole(cells('x,Ana,y,')) !== null;
    };
    expect([of(5), of(6)]).toEqual([true, false]);
  });

  it.each([
    [[6, 0], false],
    [[5, 0], true],
    [[6, 1], true],
    [[11, 1], true],
  ])('split at commas by the blanks behind them: of ten, %j begin with one', ([blank = 0, other = 0], isRead) => {
    const sample = Array.from({ length: 10 }, (_, at) => ['x', at < other ? ' y' : 'y', at < blank ? ' z' : 'z', '']);
    const whole = (delimiter: string) => widths('a,b,c', sample, delimiter).fit.whole(['x', 'y', 'z', '']) !== null;
    expect([whole(','), whole(';')]).toEqual([isRead, true]);
  });
});

describe('a row that does not fit', () => {
  const lead = (at: number) => [`A-${at}`, 'Ana Silva', `lead${at}@example.com`, '+351912345678', 'Lisboa'];
  const header = ['Ref', 'Name', 'Email', 'Phone', 'City'];
  const sample = Array.from({ length: 12 }, (_, at) => lead(at));
  const fit = new RowFit(header, ';', sample);

  it.each([
    [
      lead(1).toSpliced(1, 1, 'Silva', ' Ana'),
      'has 6 cells where the header has 5; is a semicolon in Name not quoted?',
    ],
    [[...lead(1), ''], 'has 6 cells where the header has 5; check for a semicolon that is not quoted, or one too many'],
    [
      lead(1).toSpliced(1, 1),
      'has 4 cells where the header has 5; from Name on they do not fit: is a cell missing there?',
    ],
    [lead(1).slice(1), 'has 4 cells where the header has 5; from Ref on they do not fit: is a cell missing there?'],
    [
      lead(1).slice(0, 4),
      'has 4 cells where the header has 5; is a line break in it not quoted, or are its last cells missing?',
    ],
    [['A-1'], 'has 1 cell where the header has 5; is a line break in it not quoted, or are its last cells missing?'],
  ])('says why: %j', (row, misfit) => {
    expect([fit.whole(row), fit.misfit(row)]).toEqual([null, misfit]);
  });

  it.each([
    [',', 'comma'],
    [';', 'semicolon'],
    ['\t', 'TAB'],
    ['|', 'bar'],
    ['~', '"~"'],
  ])('names the delimiter %j: %s', (delimiter, name) => {
    const of = new RowFit(header, delimiter, sample);
    expect(of.misfit([...lead(1), ''])).toContain(`check for a ${name} that`);
  });

  it('in a column without a name is told without it', () => {
    const unnamed = new RowFit(header.with(1, ''), ';', sample);
    expect(unnamed.misfit(lead(1).toSpliced(1, 1, 'Silva', ' Ana'))).toContain('check for a semicolon');
    expect(unnamed.misfit(lead(1).toSpliced(1, 1))).toContain('is a line break in it');
  });

  it('says how many nearly all rows have, and which of that width fits other columns', () => {
    const longer = new RowFit(
      header,
      ';',
      sample.map((each) => [...each, '']),
    );
    expect(longer.misfit([...lead(1), '', ''])).toContain('has 7 cells where nearly all rows have 6;');
    expect(longer.whole(lead(1))).toEqual(lead(1));
    expect(longer.whole(lead(1).with(4, ' '))).toBeNull();
    expect(longer.misfit(lead(1).with(4, ''))).toContain(
      'has 5 cells where nearly all rows have 6, and they fit other columns better',
    );
    const split = [...lead(1).toSpliced(1, 1, 'Silva', ' Ana').slice(0, 5), ''];
    expect([longer.whole(split), longer.misfit(split)]).toEqual([
      null,
      'has 6 cells where nearly all rows have 6, and they fit other columns better; is a semicolon in Name not quoted?',
    ]);
  });

  it("is none with the header's width, however its cells look, unless many rows are short", () => {
    const odd = ['x', 'y', 'z', '', ''];
    expect(fit.whole(odd)).toBe(odd);
    const short = Array.from({ length: 2 }, (_, at) => lead(at).slice(0, 4));
    const split = ['A-1', 'Silva', ' Ana', 'lead1@example.com', '+351912345678'];
    const loose = (rows: readonly (readonly string[])[]) => new RowFit(header, ';', rows).whole(split) === null;
    expect(loose([...sample, ...short])).toBe(true);
    expect(loose([...sample, ...short.slice(1)])).toBe(false);
  });
});

it('a row is blank if all its cells are empty or blank', () => {
  expect([isBlank([]), isBlank(['', ' \t']), isBlank(['', ' x'])]).toEqual([true, true, false]);
});

describe('how much better the cells fit other columns', () => {
  const rows = (count: number, ...row: readonly string[]) => Array.from({ length: count }, () => row);

  it('is told from three times likelier on', () => {
    // Joined, the cells are a text with a digit, of which there are so many; before, an address, of which there is one.
    const told = (texts: number, addresses = 1) => {
      const sample = [...rows(texts, 'Anna', 'abc 5'), ...rows(addresses, 'Anna', 'e@f')];
      return new RowFit(['A', 'B'], ';', sample).misfit(['Anna', 'a@b', 'c 5']);
    };
    expect(told(4)).toContain('is a semicolon in B not quoted?');
    expect(told(3)).toContain('check for a semicolon');
    expect(told(4, 2)).toContain('check for a semicolon');
  });

  it('is learned from the first two hundred rows', () => {
    const told = (before: number) => {
      const sample = [
        ...rows(4, 'Anna', 'abc 5'),
        ...rows(1, 'Anna', 'e@f'),
        ...rows(before, 'Anna', 'Berta'),
        ...rows(1, 'Anna', 'e@f'),
      ];
      return new RowFit(['A', 'B'], ';', sample).misfit(['Anna', 'a@b', 'c 5']);
    };
    expect([told(195), told(194)].map((text) => text.includes('in B not quoted'))).toEqual([true, false]);
  });

  it('is learned from the first two hundred letters of a cell', () => {
    const told = (letters: number) => {
      const sample = [...rows(4, 'Anna', 'abc 5'), ...rows(1, 'Anna', 'e@f')];
      return new RowFit(['A', 'B'], ';', sample).misfit(['Anna', 'a@b', `c ${'x'.repeat(letters)}5`]);
    };
    // With "a@b;c " before them they have 200 letters, of which the last is the digit.
    expect([told(193), told(194)].map((text) => text.includes('in B not quoted'))).toEqual([true, false]);
  });

  it('counts from twenty times likelier on for a row as wide as the header, where many are short', () => {
    const whole = (short: number) => {
      const sample = [
        ...rows(short, 'Anna', 'Berta'),
        ...rows(29, 'Anna', 'Berta', 'Clara'),
        ...rows(1, 'Anna', 'Berta', 'cd'),
      ];
      return new RowFit(['A', 'B', 'C'], ';', sample).whole(['Anna', 'Berta', 'ab']);
    };
    expect([whole(23), whole(24)]).toEqual([['Anna', 'Berta', 'ab'], null]);
  });

  it('counts as well where nearly all rows end with an empty cell, by these and by those as wide as the header', () => {
    const whole = (full: number) =>
      new RowFit(['A', 'B'], ';', [...rows(40, 'Anna', 'Berta', ''), ...rows(full, 'Anna', 'PT')]).whole([
        'Anna',
        'PT',
        '',
      ]);
    expect([whole(0), whole(4)]).toEqual([null, ['Anna', 'PT']]);
  });

  it('counts for a short row as well, whose cells may be missing before', () => {
    const withFull = (full: number) =>
      new RowFit(['A', 'B', 'C'], ';', [...rows(180, 'Anna', 'Berta'), ...rows(full, 'Anna', 'Berta', 'c@d')]);
    expect(withFull(10).whole(['Anna', 'Berta'])).toEqual(['Anna', 'Berta', '']);
    expect(withFull(10).whole(['Anna', 'c@d'])).toBeNull();
    expect(withFull(3).whole(['Anna', 'c@d'])).toEqual(['Anna', 'c@d', '']);
    expect(withFull(10).misfit(['Anna', 'c@d'])).toBe(
      'has 2 cells where nearly all rows have 2, and they fit other columns better; is a line break in it not quoted, or are its last cells missing?',
    );
  });

  it('counts at all for a row as wide as the header, where nearly all are short', () => {
    const fit = new RowFit(['A', 'B', 'C'], ';', [...rows(180, 'Anna', 'Berta'), ...rows(10, 'Anna', 'Berta', 'c@d')]);
    expect(fit.whole(['Anna', 'Berta', 'c@d'])).toEqual(['Anna', 'Berta', 'c@d']);
    expect(fit.whole(['Anna', 'Berta', 'Clara'])).toBeNull();
    expect(fit.whole(['Anna', 'Berta', ''])).toEqual(['Anna', 'Berta', '']);
  });

  it('is of the kinds of cells, the most specific first', () => {
    // Each is alone of its kind in its column, so that none of them may stand in the column of another.
    const kinds = [
      '',
      'a@b',
      'www.x',
      '1-2-2026',
      '+49',
      '030 123456789',
      '12 3',
      'PT',
      '5a',
      'a b c d e',
      'x5',
      'Anna',
      ' Anna',
    ];
    const columns = kinds.map((_, at) => `c${at}`);
    const fit = new RowFit(columns, ';', rows(12, ...kinds));
    for (let at = 0; at < kinds.length - 1; at++) {
      const missing = fit.misfit(kinds.toSpliced(at, 1));
      expect(missing).toContain(`from c${at} on they do not fit`);
    }
    expect(fit.misfit(kinds.slice(0, -1))).toContain('are its last cells missing?');
    for (const [at, one] of kinds.entries()) {
      for (const other of kinds.slice(at + 1)) {
        const two = new RowFit(['A', 'B', 'C'], ';', rows(12, one, other, other));
        expect(two.misfit([other, other]), `${one} and ${other}`).toContain('from A on they do not fit');
      }
    }
  });
});
