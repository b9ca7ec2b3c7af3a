import { describe, expect } from 'vitest';
import { test } from '../helpers/desk.ts';
import type { Ended } from '../helpers/run-srq.ts';
import { startScriptedService } from '../helpers/scripted-service.ts';

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

const REQUEST = ['--country', 'PT', '--phone', '+351912345678', '--request-text', 'Obras'];

describe('strangers have no power over the terminal', () => {
  const refusal = { status: 422, body: { message: `no ${NASTY}` } };
  const refused = { status: 401, body: { error: `no ${NASTY}` }, headers: { 'x-note': 'owned \u009b8m' } };
  const taken = { status: 201, body: { [`id${NASTY}`]: `${NASTY}4711`, id: '7' } };

  test('in what a service says when it refuses the credentials', async ({ desk }) => {
    const { baseUrl } = await startScriptedService({ token: () => refused });
    desk.use({ baseUrl, clientId: '7' });
    for (const args of [
      ['login'],
      ['login', '--json'],
      ['validate', ...REQUEST, '--verbose'],
      ['doctor'],
      ['doctor', '--json'],
    ])
      expectHarmless(await desk.run(...args));
  });

  test('in what a service says of a request, and in what the log tells of it later', async ({ desk }) => {
    const { baseUrl } = await startScriptedService({
      create: () => refusal,
      validate: ({ number }) => (number > 1 ? refusal : { status: 200, body: { duplicate: false } }),
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
      expectHarmless(await desk.run(...args));
  });

  test('in identifiers that a service hands out', async ({ desk }) => {
    const { baseUrl } = await startScriptedService({ create: () => taken });
    desk.use({ baseUrl, clientId: '7' });
    for (const args of [['create', ...REQUEST, '--ref', `owned${NASTY}`], ['log'], ['log', '--json']])
      expectHarmless(await desk.run(...args));
  });

  test('in the name, the columns and the cells of a file', async ({ desk, sandbox }) => {
    desk.use(sandbox);
    const columns = `ref,country,phone,request_text,${NASTY.replace('\r', '')},e-mail`;
    const rows = [
      `owned ${NASTY},PT,+351912345678,"${NASTY}",x,${NASTY}@example.com`,
      `b,${NASTY},${NASTY},"${NASTY}",x,y`,
    ];
    const file = desk.write(`owned${NASTY}.csv`, [columns, ...rows, ''].join('\n'));
    for (const more of [['--dry-run'], ['--dry-run', '--json'], ['--yes', '--verbose']])
      expectHarmless(await desk.run('bulk', file, '--map', `${NASTY.replace('\r', '')}=category`, ...more));
    expectHarmless(await desk.run('bulk', `${file}.owned`));
    const nearlyKnown = { country: 'PT', phone: '+351912345678', 'request_text\u009b': `owned ${NASTY}` };
    const json = desk.write('owned.json', JSON.stringify(nearlyKnown));
    const warned = await desk.run('create', '--file', json, '--ref', `owned${NASTY}`);
    expectHarmless(warned);
    expect(warned.stderr).toContain('Did you mean request_text?');
    expectHarmless(await desk.run(`owned${NASTY}`));
  });
});
