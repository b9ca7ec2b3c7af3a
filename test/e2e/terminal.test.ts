import { describe, expect } from 'vitest';
import { CANARY } from '../helpers/canary-secret.ts';
import { test } from '../helpers/desk.ts';
import { leadsCsv } from '../helpers/leads.ts';
import { storedProfiles } from '../helpers/login.ts';
import { HAS_TERMINAL, onTerminal, Terminal } from '../helpers/terminal.ts';

const COLOUR = /\u001b\[[0-9;]*m/;
const ESCAPE = /\u001b\[[0-9;?]*[A-Za-z]/g;

/** What a person reads. */
const seen = (shown: string) => shown.replace(ESCAPE, '').replaceAll('\r', '');

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

  test('a question of login stands after Ctrl-Z and fg', async ({ desk, sandbox }) => {
    const { baseUrl, clientId } = sandbox;
    const terminal = new Terminal(desk, ['login', '--base-url', baseUrl, '--client-id', clientId]);
    await terminal.until(/Client secret \(not shown\):/);
    terminal.type('\u001a');
    const times = () => terminal.shown.match(/Client secret \(not shown\):/g)?.length;
    await expect
      .poll(() => {
        terminal.goOn();
        return times();
      })
      .toBe(2);
    terminal.type(`${CANARY}\r`);
    await terminal.until(/The credentials work/);
    expect(await terminal.ended).toBe(0);
  });

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
    sandbox.setLatency(10);
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
});
