import { describe, expect, test } from 'vitest';
import { cellVariants, hasLostDigits, isDate } from '../../src/delivery/sent-cells.ts';
import fc from '../helpers/fast-check.ts';

const texts = (cell: string) => cellVariants(cell).map(({ text }) => text);

/** A day as the programs of the markets write it. */
function dateForms(day: Date): string[] {
  const [year, month, date] = [day.getUTCFullYear(), day.getUTCMonth() + 1, day.getUTCDate()].map(String);
  const [y = '', m = '', d = ''] = [year, month, date];
  const [yy, mm, dd] = [y.slice(2), m.padStart(2, '0'), d.padStart(2, '0')];
  return [
    ...[`${y}-${mm}-${dd}`, `${y}/${mm}/${dd}`, `${dd}-${mm}-${y}`],
    ...[`${dd}.${mm}.${y}`, `${d}.${m}.${y}`, `${dd}.${mm}.${yy}`],
    ...[`${dd}/${mm}/${y}`, `${d}/${m}/${y}`, `${dd}/${mm}/${yy}`],
    ...[`${mm}/${dd}/${y}`, `${m}/${d}/${y}`, `${mm}/${dd}/${yy}`],
  ];
}

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

  // A form that is not tried is a row that is sent again after a spreadsheet has saved the file.
  test('a date in any form leads back to each form in which it may have been sent, with its time', () => {
    const days = fc.date({ min: new Date('2000-01-01'), max: new Date('2099-12-31'), noInvalidDate: true });
    const times = fc.constantFrom(['', ['']], [' 10:30', [' 10:30', ' 10:30:00']], [' 9:05:00', [' 9:05', ' 9:05:00']]);
    fc.assert(
      fc.property(days, times, (day, [time, timesBefore]) => {
        const forms = dateForms(day);
        for (const now of forms) {
          const found = texts(`${now}${time}`);
          const before = forms.flatMap((form) => [...timesBefore].map((each) => `${form}${each}`));
          for (const text of before) if (text !== `${now}${time}`) expect(found, now).toContain(text);
        }
      }),
    );
  });

  test('nothing is a date that has no such month or day, or a year of three digits', () => {
    for (const cell of ['2026-13-01', '2026-00-01', '2026-01-32', '2026-01-00', '202-01-01', '1.1.202']) {
      expect(texts(cell)).toEqual([]);
    }
    expect(texts('2026-12-31')).toContain('31.12.2026');
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
