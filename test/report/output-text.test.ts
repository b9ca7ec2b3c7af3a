import { PassThrough } from 'node:stream';
import { describe, expect, test } from 'vitest';
import {
  aligned,
  columnsOf,
  duration,
  folded,
  inAscii,
  isAsciiLocale,
  jsonArrayTexts,
  painter,
  printable,
  printableLines,
  rowsText,
  tableLine,
  tableText,
  terminalSafeJson,
  textWidth,
  thousands,
} from '../../src/report/output.ts';

test.each([
  [0, '0'],
  [999, '999'],
  [1_000, '1,000'],
  [999_999, '999,999'],
  [1_234_567, '1,234,567'],
  [12.5, '13'],
])('the number %d is written as %s', (count, text) => {
  expect(thousands(count)).toBe(text);
});

test.each([
  [0, '0 rows'],
  [1, '1 row'],
  [2, '2 rows'],
  [2_000, '2,000 rows'],
])('%d is told as %s', (count, text) => {
  expect(rowsText(count)).toBe(text);
});

test.each([
  [0, '0.0 s'],
  [8_040, '8.0 s'],
  [9_999, '10.0 s'],
  [10_000, '10 s'],
  [59_499, '59 s'],
  [59_500, '1 min'],
  [60_000, '1 min'],
  [61_000, '1 min 1 s'],
  [200_000, '3 min 20 s'],
  [3_599_000, '59 min 59 s'],
  [3_600_000, '1 h'],
  [3_659_000, '1 h'],
  [3_660_000, '1 h 1 min'],
  [7_500_000, '2 h 5 min'],
])('%d ms are told as %s', (ms, text) => {
  expect(duration(ms)).toBe(text);
});

describe('a foreign text', () => {
  test('is one line, and each invisible mark can be seen', () => {
    expect(printable('a\tb\r\n\nc')).toBe('a b c');
    for (const [mark, code] of [
      ['\0', '0'],
      ['\u001b', '1b'],
      ['\u007f', '7f'],
      ['\u009f', '9f'],
      ['\u061c', '61c'],
      ['\u200b', '200b'],
      ['\u202e', '202e'],
      ['\u2069', '2069'],
      ['\ufeff', 'feff'],
      ['\ud800', 'd800'],
    ])
      expect(printable(`a${mark}b`)).toBe(`a\\u{${code}}b`);
    expect(printable(' \u007e\u00a0é東👍')).toBe(' \u007e\u00a0é東👍');
  });

  test('of several lines keeps them', () => {
    expect(printableLines('a\u001b\nb\tc')).toBe('a\\u{1b}\nb c');
  });

  test('as JSON is safe on a terminal and has the same value', () => {
    const value = { text: '\u001b[31m\u202e\u009b\ud800' };
    const json = terminalSafeJson(value);
    expect(json).toBe('{"text":"\\u001b[31m\\u202e\\u009b\\ud800"}');
    expect(JSON.parse(json)).toEqual(value);
  });
});

test.each<[object[], string]>([
  [[], '[]\n'],
  [[{ a: 1 }], '[{"a":1}]\n'],
  [[{ a: 1 }, { a: 2 }], '[{"a":1},\n{"a":2}]\n'],
])('the items %j are one JSON array, a line each', async (items, text) => {
  async function* each() {
    yield* items;
  }
  let written = '';
  for await (const part of jsonArrayTexts(each())) written += part;
  expect(written).toBe(text);
});

test('each of our marks has one of ASCII that is as wide, and other texts stay', () => {
  const marks = '✓✗→←·…█░';
  expect(inAscii(marks)).toBe('+x><|~#.');
  expect(textWidth(inAscii(marks))).toBe(textWidth(marks));
  expect(inAscii('São 東京 ✔')).toBe('São 東京 ✔');
});

test.each([
  [{ LC_ALL: 'C', LC_CTYPE: 'en_GB.UTF-8', LANG: 'en_GB.UTF-8' }, true],
  [{ LC_ALL: '', LC_CTYPE: 'POSIX', LANG: 'en_GB.UTF-8' }, true],
  [{ LC_CTYPE: 'en_GB.UTF-8', LANG: 'C' }, false],
  [{ LANG: 'C' }, true],
])('of the variables of the locale the first that is set counts: %j', (env, isAscii) => {
  expect(isAsciiLocale(env)).toBe(isAscii);
});

test('a painter colours, or leaves the text as it is', () => {
  const names = ['bold', 'red', 'yellow', 'green', 'cyan', 'dim'] as const;
  for (const name of names) expect(painter(false)[name]('text')).toBe('text');
  const painted = names.map((name) => painter(true)[name]('text'));
  expect(new Set(painted).size).toBe(names.length);
  for (const each of painted) expect(textWidth(each)).toBe(4);
  // They are of the 256 colours, which every terminal shows alike.
  for (const each of painted.slice(1)) expect(each).toContain('\u001b[38;5;');
});

test('pairs are two columns, the first as wide as its widest text', () => {
  expect(
    aligned([
      ['東京', 'a'],
      ['abc', 'b'],
    ]),
  ).toEqual(['  東京  a', '  abc   b']);
  expect(aligned([['a', 'b']], '> ')).toEqual(['> a  b']);
  expect(aligned([])).toEqual([]);
});

describe('a table', () => {
  const paint = painter(false);
  const of = (...rows: string[][]) => rows.map((row) => row.map((text) => ({ text })));
  const linesOf = (headings: string[], rows: string[][], columns: number | null) =>
    tableText(headings, of(...rows), columns, paint).split('\n');

  test('has headings on a terminal alone, and columns as wide as their texts', () => {
    const rows = [
      ['a', 'long text', 'c'],
      ['bb', 'x', ''],
    ];
    expect(linesOf(['one', 'two', 'three'], rows, 80)).toEqual([
      'one  two        three',
      'a    long text  c',
      'bb   x',
    ]);
    expect(linesOf(['one', 'two', 'three'], rows, null)).toEqual(['a   long text  c', 'bb  x']);
  });

  test.each([
    [40, 'a'.repeat(16), 'b'.repeat(20)],
    [38, 'a'.repeat(16), 'b'.repeat(20)],
    [37, 'a'.repeat(16), `${'b'.repeat(18)}…`],
    [34, 'a'.repeat(16), `${'b'.repeat(15)}…`],
    [14, 'aaaaa…', 'bbbbb…'],
    [5, 'aaaaa…', 'bbbbb…'],
  ])('on %d columns narrows its widest column, as far as something can be read', (columns, one, two) => {
    expect(linesOf(['x', 'y'], [['a'.repeat(16), 'b'.repeat(20)]], columns)[1]).toBe(`${one}  ${two}`);
  });

  test.each([33, 30, 20, 15])('whose columns are alike still fits %d columns', (columns) => {
    const [, line = ''] = linesOf(['x', 'y'], [['a'.repeat(16), 'b'.repeat(16)]], columns);
    expect(textWidth(line)).toBe(columns);
  });

  test('is painted without its width, and the last cell is not padded', () => {
    const loud = (text: string) => `<${text}>`;
    expect(tableLine([{ text: 'a', paint: loud }, { text: 'b' }, { text: 'c', paint: loud }], [3, 2, 9])).toBe(
      '<a  >  b   <c>',
    );
    expect(tableLine([{ text: 'abc' }], [])).toBe('');
  });
});

test.each([
  [{ isTTY: true, columns: 80 }, 80],
  [{ isTTY: true, columns: 1 }, 1],
  [{ isTTY: true, columns: 0 }, null],
  [{ isTTY: true }, null],
  [{ isTTY: false, columns: 80 }, null],
  [{}, null],
])('a stream like %j has so many columns: %s', (stream, columns) => {
  expect(columnsOf(Object.assign(new PassThrough(), stream))).toBe(columns);
});

describe('a line that is folded', () => {
  test('is one that is wider than the terminal, and no longer than anyone reads', () => {
    expect(folded('four word', 9)).toBe('four word');
    expect(folded('four words', 9)).toBe('four \n  words');
    const long = (letters: number) => `${'word '.repeat(letters / 5 - 1)}words`;
    expect(folded(long(10_000), 80)).toContain('\n');
    expect(folded(long(10_005), 80)).toBe(long(10_005));
  });

  test('is none that is a command, or has a name whose accents would be composed', () => {
    const command = '  srq bulk a-file-with-a-long-name.csv --profile other';
    expect(folded(command, 20)).toBe(command);
    const decomposed = 'Sa\u0303o Paulo is a city with a long name';
    expect(folded(decomposed, 20)).toBe(decomposed);
  });

  test.each([
    [21, 'Next one: srq doctor', 'Next one: srq doctor'],
    [20, 'Next one: srq doctor', 'Next one: srq doctor'],
    [19, 'Next one: srq doctor', 'Next one: \n  srq doctor'],
    [25, 'Wait until it is over. Say: jq .', 'Wait until it is over. \n  Say: jq .'],
  ])('of %d columns keeps its command whole: %s', (columns, line, told) => {
    expect(folded(line, columns)).toBe(told);
  });

  test.each([
    'srq',
    'cat',
    'chmod',
    'cp',
    'createdb',
    'curl',
    'gzip',
    'jq',
    'mv',
    'npm',
    'openssl',
    'rm',
    'sed',
    'sudo',
  ])('knows %s as the beginning of a command', (name) => {
    const command = `${name} one two three four`;
    expect(folded(`Run this here: ${command}`, 18)).toContain(command);
    expect(folded(`Run this here: x${command}`, 18)).not.toContain(command);
  });
});
