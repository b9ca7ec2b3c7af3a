import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { contractFile } from '../helpers/contracts.ts';
import { test } from '../helpers/desk.ts';
import { leadsCsv } from '../helpers/leads.ts';
import { documentOf, type Ended } from '../helpers/run-srq.ts';
import { startScriptedService } from '../helpers/scripted-service.ts';
import { HAS_TERMINAL, onTerminal } from '../helpers/terminal.ts';

/** Sets a terminal's title, clears it, hides what follows, writes backwards. */
const NASTY = '\u001b]0;owned\u0007\u001b[2J\u009b8m\u202egnp.exe\u200b\r\u007f';
/** What a terminal obeys or cannot show; line ends are ours. */
const POWERFUL = /[\0-\x09\x0b-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/u;

function expectHarmless({ stdout, stderr }: Ended): void {
  // CSV ends its lines so.
  expect(POWERFUL.exec(stdout.replaceAll('\r\n', '\n'))).toBeNull();
  expect(POWERFUL.exec(stderr)).toBeNull();
  expect(stdout + stderr).toMatch(/owned/);
}

/** Line ends of the terminal, our colours, and how the library that asks moves the cursor. */
const ESCAPES_OF_OURS = /\r|\u001b\[(?:\d{0,3}m|\d*[GJK])/g;
const PROFILE = { baseUrl: 'https://api.example.com', clientId: '7', clientSecret: 'not-a-secret' };
const REQUEST = ['--country', 'PT', '--phone', '+351912345678', '--request-text', 'Obras'];

describe('strangers have no power over the terminal', () => {
  const refusal = { status: 422, body: { message: `no ${NASTY}` } };
  const refused = { status: 401, body: { error: `no ${NASTY}` }, headers: { 'x-note': 'owned \u009b8m' } };
  const taken = { status: 201, body: { [`id${NASTY}`]: `${NASTY}4711`, id: '7' } };

  test('a service that refuses the credentials cannot control the terminal', async ({ desk }) => {
    const { baseUrl } = await startScriptedService({ token: () => refused });
    desk.use({ baseUrl, clientId: '7' });
    for (const args of [
      ['login'],
      ['login', '--json'],
      ['validate', ...REQUEST, '--verbose'],
      ['doctor'],
      ['doctor', '--json'],
    ])
      expectHarmless(await desk.call(...args));
  });

  test('what a service says of a request cannot control the terminal, now or in the log later', async ({ desk }) => {
    const { baseUrl } = await startScriptedService({
      create: () => refusal,
      validate: ({ number }) => (number > 2 ? refusal : { status: 200, body: { duplicate: false } }),
    });
    desk.use({ baseUrl, clientId: '7' });
    for (const args of [
      ['create', ...REQUEST],
      ['create', ...REQUEST, '--json', '--verbose'],
      ['validate', ...REQUEST],
      ['log'],
      ['log', '--json'],
      ['log', '--csv'],
      ['doctor', '--verbose'],
    ])
      expectHarmless(await desk.call(...args));
  });

  test('identifiers from a service cannot control the terminal', async ({ desk }) => {
    const { baseUrl } = await startScriptedService({ create: () => taken });
    desk.use({ baseUrl, clientId: '7' });
    for (const args of [['create', ...REQUEST, '--ref', `owned${NASTY}`], ['log'], ['log', '--json']])
      expectHarmless(await desk.call(...args));
  });

  test('settings cannot control the terminal: JSON has their exact values, text what can be printed of them', async ({
    desk,
    openSandbox,
  }) => {
    const clientId = `owned${NASTY}`;
    desk.use(await openSandbox({ clientId }));
    const log = ['--log', join(desk.work, `owned${NASTY}.ndjson`)];
    for (const args of [
      ['status'],
      ['status', '--json'],
      ['status', ...log],
      ['login', '--profile', 'shop'],
      ['profile', 'list'],
      ['profile', 'list', '--json'],
      ['profile', 'use', 'shop'],
      ['validate', ...REQUEST],
      ['create', ...REQUEST],
      ['doctor'],
      ['doctor', ...log],
      ['doctor', '--json'],
      ['bulk', desk.write('leads.csv', leadsCsv(2)), '--yes'],
      ['report', '--run', 'all', '--output', `owned${NASTY}.html`],
      ['bulk', desk.write('more.csv', leadsCsv(3)), '--yes', '--report', `owned${NASTY}.2.html`],
      ['logout', '--profile', 'shop', ...log],
      ['template', 'csv', '--output', `owned${NASTY}.csv`],
    ]) {
      const ended = await desk.call(...args);
      expect([args, ended.code]).toEqual([args, 0]);
      expectHarmless(ended);
    }
    expect(documentOf(await desk.call('status', '--json'))['clientId']).toBe(clientId);
  });

  test('the command that srq proposes cannot control the terminal', async ({ desk, sandbox }) => {
    desk.use(sandbox);
    sandbox.setInstructions([{ on: 'create', fault: 'reset-after' }]);
    const log = ['--log', join(desk.work, `owned${NASTY}.ndjson`)];
    expect((await desk.call('create', ...REQUEST, ...log)).code).toBe(7);
    for (const args of [
      ['resolve', ...log],
      ['contract', 'learn', contractFile('form-openapi30.yaml'), '--yes', ...log],
    ]) {
      const ended = await desk.call(...args);
      expect([args, ended.code]).toEqual([args, 0]);
      expectHarmless(ended);
    }
  });

  test('names of profiles cannot control the terminal', async ({ desk }) => {
    const names = { [`owned${NASTY}`]: PROFILE, shop: PROFILE };
    mkdirSync(desk.config, { mode: 0o700 });
    const path = join(desk.config, 'config.json');
    writeFileSync(path, JSON.stringify({ current: 'shop', profiles: names }), { mode: 0o600 });
    for (const args of [
      ['profile', 'list'],
      ['profile', 'use', `owned${NASTY}`],
    ])
      expectHarmless(await desk.call(...args));
    writeFileSync(path, JSON.stringify({ current: 'shop', profiles: names }), { mode: 0o600 });
    const { stdout } = await desk.call('__complete', '2', 'profile', 'use', '');
    expect(stdout).toBe('shop\tprofile\n');
  });

  test.skipIf(!HAS_TERMINAL)(
    'questions on a terminal and what they answer cannot control it',
    async ({ desk, sandbox }) => {
      desk.use(sandbox);
      const leads = desk.write('leads.csv', `owned${NASTY.replace('\r', '')},country,phone\nx,PT,+351912345678\n`);
      const left = await onTerminal(
        desk,
        ['bulk', leads],
        [
          [/country=DE: $/, 'nonsense=phone'],
          [/columns are: [\s\S]*country=DE: $/, 'q'],
        ],
      );
      expect(left.code).toBe(130);
      expectHarmless({ code: 0, signal: null, stdout: left.shown.replaceAll(ESCAPES_OF_OURS, ''), stderr: '' });
    },
  );

  test('the name, the columns and the cells of a file cannot control the terminal', async ({ desk, sandbox }) => {
    desk.use(sandbox);
    const columns = `ref,country,phone,request_text,${NASTY.replace('\r', '')},e-mail`;
    const rows = [
      `owned ${NASTY},PT,+351912345678,"${NASTY}",x,${NASTY}@example.com`,
      `b,${NASTY},${NASTY},"${NASTY}",x,y`,
    ];
    const file = desk.write(`owned${NASTY}.csv`, [columns, ...rows, ''].join('\n'));
    for (const more of [['--dry-run'], ['--dry-run', '--json'], ['--yes', '--verbose']])
      expectHarmless(await desk.call('bulk', file, '--map', `${NASTY.replace('\r', '')}=category`, ...more));
    expectHarmless(await desk.call('bulk', `${file}.owned`));
    const nearlyKnown = { country: 'PT', phone: '+351912345678', 'request_text\u009b': `owned ${NASTY}` };
    const json = desk.write('owned.json', JSON.stringify(nearlyKnown));
    const warned = await desk.call('create', '--file', json, '--ref', `owned${NASTY}`);
    expectHarmless(warned);
    expect(warned.stderr).toContain('Did you mean request_text?');
    expectHarmless(await desk.call(`owned${NASTY}`));
  });
});
