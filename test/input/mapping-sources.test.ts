import { describe, expect, it } from 'vitest';
import { mappingToKeep, mappingToRemember } from '../../src/input/kept-mapping.ts';
import { planMapping } from '../../src/input/mapping.ts';
import type { FieldSource, MappingOptions, RememberedMapping } from '../../src/request/lead/table.ts';

const NOTHING: MappingOptions = { map: {}, set: {} };
const plan = (
  columns: readonly string[],
  said: Partial<MappingOptions> = {},
  sample: readonly (readonly string[])[] = [],
  parameters: readonly string[] = [],
) => planMapping(columns, { ...NOTHING, ...said }, { sample, parameters: new Set(parameters) });
const short = (sources: readonly FieldSource[]) =>
  sources.map(
    ({ field, columns, template, because, level }) =>
      `${field} ${template ? 'template' : 'first'} ${columns.join()} ${level}: ${because}`,
  );
const remembered = (more: Partial<RememberedMapping>): RememberedMapping => ({
  map: {},
  set: {},
  unused: [],
  on: '2026-11-20',
  changes: null,
  ...more,
});

describe('a mapping that was confirmed', () => {
  it('a confirmed mapping gives what nothing else says, and leaves out what it left out', () => {
    const before = remembered({
      map: { a: 'phone', b: 'email', c: '-' },
      set: { location: '{d} {e}' },
      unused: ['Tel'],
    });
    const columns = ['a', 'b', 'c', 'd', 'e', 'Tel', 'Name'];
    expect(short(plan(columns, { remembered: before }).sources)).toEqual([
      'phone first 0 certain: as confirmed on 2026-11-20',
      'email first 1 certain: as confirmed on 2026-11-20',
      'location template 3,4 certain: as confirmed on 2026-11-20',
      'fullname first 6 certain: known name',
    ]);
    const said = plan(columns, { remembered: before, map: { Tel: 'phone', d: '-' } });
    expect(short(said.sources)).toEqual([
      'phone first 5 certain: --map',
      'email first 1 certain: as confirmed on 2026-11-20',
      'fullname first 6 certain: known name',
    ]);
    expect(said.leftOut).toEqual([3, 2]);
    expect(
      short(plan(['a', 'b'], { remembered: remembered({ map: { a: 'phone' } }), map: { a: '-' } }).sources),
    ).toEqual([]);
    expect(short(plan(['a', 'Tel'], { remembered: remembered({ unused: ['Tel'] }) }).sources)).toEqual([]);
  });

  it('a confirmed mapping says how the header differs', () => {
    const changes = { added: ['x', 'y'], gone: [] };
    const told = plan(['a'], { remembered: remembered({ changes }) });
    expect(told.warnings.map(({ message }) => message)).toEqual([
      'The header is not quite the one mapped on 2026-11-20. New columns: "x", "y"; gone: none.',
    ]);
    expect(told.remembered).toEqual({ on: '2026-11-20', changes });
    expect(plan(['a'], { remembered: remembered({}) }).warnings).toEqual([]);
    expect(plan(['a']).remembered).toBeNull();
  });
});

describe('a column that holds what the request lacks', () => {
  const cells = {
    phones: ['+351 912 345 671', '+351 912 345 672', '+351 912 345 673'],
    emails: ['a@example.com', 'b@example.com', 'c@example.com'],
    texts: [
      'Paint the old barn before the winter',
      'Cover the roof of the house anew',
      'Two rooms are to be painted white',
    ],
    empty: ['', ' ', ''],
  };
  const missed = (
    columns: readonly string[],
    sample: readonly (readonly string[])[],
    said: Partial<MappingOptions> = {},
  ) =>
    plan(columns, said, sample).missed.map(
      ({ index, field, isOthers }) => `${index} ${field}${isOthers ? ' of others' : ''}`,
    );

  it.each(['phones', 'emails', 'texts'] as const)('a column with missing %s that was left out is reported', (held) => {
    const field = { phones: 'phone', emails: 'email', texts: 'request_text' }[held];
    expect(missed(['Agent'], [cells[held]])).toEqual([`0 ${field} of others`]);
    expect(missed(['Agent'], [cells[held]], { map: { Agent: '-' } })).toEqual([]);
    expect(missed(['Agent'], [cells[held]], { map: { Agent: 'ref' } })).toEqual([]);
    expect(missed(['Agent', 'x'], [cells[held], ['1', '2', '3']], { map: { x: field } })).toEqual([]);
    expect(missed(['Agent'], [cells[held]], { set: { [field]: 'x' } })).toEqual([]);
  });
});

describe('what is kept of a mapping', () => {
  it('a kept mapping has the columns of each field, and those left out, by their names', () => {
    const columns = ['Tel', '', '7', 'x', 'y', 'z'];
    const said = {
      map: { Tel: 'phone', 'column 2': 'ref', '7': 'lang', x: '-', y: '-' },
      set: { country: 'PT', location: '{y}', fullname: '{z}' },
    };
    const mapping = plan(columns, said);
    expect(mappingToKeep(mapping)).toEqual({
      map: { Tel: 'phone', 'column 2': 'ref', ' 7': 'lang', x: '-', y: '-' },
      set: said.set,
    });
    const again = { ...NOTHING, remembered: remembered({ map: { x: '-' } }) };
    expect(mappingToKeep(plan(['x'], again)).map).toEqual({ x: '-' });
  });

  it('a mapping is not kept where the same file would be read in another way', () => {
    const phones = ['+351 912 345 671', '+351 912 345 672', '+351 912 345 673'];
    const kept = (columns: readonly string[]) => {
      const evidence = { sample: [['x', 'y', 'z'], phones], parameters: new Set<string>() };
      const mapping = planMapping(columns, NOTHING, evidence);
      expect(short(mapping.sources)[0]).toMatch(/^phone first 1 /);
      return mappingToRemember(mapping, evidence)?.map;
    };
    expect(kept(['Blorb', ''])).toEqual({ 'column 2': 'phone' });
    // By that name it would be the first column.
    expect([kept(['column 2', '']), kept(['Column_2', ''])]).toEqual([undefined, undefined]);
  });
});
