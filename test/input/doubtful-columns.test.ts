import { expect, test } from 'vitest';
import { doubtsAbout } from '../doors/read.ts';

// What is said of other columns is in test/doors/read/doubtful.md.

const PHONES = ['0151 66126116', '0151 66126117', '030 12345678'];
const said = (cells: readonly string[], map: Record<string, string>, set: Record<string, string> = {}) =>
  doubtsAbout(['held', 'places'], [[...cells], cells.map((_, at) => `1011${at} Berlin`)], { map, set }).length;

test('one cell is enough to warn of telephone numbers, but of nothing else, and no cell of nothing', () => {
  expect(said(PHONES.slice(0, 1), { held: 'fullname' })).toBe(1);
  expect(said(['2026-11-01'], { held: 'location' })).toBe(0);
  expect(said([], { held: 'fullname' })).toBe(0);
});

test('cells beside other texts give no warning about a given column', () => {
  expect(said(PHONES, {}, { location: '{places}, tel. {held}' })).toBe(0);
});
