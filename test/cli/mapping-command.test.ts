import { Command } from 'commander';
import { expect, test } from 'vitest';
import type { Context } from '../../src/cli/context.ts';
import { addMapping } from '../../src/commands/mapping.ts';
import { mappingsPath } from '../../src/settings/paths.ts';
import { contextOf } from '../helpers/command-context.ts';
import { User } from '../helpers/user.ts';

const kept = (fingerprint: string, columns: readonly string[], more: object = {}) => ({
  ...{ fingerprint, columns, map: {}, join: {}, unused: [], on: '2026-11-20' },
  ...more,
});
const MAP = { Nome: 'fullname', 'Número de telefone': 'phone', Notas: '-', Telemóvel: 'phone' };
const KEPT = [
  kept('abcd00000001', ['Nome', 'Número de telefone', 'Notas', 'Telemóvel'], {
    map: MAP,
    join: { location: ['Código', 'Ort'] },
  }),
  kept('abcd00000002', ['Name', 'Tel', 'Ort'], { map: { Name: 'fullname' }, on: '2026-11-19' }),
  kept('ffff00000003', ['a'], { on: '2026-11-18' }),
];

async function userWith(mappings: readonly object[] = KEPT): Promise<User> {
  const user = new User();
  const path = mappingsPath(await user.context().paths(), 'default');
  user.write(path.slice(user.path('').length), JSON.stringify({ version: 1, mappings }));
  return user;
}

const shownBy = async (user: User, ...words: string[]) => {
  const { code, document } = await user.run('mapping', ...words, '--json');
  return { code, ...document } as { code: number } & Record<string, unknown>;
};
/** Runs `srq mapping` with these words in a context. */
async function commandIn(context: Context, ...words: string[]): Promise<void> {
  const program = new Command();
  addMapping(program, (load) => async (...args) => {
    const command = await load();
    await command(context as never, ...(args as never[]));
  });
  await program.parseAsync(['mapping', ...words], { from: 'user' });
}

const refusal = (message: string) => ({
  code: 2,
  error: { code: 'usage', message, hint: 'See what there is: srq mapping list' },
});

test('each mapping is listed with its day, its columns and the fields that they give, each field once', async () => {
  const user = await userWith();
  const { mappings } = await shownBy(user, 'list');
  expect(mappings).toEqual([
    {
      ...{ fingerprint: 'abcd00000001', on: '2026-11-20', columns: KEPT[0]?.columns },
      fields: ['fullname', 'phone', 'location'],
    },
    expect.objectContaining({ fingerprint: 'abcd00000002', fields: ['fullname'] }),
    expect.objectContaining({ fingerprint: 'ffff00000003', fields: [] }),
  ]);
  const lines = (await user.run('mapping', 'list')).stdout.trimEnd().split('\n');
  expect(lines.map((line) => line.split(/ {2,}/))).toEqual([
    ['2026-11-20', 'abcd00000001', '4', 'Nome, Número de telef…, Notas, …', 'fullname, phone, location'],
    ['2026-11-19', 'abcd00000002', '3', 'Name, Tel, Ort', 'fullname'],
    ['2026-11-18', 'ffff00000003', '1', 'a'],
  ]);
});

test.each([
  ['x'.repeat(16), 'x'.repeat(16)],
  ['x'.repeat(17), `${'x'.repeat(15)}…`],
])('a column is listed with sixteen letters: %s', async (name, shown) => {
  const user = await userWith([kept('abcd00000001', [name])]);
  expect((await user.run('mapping', 'list')).stdout.trimEnd().split(/ {2,}/)[3]).toBe(shown);
});

test('the list has headings on a terminal, and fits it', async () => {
  const user = await userWith(KEPT.slice(1));
  const { context, stdout } = contextOf({ env: user.env, typed: [] });
  Object.assign(context.process.stdout, { columns: 60 });
  await commandIn(context, 'list');
  expect(stdout().trimEnd().split('\n')).toEqual([
    'on          fingerprint   no.  columns         fields',
    '2026-11-19  abcd00000002  3    Name, Tel, Ort  fullname',
    '2026-11-18  ffff00000003  1    a',
  ]);
});

test('nothing to list is said, and is an empty list for a program', async () => {
  expect((await new User().run('mapping', 'list')).stdout).toMatch(/^Nothing is remembered\./);
  expect(await shownBy(new User(), 'list')).toMatchObject({ code: 0, mappings: [] });
});

test.each(['abcd00000001', 'ABCD00000001', 'ffff', 'FFFF0'])(
  'a mapping is shown by the beginning of its fingerprint, in any case: %s',
  async (beginning) => {
    const meant = KEPT.find(({ fingerprint }) => fingerprint.startsWith(beginning.toLowerCase()));
    const user = await userWith();
    const { map, set, join } = await shownBy(user, 'show', beginning);
    expect({ map, set, join }).toEqual({ map: meant?.map, set: {}, join: meant?.join });
    expect(JSON.parse((await user.run('mapping', 'show', beginning)).stdout)).toEqual({ map, set, join });
  },
);

test.each([
  ['fff', 'There is no mapping "fff".'],
  ['', 'There is no mapping "".'],
  ['abcd', '2 mappings begin with "abcd".'],
  ['abcd000000011', 'There is no mapping "abcd000000011".'],
  ['e'.repeat(41), `There is no mapping "${'e'.repeat(39)}…".`],
])('%j means no single mapping, which is neither shown nor forgotten', async (beginning, message) => {
  const user = await userWith();
  for (const command of ['show', 'forget'])
    expect(await shownBy(user, command, beginning)).toMatchObject(refusal(message));
  expect((await shownBy(user, 'list'))['mappings']).toHaveLength(3);
});

test('one mapping is forgotten, or all; both or neither is unclear', async () => {
  const user = await userWith();
  for (const words of [['forget'], ['forget', 'ffff', '--all']])
    expect(await shownBy(user, ...words)).toMatchObject(refusal('Say which: a fingerprint, or --all.'));
  expect(await shownBy(user, 'forget', 'abcd00000002')).toMatchObject({ code: 0, forgotten: 1, left: 2 });
  const { mappings } = await shownBy(user, 'list');
  expect((mappings as { fingerprint: string }[]).map(({ fingerprint }) => fingerprint)).toEqual([
    'abcd00000001',
    'ffff00000003',
  ]);
  expect((await user.run('mapping', 'forget', 'ffff')).stdout).toBe('Forgot 1 mapping; 1 left.\n');
  const both = await userWith(KEPT.slice(0, 2));
  expect((await both.run('mapping', 'forget', '--all')).stdout).toBe('Forgot 2 mappings; 0 left.\n');
  expect((await both.run('mapping', 'forget', '--all')).stdout).toBe('Forgot 0 mappings; 0 left.\n');
});

test('mappings that cannot be written are told as not forgotten, and a fault is thrown', async () => {
  const { context } = contextOf();
  const forget = async (error: Error) => {
    const store = {
      all: () => KEPT,
      forget: () => {
        throw error;
      },
    };
    Object.assign(context, { mappings: async () => store });
    await commandIn(context, 'forget', '--all');
  };
  await expect(forget(Object.assign(new Error('no'), { code: 'EROFS' }))).rejects.toMatchObject({
    reason: 'settings.unwritable',
    message: 'Nothing is forgotten: the mappings cannot be written (EROFS).',
  });
  await expect(forget(new TypeError('broken'))).rejects.toThrow(TypeError);
});
