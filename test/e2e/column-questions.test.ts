import { execFile } from 'node:child_process';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, inject } from 'vitest';
import { type Desk, test } from '../helpers/desk.ts';
import { documentOf } from '../helpers/run-srq.ts';
import { HAS_TERMINAL, Terminal } from '../helpers/terminal.ts';
import { creates } from '../sandbox/sandbox-client.ts';

const NAMES = ['Ana Exemplo', 'Rui Costa', 'Eva Lima', 'Ivo Reis', 'Zoe Pires', 'Gil Matos'];
const NEEDS = [
  'Parede da sala pintada de branco',
  'Torneira da cozinha a pingar',
  'Quadro eletrico dispara todas as noites',
  'Janela do quarto nao fecha bem',
  'Chuveiro sem agua quente ha dias',
  'Porta do armario caiu ontem a noite',
];

/** A file with a line for each person; `cells` gives the cells of the columns in the header, by the person's number. */
function csv(header: string, cells: (person: number) => readonly string[]): string {
  return [header, ...NAMES.map((_, person) => cells(person).join(','))].join('\n');
}

const phone = (person: number) => `+35191234567${person}`;
/** The phone is likely, because its name does not say it. */
const LIKELY = csv('Nome,Rufkontakt,Pedido,Pais', (at) => [NAMES[at] ?? '', phone(at), NEEDS[at] ?? '', 'PT']);
/** A telephone number is plainly there, but it is said to be the agent's; the e-mail address is the owner's. */
const LEFT_OUT = csv('Nome,Agent,Owner e-mail,Pedido,Pais', (at) => [
  ...[NAMES[at] ?? '', phone(at), `p${at}@example.com`, NEEDS[at] ?? '', 'PT'],
]);
/** As above, with a phone. */
const OWNERS = csv('Nome,Telefone,Owner e-mail,Pedido,Pais', (at) => [
  ...[NAMES[at] ?? '', phone(at), `p${at}@example.com`, NEEDS[at] ?? '', 'PT'],
]);
const ASKED = /y (?:yes|take it as \w+) · n leave it out ·\s+q quit:? ?/;
const PLAN_ASKED = /q to quit: /;
const phones = (sent: readonly { params: Readonly<Record<string, unknown>> }[]) =>
  sent.map(({ params }) => params['phone']);
const ESCAPE = /\u001b\[[0-9;?]*[A-Za-z]/g;
const seen = (shown: string) => shown.replace(ESCAPE, '').replaceAll('\r', '');

describe.skipIf(!HAS_TERMINAL)('on a terminal, a question takes one key', () => {
  test.for([
    { columns: 80, rows: 24 },
    { columns: 60, rows: 20 },
  ])('that fits $columns x $rows, and y is taken', async (size, { partner, sandbox }) => {
    const long = 'Wie man die Kundschaft am besten und am schnellsten und zu jeder Tageszeit erreicht';
    const leads = partner.write('leads.csv', LIKELY.replace('Rufkontakt', long));
    const terminal = new Terminal(partner, ['bulk', leads], size);
    await terminal.until(ASKED);
    const lines = seen(terminal.shown).trimEnd().split('\n');
    expect(lines.filter((line) => [...line].length > size.columns)).toEqual([]);
    const from = lines.findIndex((line) => line.startsWith('"Wie man'));
    expect(from, terminal.shown).toBeGreaterThanOrEqual(0);
    expect(lines.length - from).toBeLessThan(size.rows);
    const question = lines.slice(from).join(' ').replace(/\s+/g, ' ');
    expect(question).toMatch(
      /^"Wie man [^"]*…" is left out, and no other column gives the phone\. it plainly holds telephone/,
    );
    expect(question).toContain(' +351912345670 · +351912345671 · +351912345672 ');
    terminal.type('y');
    await terminal.until(PLAN_ASKED);
    expect(creates(sandbox)).toEqual([]);
    terminal.type('\r');
    expect(await terminal.ended).toBe(0);
    expect(phones(creates(sandbox)).sort()).toEqual(NAMES.map((_, at) => phone(at)));
  });

  test('n leaves the column out, and it is not on the wire', async ({ partner, sandbox }) => {
    const leads = partner.write('leads.csv', OWNERS);
    const terminal = new Terminal(partner, ['bulk', leads]);
    await terminal.until(/"Owner e-mail" is left out, and nothing gives the email/);
    await terminal.until(ASKED);
    terminal.type('n');
    await terminal.until(PLAN_ASKED);
    terminal.type('\r');
    expect(await terminal.ended).toBe(0);
    expect(creates(sandbox)).toHaveLength(6);
    expect(JSON.stringify(creates(sandbox).map(({ params }) => params))).not.toContain('@example.com');
  });

  test.for([
    ['q', 130],
    ['\x03', 130],
    ['\x04', 130],
  ] as const)('%j leaves, and nothing is sent', async ([key, code], { partner, sandbox }) => {
    const terminal = new Terminal(partner, ['bulk', partner.write('leads.csv', LIKELY)]);
    await terminal.until(ASKED);
    terminal.type(key);
    expect(await terminal.ended).toBe(code);
    expect(terminal.shown).toContain('Nothing was sent.');
    expect(creates(sandbox)).toEqual([]);
  });

  test('other keys are passed over: letters, arrows, function keys, emoji', async ({ partner, sandbox }) => {
    const terminal = new Terminal(partner, ['bulk', partner.write('leads.csv', LIKELY)]);
    await terminal.until(ASKED);
    // F2 sends a Q behind an escape, and Alt-n an n.
    for (const keys of ['x', '\x1b[A', '\x1bOQ', '\x1bn', '😀', '\r']) terminal.type(keys);
    terminal.type('😀Y');
    await terminal.until(/y\r?\n/);
    await terminal.until(PLAN_ASKED);
    terminal.type('\r');
    expect(await terminal.ended).toBe(0);
    expect(phones(creates(sandbox))).toContain(phone(0));
  });

  test('keys typed ahead answer the next questions, but an Enter among them does not agree to the plan', async ({
    partner,
    sandbox,
  }) => {
    const leads = partner.write('leads.csv', LEFT_OUT);
    const terminal = new Terminal(partner, ['bulk', leads]);
    await terminal.until(ASKED);
    terminal.type('y\rn\r\r');
    await terminal.until(PLAN_ASKED);
    expect(seen(terminal.shown)).toContain('(2 of 2)');
    terminal.type('?\r');
    // It is still asked: the Enters before have not answered it.
    await terminal.until(/Fields: /);
    await terminal.until(PLAN_ASKED);
    expect(creates(sandbox)).toEqual([]);
    terminal.type('\r');
    expect(await terminal.ended).toBe(0);
    expect(creates(sandbox)).toHaveLength(6);
    expect(phones(creates(sandbox))).toContain(phone(5));
    expect(creates(sandbox).filter(({ params }) => params['email'] !== undefined)).toEqual([]);
  });

  test('a column that is agreed to does not displace one that is certain', async ({ partner, sandbox }) => {
    // Not every lead has the whole name. What more the other names say is not understood, so they are only likely.
    const whole = (at: number) => (at % 3 > 0 ? (NAMES[at] ?? '') : '');
    const two = csv('Full name,Vorname abc,Nachname abc,Phone,Message,Country', (at) => [
      ...[whole(at), 'Ana', 'Exemplo', phone(at), NEEDS[at] ?? '', 'PT'],
    ]);
    const leads = partner.write('leads.csv', two);
    const planned = documentOf(await partner.call('bulk', leads, '--dry-run', '--json'));
    const likely = (planned['columns'] as { level: string }[]).filter(({ level }) => level === 'likely');
    expect(likely).toEqual([expect.objectContaining({ field: 'fullname', columns: ['Vorname abc', 'Nachname abc'] })]);
    const terminal = new Terminal(partner, ['bulk', leads]);
    await terminal.until(ASKED);
    terminal.type('y');
    await terminal.until(PLAN_ASKED);
    terminal.type('\r');
    expect(await terminal.ended).toBe(0);
    const sent = creates(sandbox).map(({ params }) => params['fullname']);
    expect(sent.sort()).toEqual(NAMES.map((_, at) => whole(at) || 'Ana Exemplo').sort());
  });
});

describe('without a terminal', () => {
  /** Runs a command as it is pasted into a shell. */
  async function paste(desk: Desk, command: string): Promise<{ stdout: string }> {
    const bin = join(desk.folder, 'bin');
    mkdirSync(bin, { recursive: true });
    writeFileSync(join(bin, 'srq'), `#!/bin/sh\nexec "${process.execPath}" "${inject('srqProgram')}" "$@"\n`);
    chmodSync(join(bin, 'srq'), 0o755);
    const env = { ...desk.env, PATH: `${bin}:${process.env['PATH'] ?? ''}` };
    return promisify(execFile)('/bin/sh', ['-c', command], { cwd: desk.work, env });
  }

  const hinted = (stderr: string) => /If that is right: (.*(?:\n(?!A column).*)*)/.exec(stderr)?.[1] ?? '';

  test.for([
    ['a column that is likely', LIKELY, /"Rufkontakt" is likely the phone \(6 of 6 are telephone numbers: "\+0{12}"/],
    [
      'columns that are left out',
      LEFT_OUT,
      /"Agent" is left out, and no other column gives the phone .*"Owner e-mail" is left/,
    ],
    ['an odd name', LIKELY.replace('Rufkontakt', "Ruf'kontakt = $HOME"), /"Ruf'kontakt = \$HOME" is likely the phone/],
    ['an odd name left out', LEFT_OUT.replace('Agent', "-Agent's `x` = $HOME"), /"-Agent's `x` = \$HOME" is left out/],
    ['an unseen mark', LEFT_OUT.replace('Agent', 'Agent\u202e \u200bx'), /is left out/],
    ['no name', LIKELY.replace('Rufkontakt', '').replace(/\+351(\d+)/g, '$1'), /"column 2" is likely the phone/],
  ] as const)(
    '%s: exit 2, nothing is sent or shown of the leads, and the command works as it is pasted',
    async ([, text, message], { partner, sandbox }) => {
      partner.write('leads of today.csv', text);
      const { code, stdout, stderr } = await partner.call('bulk', 'leads of today.csv', '--json');
      expect(code).toBe(2);
      const { error } = JSON.parse(stdout);
      expect(error.message).toMatch(message);
      for (const secret of ['912345', 'Exemplo', 'p0@']) expect(stdout + stderr).not.toContain(secret);
      expect(creates(sandbox)).toEqual([]);
      const shown = await partner.call('bulk', 'leads of today.csv');
      expect(shown.code).toBe(2);
      expect(hinted(`${error.hint}`)).toBe(hinted(shown.stderr).replace(/(?= --)/, ' --json'));
      await paste(partner, hinted(shown.stderr));
      expect(phones(creates(sandbox)).sort()).toEqual(NAMES.map((_, at) => phone(at)));
    },
  );

  test('a command with -- gets its flags before that', async ({ partner, sandbox }) => {
    partner.write('-leads.csv', LEFT_OUT);
    const { code, stderr } = await partner.call('bulk', '--', '-leads.csv');
    expect(code).toBe(2);
    await paste(partner, hinted(stderr));
    expect(creates(sandbox)).toHaveLength(6);
  });

  test('--accept-likely takes what is likely, and not what is left out', async ({ partner, sandbox }) => {
    const likely = partner.write('likely.csv', LIKELY);
    const left = partner.write('left.csv', OWNERS);
    expect((await partner.call('bulk', left, '--accept-likely')).code).toBe(2);
    expect(creates(sandbox)).toEqual([]);
    expect((await partner.call('bulk', likely, '--accept-likely')).code).toBe(0);
    expect(creates(sandbox)).toHaveLength(6);
    const { code } = await partner.call('bulk', left, '--map', 'Owner e-mail=-', '--again');
    expect(code).toBe(0);
    expect(creates(sandbox).filter(({ params }) => params['email'] !== undefined)).toEqual([]);
    const taken = await partner.call('bulk', left, '--map', 'Owner e-mail=email', '--again');
    expect(taken.code).toBe(0);
    expect(creates(sandbox).filter(({ params }) => params['email'] === 'p3@example.com')).toHaveLength(1);
  });

  test('--dry-run --json shows the whole plan, and its next command works as it is pasted', async ({
    partner,
    sandbox,
  }) => {
    const text = LEFT_OUT.replace('Nome', 'Nome,Kontakt fon xyz').replaceAll(/^(\w+ \w+),/gm, '$1,,');
    partner.write('leads.csv', text);
    const planned = documentOf(await partner.call('bulk', 'leads.csv', '--dry-run', '--json'));
    const columns = planned['columns'] as { level: string; because: string }[];
    expect(columns.length).toBeGreaterThan(2);
    for (const { level, because } of columns) {
      expect(['certain', 'likely']).toContain(level);
      expect(because).not.toBe('');
    }
    expect(planned['undecided']).toContainEqual({ column: 'Owner e-mail', field: 'email' });
    expect(planned['remembered']).toBe(null);
    expect(creates(sandbox)).toEqual([]);
    const { stdout } = await paste(partner, String(planned['next']));
    expect(JSON.parse(stdout)).toMatchObject({ rows: 6, created: 6 });
    expect(creates(sandbox)).toHaveLength(6);
  });

  test('a column without a name is called by its place', async ({ partner, sandbox }) => {
    const leads = partner.write('leads.csv', LEFT_OUT.replace('Agent', ''));
    const { code } = await partner.call('bulk', leads, '--map', 'column 2=phone', '--map', 'Owner e-mail=-');
    expect(code).toBe(0);
    expect(phones(creates(sandbox)).sort()).toEqual(NAMES.map((_, at) => phone(at)));
  });
});
