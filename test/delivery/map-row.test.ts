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
const map = (cells: string[], ...sources: FieldSource[]) =>
  mapRow({ number: 7, line: null, cells, problem: null }, mapping(...sources));

it('a later source of a field counts only where the earlier gave nothing', () => {
  const sources = [
    source({ field: 'a', columns: [0] }),
    source({ field: 'a', columns: [1, 2], template: [1, ' ', 2] }),
  ];
  expect(map(['1', '2', '3'], ...sources).fields).toEqual({ a: '1' });
  expect(map(['', '2', ' 3 '], ...sources).fields).toEqual({ a: '2 3' });
});

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

it('a template is filled as soon as one of its columns is, or has none', () => {
  const template = (columns: number[], ...pieces: (number | string)[]) =>
    source({ field: 'a', columns, template: pieces });
  expect(map([' 1 ', ''], template([0, 1], 'x', 0, '-', 1)).fields).toEqual({ a: 'x1-' });
  expect(map(['', ''], template([0, 1], 'x', 0, '-', 1)).fields).toEqual({});
  expect(map([], template([], 'x')).fields).toEqual({ a: 'x' });
  expect(map([], template([], ' ')).fields).toEqual({});
  expect(map(['n/a'], { ...template([0], 0), field: 'phone' }).fields).toEqual({});
  expect(map(['n/a'], template([0], 0)).fields).toEqual({ a: 'n/a' });
});
