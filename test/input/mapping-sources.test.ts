import { describe, expect, it } from 'vitest';
import { columnsNamed } from '../../src/input/column-names.ts';
import type { ColumnReading } from '../../src/input/columns/candidates.ts';
import { mappingToKeep, mappingToRemember, usedColumns } from '../../src/input/kept-mapping.ts';
import { planMapping } from '../../src/input/mapping.ts';
import { constantWarnings, fieldOf, refuseSlip, tiesOf, tieWarnings } from '../../src/input/mapping-doubts.ts';
import { partColumns } from '../../src/input/part-columns.ts';
import type { FieldSource, MappingOptions, RememberedMapping } from '../../src/request/table.ts';

const NOTHING: MappingOptions = { map: {}, set: {}, join: {} };
const plan = (
  columns: readonly string[],
  said: Partial<MappingOptions> = {},
  sample: readonly (readonly string[])[] = [],
  parameters: readonly string[] = [],
) => planMapping(columns, { ...NOTHING, ...said }, { sample, parameters: new Set(parameters) });
const short = (sources: readonly FieldSource[]) =>
  sources.map(({ field, columns, how, because, level }) => `${field} ${how} ${columns.join()} ${level}: ${because}`);
const remembered = (more: Partial<RememberedMapping>): RememberedMapping => ({
  map: {},
  join: {},
  unused: [],
  on: '2026-11-20',
  changes: null,
  ...more,
});

describe('the columns of a name', () => {
  const COLUMNS = ['E-Mail', 'Tel', 'tel', '', 'Tel', 'e mail', ''];
  it.each([
    ['Tel', [1, 4]],
    [' Tel ', [1, 4]],
    ['tel', [2]],
    ['TEL', [1, 2, 4]],
    ['E_MAIL', [0, 5]],
    ['column 4', [3]],
    ['Column 7', [6]],
  ])('%s are %j', (name, at) => {
    expect(columnsNamed(COLUMNS, name)).toEqual(at);
  });

  it.each(['', ' ', '-', 'column 1', 'column 0', 'column 8', 'column 40000', 'Fax'])('%j are none', (name) => {
    expect(() => columnsNamed(COLUMNS, name)).toThrow(
      expect.objectContaining({ code: 'usage', message: expect.stringContaining(`There is no column "${name}".`) }),
    );
  });

  it('that are none are told with the one that is meant, and the first fifty there are', () => {
    const many = Array.from({ length: 51 }, (_, at) => `c${at}x`);
    expect(() => columnsNamed(many, 'fax')).toThrow(
      expect.objectContaining({
        message: 'There is no column "fax".',
        hint: `The columns are: ${many.slice(0, 50).join(', ')}`,
      }),
    );
    expect(() => columnsNamed(['Tel', ''], 'Tle')).toThrow(
      expect.objectContaining({
        message: 'There is no column "Tle". Did you mean "Tel"?',
        hint: 'The columns are: Tel, column 2',
      }),
    );
  });
});

describe('a field is taken', () => {
  it.each<[Record<string, string>, string[], number[]]>([
    [{ Tel: 'phone', tel: '-' }, [], [0]],
    [{ tel: '-', Tel: 'phone' }, ['phone first 0 certain: --map'], []],
    [{ Tel: 'phone', TEL: 'email' }, ['email first 0 certain: --map'], []],
    [
      { Tel: 'phone', Mobil: 'phone', tel: 'email' },
      ['phone first 1 certain: --map', 'email first 0 certain: --map'],
      [],
    ],
    [{ Tel: 'phone', Mobil: 'email', tel: 'email' }, ['email first 0,1 certain: --map'], []],
    [{ Tel: 'phone', TEL: 'phone' }, ['phone first 0 certain: --map'], []],
  ])('from a column as it is said last, however its name is written: %j', (map, sources, leftOut) => {
    const told = plan(['Tel', 'Mobil'], { map, join: {}, set: {} });
    const said = told.sources.filter(({ because }) => because === '--map');
    expect([short(said).toSorted(), told.leftOut]).toEqual([sources.toSorted(), leftOut]);
  });

  it('from what is said, in the order of columns, joins and constants', () => {
    const said = { map: { b: 'phone', a: 'phone' }, join: { location: ['c', 'a'] }, set: { lang: 'pt' } };
    expect(short(plan(['a', 'b', 'c'], said).sources)).toEqual([
      'phone first 1,0 certain: --map',
      'location join 2,0 certain: --mapping',
      'lang template  certain: --set',
    ]);
  });

  it('from what is understood, the certain columns before the likely ones, with their reasons', () => {
    const phones = ['+351 912 345 671', '+351 912 345 672', '+351 912 345 673'];
    const { sources } = plan(['Zyx', 'Telemóvel', 'Celular'], {}, [phones, phones, phones]);
    expect(short(sources)).toEqual(['phone first 1,2 certain: known name']);
    const named = plan(['Blorb tel', 'Frump tel'], {}, [phones, phones.toReversed()]).sources;
    expect(short(named)).toEqual(['phone first 0,1 likely: name, 3 of 3 are telephone numbers']);
  });

  it('from its parts, best first, which are asked about if one of them is', () => {
    expect(short(plan(['City', 'Zip', 'House number', 'Street']).sources)).toEqual([
      'location join 3,2,1,0 certain: joined',
    ]);
    const streets = ['Rua A 1', 'Rua B 2', 'Rua C 3', 'Rua D 4'];
    const { sources } = plan(['', 'City'], {}, [streets, ['Lisboa', 'Porto', 'Faro', 'Braga']]);
    expect(short(sources)).toEqual(['location join 0,1 certain: joined']);
    const unsure = plan(['Blorb street', 'Frump street', 'City'], {}, [
      streets,
      streets.toReversed(),
      ['x', 'y', 'z', 'w'],
    ]);
    expect(short(unsure.sources)).toEqual(['location join 0,2 likely: joined; name, 4 of 4 are streets']);
  });

  it('from notes if no other column has a text', () => {
    expect(short(plan(['Notes']).sources)).toEqual(['request_text first 0 certain: known name']);
    expect(short(plan(['Notes', 'Message']).sources)).toEqual(['request_text first 1 certain: known name']);
  });

  it.each(['ad_id', 'is_organic', 'inbox_url'])("without Meta's prefix in an export with form_id and %s", (name) => {
    const prefix = (columns: string[], said = {}) =>
      plan(columns, said).sources.map((each) => [each.field, each.prefix]);
    expect(prefix(['form_id', name, 'phone'])).toEqual([['phone', 'p:']]);
    expect(prefix([name, 'phone'])).toEqual([['phone', null]]);
    expect(prefix(['form_id', 'phone'])).toEqual([['phone', null]]);
    expect(prefix(['form_id', name, 'x'], { map: { x: 'budget' } })).toEqual([['budget', null]]);
  });

  it.each([
    ['{A}{B}', [0, 1]],
    ['x {A} y', ['x ', 0, ' y']],
    ['{{A}}', ['{A}']],
    ['} {', ['} {']],
    ['{A', ['{A']],
    ['', []],
    ['x', ['x']],
  ])('from the template %j: %j', (text, template) => {
    const [source] = plan(['A', 'B'], { set: { location: text } }).sources;
    expect([source?.template, source?.columns]).toEqual([
      template,
      template.filter((part) => typeof part === 'number'),
    ]);
  });

  it('by a name that can be one, however it is said', () => {
    const refused = expect.objectContaining({ message: '"1x" cannot be the name of a field.' });
    expect(() => plan(['a'], { map: { a: '1x' } })).toThrow(refused);
    expect(() => plan(['a'], { set: { '1x': 'y' } })).toThrow(refused);
    expect(() => plan(['a'], { join: { '1x': ['a'] } })).toThrow(refused);
    expect(() => plan(['a'], { map: { a: `x${'y'.repeat(100)}` } })).toThrow('cannot be the name');
    expect(plan(['a'], { map: { a: `x${'y'.repeat(99)}` } }).sources).toHaveLength(1);
  });

  it('of columns with the same name only where each is settled', () => {
    expect(() => plan(['x', 'x'])).toThrow('more than one column "x"');
    expect(plan(['', '']).ignored).toEqual([]);
    expect(plan(['x', 'x'], { map: { x: '-' } })).toMatchObject({ ignored: ['x', 'x'], leftOut: [0, 1] });
    expect(() => plan(['x', 'x'], { set: { location: '{x}' } })).toThrow('more than one column "x"');
    expect(plan(['x', 'x'], { remembered: remembered({ map: { x: 'ref' } }) }).sources).toHaveLength(1);
    expect(plan(['x', 'x'], { remembered: remembered({ map: { x: '-' } }) }).leftOut).toEqual([0, 1]);
  });

  it('leaves the other columns with a name unused, but not a region that the service takes', () => {
    const ignored = (parameters: string[]) =>
      plan(['City', 'Region', 'x', ''], { map: { x: 'ref' } }, [], parameters).ignored;
    expect([ignored([]), ignored(['region'])]).toEqual([['Region'], []]);
    expect(plan(['a', 'b', 'c'], { set: { location: '{a}' }, join: { ref: ['c'] } }).ignored).toEqual(['b']);
  });

  it('that srq does not know is told once, unless the service has it', () => {
    const said = { map: { a: 'budget' }, set: { budget: '5' } };
    const codes = (parameters: string[]) =>
      plan(['a'], said, [], parameters).warnings.map(({ code, field }) => [code, field]);
    expect([codes([]), codes(['budget'])]).toEqual([[['columns.unknown-field', 'budget']], []]);
  });
});

describe('a mapping that was confirmed', () => {
  it('gives what nothing said gives, and leaves out what it left out', () => {
    const before = remembered({
      map: { a: 'phone', b: 'email', c: '-' },
      join: { location: ['d', 'e'] },
      unused: ['Tel'],
    });
    const columns = ['a', 'b', 'c', 'd', 'e', 'Tel', 'Name'];
    expect(short(plan(columns, { remembered: before }).sources)).toEqual([
      'phone first 0 certain: read as on 2026-11-20',
      'email first 1 certain: read as on 2026-11-20',
      'location join 3,4 certain: read as on 2026-11-20',
      'fullname first 6 certain: known name',
    ]);
    const said = plan(columns, { remembered: before, map: { Tel: 'phone', d: '-' } });
    expect(short(said.sources)).toEqual([
      'phone first 5 certain: --map',
      'email first 1 certain: read as on 2026-11-20',
      'location join 4 certain: read as on 2026-11-20',
      'fullname first 6 certain: known name',
    ]);
    expect(said.leftOut).toEqual([3, 2]);
    expect(
      short(plan(['a', 'b'], { remembered: remembered({ map: { a: 'phone' } }), map: { a: '-' } }).sources),
    ).toEqual([]);
    expect(short(plan(['a', 'Tel'], { remembered: remembered({ unused: ['Tel'] }) }).sources)).toEqual([]);
  });

  it('tells how the header differs', () => {
    const changes = { added: ['x', 'y'], gone: [] };
    const told = plan(['a'], { remembered: remembered({ changes }) });
    expect(told.warnings.map(({ message }) => message)).toEqual([
      'The header is not quite the one mapped on 2026-11-20. New columns: "x", "y"; gone: none.',
    ]);
    expect(told.remembered).toEqual({ on: '2026-11-20', changes });
    expect(plan(['a'], { remembered: remembered({}) }).warnings).toEqual([]);
    expect(plan(['a']).remembered).toBeNull();
  });

  it('decides which of equal columns is meant, unless it is as they are understood', () => {
    const ties = (more: Partial<RememberedMapping>, said = {}) =>
      plan(['Phone', 'Telefone'], { ...said, remembered: remembered(more) }).ties.length;
    expect([ties({}), ties({ map: { Phone: 'phone' } }), ties({ map: { Phone: 'phone', Telefone: 'phone' } })]).toEqual(
      [1, 0, 1],
    );
    expect(plan(['Phone', 'Telefone']).ties).toEqual([{ field: 'phone', columns: [0, 1], better: [] }]);
    expect([
      plan(['Phone', 'Telefone'], { map: { Phone: 'ref' } }).ties,
      plan(['Phone', 'Telefone'], { set: { phone: '1' } }).ties,
    ]).toEqual([[], []]);
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

  it.each(['phones', 'emails', 'texts'] as const)('is told if it is left out by its name: %s', (held) => {
    const field = { phones: 'phone', emails: 'email', texts: 'request_text' }[held];
    expect(missed(['Agent'], [cells[held]])).toEqual([`0 ${field} of others`]);
    expect(missed(['Agent'], [cells[held]], { map: { Agent: '-' } })).toEqual([]);
    expect(missed(['Agent'], [cells[held]], { map: { Agent: 'ref' } })).toEqual([]);
    expect(missed(['Agent', 'x'], [cells[held], ['1', '2', '3']], { map: { x: field } })).toEqual([]);
    expect(missed(['Agent'], [cells[held]], { set: { [field]: 'x' } })).toEqual([]);
  });

  it('is told if it was left unused, or if what was used is empty', () => {
    expect(missed(['Telefone'], [cells.phones], { remembered: remembered({ unused: ['Telefone'] }) })).toEqual([
      '0 phone',
    ]);
    const used = remembered({ map: { a: 'phone' }, unused: ['Telefone'] });
    expect(missed(['a', 'Telefone'], [cells.empty, cells.phones], { remembered: used })).toEqual(['1 phone']);
    expect(missed(['a', 'Telefone'], [cells.phones, cells.phones], { remembered: used })).toEqual([]);
    expect(
      missed(['a', 'Telefone'], [cells.empty, cells.phones], {
        map: { a: 'phone' },
        remembered: remembered({ unused: ['Telefone'] }),
      }),
    ).toEqual([]);
  });

  it('is not told of a text beside a recording', () => {
    const agent = ['Agent', 'Audio'];
    expect(missed(agent, [cells.texts, ['a.mp3', 'b.mp3', 'c.mp3']])).toEqual([]);
    expect(missed(agent, [cells.phones, ['a.mp3', 'b.mp3', 'c.mp3']])).toEqual(['0 phone of others']);
  });
});

describe('what is kept of a mapping', () => {
  it('are the columns of each field, and those left out, by their names', () => {
    const columns = ['Tel', '', '7', 'x', 'y', 'z'];
    const said = {
      map: { Tel: 'phone', 'column 2': 'ref', '7': 'lang', x: '-', y: '-' },
      set: { country: 'PT', location: '{y}' },
      join: { fullname: ['z'] },
    };
    const mapping = plan(columns, said);
    expect(mappingToKeep(mapping, { ...NOTHING, ...said })).toEqual({
      map: { Tel: 'phone', 'column 2': 'ref', ' 7': 'lang', x: '-', y: '-' },
      set: said.set,
      join: { fullname: ['z'] },
    });
    const again = { ...NOTHING, remembered: remembered({ map: { x: '-' } }) };
    expect(mappingToKeep(plan(['x'], again), again).map).toEqual({ x: '-' });
  });

  it('are also the columns that it does not use, but not those that a constant stands for, and not those of srq', () => {
    const columns = ['Tel', 'Land', 'x', 'srq_status'];
    const evidence = { sample: [], parameters: new Set<string>() };
    const unused = (said: Partial<MappingOptions>) => {
      const options = { ...NOTHING, ...said };
      return mappingToRemember(planMapping(columns, options, evidence), options, evidence)?.unused;
    };
    expect([unused({}), unused({ set: { country: 'PT' } }), unused({ map: { Land: '-' } })]).toEqual([
      ['x'],
      ['x'],
      ['Land', 'x'],
    ]);
  });

  it('is nothing where the same file would be read in another way', () => {
    const phones = ['+351 912 345 671', '+351 912 345 672', '+351 912 345 673'];
    const kept = (columns: readonly string[]) => {
      const evidence = { sample: [['x', 'y', 'z'], phones], parameters: new Set<string>() };
      const mapping = planMapping(columns, NOTHING, evidence);
      expect(short(mapping.sources)[0]).toMatch(/^phone first 1 /);
      return mappingToRemember(mapping, NOTHING, evidence)?.map;
    };
    expect(kept(['Blorb', ''])).toEqual({ 'column 2': 'phone' });
    // By that name it would be the first column.
    expect([kept(['column 2', '']), kept(['Column_2', ''])]).toEqual([undefined, undefined]);
  });

  it('tells two mappings apart by the columns of their fields, in order', () => {
    const of = (said: Partial<MappingOptions>) => usedColumns(plan(['a', 'b'], said));
    const same = of({ map: { a: 'phone', b: 'ref' } });
    expect(of({ map: { b: 'ref', a: 'phone' } })).toBe(same);
    const others = [
      of({ map: { b: 'phone', a: 'ref' } }),
      of({ map: { a: 'phone', b: 'phone' } }),
      of({ map: { b: 'phone', a: 'phone' } }),
      of({ join: { phone: ['a', 'b'] } }),
      of({ set: { phone: '{a}' } }),
      of({ set: { phone: '{a}x' } }),
    ];
    expect(new Set([same, ...others]).size).toBe(7);
  });
});

const reading = (meaning: ColumnReading['meaning'], index: number, rank = 0): ColumnReading => ({
  meaning,
  index,
  rank,
  level: 'certain',
  because: '',
});
const source = (field: string, columns: readonly number[], how: FieldSource['how'] = 'first'): FieldSource => ({
  field,
  columns,
  how,
  template: how === 'template' ? ['x', ...columns] : null,
  prefix: null,
  because: '',
  level: 'certain',
});

describe('columns that are equally likely', () => {
  it('are those of one meaning and rank, with the better ones', () => {
    expect(
      tiesOf([reading('phone', 0, 2), reading('phone', 1, 2), reading('phone', 2, 1), reading('phone', 3, 3)]),
    ).toEqual([{ field: 'phone', columns: [0, 1], better: [2] }]);
    expect(tiesOf([reading('phone', 0), reading('email', 1), reading('phone', 2, 1)])).toEqual([]);
    expect(
      tiesOf([reading('city', 0), reading('city', 1), reading('city', 2), reading('email', 3), reading('email', 4)]),
    ).toEqual([
      { field: 'city', columns: [0, 1, 2], better: [] },
      { field: 'email', columns: [3, 4], better: [] },
    ]);
  });

  it('are told by their names', () => {
    const told = (columns: number[]) =>
      tieWarnings(['A', '', 'C'], [{ field: 'request_text', columns, better: [] }]).map(({ message }) => message);
    expect(told([0, 1])).toEqual([
      '"A" and "column 2" both look like the request text; of several filled ones the first is taken (--map to choose).',
    ]);
    expect(told([0, 1, 2])[0]).toMatch(/^"A" and "column 2" and "C" all look like/);
  });
});

it.each([
  ['phone', 'phone'],
  ['city', 'location'],
  ['house_number', 'location'],
  ['last_name', 'fullname'],
  ['blorb', 'blorb'],
])('%s goes to the field %s', (meaning, field) => {
  expect(fieldOf(meaning)).toBe(field);
});

it.each([
  ['-', null],
  ['phone', null],
  ['blorb', null],
  ['notes', null],
  ['phon', 'phone'],
  ['Telefon', 'phone'],
  ['zip', 'location'],
  ['address', 'location'],
])('a field called %s: meant is %s', (field, meant) => {
  const refuse = () => refuseSlip(field, new Set());
  if (meant === null) expect(refuse).not.toThrow();
  else expect(refuse).toThrow(`There is no field "${field}". Did you mean "${meant}"?`);
  expect(() => refuseSlip(field, new Set([field]))).not.toThrow();
});

it('a constant is told for a field that differs between customers, and only for rows that have none if a column gives it, too', () => {
  const told = (...sources: FieldSource[]) =>
    constantWarnings(sources).map(({ field, message }) => [field, message.split(' get')[0]]);
  const constant = source('phone', [], 'template');
  expect(told(constant)).toEqual([['phone', 'All rows']]);
  expect(told(constant, source('phone', [1]))).toEqual([['phone', 'All rows that have none']]);
  expect(told(constant, source('email', [1]), source('phone', []))).toEqual([['phone', 'All rows']]);
  expect(
    told(source('phone', [1], 'template'), source('country', [], 'template'), { ...constant, template: [] }),
  ).toEqual([]);
});

describe('the columns of parts', () => {
  const COLUMNS = ['Street', 'Zip', 'City', 'Region', 'First', 'Last', 'Agent region'];
  const readings = [
    reading('street', 0),
    reading('postal_code', 1),
    reading('city', 2),
    reading('first_name', 4),
    reading('last_name', 5),
  ];
  const of = (
    sources: readonly FieldSource[],
    more: { leftOut?: number[]; parameters?: string[]; readings?: ColumnReading[] } = {},
  ) =>
    partColumns({
      columns: COLUMNS,
      readings: more.readings ?? readings,
      sources,
      leftOut: more.leftOut ?? [],
      parameters: new Set(more.parameters),
    });
  const NAME = { first_name: [4], last_name: [5] };
  const PLACE = { street: [0], postal_code: [1], city: [2] };

  it('are those that were read, best first', () => {
    expect(of([])).toEqual({ ...NAME, ...PLACE });
    expect(of([], { readings: [reading('city', 2, 3), reading('city', 1, 1), reading('city', 0, 2)] })).toEqual({
      city: [1, 0, 2],
    });
  });

  it('are none of a field that is a constant', () => {
    expect(of([source('location', [], 'template')])).toEqual(NAME);
    expect(of([source('fullname', [], 'template')])).toEqual(PLACE);
    expect(of([source('location', [0], 'template')])).toEqual({ ...NAME, ...PLACE });
    expect(of([source('location', [], 'first')])).toEqual({ ...NAME, ...PLACE });
  });

  it('are none that a person left out or gave to another field', () => {
    expect(of([], { leftOut: [2] })).toEqual({ ...NAME, street: [0], postal_code: [1] });
    expect(of([source('ref', [2])])).toEqual({ ...NAME, street: [0], postal_code: [1] });
    for (const same of [source('location', [2]), source('city', [2]), source('ref', [2], 'join'), source('ref', [9])])
      expect(of([same])).toEqual({ ...NAME, ...PLACE });
  });

  it('are regions too if the service takes them and nothing else uses them', () => {
    const parameters = ['region'];
    expect(of([], { parameters })).toEqual({ ...NAME, ...PLACE, region: [3] });
    expect(of([source('ref', [3])], { parameters })).toEqual({ ...NAME, ...PLACE });
    expect(of([], { parameters, leftOut: [3] })).toEqual({ ...NAME, ...PLACE });
  });
});
