import { describe, expect, test } from 'vitest';
import { folded } from '../../src/report/output.ts';

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
