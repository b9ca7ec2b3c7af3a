import { expect, it } from 'vitest';
import { mapRow } from '../../src/delivery/prepare.ts';
import type { FieldSource, Mapping } from '../../src/request/lead/table.ts';
import { NO_MAPPING } from './leads.ts';

const source = (part: Partial<FieldSource> & { field: string }): FieldSource => ({
  columns: [],
  template: null,
  prefix: null,
  because: 'test',
  level: 'certain',
  ...part,
});
const mapping = (...sources: FieldSource[]): Mapping => ({ ...NO_MAPPING, sources });

it('a part is the first filled cell of its columns, without the prefix of its field', () => {
  const parted = {
    ...mapping(source({ field: 'location', prefix: 'l:' }), source({ field: 'fullname' })),
    parts: { postal_code: [0], city: [1, 2], first_name: [3] },
  };
  const partsOf = (...cells: string[]) => mapRow({ number: 1, line: null, cells, problem: null }, parted).parts;
  expect(partsOf('l:1200 ', ' ', ' Lisboa ', 'l:Ana')).toEqual({
    postal_code: '1200',
    city: 'Lisboa',
    first_name: 'l:Ana',
  });
  expect(partsOf('', 'Porto', 'Lisboa')).toEqual({ city: 'Porto' });
  expect(mapRow({ number: 1, line: null, cells: [' '], problem: null }, parted)).not.toHaveProperty('parts');
});

it.each([
  ['="01067"', '01067'],
  [' ="01067" ', '01067'],
  ["'01067", '01067'],
  ["'+351 912-345", '+351 912-345'],
  ["'90s kitchen", "'90s kitchen"],
  ['="a" & "b"', '="a" & "b"'],
])('what keeps digits in a spreadsheet is no part of a cell: %s', (cell, told) => {
  const row = { number: 1, line: null, cells: [cell], problem: null };
  expect(mapRow(row, mapping(source({ field: 'location', columns: [0] }))).fields).toEqual({ location: told });
});
