import { describe, expect, test } from 'vitest';
import { cellVariants, hasLostDigits, isDate } from '../../src/delivery/cell-variants.ts';
import fc from '../helpers/fast-check.ts';

const texts = (cell: string) => cellVariants(cell).map(({ text }) => text);

describe('what a cell may have been', () => {
  test.each([
    ['1067', '01067'],
    ['1.067', '01067'],
    ['1067,00', '01067'],
    ['351912345678', '+351912345678'],
    ['3,51912345678E+11', '+351912345678'],
    ['3.51912E+11', '+351912000000'],
    ['3,51912345678E+011', '00351912345678'],
    ['20.11.26', '20.11.2026'],
    ['2026-11-20', '20/11/2026'],
    ['11/20/26', '2026-11-20'],
    ['11/20/2026 10:30', '2026-11-20 10:30:00'],
    ['22,5', '22.50'],
    ['WAHR', 'true'],
  ])('%s was %s', (cell, was) => expect(texts(cell)).toContain(was));

  test.each(['', 'Lisboa', '01067', '1200-109', '=1+1', '12/2', '40.13.2026', '1'.repeat(50), 'true enough'])(
    '%s is as it was',
    (cell) => expect(texts(cell)).toEqual([]),
  );

  test('a number of any length that lost its sign or zeros leads back, and no cell has many variants', () => {
    fc.assert(
      fc.property(
        fc.bigInt({ min: 1_000_000n, max: 999_999_999_999_999n }),
        fc.constantFrom('+', '0', '00'),
        (digits, lost) => {
          expect(texts(String(digits))).toContain(`${lost}${digits}`);
        },
      ),
    );
    fc.assert(fc.property(fc.string({ maxLength: 40 }), (cell) => cellVariants(cell).length <= 80));
  });
});

test('digits that a spreadsheet has cut off are seen, round numbers are not', () => {
  expect(['12345678901234500000', '1234567890123450'].map(hasLostDigits)).toEqual([true, true]);
  expect(['351912000000', '100000000000000', '12345678901234567890'].map(hasLostDigits)).toEqual([false, false, false]);
});

test('dates are told from what only looks like one', () => {
  expect(['20.11.26', '2026-11-20', '11/20/2026 10:30:00'].map(isDate)).toEqual([true, true, true]);
  expect(['1200-109', '20.11', '0151/23456789', '192.168.0.1'].map(isDate)).toEqual([false, false, false, false]);
});
