import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { CANARY } from '../helpers/canary-secret.ts';
import { type Desk, test } from '../helpers/desk.ts';
import { leadsCsv } from '../helpers/leads.ts';
import { storedProfiles } from '../helpers/login.ts';
import { setLatency, statsOf } from '../helpers/sandbox-view.ts';
import { HAS_TERMINAL, onTerminal, Terminal } from '../helpers/terminal.ts';

const COLOUR = /\u001b\[[0-9;]*m/;
const ESCAPE = /\u001b\[[0-9;?]*[A-Za-z]/g;

/** What a person reads. */
const seen = (shown: string) => shown.replace(ESCAPE, '').replaceAll('\r', '');

/** Stores a profile as a login would: live, since its address is none that srq knows as this machine's. */
function liveSettings(desk: Desk, baseUrl: string): void {
  mkdirSync(desk.config, { mode: 0o700 });
  const path = join(desk.config, 'config.json');
  const live = { baseUrl, clientId: '7', clientSecret: CANARY };
  writeFileSync(path, JSON.stringify({ current: 'shop', profiles: { shop: live } }));
  chmodSync(path, 0o600);
}

describe.skipIf(!HAS_TERMINAL)('on a real terminal', () => {
  test('login asks for what is missing and does not show the secret', async ({ desk, sandbox }) => {
    const terminal = new Terminal(desk, ['login', '--profile', 'shop']);
    await terminal.until(/Base URL: /);
    terminal.type(`${sandbox.baseUrl}\r`);
    await terminal.until(/Client id: /);
    terminal.type(`${sandbox.clientId}\r`);
    await terminal.until(/Client secret \(not shown\):/);
    terminal.type(`${CANARY}\r`);
    await terminal.until(/The credentials work/);
    // The terminal's keeper rejects where the secret was shown.
    expect(await terminal.ended).toBe(0);
    expect(terminal.shown).toMatch(COLOUR);
    expect(storedProfiles(desk)['shop']).toMatchObject({ clientId: sandbox.clientId, clientSecret: CANARY });
  });

  test('--no-input and CI are never asked, not even there', async ({ desk }) => {
    for (const [args, env] of [
      [['login', '--no-input'], {}],
      [['login'], { CI: 'true' }],
    ] as const) {
      const terminal = new Terminal(desk, args, { env });
      expect(await terminal.ended).toBe(2);
      expect(seen(terminal.shown)).toMatch(/Missing: .*--base-url.*--client-id.*client secret/s);
    }
  });

  test.for([
    [80, 24],
    [60, 20],
  ] as const)(
    'what is wrong with a file is on the last screen of %i columns and %i lines',
    async ([columns, rows], { desk }) => {
      const phones = [
        '0151 1000000',
        '0151 1000001',
        '0151 1000002',
        '0151 1000003',
        'call me',
        '030 12 / 0151 10000000',
      ];
      const leads = phones.map((phone) => `Ana Exemplo,${phone},10115,Berlin,Dach decken`).join('\n');
      const file = desk.write('leads.csv', `Name,Telefon,PLZ,Ort,Dachart\n${leads}\n`);
      const terminal = new Terminal(desk, ['bulk', file, '--sandbox', '--set', 'country=DE'], {
        columns,
        rows,
        term: 'dumb',
      });
      await terminal.until(/q to quit: /);
      const lines = seen(terminal.shown).split('\n').slice(-rows);
      expect(Math.max(...lines.slice(0, -1).map((line) => line.length))).toBeLessThanOrEqual(columns);
      const screen = lines.join(' ').replace(/\s+/g, ' ');
      expect(screen).toContain(
        'Findings (row 1 is the first below the header) ✗ No column holds the request text or a recording (all 6 rows)',
      );
      expect(screen).toContain(
        '✗ Telefon: The phone number is too short for DE; digits are missing. row 1 "0151 1000000", row 2 "0151 1000001", row 3 "0151 1000002" and 1 more',
      );
      expect(screen).toContain('✗ row 5, Telefon: The phone number "call me" is not a telephone number.');
      expect(screen).toContain('Rows 6 read: 0 ready, 6 invalid');
      terminal.type('q\r');
      expect(await terminal.ended).toBe(130);
    },
  );

  test('a live import shows its plan and goes on once the number of rows is typed', async ({ desk }) => {
    // It is this machine, which srq does not know, and nobody answers there: what matters is what is asked before.
    liveSettings(desk, 'https://0.0.0.0:1');
    const leads = desk.write('leads.csv', leadsCsv(3));
    for (const [answers, end, code] of [
      [['2', 'q'], /Not confirmed\. Nothing was sent/, 2],
      [['three', '3'], /Stopped/, 5],
    ] as const) {
      const terminal = new Terminal(desk, ['bulk', leads]);
      await terminal.until(/profile shop, live/);
      await terminal.until(/3 ready/);
      await terminal.until(/Enter to go on/);
      terminal.type('\r');
      for (const answer of answers) {
        await terminal.until(/Type 3 to send these leads to 0\.0\.0\.0:1 \(profile shop, live\) · q to quit: /);
        terminal.type(`${answer}\r`);
      }
      await terminal.until(end);
      expect(await terminal.ended).toBe(code);
    }
  });

  test('progress is redrawn calmly on one line, in any width, and the terminal is left as it was', async ({
    desk,
    openSandbox,
  }) => {
    const sandbox = await openSandbox({ latencyMs: 300 });
    desk.use(sandbox);
    const leads = desk.write('leads.csv', leadsCsv(60));
    const startedMs = performance.now();
    const terminal = new Terminal(desk, ['bulk', leads, '--rate', 'max', '--concurrency', '1', '--yes']);
    await terminal.until(/Sending \S+ \d+\/60/);
    terminal.resize(30, 10);
    await terminal.until(/Sending \S+ \d+\/60/);
    terminal.resize(200, 50);
    await terminal.until(/Sending \S+ \d+\/60/);
    await setLatency(sandbox, 10);
    expect(await terminal.ended).toBe(0);
    const seconds = (performance.now() - startedMs) / 1000;
    const redraws = terminal.shown.match(/Sending \S+ \d+\/60/g)?.length ?? 0;
    expect(redraws).toBeGreaterThan(2);
    expect(redraws / seconds).toBeLessThan(12);
    expect(seen(terminal.shown)).toMatch(/Done: 60 rows[\s\S]*60 {2}created/);
    // The cursor is shown again at the end.
    expect(terminal.shown.lastIndexOf('\u001b[?25h')).toBeGreaterThan(terminal.shown.lastIndexOf('\u001b[?25l'));
  });

  test('a terminal that does not say its width is asked and not flooded', async ({ desk, sandbox }) => {
    desk.use(sandbox);
    const leads = desk.write('leads.csv', leadsCsv(3));
    const asked = await onTerminal(desk, ['bulk', leads], [[/Enter sends/, '']], { columns: 0 });
    expect(asked.code).toBe(0);
    expect(seen(asked.shown)).toMatch(/3 {2}created/);
    expect(asked.shown.length).toBeLessThan(10_000);
  });

  test('Ctrl-C once finishes what is in flight and writes everything', async ({ desk, openSandbox }) => {
    const sandbox = await openSandbox({ latencyMs: 200 });
    desk.use(sandbox);
    const leads = desk.write('leads.csv', leadsCsv(200));
    const terminal = new Terminal(desk, ['bulk', leads, '--rate', 'max', '--concurrency', '2', '--yes']);
    await terminal.until(/Sending \S+ [1-9]\d*\/200/);
    terminal.type('\x03');
    await terminal.until(/Finishing what was sent/);
    expect(await terminal.ended).toBe(130);
    expect(seen(terminal.shown)).toMatch(/Stopped: 200 rows[\s\S]*Next:\s+srq bulk/);
    const { created } = await statsOf(sandbox);
    expect(created).toBeLessThan(200);
    const results = readFileSync(join(desk.work, 'leads.results.csv'), 'utf8').trim().split('\r\n');
    expect(results).toHaveLength(201);
    expect(results.filter((line) => line.includes(',created,'))).toHaveLength(created);
  });

  test('Ctrl-C twice leaves at once', async ({ desk, openSandbox }) => {
    const sandbox = await openSandbox({ latencyMs: 20_000 });
    desk.use(sandbox);
    const terminal = new Terminal(desk, ['bulk', desk.write('leads.csv', leadsCsv(3)), '--rate', 'max', '--yes']);
    await terminal.until(/Sending/);
    terminal.type('\x03');
    await terminal.until(/press Ctrl-C again/);
    terminal.type('\x03');
    expect(await terminal.ended).toBe(130);
  });

  test('all that an import and its question show is ASCII in the locale that has no more', async ({ desk }) => {
    const file = desk.write('leads.csv', leadsCsv(2).replace('Lisboa', 'L'.repeat(200)));
    const terminal = new Terminal(desk, ['bulk', file, '--sandbox'], { env: { LC_ALL: 'C' } });
    await terminal.until(/Enter sends 2 leads \| or type/);
    terminal.type('\r');
    expect(await terminal.ended).toBe(0);
    expect(terminal.shown).toMatch(/L~/);
    expect(terminal.shown.match(/[^\x00-\x7f]/gu)).toBeNull();
  });

  test.for<[string, readonly string[], Record<string, string>]>([
    ['NO_COLOR', [], { NO_COLOR: '1' }],
    ['--no-color', ['--no-color'], {}],
    ['a dumb terminal', [], { TERM: 'dumb' }],
  ])('no colours with %s', async ([, args, env], { desk }) => {
    const term = env['TERM'] ?? 'xterm';
    const coloured = new Terminal(desk, ['status']);
    const plain = new Terminal(desk, ['status', ...args], { env, term });
    await Promise.all([coloured.ended, plain.ended]);
    expect(coloured.shown).toMatch(COLOUR);
    expect(plain.shown).not.toMatch(COLOUR);
    expect(seen(plain.shown)).toBe(seen(coloured.shown));
  });
});

test('nothing that is piped has colours or is redrawn', async ({ desk }) => {
  const { stdout, stderr } = await desk.run('bulk', desk.write('leads.csv', leadsCsv(2)), '--sandbox', '--yes');
  expect(stdout).toContain('Done: 2 rows');
  expect(stdout + stderr).not.toContain('\u001b');
});
