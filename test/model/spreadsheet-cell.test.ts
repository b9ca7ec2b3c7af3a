import fc from 'fast-check';
import { expect, it } from 'vitest';
import { defuse, undefuse } from '../../src/model/spreadsheet-cell.ts';

const anyCell = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc
    .tuple(fc.constantFrom('', "'", "''"), fc.constantFrom('=', '+', '-', '@', '\t', '\r', ''), fc.string())
    .map((parts) => parts.join('')),
);

it('every text comes back exactly', () => {
  fc.assert(
    fc.property(anyCell, (text) => undefuse(defuse(text)) === text),
    { numRuns: 2000 },
  );
});

it('no defused cell begins as a formula does', () => {
  fc.assert(
    fc.property(anyCell, (text) => !/^[=+\-@\t\r]/.test(defuse(text))),
    { numRuns: 2000 },
  );
});

it('ordinary texts stay as they are', () => {
  expect(["O'Neill", "'quoted'", '1+1', ''].map(defuse)).toEqual(["O'Neill", "'quoted'", '1+1', '']);
  expect(defuse('+351912345678')).toBe("'+351912345678");
});
