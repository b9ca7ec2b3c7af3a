import { expect, test } from 'vitest';
import { nearest } from '../../src/request/words/did-you-mean.ts';

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
