import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { GlobalOptions } from '../../src/cli/command.ts';
import { mapped } from '../../src/cli/input.ts';
import { agreedPlan, correctedBy, requireAnswers, requireKnownFields } from '../../src/commands/bulk/agreement.ts';
import { planImport } from '../../src/delivery/plan.ts';
import type { LoggedState } from '../../src/request/status.ts';
import type { FieldSource, MappingOptions, Row, Table } from '../../src/request/table.ts';
import { PREPARATION } from '../delivery/leads.ts';
import { contextOf, type Typed } from '../helpers/command-context.ts';

const COLUMNS = ['country', 'phone', 'request_text', '7', ''];
const CELLS = ['PT', '+351912345678', 'Paint the wall', 'x', 'y'];
const NOTHING: MappingOptions = { map: {}, set: {}, join: {} };
const EVIDENCE = { sample: [], parameters: new Set<string>() };

describe('A correction', () => {
  const corrected = (line: string, before: Partial<MappingOptions> = {}) =>
    correctedBy(line, { columns: COLUMNS }, { ...NOTHING, ...before });

  test.each<[string, Partial<MappingOptions>, Partial<MappingOptions>]>([
    ['request_text=ref', {}, { map: { request_text: 'ref' } }],
    [' request_text = ref ', {}, { map: { request_text: 'ref' } }],
    ['column 5=ref', {}, { map: { 'column 5': 'ref' } }],
    ['7=-', {}, { map: { ' 7': '-' } }],
    ['7=-', { map: { ' 7': 'ref', phone: 'phone' } }, { map: { ' 7': '-', phone: 'phone' } }],
    ['lang=pt', {}, { set: { lang: 'pt' } }],
    ['lang=', {}, { set: { lang: '' } }],
    ['lang=a=b', {}, { set: { lang: 'a=b' } }],
    ['lang=pt', { map: { '7': 'lang', phone: 'phone' } }, { map: { phone: 'phone' }, set: { lang: 'pt' } }],
    ['lang=pt', { join: { lang: ['7'], location: ['7'] } }, { set: { lang: 'pt' }, join: { location: ['7'] } }],
    ['request_text=ref', { set: { ref: 'L', lang: 'pt' } }, { map: { request_text: 'ref' }, set: { lang: 'pt' } }],
    ['request_text=ref', { join: { ref: ['7'] } }, { map: { request_text: 'ref' } }],
    // A field that is no column has this word as its value.
    ['fullname=email', {}, { set: { fullname: 'email' } }],
  ])('%j after %j says %j', (line, before, after) => {
    expect(corrected(line, before)).toEqual({ ...NOTHING, ...after });
  });

  test.each([
    ['nonsense', 'mapping.unclear'],
    ['=phone', 'mapping.unclear'],
    ['Fax=number', 'mapping.unclear'],
    ['Fax=phone', 'column.unknown'],
    ['Fax=-', 'column.unknown'],
    ['7=fulname', 'field.unknown'],
    ['fulname=Ana', 'field.unknown'],
    ['Fax=fulname', 'mapping.unclear'],
  ])('%j is none: %s', (line, reason) => {
    expect(() => corrected(line)).toThrow(expect.objectContaining({ reason }));
  });

  test('is about what it says, and what was said of the parameters of the service holds beside it', () => {
    const said = { ...NOTHING, map: { phone: 'fulname' } };
    const parameters = new Set(['fulname']);
    expect(correctedBy('7=ref', { columns: COLUMNS }, said, parameters).map).toEqual({ phone: 'fulname', ' 7': 'ref' });
    expect(() => correctedBy('7=ref', { columns: COLUMNS }, said)).toThrow('There is no field "fulname".');
  });
});

interface Scene {
  readonly columns?: readonly string[];
  readonly cells?: readonly string[];
  /** The arguments of the import. */
  readonly command?: readonly string[];
  /** Sources that are only likely, in the place of those of their fields. */
  readonly likely?: readonly Partial<FieldSource>[];
  readonly globals?: GlobalOptions;
  /** What the log knows of the row. */
  readonly logged?: LoggedState;
  readonly oneOfSeveral?: string;
}

/** What is agreed to of a file with one row, after these keys. */
async function agreed(
  typed: readonly Typed[] | null,
  chosen: Partial<MappingOptions> = {},
  options: object = {},
  { columns = COLUMNS, cells = CELLS, command = ['bulk', 'leads.csv'], logged = 'none', ...scene }: Scene = {},
) {
  const { likely = [], globals = {}, oneOfSeveral = null } = scene;
  const { context, stderr, home } = contextOf({
    ...(typed === null ? {} : { typed }),
    ...{ env: { SRQ_BASE_URL: 'http://127.0.0.1:9' }, options: globals },
  });
  const row: Row = { number: 1, line: 2, cells, problem: null };
  const table: Table = {
    ...{ path: 'leads.csv', encoding: 'UTF-8', delimiter: ',', columns, notes: [], sizeBytes: 0 },
    format: 'csv',
    rows: async function* () {
      yield [row];
    },
    readBytes: () => 0,
  };
  const understood = await mapped({ table, evidence: EVIDENCE }, { ...NOTHING, ...chosen }, {});
  const sources = [
    ...understood.mapping.sources.filter(({ field }) => !likely.some((each) => each.field === field)),
    ...likely.map((each) => ({ ...LIKELY, ...each })),
  ];
  const input = { ...understood, mapping: { ...understood.mapping, sources } };
  const log = { lookup: () => logged, prefetch: async () => {}, read: () => null };
  const rules = { onDuplicate: 'skip', again: false } as const;
  const proposal = {
    ...{ input, where: 'http://127.0.0.1:9', command, keepAt: `${home}/leads.mapping.json`, oneOfSeveral },
  };
  const session = { context, preparation: PREPARATION } as never;
  const result = await agreedPlan(session, proposal, options, (now) =>
    planImport(now, { skip: 0, limit: null }, PREPARATION, log as never, rules, () => {}),
  );
  const isRemembered = async () => {
    await result.remember();
    return ((await context.mappings())?.find(columns) ?? null) !== null;
  };
  return { ...result, shown: stderr(), home, keepAt: proposal.keepAt, context, isRemembered };
}

const LIKELY: FieldSource = {
  ...{ field: 'ref', columns: [3], how: 'first', template: null, prefix: null, because: 'its cells', level: 'likely' },
};

const ASKED = /\? for help\s+· q to quit: /;

describe('The command that is agreed to', () => {
  test('is the one that was given where nothing is corrected, and nobody is asked with --yes', async () => {
    expect((await agreed([[ASKED, '\r']])).command).toEqual(['bulk', 'leads.csv']);
    const { command, shown } = await agreed([], {}, { yes: true });
    expect([command, shown.includes('q to quit')]).toEqual([['bulk', 'leads.csv'], false]);
    expect((await agreed(null)).command).toEqual(['bulk', 'leads.csv']);
  });

  test('has what was corrected as flags, a column by the name that it has', async () => {
    const { command, plan, shown } = await agreed([
      [ASKED, '7=ref\r'],
      [ASKED, 'Request text=-\r'],
      [ASKED, 'request_text=-\r'],
      [ASKED, 'request_text={request_text}!\r'],
      [ASKED, '\r'],
      [/1 ready[\s\S]*q to quit: /, '\r'],
    ]);
    expect(command).toEqual([
      ...['bulk', 'leads.csv', '--map', '7=ref', '--map', 'Request text=-', '--map', 'request_text=-'],
      ...['--set', 'request_text={request_text}!'],
    ]);
    expect([plan.first?.request.ref, plan.first?.request.params['request_text']]).toEqual(['x', 'Paint the wall!']);
    expect(shown.replace(/\s+/g, ' ')).toContain(
      'To import this file again with the same mapping: srq bulk leads.csv --map',
    );
  });

  test('names a mapping file where a correction takes something back', async () => {
    const { command, keepAt } = await agreed(
      [
        [ASKED, 'ref=L-1\r'],
        [ASKED, '\r'],
        [/1 ready[\s\S]*q to quit: /, '\r'],
      ],
      { map: { ' 7': 'ref' } },
    );
    expect(command).toEqual(['bulk', 'leads.csv', '--mapping', keepAt]);
  });

  test('is none for a person who leaves, and help and mistakes are answered without a new plan', async () => {
    await expect(agreed([[ASKED, 'q\r']])).rejects.toMatchObject({ reason: 'prompt.left' });
    const { shown, command } = await agreed([
      [ASKED, '?\r'],
      [/Columns: country, phone, request_text, 7, column 5[\s\S]*q to quit: /, 'Fax=phone\r'],
      [/There is no column "Fax"\.[\s\S]*q to quit: /, '\r'],
    ]);
    expect([command, shown.match(/1 ready/g)?.length]).toEqual([['bulk', 'leads.csv'], 1]);
  });

  test('names the file of the mapping that --save-mapping has written, and none of the flags before it', async () => {
    const corrected: Typed[] = [
      [ASKED, 'ref=L-1\r'],
      [ASKED, '\r'],
      [/1 ready[\s\S]*q to quit: /, '\r'],
    ];
    const { home: folder } = contextOf();
    const saveMapping = join(folder, 'saved.json');
    const said = ['--map', '7=ref', '--set', 'lang=pt', '--mapping', 'old.json', '--save-mapping', saveMapping];
    const command = ['bulk', 'leads.csv', ...said, '--rate', 'max'];
    const before = { map: { ' 7': 'ref' } };
    const { command: alike, keepAt } = await agreed(corrected, before, { saveMapping }, { command });
    expect(alike).toEqual(['bulk', 'leads.csv', '--rate', 'max', '--mapping', saveMapping]);
    expect([existsSync(keepAt), JSON.parse(readFileSync(saveMapping, 'utf8')).set]).toEqual([false, { ref: 'L-1' }]);
  });

  test('has as flags only what was not said before', async () => {
    const before = { map: { ' 7': 'ref' }, set: { lang: 'pt' } };
    const { command } = await agreed(
      [
        [ASKED, 'column 5=category\r'],
        [ASKED, 'lang=es\r'],
        [ASKED, '\r'],
        [/1 ready[\s\S]*q to quit: /, '\r'],
      ],
      before,
    );
    expect(command).toEqual(['bulk', 'leads.csv', '--map', 'column 5=category', '--set', 'lang=es']);
  });

  test.each<[string, Partial<MappingOptions>]>([
    ['a value', { set: { ref: 'L-1' } }],
    ['columns that are joined', { join: { ref: ['7', 'column 5'] } }],
  ])('names a mapping file where a correction takes back %s', async (_, before) => {
    const { command, keepAt } = await agreed(
      [
        [ASKED, '7=ref\r'],
        [ASKED, '\r'],
        [/1 ready[\s\S]*q to quit: /, '\r'],
      ],
      before,
    );
    expect(command).toEqual(['bulk', 'leads.csv', '--mapping', keepAt]);
    expect(JSON.parse(readFileSync(keepAt, 'utf8')).map).toMatchObject({ ' 7': 'ref' });
  });

  test('has the answers to the questions, columns that are joined in a mapping file', async () => {
    const answers = (key: string): Typed[] => [
      [/q quit: $/, key],
      [/1 ready[\s\S]*q to quit: /, '\r'],
    ];
    const taken = await agreed(answers('y'), {}, {}, { likely: [{}] });
    expect([taken.command, taken.plan.first?.request.ref]).toEqual([['bulk', 'leads.csv', '--map', '7=ref'], 'x']);
    const left = await agreed(answers('n'), {}, {}, { likely: [{}] });
    expect([left.command, left.plan.first?.request.ref]).toEqual([['bulk', 'leads.csv', '--map', '7=-'], null]);
    const joined = await agreed(answers('y'), {}, {}, { likely: [{ columns: [3, 4], how: 'join' }] });
    expect([joined.command, joined.plan.first?.request.ref]).toEqual([
      ['bulk', 'leads.csv', '--mapping', joined.keepAt],
      'x y',
    ]);
    expect(JSON.parse(readFileSync(joined.keepAt, 'utf8')).join).toEqual({ ref: ['7', 'column 5'] });
  });

  test('is not agreed to by an Enter after the key that answers a question', async () => {
    const { plan } = await agreed(
      [
        [/q quit: $/, 'y\r'],
        [ASKED, '7=-\r'],
        [ASKED, '\r'],
        [/1 ready[\s\S]*q to quit: /, '\r'],
      ],
      {},
      {},
      { likely: [{}] },
    );
    expect(plan.first?.request.ref).toBeNull();
  });

  test('is asked for each file by its questions alone where there are several', async () => {
    const { command, shown } = await agreed([[/q quit: $/, 'y']], {}, {}, { likely: [{}], oneOfSeveral: 'b.csv' });
    expect(command).toEqual(['bulk', 'leads.csv', '--map', '7=ref']);
    expect([shown.includes('b.csv: Is "7" the ref?'), ASKED.test(shown)]).toEqual([true, false]);
  });

  test('is helped with the fields and up to a hundred columns', async () => {
    const columns = [...COLUMNS, ...Array.from({ length: 96 }, (_, at) => `extra-${at + 6}`)];
    const { shown } = await agreed(
      [
        [ASKED, '?\r'],
        [/Columns: [\s\S]*q to quit: /, '\r'],
      ],
      {},
      {},
      { columns, cells: [...CELLS, ...Array.from({ length: 96 }, () => '')] },
    );
    const [, told = ''] = /Columns: (.*)/.exec(shown) ?? [];
    expect(told).toMatch(/^country, phone, request_text, 7, column 5, extra-6, .*, extra-100$/);
    expect(shown).toMatch(/Fields: {2}.*country, .*phone/);
  });
});

describe('Columns that are only likely', () => {
  test('are left out with a word if nobody can be asked, unless that is accepted', async () => {
    const told = /Left out: (.*), which is only likely the ref\. To take it: --accept-likely/;
    for (const [typed, options] of [
      [null, {}],
      [[], { yes: true }],
    ] as const) {
      const { plan, shown, command } = await agreed(typed, {}, options, { likely: [{ columns: [3, 4] }] });
      expect([plan.first?.request.ref, told.exec(shown.replace(/\s+/g, ' '))?.[1]]).toEqual([null, '7, column 5']);
      expect(command).toEqual(['bulk', 'leads.csv']);
    }
    const taken = await agreed(null, {}, { acceptLikely: true }, { likely: [{}] });
    expect([taken.plan.first?.request.ref, told.test(taken.shown)]).toEqual(['x', false]);
  });

  const inputWith = (...likely: Partial<FieldSource>[]) =>
    ({
      ...{ chosen: NOTHING, evidence: EVIDENCE },
      mapping: { columns: COLUMNS, sources: likely.map((each) => ({ ...LIKELY, ...each })), missed: [] },
    }) as never;

  test.each<[string, object, boolean, readonly Typed[] | null]>([
    ['nobody can be asked', {}, true, null],
    ['nobody is to be asked', { yes: true }, true, []],
    ['a person can be asked', {}, false, []],
    ['they are accepted', { acceptLikely: true }, false, null],
  ])('have to be decided about if a request needs them and %s', (_, options, isRefused, typed) => {
    const { context } = contextOf(typed ? { typed } : {});
    const asking = (field: string) => () => {
      const files = [{ file: 'a.csv', input: inputWith({ field }), command: ['bulk', 'a.csv'] }];
      requireAnswers(context, files, ['bulk', 'a.csv', '--json'], options);
    };
    if (isRefused)
      expect(asking('phone')).toThrow(
        expect.objectContaining({
          reason: 'columns.undecided',
          hint: expect.stringContaining('srq bulk a.csv --json --accept-likely'),
        }),
      );
    else asking('phone')();
    asking('ref')();
  });
});

test('a field that nobody knows is refused with --strict alone', () => {
  const mapping = (code: string) =>
    ({ warnings: [{ code: 'columns.tie' }, { code, message: 'No field is "x".' }] }) as never;
  const unknown = mapping('columns.unknown-field');
  requireKnownFields(unknown, false);
  requireKnownFields(unknown, undefined);
  requireKnownFields(undefined, true);
  requireKnownFields(mapping('columns.other'), true);
  expect(() => requireKnownFields(unknown, true)).toThrow(
    expect.objectContaining({ reason: 'field.unknown', message: 'No field is "x". Nothing was sent.' }),
  );
});

describe('What is agreed to is remembered', () => {
  const ENTER: Typed[] = [[ASKED, '\r']];
  const REHEARSAL: Scene = { globals: { sandbox: true } };
  test.each<[string, boolean, Parameters<typeof agreed>]>([
    ['of a run that asks nobody', true, [null]],
    ['of a run that asks a person', true, [ENTER]],
    ['not of a rehearsal of which nobody says anything', false, [null, {}, {}, REHEARSAL]],
    ['of a rehearsal that a person agrees to', true, [ENTER, {}, {}, REHEARSAL]],
    ['of a rehearsal with a column in a flag', true, [null, { map: { ' 7': 'ref' } }, {}, REHEARSAL]],
    ['of a rehearsal with joined columns in a file', true, [null, { join: { ref: ['7'] } }, {}, REHEARSAL]],
    ['not of a rehearsal with a value in a flag', false, [null, { set: { lang: 'pt' } }, {}, REHEARSAL]],
    [
      'of a rehearsal that accepts what is likely',
      true,
      [null, {}, { acceptLikely: true }, { ...REHEARSAL, likely: [{}] }],
    ],
    [
      'not of a rehearsal that accepts what is likely, if nothing is',
      false,
      [null, {}, { acceptLikely: true }, REHEARSAL],
    ],
    ['of rows that were sent before', true, [null, {}, {}, { logged: 'created' }]],
    ['not if no row can be sent', false, [null, {}, {}, { cells: CELLS.with(0, 'Nowhere') }]],
  ])('%s: %j', async (_, expected, given) => {
    expect(await (await agreed(...given)).isRemembered()).toBe(expected);
  });
});
