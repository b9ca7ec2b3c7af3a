import { parse } from 'csv-parse/sync';
import { describe, expect, it } from 'vitest';
import { csvLine, escapeFormulas, unescapeFormulas } from '../doors/words.ts';
import { cpuMs } from '../helpers/cpu-time.ts';
import fc from '../helpers/fast-check.ts';

const SIGNS = ['=', '+', '-', '@', '＝', '＋', '－', '＠', '﹦', '﹢', '﹣', '﹫'];
const SEPARATORS = [',', ';', '\t', '|', '"', '\r', '\n'];
const NOT_SEEN = [
  ' ',
  '\u00a0',
  '\u3000',
  '\u2003',
  '\u2028',
  '\v',
  '\f',
  '\0',
  '\u0085',
  '\u200b',
  '\ufeff',
  '\u00ad',
];

/** Texts of what the guard looks at, short enough that all of it meets. */
const nasty = fc
  .array(fc.constantFrom("'", "'", ...SIGNS, ...SEPARATORS, ...NOT_SEEN, 'a', '1', 'ß', '\ud800'), { maxLength: 12 })
  .map((parts) => parts.join(''));
const anyText = fc.oneof({ weight: 3, arbitrary: nasty }, fc.string({ unit: 'binary' }));

/** How many of the letters in front a spreadsheet may drop, and then take the next one for the beginning of a formula. */
function beginsFormula(cell: string): boolean {
  const first = [...cell].find((letter) => letter !== '"' && !NOT_SEEN.includes(letter));
  return first !== undefined && SIGNS.includes(first);
}

/** The cells that a spreadsheet makes of lines of CSV: it knows a quote by its place alone, and complains of nothing. */
function asSpreadsheet(text: string, separators: string): string[] {
  const cells: string[] = [];
  for (let at = 0; at < text.length; at += 1) {
    let cell = '';
    let isQuoted = text[at] === '"';
    if (isQuoted) at += 1;
    for (; at < text.length; at += 1) {
      const letter = text[at] ?? '';
      if (isQuoted && letter === '"' && text[at + 1] === '"') at += 1;
      else if (isQuoted && letter === '"') {
        isQuoted = false;
        continue;
      } else if (!isQuoted && (letter === '\r' || letter === '\n' || separators.includes(letter))) break;
      cell += letter;
    }
    cells.push(cell);
  }
  return cells;
}

describe('a defused text', () => {
  it('a text that is kept from being a formula comes back exactly, whatever it is', () => {
    fc.assert(
      fc.property(anyText, (text) => unescapeFormulas(escapeFormulas(text)) === text),
      { numRuns: 5_000 },
    );
  });

  it('a text is kept from being a formula in a time that grows with its length alone', () => {
    const long = ['\t'.repeat(1e5), ' '.repeat(1e5), "'".repeat(1e5), '\t '.repeat(1e5), '";='.repeat(1e5)];
    const all = () => {
      for (const text of long) expect(unescapeFormulas(escapeFormulas(`${text}=`))).toBe(`${text}=`);
    };
    // Tens of milliseconds; a quadratic one takes minutes.
    expect(cpuMs(all, 1_000)).toBeLessThan(10_000);
  });
});

describe('a line of CSV', () => {
  const line = fc.tuple(fc.array(anyText, { minLength: 1, maxLength: 4 }), fc.constantFrom(',', ';', '\t', '|'));

  it('a line of CSV holds no formula, whichever separator a spreadsheet splits it at', () => {
    fc.assert(
      fc.property(line, ([cells, delimiter]) => {
        const text = csvLine(cells, delimiter);
        for (const separator of [',', ';', '\t', '|', /[,;\t|]/])
          for (const row of text.split(/[\r\n]/))
            for (const cell of row.split(separator)) expect([cell, beginsFormula(cell)]).toEqual([cell, false]);
        for (const separators of [',', ';', '\t', ',;\t'])
          for (const cell of asSpreadsheet(text, separators))
            expect([cell, beginsFormula(cell)]).toEqual([cell, false]);
      }),
      { numRuns: 1_500 },
    );
  });

  it('a line of CSV is one cell for each of its texts to a spreadsheet that takes every usual separator', () => {
    const readable = fc.array(fc.stringMatching(/^[a-z ,;\t=+'"-]{1,12}$/), { minLength: 2, maxLength: 4 });
    fc.assert(
      fc.property(readable, fc.constantFrom(',', ';', '\t'), (cells, delimiter) => {
        const [back]: string[][] = parse(csvLine(cells, delimiter), { delimiter: [',', ';', '\t'] });
        expect(back?.map(unescapeFormulas)).toEqual(cells);
      }),
      { numRuns: 500 },
    );
  });
});
