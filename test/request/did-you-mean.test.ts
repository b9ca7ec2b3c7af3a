import { expect, test } from 'vitest';
import { nearest } from '../../src/request/did-you-mean.ts';

const COMMANDS = ['create', 'validate', 'bulk', 'resolve', 'shop'];

test.each([
  ['craete', 'create'],
  ['shpo', 'shop'],
  ['bulkk', 'bulk'],
  ['blk', 'bulk'],
  ['VALIDATE', 'validate'],
  ['reslove', 'resolve'],
])('%s is a slip of the fingers for %s', (word, meant) => {
  expect(nearest(word, COMMANDS)).toBe(meant);
});

test.each(['', 'hops', 'template', 'x'])('%j is near to none of them', (word) => {
  expect(nearest(word, COMMANDS)).toBeNull();
});

test.each([
  ['bulb', 'bulk'],
  ['hsop', 'shop'],
  ['shpo', 'shop'],
  ['xreatx', 'create'],
])('%s is one slip for each three letters away from %s', (word, meant) => {
  expect(nearest(word, COMMANDS)).toBe(meant);
});

test.each([
  ['xhopx', 'shop', 'two of five letters'],
  ['sxhp', 'shop', 'a letter that only looks swapped'],
  ['soxp', 'shop', 'another one'],
  ['xyzdfe', 'abcdef', 'two swapped behind three others'],
  ['xo', 'shop', 'a word too short'],
])('%s is none for %s: %s', (word, candidate) => {
  expect(nearest(word, [candidate])).toBeNull();
});

test('of long texts the first 64 letters are compared', () => {
  const word = 'a'.repeat(66);
  expect(nearest(word, [`${'a'.repeat(42)}${'b'.repeat(24)}`])).not.toBeNull();
  expect(nearest(word, [`${'a'.repeat(41)}${'b'.repeat(23)}aa`])).toBeNull();
});

test('of two that are equally near the first is meant', () => {
  expect(nearest('cat', ['bat', 'rat'])).toBe('bat');
  expect(nearest('cat', ['zzz', 'rat', 'bat'])).toBe('rat');
  expect(nearest('cat', [])).toBeNull();
});
