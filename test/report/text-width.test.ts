import { describe, expect, test } from 'vitest';
import { clip, padded, textWidth } from '../../src/report/text-width.ts';

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
