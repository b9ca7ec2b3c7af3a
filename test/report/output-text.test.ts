import { describe, expect, test } from 'vitest';
import { inAscii, printable, printableLines, terminalSafeJson, textWidth } from '../../src/report/output.ts';

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
