import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { CANARY } from '../helpers/canary-secret.ts';
import { type Desk, test } from '../helpers/desk.ts';
import { leadsCsv } from '../helpers/leads.ts';
import { storedProfiles } from '../helpers/login.ts';
import { setLatency } from '../helpers/sandbox-view.ts';
import { HAS_TERMINAL, onTerminal, Terminal } from '../helpers/terminal.ts';

const COLOUR = /\u001b\[[0-9;]*m/;
const ESCAPE = /\u001b\[[0-9;?]*[A-Za-z]/g;

/** What a person reads. */
const seen = (shown: string) => shown.replace(ESCAPE, '').replaceAll('\r', '');

/** Stores a profile as a login would: live, since its address is none that srq knows as this machine's. */
function _liveSettings(desk: Desk, baseUrl: string): void {
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

  test('--no-input and CI are never asked anything, not even on a terminal', async ({ desk }) => {
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

  test('progress on a real terminal is redrawn calmly on one line, and the terminal is left as it was', async ({
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
});
