import { describe, expect, it } from 'vitest';
import { findDialect, linesBeforeHeader, textWithoutLineQuotes } from '../../src/input/dialect.ts';

/** Knows the fields `k1`, `k2` and so on. */
const known = (header: readonly string[]) => header.filter((name) => /^k\d$/.test(name)).length;
const find = (sample: string, options: { delimiter?: string; skipLines?: number } = {}) =>
  findDialect(sample, { delimiter: null, skipLines: 0, ...options }, known);
const times = (count: number, text: string) => text.repeat(count);

describe('a delimiter that is given', () => {
  it.each([
    ['tab', '\t'],
    ['TAB', '\t'],
    ['\\t', '\t'],
    ['comma', ','],
    ['semicolon', ';'],
    ['Pipe', '|'],
    [':', ':'],
    ['€', '€'],
    ['😀', '😀'],
  ])('may be called %s: %j', (text, delimiter) => {
    expect(find('a,b\n1,2\n', { delimiter: text }).delimiter).toBe(delimiter);
  });

  it.each(['', '"', '\n', '\r', ';;', 'dot'])('cannot be %j', (text) => {
    expect(() => find('a,b\n', { delimiter: text })).toThrow(
      expect.objectContaining({ code: 'usage', message: `"${text}" cannot be a delimiter.` }),
    );
  });

  it.each([
    ['sep=;\na,b;c\n', ';', 1],
    ['\uFEFF"sep=|"\r\na,b\n', '|', 1],
    ['SEP=,;;\ra;b\n', ',', 1],
    ['sep=;x\na,b\n1,2\n', ',', 1],
    ['a,b\nsep=;\n', ',', 0],
  ])('may stand in the first line: %j', (sample, delimiter, lines) => {
    expect(find(sample)).toMatchObject({ delimiter, linesBeforeHeader: lines });
  });

  it('by the user wins over that of the file, whose line is counted, too', () => {
    expect(find('sep=;\na,b;c\n', { delimiter: ',' })).toMatchObject({ delimiter: ',', linesBeforeHeader: 1 });
    expect(find('x\nsep=;\na,b;c\n', { skipLines: 1 })).toMatchObject({ delimiter: ';', linesBeforeHeader: 2 });
  });
});

describe('a delimiter is found', () => {
  it.each([',', ';', '\t', '|'])('if it is %j, also in a file of two lines', (sign) => {
    expect(find(`a${sign}b\n1${sign}2\n`).delimiter).toBe(sign);
    expect(find(`a${sign}b\n${times(9, `1${sign}2\n`)}`).delimiter).toBe(sign);
  });

  it('by the known fields, where it explains nine tenths as well as the best one', () => {
    const of = (fitting: number) => find(`a,k1;b\n${times(fitting - 1, 'x,y;z\n')}${times(10 - fitting, 'x,y z\n')}`);
    expect([of(10).delimiter, of(9).delimiter, of(8).delimiter]).toEqual([',', ',', ',']);
    const named = (fitting: number) =>
      find(`a,b;k1\n${times(fitting - 1, 'x,y;z\n')}${times(10 - fitting, 'x,y z\n')}`);
    expect([named(10).delimiter, named(9).delimiter, named(8).delimiter]).toEqual([';', ';', ',']);
  });

  it('by the share of the lines that have it, and by how many columns it makes', () => {
    expect(find(`a;b,c\n${times(9, 'x;y,z\n')}${times(2, 'x,y\n')}`).delimiter).toBe(',');
    expect(find(`a;b;c,d\n${times(9, 'x;y;z,w\n')}`).delimiter).toBe(';');
  });

  it.each([
    [3, 3, ';'],
    [3, 4, ';'],
    [3, 5, ';'],
    [3, 6, ','],
    [2, 2, ';'],
    [2, 3, ','],
    [5, 3, ';'],
    [6, 3, ','],
    [1, 1, ','],
  ])('though the header has %d cells and the rows have %d: %j', (header, row, delimiter) => {
    const cells = (count: number) => `${Array(count).fill('x').join(';')}\n`;
    expect(find(cells(header) + times(5, cells(row))).delimiter).toBe(delimiter);
  });

  it('rather where the header agrees with the rows than where it is near', () => {
    expect(find(`a;b;c,d\n${times(5, 'x;y;z;,w\n')}`).delimiter).toBe(',');
  });

  it('though it is near only, where it makes more than twice as much of the lines', () => {
    expect(find(`a;b;c;d;e,f\n${times(60, 'x;y;z;w;v;,u\n')}`).delimiter).toBe(';');
  });

  it('outside of quotes', () => {
    expect(find(`a,b\n${times(3, '"x;y;z","w;;"\n')}`).delimiter).toBe(',');
    expect(find(`a,b\n${times(3, '"x;y\nz;""w",1\n')}`).delimiter).toBe(',');
  });
});

describe('lines before the header', () => {
  it.each([
    ['a;b\n1;2\n3;4\n', 0, []],
    ['\n\na;b\n1;2\n3;4\n', 2, []],
    ['Title\n\na;b\n1;2\n3;4\n', 2, ['Set aside before the header: lines 1–2.']],
    ['Title\na;b\n1;2\n3;4\n', 1, ['Set aside before the header: line 1.']],
    ['"Ti\ntle"\na;b\n1;2\n3;4\n', 2, ['Set aside before the header: lines 1–2.']],
    ['Title;\na;b\n1;2\n3;4\n', 1, ['Set aside before the header: line 1.']],
    ['Names\nAna\nRui\n', 0, []],
    ['\nNames\nAna\nRui\n', 1, []],
  ])('of %j are %d', (sample, lines, notes) => {
    expect(find(sample)).toMatchObject({ linesBeforeHeader: lines, notes });
  });

  it('that are skipped count, whatever ends them', () => {
    for (const end of ['\n', '\r\n', '\r'])
      expect(find(['x', 'Title', 'a;b', '1;2', '3;4', ''].join(end), { skipLines: 1 })).toMatchObject({
        linesBeforeHeader: 2,
        notes: ['Set aside before the header: line 2.'],
        sample: [
          ['1', '2'],
          ['3', '4'],
        ],
      });
    expect(find('a;b\n', { skipLines: 5 })).toMatchObject({ linesBeforeHeader: 5, sample: [] });
  });

  it('are none where no record is filled', () => {
    expect(linesBeforeHeader([{ cells: ['', ''], lines: 1 }], 3)).toEqual({
      linesBeforeHeader: 3,
      recordsBeforeHeader: 0,
      notes: [],
    });
  });
});

describe('the rows of the sample', () => {
  it('are those after the header, without the last one that is cut', () => {
    expect(find('T\na;b\n1;2\n3;4\n5;6').sample).toEqual([
      ['1', '2'],
      ['3', '4'],
    ]);
    expect(find('a;b\n1;2').sample).toEqual([['1', '2']]);
    expect(find('a;b\n1;2\n3;4').sample).toEqual([['1', '2']]);
  });

  it('have their quotes read as at the beginning of cells', () => {
    expect(find('a;b\n"1""x";2 "y" z\n;\n3;\n').sample).toEqual([
      ['1"x', '2 "y" z'],
      ['', ''],
      ['3', ''],
    ]);
    expect(find('a|b\n1|', { delimiter: '|' }).sample).toEqual([['1', '']]);
    for (const sign of ['\\', ']', '^', '-'])
      expect(find(`a${sign}b\n1${sign}2\n`, { delimiter: sign }).sample).toEqual([['1', '2']]);
  });
});

describe('lines that are quoted as a whole', () => {
  it.each([
    ['"a,b,c"\n"1,2,3"\n"4,5,6"\n', true],
    ['"a,b"\n"1,2"\n"4,5"\n', false],
    ['"k1,b"\n"1,2"\n"4,5"\n', false],
    ['"k1,k2"\n"1,2"\n"4,5"\n', true],
    ['a,b,c\n1,2,3\n', false],
    ['"a","b","c"\n"1","2","3"\n', false],
  ])('%j: %s', (sample, hasLineQuotes) => {
    const { notes, ...found } = find(sample);
    expect(found.hasLineQuotes).toBe(hasLineQuotes);
    expect(notes).toEqual(hasLineQuotes ? ['Lines are quoted as a whole; these quotes are taken off.'] : []);
  });

  async function bare(...pieces: readonly string[]) {
    async function* text() {
      yield* pieces;
    }
    let all = '';
    for await (const piece of textWithoutLineQuotes(text())) all += piece;
    return all;
  }

  it.each([
    ['"a,""b, c"",d"\n"e"\r\nf,"g"\r"h"', 'a,"b, c",d\ne\r\nf,"g"\rh'],
    ['"a,""b\nc"",d"\n"e"\n', 'a,"b\nc",d\ne\n'],
    ['"a\n"b"\n"c"', '"a\n"b"\n"c"'],
    ['"open\nand on', '"open\nand on'],
    ['x"y\n"z"', 'x"y\nz'],
    ['"a"\r', 'a\r'],
    ['', ''],
  ])('%j become %j, wherever the text is cut', async (text, expected) => {
    for (let cut = 0; cut <= text.length; cut++)
      expect(await bare(text.slice(0, cut), text.slice(cut)), `cut at ${cut}`).toBe(expected);
  });

  it('join at most 1 MiB of lines, and are no longer each', async () => {
    const mib = 1024 * 1024;
    const half = 'x'.repeat(mib / 2);
    // The opening quote counts.
    const joined = (more: string) => bare(`"${half}\n`, `${half.slice(1)}${more}\n`, '"y"\n');
    expect(await joined('')).toBe(`"${half}\n${half.slice(1)}\n"y"\n`);
    expect((await joined('x')).endsWith('\ny\n')).toBe(true);
    expect((await joined('')).endsWith('\ny\n')).toBe(false);
    expect(await bare(`"${'x'.repeat(mib - 1)}`, '"\n')).toBe(`${'x'.repeat(mib - 1)}\n`);
    expect(await bare(`"${'x'.repeat(mib)}`, '"\n')).toBe(`"${'x'.repeat(mib)}"\n`);
  });
});
