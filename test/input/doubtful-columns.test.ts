import { describe, expect, test } from 'vitest';
import { planMapping } from '../../src/input/mapping.ts';
import type { MappingOptions } from '../../src/request/lead/table.ts';

const NOTHING: MappingOptions = { map: {}, set: {} };

/** Columns by what they hold. */
const CELLS = {
  phones: ['0151 66126116', '0151 66126117', '030 12345678'],
  emails: ['ana@example.com', 'bo@example.com', 'cy@example.com'],
  dates: ['2026-11-01', '2026-11-02', '2026-11-03'],
  links: ['https://example.com/1', 'https://example.com/2', 'https://example.com/3'],
  answers: ['yes', 'no', 'yes'],
  texts: [
    'The tap in the kitchen drips since Monday, please come soon',
    'The roof of the old barn has to be covered anew before winter',
    'Two rooms and the stairs are to be painted white in spring',
  ],
  names: ['Ana Exemplo', 'Bo Muster', 'Cy Anders'],
  places: ['10115 Berlin', '10117 Berlin', '20095 Hamburg'],
  postcodes: ['1000-001', '4000-123', '8000-250'],
  numbers: ['1', '0', '1'],
  codes: ['A-17', 'A-18', 'B-19'],
};
type Held = keyof typeof CELLS;

describe('the content of a column that a person gave to a field', () => {
  const columns = Object.keys(CELLS) as Held[];
  const sample = Object.values(CELLS);
  const said = (options: Partial<MappingOptions>, cells: readonly (readonly string[])[] = sample) =>
    planMapping(columns, { ...NOTHING, ...options }, { sample: cells, parameters: new Set() })
      .warnings.filter(({ code }) => code === 'columns.content')
      .map(({ field, message }) => [field, message]);

  test.each<[Held, string, string]>([
    ['phones', 'fullname', '3 of 3 are telephone numbers'],
    ['phones', 'location', '3 of 3 are telephone numbers'],
    ['phones', 'request_text', '3 of 3 are telephone numbers'],
    ['emails', 'fullname', '3 of 3 are e-mail addresses'],
    ['emails', 'phone', '3 of 3 are e-mail addresses'],
    ['dates', 'location', '3 of 3 are dates'],
    ['links', 'category', '3 of 3 are links'],
    ['answers', 'request_text', '3 of 3 are yes or no'],
    ['texts', 'fullname', '3 of 3 are longer texts'],
  ])('%s, given by a person as %s, is warned about', (held, field, what) => {
    const warned = [[field, `"${held}" was given as the ${field}, but ${what}.`]];
    expect(said({ map: { [held]: field } })).toEqual(warned);
    expect(said({ set: { [field]: `{${held}}` } })).toEqual(warned);
    const remembered = { map: { [held]: field }, set: {}, unused: [], on: '2026-11-20', changes: null };
    expect(said({ remembered })).toEqual(warned);
  });

  test.each<[Held, string]>([
    ['phones', 'phone'],
    ['emails', 'email'],
    ['texts', 'request_text'],
    ['names', 'fullname'],
    ['places', 'location'],
    ['postcodes', 'location'],
    ['names', 'location'],
    ['numbers', 'category'],
    ['codes', 'category'],
    ['codes', 'ref'],
    ['phones', 'ref'],
    ['emails', 'ref'],
    ['dates', 'desired_day'],
    ['phones', '-'],
  ])('%s, given by a person as %s, is not warned about', (held, field) => {
    expect(said({ map: { [held]: field } })).toEqual([]);
  });

  test('one cell is enough to warn of telephone numbers, but of nothing else', () => {
    const first = sample.map((cells) => cells.slice(0, 1));
    expect(said({ map: { phones: 'fullname' } }, first)).toHaveLength(1);
    expect(said({ map: { dates: 'location' } }, first)).toEqual([]);
  });

  test('no cells, or cells beside other texts, give no warning about a given column', () => {
    expect(said({ map: { phones: 'fullname' } }, [])).toEqual([]);
    expect(said({ set: { location: '{places}, tel. {phones}' } })).toEqual([]);
  });
});
