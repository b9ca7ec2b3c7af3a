import { describe, expect, test } from 'vitest';
import {
  askQuestions,
  type ColumnQuestion,
  columnQuestions,
  decidingCommand,
  isOptional,
  openQuestions,
  requireDecided,
  withFlags,
  withoutLikely,
} from '../../src/commands/bulk/questions.ts';
import { FIELDS } from '../../src/request/fields.ts';
import type { FieldSource, Mapping, MissedColumn } from '../../src/request/table.ts';
import { NO_MAPPING } from '../delivery/leads.ts';
import { contextOf } from '../helpers/command-context.ts';

const COLUMNS = ['Nome', 'Kontakt', 'Mail', 'Pedido', '', 'Agent phone'];

function source(field: string, columns: number[], more: Partial<FieldSource> = {}): FieldSource {
  return { field, columns, how: 'first', template: null, prefix: null, because: 'its name', level: 'certain', ...more };
}

function mappingOf(sources: FieldSource[], missed: MissedColumn[] = []): Mapping {
  return { ...NO_MAPPING, columns: COLUMNS, sources, missed };
}

const question = (changes: Partial<ColumnQuestion>): ColumnQuestion => ({
  ...{ kind: 'likely', field: 'phone', how: 'first', columns: ['Kontakt'], beside: [], because: 'it looks so' },
  ...{ isOthers: false, samples: [] },
  ...changes,
});
const leftOut = (changes: Partial<ColumnQuestion>) => question({ kind: 'left out', ...changes });

describe('The questions about columns', () => {
  test('are of those that are likely, then of those that are left out, each with its labels', () => {
    const likely = source('ref', [4, 0], { level: 'likely', how: 'join', because: 'its cells' });
    const missed = { index: 4, field: 'phone', isOthers: false } as const;
    const asked = columnQuestions(mappingOf([source('email', [2]), likely], [missed]));
    expect(asked).toMatchObject([
      { kind: 'likely', field: 'ref', how: 'join', columns: ['column 5', 'Nome'], because: 'its cells', beside: [] },
      { kind: 'left out', field: 'phone', how: 'first', columns: ['column 5'] },
    ]);
    expect(asked.map(({ isOthers }) => isOthers)).toEqual([false, false]);
    expect(columnQuestions(mappingOf([source('email', [2])]))).toEqual([]);
  });

  test.each([
    ['phone', 'it plainly holds telephone numbers'],
    ['email', 'it plainly holds e-mail addresses'],
    ['request_text', 'it plainly holds longer texts'],
  ] as const)('say what a column that is left out holds: %s', (field, because) => {
    const [asked] = columnQuestions(mappingOf([], [{ index: 5, field, isOthers: false }]));
    expect(asked?.because).toBe(because);
    const [others] = columnQuestions(mappingOf([], [{ index: 5, field, isOthers: true }]));
    expect(others?.because).toBe(`${because}, though by its name not the customer's`);
  });

  test.each([
    ['phone', true],
    ['email', true],
    ['request_text', false],
    ['ref', false],
  ])('propose to leave out the contact of another person where a column gives the %s: %j', (field, isOthers) => {
    const missed = { index: 5, field: 'phone', isOthers: true } as const;
    const told = columnQuestions(mappingOf([source(field, [1])], [missed]));
    expect(told.map((each) => each.isOthers)).toEqual([isOthers]);
    const own = columnQuestions(mappingOf([source(field, [1])], [{ ...missed, isOthers: false }]));
    expect(own.map((each) => each.isOthers)).toEqual([false]);
  });

  test('name the other columns that give the field one after the other, not those of other fields or that are joined', () => {
    const sources = [source('phone', [1, 4]), source('email', [2]), source('phone', [3], { how: 'join' })];
    const [asked] = columnQuestions(mappingOf(sources, [{ index: 5, field: 'phone', isOthers: false }]));
    expect(asked?.beside).toEqual(['Kontakt', 'column 5']);
  });

  test('show three filled cells of a column and six in all', () => {
    const likely = source('location', [0, 1, 2], { level: 'likely' });
    const cells = ['1', ' ', '2', '', '3', '4'];
    const sample = [cells, cells.map((cell) => cell.trim() && `b${cell}`), ['c1']];
    expect(columnQuestions(mappingOf([likely]), sample)[0]?.samples).toEqual(['1', '2', '3', 'b1', 'b2', 'b3']);
    expect(columnQuestions(mappingOf([likely]), [['1'], [], ['c1']])[0]?.samples).toEqual(['1', 'c1']);
  });
});

test('a run goes on without an answer about the fields that a request may lack, as far as they are only likely', () => {
  const optional = FIELDS.filter((field) => isOptional(question({ field })));
  expect(optional.toSorted()).toEqual(['audio_file', 'category', 'lang', 'ref']);
  expect(FIELDS.filter((field) => isOptional(leftOut({ field })))).toEqual([]);
});

test('--accept-likely answers what is likely, and nothing of what is left out', () => {
  const all = [question({}), leftOut({})];
  expect(openQuestions(all, false)).toEqual(all);
  expect(openQuestions(all, true)).toEqual([all[1]]);
});

test('flags are added at the end, or before the -- after which there are only names', () => {
  expect(withFlags(['bulk', 'a.csv'], ['--again'])).toEqual(['bulk', 'a.csv', '--again']);
  expect(withFlags(['bulk', '--', '-a.csv'], ['--again'])).toEqual(['bulk', '--again', '--', '-a.csv']);
  expect(withFlags(['--', 'a'], ['--again'])).toEqual(['--again', '--', 'a']);
});

test('likely columns are left out by name, and those that are named stay', () => {
  const input = {
    chosen: { map: { Mail: 'email' }, set: { lang: 'pt' }, join: {} },
    mapping: mappingOf([source('phone', [1], { level: 'likely' })]),
  };
  const columns = ['Kontakt', '123'];
  expect(withoutLikely(input as never, [question({ columns })])).toEqual({
    map: { Mail: 'email', Kontakt: '-', ' 123': '-' },
    set: { lang: 'pt' },
    join: {},
  });
});

const fileOf = (open: ColumnQuestion[], file = 'a.csv') => ({ file, command: ['bulk', file], open });

describe('The command that answers the questions', () => {
  const all = ['bulk', 'a.csv', 'b.csv'];

  test('is that of all files where --accept-likely is enough', () => {
    const files = [fileOf([question({}), question({ field: 'ref' })]), fileOf([question({})], 'b.csv')];
    expect(decidingCommand(files, all)).toEqual([...all, '--accept-likely']);
    expect(decidingCommand([fileOf([])], all)).toEqual(all);
  });

  test('is that of the first file with a column to be named, which is taken with those beside it', () => {
    const open = [question({}), leftOut({ field: 'email', columns: ['Agent mail'], beside: ['Mail'] })];
    const files = [fileOf([question({})]), fileOf(open, 'b.csv'), fileOf([leftOut({})], 'c.csv')];
    expect(decidingCommand(files, all)).toEqual([
      ...['bulk', 'b.csv', '--accept-likely'],
      ...['--map', 'Mail=email', '--map', 'Agent mail=email'],
    ]);
  });

  test('leaves out the columns of other people, and names each column once, without what nobody sees', () => {
    const open = [
      leftOut({ columns: ['Agent\u200b\u0007phone '], beside: ['Tel'], isOthers: true }),
      leftOut({ columns: ['Mobil'], beside: ['Tel'] }),
      leftOut({ columns: ['Festnetz'], beside: ['Tel'] }),
    ];
    expect(decidingCommand([fileOf(open)], all)).toEqual([
      ...['bulk', 'a.csv', '--map', 'Agent phone=-', '--map', 'Tel=phone'],
      ...['--map', 'Mobil=phone', '--map', 'Festnetz=phone'],
    ]);
  });
});

describe('Questions that nobody can answer', () => {
  const refusal = (files: ReturnType<typeof fileOf>[]) => {
    try {
      requireDecided(files, ['bulk', 'a.csv']);
      return null;
    } catch (error) {
      return error as { message: string; hint: string; reason: string };
    }
  };

  test('are none where all is decided', () => {
    expect(refusal([fileOf([]), fileOf([], 'b.csv')])).toBeNull();
  });

  test('are told with their number, their reason, and the form of their cells, but not the cells', () => {
    const samples = ['Ana Müller 12', 'ÁRVORE-7'];
    const one = refusal([fileOf([question({ samples })])]);
    expect(one).toMatchObject({
      reason: 'columns.undecided',
      message:
        'One column needs a decision, and without a terminal nobody can be asked about it: "Kontakt" is likely the phone (it looks so: "Aaa Aaaaaa 00", "AAAAAA-0"). Nothing was sent.',
      hint: expect.stringMatching(/^If that is right: srq bulk a\.csv --accept-likely\n/),
    });
    const two = refusal([fileOf([question({}), leftOut({ field: 'email' })])])?.message;
    expect(two).toContain('2 columns need a decision, and without a terminal nobody can be asked about them: ');
    expect(two).toContain('"Kontakt" is left out, and no other column gives the email (it looks so: )');
    expect(two).not.toContain('a.csv');
  });

  test('are told with the name of their file where there are several', () => {
    expect(refusal([fileOf([]), fileOf([question({})], 'b.csv')])?.message).toContain('b.csv: "Kontakt" is likely');
  });

  test.each([
    [10, null],
    [11, 'and 1 more'],
    [13, 'and 3 more'],
  ])('are told up to ten: of %i, %j', (count, more) => {
    const message = refusal([fileOf(Array.from({ length: count }, () => question({})))])?.message ?? '';
    expect(message.match(/is likely the phone/g)).toHaveLength(10);
    expect(/and \d+ more/.exec(message)?.[0] ?? null).toBe(more);
  });

  test('name four columns of one, each to forty letters', () => {
    const message = (...columns: string[]) => refusal([fileOf([question({ columns })])])?.message;
    expect(message('a', 'b', 'c', 'd')).toContain('"a" + "b" + "c" + "d" is likely');
    expect(message('a', 'b', 'c', 'd', 'e', 'f')).toContain('"a" + "b" + "c" + "d" + 2 more is likely');
    expect(message('x'.repeat(40))).toContain(`"${'x'.repeat(40)}"`);
    expect(message('x'.repeat(41))).not.toContain('x'.repeat(40));
  });

  test('show the form of a cell to 24 letters', () => {
    const shown = (cell: string) => refusal([fileOf([question({ samples: [cell] })])])?.message ?? '';
    expect(shown('x'.repeat(24))).toContain(`"${'a'.repeat(24)}"`);
    expect(shown('x'.repeat(25))).toContain(`"${'a'.repeat(23)}…"`);
  });
});

describe('A person at a terminal is asked', () => {
  const CHOSEN = { map: {}, set: {}, join: {} };

  /** Asks these questions, which are answered with these keys. Returns what is shown, and what is said of the columns then. */
  async function asked(
    questions: readonly ColumnQuestion[],
    keys: string,
    { sources = [] as FieldSource[], oneOfSeveral = null as string | null, chosen = {} } = {},
  ) {
    const { context, stderr } = contextOf({ typed: [...keys].map((key) => [/q quit: $/, key] as const) });
    const evidence = { sample: [], parameters: new Set() };
    const input = {
      table: { columns: COLUMNS },
      chosen: { ...CHOSEN, ...chosen },
      mapping: mappingOf(sources),
      evidence,
    };
    const answered = await askQuestions(context, input as never, questions, { oneOfSeveral } as never);
    return { shown: stderr(), map: answered.chosen.map, join: answered.chosen.join };
  }

  test('with the reason, the cells and the keys', async () => {
    const samples = ['912345678', 'x'.repeat(24), `\u0007${'y'.repeat(25)}`];
    const likely = question({ columns: ['Kontakt', 'Mail'], samples });
    expect((await asked([likely], 'n')).shown).toBe(
      `Is "Kontakt" + "Mail" the phone?\n  it looks so\n  912345678 · ${'x'.repeat(24)} · \\u{7}${'y'.repeat(18)}…\n  y yes · n leave it out · q quit: n\n`,
    );
    expect((await asked([leftOut({ field: 'email', samples: ['a@b'] })], 'n')).shown).toBe(
      '"Kontakt" is left out, and no other column gives the email.\n  it looks so\n  a@b\n  y take it as email · n leave it out · q quit: n\n',
    );
  });

  test('one question after the other, with the name of the file where there are several', async () => {
    const both = [question({}), question({ field: 'email', columns: ['Mail'] })];
    const heads = ({ shown }: { readonly shown: string }) => shown.match(/^.*Is .*$/gm);
    expect(heads(await asked(both, 'nn'))).toEqual([
      '(1 of 2) Is "Kontakt" the phone?',
      '(2 of 2) Is "Mail" the email?',
    ]);
    const oneOfSeveral = 'b\u0007.csv';
    expect(heads(await asked(both, 'nn', { oneOfSeveral }))?.[0]).toBe('b\\u{7}.csv: (1 of 2) Is "Kontakt" the phone?');
    expect(heads(await asked([question({})], 'n', { oneOfSeveral }))).toEqual(['b\\u{7}.csv: Is "Kontakt" the phone?']);
  });

  test('and may leave, which sends nothing', async () => {
    await expect(asked([question({}), question({})], 'yq')).rejects.toMatchObject({
      ...{ reason: 'prompt.left', message: 'Nothing was sent.' },
      hint: 'Run the same command again when the columns are clear.',
    });
  });

  const certain = source('phone', [1]);
  const agents = question({ columns: ['Agent phone'] });
  const likely = source('phone', [5], { level: 'likely' });
  const joined = question({ field: 'location', how: 'join', columns: ['Nome', 'Pedido'] });
  const places = source('location', [0, 3], { how: 'join', level: 'likely' });
  test.each<[string, ColumnQuestion[], string, FieldSource[], object]>([
    [
      'a column that is agreed to stands after those that are certain',
      [agents],
      'y',
      [certain, likely],
      { map: { Kontakt: 'phone', 'Agent phone': 'phone' } },
    ],
    ['one that is not is left out', [agents], 'n', [certain, likely], { map: { 'Agent phone': '-' } }],
    [
      'of two of one field each is as it is answered',
      [agents, question({ columns: ['Mail'] })],
      'yn',
      [certain, likely, source('phone', [2], { level: 'likely' })],
      { map: { Mail: '-', Kontakt: 'phone', 'Agent phone': 'phone' } },
    ],
    [
      'of two fields each is as it is answered',
      [agents, question({ field: 'email', columns: ['Mail'] })],
      'ny',
      [certain, likely, source('email', [2], { level: 'likely' })],
      { map: { 'Agent phone': '-', Mail: 'email' } },
    ],
    ['columns that are joined stay joined', [joined], 'y', [places], { join: { location: ['Nome', 'Pedido'] } }],
    ['all that would be joined are left out', [joined], 'n', [places], { map: { Nome: '-', Pedido: '-' } }],
    [
      'a column that is left out is taken beside what gives the field, but for a constant',
      [leftOut({ columns: ['Agent phone'] })],
      'y',
      [certain, source('phone', [2], { how: 'template', template: ['+351', 2] })],
      { map: { Kontakt: 'phone', 'Agent phone': 'phone' } },
    ],
    [
      'one that stays left out is so by name',
      [leftOut({ columns: ['Agent phone'] })],
      'n',
      [],
      { map: { 'Agent phone': '-' } },
    ],
    [
      'what is denied as a join may be taken by itself',
      [question({ how: 'join', columns: ['Kontakt', 'Mail'] }), leftOut({ columns: ['Agent phone'] })],
      'ny',
      [certain, source('phone', [1, 2], { how: 'join', level: 'likely' })],
      { map: { Kontakt: 'phone', Mail: '-', 'Agent phone': 'phone' } },
    ],
    [
      'a column without a name is called by its place',
      [question({ columns: ['column 5'] })],
      'y',
      [source('phone', [4])],
      { map: { 'column 5': 'phone' } },
    ],
  ])('and %s', async (_, questions, keys, sources, said) => {
    const { map, join } = await asked(questions, keys, { sources });
    expect({ map, join }).toEqual({ map: {}, join: {}, ...said });
  });

  test('and what was said before stays', async () => {
    const chosen = { map: { Mail: 'email' }, join: { fullname: ['Nome', 'Pedido'] } };
    const { map, join } = await asked([agents], 'n', { chosen });
    expect({ map, join }).toEqual({ map: { Mail: 'email', 'Agent phone': '-' }, join: chosen.join });
  });
});
