import { chmodSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { type Desk, test } from '../helpers/desk.ts';
import { documentOf } from '../helpers/run-srq.ts';
import { HAS_TERMINAL, Terminal } from '../helpers/terminal.ts';
import { creates } from '../sandbox/sandbox-client.ts';

const NAMES = ['Ana Exemplo', 'Rui Costa', 'Eva Lima', 'Ivo Reis', 'Zoe Pires', 'Gil Matos'];
const PHONES = NAMES.map((_, at) => `+35191234567${at}`);
const HEADER = ['Nome', 'Rufkontakt', 'Pedido', 'Morada', 'Pais'];
/** Cells of a person by the column. `day` makes other leads of the same kind. */
const cellsOf = (at: number, day = 0): Record<string, string> => ({
  Nome: NAMES[at] ?? '',
  Rufkontakt: `+35191234${day}67${at}`,
  Pedido: `Parede ${at} da sala pintada de branco, por dentro`,
  Morada: `Rua das Flores ${at + 1}, 1000-00${at + 1} Lisboa`,
  Pais: 'PT',
});

/** A file with these columns; `named` is how they are called in it. */
function csv(columns: readonly string[], named = (name: string) => name, day = 0): string {
  const line = (cells: readonly string[]) => cells.map((cell) => `"${cell.replaceAll('"', '""')}"`).join(',');
  const rows = NAMES.map((_, at) => line(columns.map((name) => cellsOf(at, day)[name] ?? '')));
  return [line(columns.map(named)), ...rows].join('\n');
}

interface PlannedColumn {
  readonly field: string;
  readonly columns: readonly string[];
  readonly because: string;
}
const TODAY = /^as confirmed on \d{4}-\d\d-\d\d$/;

async function planned(desk: Desk, ...args: string[]) {
  const document = documentOf(await desk.call('bulk', ...args, '--dry-run', '--json'));
  const columns = document['columns'] as PlannedColumn[];
  return { ...document, of: (field: string) => columns.find((each) => each.field === field) };
}

const storePath = (desk: Desk, profile = 'default') => join(desk.config, 'mappings', `${profile}.json`);

/** Imports a file whose likely column is accepted, so that its header is known from then on. */
async function remember(desk: Desk, ...args: string[]): Promise<void> {
  const { code, stderr } = await desk.call('bulk', desk.write('first.csv', csv(HEADER)), '--accept-likely', ...args);
  expect(code, stderr).toBe(0);
}

describe('columns that were confirmed', () => {
  test('--map and --set win over confirmed columns, and what was left out stays out', async ({ partner, sandbox }) => {
    await remember(partner);
    const next = partner.write('next.csv', csv(HEADER, undefined, 1));
    const flags = ['--map', 'Rufkontakt=-', '--set', 'email=someone@example.com'];
    const said = await planned(partner, next, ...flags);
    expect(said.of('phone')).toBeUndefined();
    expect(said.of('email')?.because).toBe('--set');
    expect(said.of('fullname')?.because).toMatch(TODAY);
    expect((await partner.call('bulk', next, ...flags)).code).toBe(0);
    // From now on it is left out without a flag, too, though nothing gives the phone.
    const third = partner.write('third.csv', csv(HEADER, undefined, 2));
    const { code } = await partner.call('bulk', third, '--set', 'email=other@example.com');
    expect(code).toBe(0);
    expect(creates(sandbox).filter(({ params }) => params['phone'] !== undefined)).toHaveLength(6);
    const again = await planned(partner, third, '--map', 'Rufkontakt=phone');
    expect(again.of('phone')?.because).toBe('--map');
  });

  test('confirmed columns do not hide a phone column where theirs is empty', async ({ partner, sandbox }) => {
    await remember(partner);
    const text = csv([...HEADER, 'Zusatz'], (name) => name)
      .split('\n')
      .map((line, at) => (at === 0 ? line : line.replace(/"\+\d+"/, '""').replace(/""$/, `"${PHONES[at - 1]}"`)))
      .join('\n');
    const next = partner.write('next.csv', text);
    const { code, stderr } = await partner.call('bulk', next);
    expect(code).toBe(2);
    expect(stderr).toContain('--map Rufkontakt=phone --map Zusatz=phone');
    expect(creates(sandbox)).toHaveLength(6);
  });

  test('confirmed columns keep their meaning when the file grows, and a new number is not left out silently', async ({
    partner,
    sandbox,
  }) => {
    const header = 'Wer,Zzyx,Rufkontakt,Pedido,Pais';
    const line = (at: number, who: string, extra = '') =>
      `${who},${extra},p${at}@example.com,Pintar a parede da sala toda de branco ${'abcdef'[at]},PT`;
    const small = NAMES.slice(0, 2).map((_, at) => line(at, '-'));
    const leads = partner.write('leads.csv', [header, ...small].join('\n'));
    expect((await partner.call('bulk', leads, '--accept-likely')).code).toBe(0);
    // With names in it the first column would be likely the name, and the first rows would be other requests.
    const more = NAMES.slice(2).map((name, at) => line(at + 2, name));
    partner.write('leads.csv', [header, ...small, ...more].join('\n'));
    const ended = await partner.call('bulk', leads, '--json');
    expect(documentOf(ended), ended.stderr).toMatchObject({ repeated: 2, created: 4 });
    const phones = NAMES.map((name, at) => line(at, name, PHONES[at]));
    const called = await partner.call('bulk', partner.write('phones.csv', [header, ...phones].join('\n')));
    expect(called.code).toBe(2);
    expect(called.stderr).toContain('"Zzyx" would be left out, and no other column gives the phone');
    expect(creates(sandbox)).toHaveLength(6);
  });

  test.skipIf(process.platform === 'win32')(
    'confirmed columns are not used where others may have written them',
    async ({ partner }) => {
      await remember(partner);
      chmodSync(storePath(partner), 0o666);
      const before = readFileSync(storePath(partner), 'utf8');
      const { stderr, stdout } = await partner.call('bulk', join(partner.work, 'first.csv'), '--dry-run', '--json');
      expect(stderr).toContain('can be changed by other users (mode 0666); what it says is not used');
      expect(JSON.parse(stdout)).toMatchObject({ remembered: null });
      await partner.call('bulk', join(partner.work, 'first.csv'), '--accept-likely');
      expect(readFileSync(storePath(partner), 'utf8')).toBe(before);
    },
  );

  test('confirmed columns that cannot be kept give a warning, and the run goes on', async ({ partner, sandbox }) => {
    mkdirSync(partner.config);
    // A file where the folder should be; permissions would not stop root.
    writeFileSync(join(partner.config, 'mappings'), '');
    const { code, stderr } = await partner.call('bulk', partner.write('a.csv', csv(HEADER)), '--accept-likely');
    expect(code).toBe(0);
    expect(stderr).toMatch(/The mapping cannot be remembered for the next file like this \(E[A-Z]+\)/);
    expect(creates(sandbox)).toHaveLength(6);
  });

  test('a damaged file of mappings is passed over and replaced', async ({ partner }) => {
    await remember(partner);
    writeFileSync(storePath(partner), '{"version":1,"mappings":[{"map":', { mode: 0o600 });
    expect(await planned(partner, join(partner.work, 'first.csv'))).toMatchObject({ remembered: null });
    await partner.call('bulk', join(partner.work, 'first.csv'), '--accept-likely');
    expect(await planned(partner, join(partner.work, 'first.csv'))).toMatchObject({ repeated: 6, undecided: [] });
  });
});

const need = (at: number) => `Pintar a parede da sala toda de branco, casa ${'abcdef'[at]}`;

/** Files that are understood in different ways; each is imported twice. */
const UNDERSTOOD: readonly (readonly [string, readonly string[], (at: number) => readonly string[]])[] = [
  [
    'joined names and addresses, phones in order of rank',
    [
      'PLZ',
      'Ort',
      'Tel. privat',
      'Nachname',
      'Handy',
      'Vorname',
      'Strasse',
      'Nr',
      'Tel. Büro',
      'Anliegen',
      'Land',
      'Notizen',
    ],
    (at) => [
      ...[
        '10115',
        'Berlin',
        at % 3 === 0 ? '' : `+49301234560${at}`,
        `Muster${'abcdef'[at]}`,
        at % 2 === 0 ? '' : `+491512345678${at}`,
      ],
      ...[
        'Ana',
        'Hauptstr.',
        `${at + 1}`,
        `+49309876540${at}`,
        `Die Wand im Zimmer ${at} soll gestrichen werden`,
        'DE',
        `Notiz ${at}`,
      ],
    ],
  ],
  [
    'names that are numbers, and more than one phone',
    ['2', 'Nome', '1', 'Pedido', 'Pais', 'Codigo postal', 'Cidade'],
    (at) => [
      ...[at % 2 === 0 ? '' : `+35192234567${at}`, NAMES[at] ?? '', `+35193234567${at}`, need(at)],
      ...['PT', '1000-001', 'Lisboa'],
    ],
  ],
  [
    '__proto__, quotes, and two whole names',
    ['__proto__', 'Nome "completo"', 'Nome', 'constructor', 'Pedido', 'Pais'],
    (at) => [`+35191234567${at}`, at < 3 ? (NAMES[at] ?? '') : '', NAMES[5 - at] ?? '', `x${at}`, need(at), 'PT'],
  ],
  [
    'other scripts',
    ['الاسم', 'الهاتف', 'Текст', 'Pais'],
    (at) => [NAMES[at] ?? '', `+35191234567${at}`, need(at), 'PT'],
  ],
  [
    'everything certain, a whole name beside its parts',
    [
      'Nome',
      'Primeiro nome',
      'Apelido',
      'Morada',
      'Codigo postal',
      'Cidade',
      'Telefone',
      'Telemovel',
      'Pedido',
      'Pais',
    ],
    (at) => [
      ...[at < 2 ? '' : (NAMES[at] ?? ''), 'Ana', `Lima${'abcdef'[at]}`, `Rua ${at}`, '1000-001', 'Lisboa'],
      ...[at % 2 === 0 ? '' : `+35191234567${at}`, `+35192234567${at}`, need(at), 'PT'],
    ],
  ],
  [
    'a column without a name',
    ['Nome', '', 'Pedido', 'Pais'],
    (at) => [NAMES[at] ?? '', `+35191234567${at}`, `Parede ${at} da sala pintada de branco`, 'PT'],
  ],
];

describe.skipIf(!HAS_TERMINAL)('the same file again sends nothing', () => {
  test.for(UNDERSTOOD)('the same file again sends nothing: %s', async ([, header, cells], { partner, sandbox }) => {
    const line = (texts: readonly string[]) => texts.map((cell) => `"${cell.replaceAll('"', '""')}"`).join(';');
    const leads = partner.write('leads.csv', [line(header), ...NAMES.map((_, at) => line(cells(at)))].join('\n'));
    const { columns, undecided } = (await planned(partner, leads)) as unknown as {
      columns: { level: string }[];
      undecided: object[];
    };
    const terminal = new Terminal(partner, ['bulk', leads]);
    for (const _ of [...columns.filter(({ level }) => level === 'likely'), ...undecided]) {
      await terminal.until(/q quit: /);
      terminal.type('y\r');
    }
    await terminal.until(/q to quit: /);
    terminal.type('\r');
    expect(await terminal.ended, terminal.shown).toBe(0);
    expect(creates(sandbox)).toHaveLength(6);
    expect(await planned(partner, leads)).toMatchObject({ ready: 0, remembered: { changes: null } });
    const again = documentOf(await partner.call('bulk', leads, '--json'));
    expect(again).toMatchObject({ rows: 6, created: 0, repeated: 6 });
    // Forgotten, it is understood as before.
    rmSync(storePath(partner));
    expect(await planned(partner, leads, '--accept-likely')).toMatchObject({ remembered: null });
    expect(creates(sandbox)).toHaveLength(6);
  });
});
