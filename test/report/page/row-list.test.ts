import { expect, test } from 'vitest';
import {
  type EncodedRow,
  filterOf,
  hashOf,
  matching,
  NO_FILTER,
  rowsAsCsv,
  rowsOf,
} from '../../../src/report/page/row-list.ts';
import { unescapeFormulas } from '../../../src/request/words/csv-text.ts';
import fc from '../../helpers/fast-check.ts';

const STATUSES = [
  ['created', 'created'],
  ['rejected', 'rejected'],
] as const;

const rowOf = (
  row: number,
  ref: string,
  status: number,
  market: string,
  reasons: readonly number[] = [],
): EncodedRow => [
  row,
  ref,
  status,
  market,
  [['id', `${row}00`]],
  status === 1 ? 'Refused' : '',
  reasons,
  null,
  null,
  null,
];

const ROWS = rowsOf({
  statuses: STATUSES,
  rows: [rowOf(1, 'L-10', 0, 'PT'), rowOf(2, 'L-9', 1, 'DE', [0]), rowOf(3, 'L-2', 1, 'PT', [1])],
});
const numbers = (changes: object) => matching(ROWS, { ...NO_FILTER, ...changes }).map(({ row }) => row);

test('a filter in the address comes back as it was, whatever it holds', () => {
  const text = fc.string({ unit: 'binary' });
  const filters = fc.record({
    text,
    status: text,
    market: text,
    reason: text,
    order: text,
    page: fc.integer({ min: 1, max: 1e6 }),
  });
  fc.assert(
    fc.property(filters, (filter) => {
      expect(filterOf(`#${hashOf(filter)}`)).toEqual(JSON.parse(JSON.stringify(filter)));
    }),
  );
});

test('rows are found by status, market, reason and all words, and put in order with numbers as numbers', () => {
  expect(numbers({})).toEqual([1, 2, 3]);
  expect(numbers({ status: 'rejected' })).toEqual([2, 3]);
  expect(numbers({ status: 'rejected', market: 'PT' })).toEqual([3]);
  expect(numbers({ reason: '0' })).toEqual([2]);
  expect(numbers({ text: 'REFUSED l-2' })).toEqual([3]);
  expect(numbers({ order: 'ref' })).toEqual([3, 2, 1]);
  expect(numbers({ order: '-ref' })).toEqual([1, 2, 3]);
  expect(numbers({ order: '-row' })).toEqual([3, 2, 1]);
  expect(numbers({ order: 'market' })).toEqual([2, 1, 3]);
  expect(numbers({ order: '__proto__' })).toEqual([1, 2, 3]);
});

test('no text of a row is a formula in its CSV, and each comes back exactly', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.constantFrom(',', '\t'), (text, delimiter) => {
      const sign = `=${text}`;
      const [row] = rowsOf({
        statuses: STATUSES,
        rows: [[1, sign, 0, '', [], '', [], null, null, null]],
      });
      const line = rowsAsCsv(row ? [row] : [], delimiter)
        .split('\r\n')
        .slice(1)
        .join('\r\n');
      expect(line).not.toMatch(/(?:^|[,\t])"?=/);
      const cell = /^1[,\t](?:"((?:[^"]|"")*)"|([^,\t"]*))[,\t]/s.exec(line);
      expect(unescapeFormulas(cell?.[1]?.replaceAll('""', '"') ?? cell?.[2] ?? '')).toBe(sign);
    }),
  );
});
