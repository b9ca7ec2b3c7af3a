import { describe, expect, test } from 'vitest';
import { clip, folded, padded, textWidth } from '../../src/report/output.ts';

describe('a text is as wide as the places it takes on a terminal', () => {
  test.each([
    ['', 0],
    ['Lisboa', 6],
    ['São João', 8],
    ['Sa\u0303o', 3],
    ['東京', 4],
    ['서울', 4],
    ['ＡＢ', 4],
    ['ok 👍', 5],
    ['👩‍🔧', 2],
    ['…', 1],
  ])('%s: %i', (text, width) => {
    expect(textWidth(text)).toBe(width);
  });
});

describe('a text is cut to the places there are, and the cut is marked', () => {
  test.each([
    ['Lisboa', 6, 'Lisboa'],
    ['Lisboa', 5, 'Lisb…'],
    ['São João', 4, 'São…'],
    ['東京都', 6, '東京都'],
    ['東京都', 5, '東京…'],
    ['東京都', 4, '東…'],
    ['東京都', 1, '…'],
    ['Lisboa', 0, ''],
    ['東京', 0, ''],
  ])('%s to %i: %s', (text, width, cut) => {
    expect(clip(text, width)).toBe(cut);
    expect(textWidth(clip(text, width))).toBeLessThanOrEqual(width);
  });
});

test('a text is filled up by places, not by letters', () => {
  expect(padded('東京', 6)).toBe('東京  ');
  expect(padded('Lisboa', 3)).toBe('Lisboa');
});

describe('a text for a terminal', () => {
  test('is broken between words, and goes on below its beginning', () => {
    const text = 'Short line\n  ! A warning that is longer than the line has room for';
    expect(folded(text, 30)).toBe('Short line\n  ! A warning that is \n    longer than the line has \n    room for');
  });

  test('is as it was where there is no terminal', () => {
    expect(folded('word '.repeat(100), null)).toBe('word '.repeat(100));
  });

  test.each([
    [
      'Not logged in: srq login --profile "a b c" --base-url https://api.example.com',
      'srq login --profile "a b c" --base-url https://api.example.com',
    ],
    ['Make the location of several columns: --set "location={Postcode} {City}"', '--set "location={Postcode} {City}"'],
    [
      '\u001b[1mNext\u001b[22m: srq bulk leads.csv --only failed --no-validate',
      'srq bulk leads.csv --only failed --no-validate',
    ],
    [
      '  \u001b[2m→\u001b[22m srq bulk Sa\u0303o.csv --only failed --no-validate',
      'srq bulk Sa\u0303o.csv --only failed --no-validate',
    ],
  ])('keeps what is to be pasted in one piece: %j', (text, pasted) => {
    expect(folded(text, 24)).toContain(pasted);
  });

  test('keeps its colours on every line', () => {
    const lines = folded(`\u001b[33m!\u001b[39m \u001b[2m${'word '.repeat(20)}\u001b[22m`, 40).split('\n');
    expect(lines.length).toBeGreaterThan(2);
    for (const line of lines) expect(textWidth(line)).toBeLessThanOrEqual(40);
    for (const line of lines.slice(1, -1)) expect(line).toMatch(/^ {2}\u001b\[2m\S.*\u001b\[22m $/);
  });

  test('of a hundred thousand letters takes no time', () => {
    const startedMs = performance.now();
    for (const unit of [' ', 'a', 'a ', '東', ': ', ': srq ', '--a ', '--a "'])
      folded(unit.repeat(100_000 / unit.length), 80);
    for (const unit of [' ', 'a', 'a ', '東', ': ', ': srq ', '--a ', '--a "'])
      folded(unit.repeat(9_000 / unit.length), 80);
    expect(performance.now() - startedMs).toBeLessThan(20_000);
  });
});

test('a sentence behind a command is broken like any other, and the last command has a line of its own', () => {
  const hint = '  Try again later: srq doctor. If that does not help, send the report: srq doctor --output FILE';
  expect(
    folded(hint, 60)
      .split('\n')
      .map((line) => line.trimEnd()),
  ).toEqual(['  Try again later: srq doctor. If that does not help,', '    send the report: srq doctor --output FILE']);
  expect(folded('No profile is stored. Log in with: srq login', 40).split('\n')).toEqual([
    'No profile is stored. Log in with: ',
    '  srq login',
  ]);
});
