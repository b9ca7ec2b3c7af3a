import { describe, expect, test } from 'vitest';
import { inAscii, printable, printableLines, terminalSafeJson, textWidth, wrapped } from '../../src/report/output.ts';

describe('a foreign text', () => {
  test('a foreign text is printed as one line, and each invisible mark can be seen', () => {
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

  test('a foreign text of several lines keeps them', () => {
    expect(printableLines('a\u001b\nb\tc')).toBe('a\\u{1b}\nb c');
  });

  test('a foreign text in JSON is safe on a terminal and has the same value', () => {
    const value = { text: '\u001b[31m\u202e\u009b\ud800' };
    const json = terminalSafeJson(value);
    expect(json).toBe('{"text":"\\u001b[31m\\u202e\\u009b\\ud800"}');
    expect(JSON.parse(json)).toEqual(value);
  });
});

test('each of our marks has an ASCII form of the same width, and other texts stay', () => {
  const marks = '✓✗→←·…█░';
  expect(inAscii(marks)).toBe('+x><|~#.');
  expect(textWidth(inAscii(marks))).toBe(textWidth(marks));
  expect(inAscii('São 東京 ✔')).toBe('São 東京 ✔');
});

describe('a line that is wrapped', () => {
  test('a line is wrapped if it is wider than the terminal, or longer than anyone reads', () => {
    expect(wrapped('four word', 9)).toBe('four word');
    expect(wrapped('four words', 9)).toBe('four \n  words');
    const long = (letters: number) => `${'word '.repeat(letters / 5 - 1)}words`;
    expect(wrapped(long(10_000), 80)).toContain('\n');
    expect(wrapped(long(10_005), 80)).toBe(long(10_005));
  });

  test('a line is not wrapped if it is a command, or has a name whose accents would be composed', () => {
    const command = '  srq bulk a-file-with-a-long-name.csv --profile other';
    const login = '  SRQ_CLIENT_SECRET=open-sesame srq login --profile sandbox --client-id 4711';
    expect(wrapped(login, 40)).toBe(login);
    expect(wrapped(command, 20)).toBe(command);
    const decomposed = 'Sa\u0303o Paulo is a city with a long name';
    expect(wrapped(decomposed, 20)).toBe(decomposed);
  });

  test.each([
    [21, 'Next one: srq doctor', 'Next one: srq doctor'],
    [20, 'Next one: srq doctor', 'Next one: srq doctor'],
    [19, 'Next one: srq doctor', 'Next one: \n  srq doctor'],
    [25, 'Wait until it is over. Say: jq .', 'Wait until it is over. \n  Say: jq .'],
  ])('a line wrapped at %d columns keeps its command whole: %s', (columns, line, told) => {
    expect(wrapped(line, columns)).toBe(told);
  });
});
