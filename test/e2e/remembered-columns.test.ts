import { afterEach, beforeEach, expect, test } from 'vitest';
import { Home, srq } from '../doors/program.ts';

const NAMES = ['Ana Exemplo', 'Rui Costa', 'Eva Lima', 'Ivo Reis', 'Zoe Pires', 'Gil Matos'];

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

let home: Home;
beforeEach(async () => {
  home = await Home.open();
});
afterEach(() => home.close());

async function planned(...flags: string[]) {
  const { stdout } = await srq(['bulk', 'leads.csv', '--dry-run', '--json', ...flags], { home });
  return JSON.parse(stdout) as {
    columns: { level: string }[];
    undecided: object[];
    ready: number;
    remembered: unknown;
  };
}
const created = () => home.service.calls.filter(({ operation }) => operation === 'create').length;

test.for(UNDERSTOOD)(
  '%s: the same file again sends nothing, first understood, then remembered',
  async ([, header, cells]) => {
    const line = (texts: readonly string[]) => texts.map((cell) => `"${cell.replaceAll('"', '""')}"`).join(';');
    home.write('leads.csv', [line(header), ...NAMES.map((_, at) => line(cells(at)))].join('\n'));
    const { columns, undecided } = await planned();
    const asked = [...columns.filter(({ level }) => level === 'likely'), ...undecided];
    const typed = [...asked.map(() => ['q quit', 'y'] as const), ['q to quit', ''] as const];
    const ended = await srq(['bulk', 'leads.csv'], { home, columns: 80, typed });
    expect([ended.code, created()], ended.stderr).toEqual([0, 6]);
    expect(await planned()).toMatchObject({ ready: 0, remembered: { changes: null } });
    const again = await srq(['bulk', 'leads.csv', '--json'], { home });
    expect(JSON.parse(again.stdout)).toMatchObject({ rows: 6, created: 0, repeated: 6 });
    expect(created()).toBe(6);
  },
);
