import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { freePort } from '../../scripts/postgres-server.mjs';
import { type Desk, test } from '../helpers/desk.ts';
import { leadsCsv } from '../helpers/leads.ts';
import type { Running } from '../helpers/run-srq.ts';
import { send } from '../sandbox/sandbox-client.ts';

/** What a ready sandbox says of itself. */
async function readyOf(running: Running): Promise<{ baseUrl: string; clientId: string; clientSecret: string }> {
  return JSON.parse(await running.until(/\}\n$/));
}

/** What a rehearsal leaves in the user's folders: the digest of the results, by which the next one may replace them. */
const NOTED = ['state', 'state/written-in-sandbox', expect.stringMatching(/^state\/written-in-sandbox\/[0-9a-f]{32}$/)];

describe.concurrent('the sandbox command', () => {
  test('ends on SIGTERM and frees its port', async ({ desk }) => {
    const port = String(await freePort());
    const running = desk.start(['sandbox', '--port', port, '--json']);
    const { baseUrl } = await readyOf(running);
    running.process.kill('SIGTERM');
    expect(await running.ended).toMatchObject({ code: 0, signal: null, stderr: '' });
    const next = desk.start(['sandbox', '--port', port, '--json']);
    expect((await readyOf(next)).baseUrl).toBe(baseUrl);
    const third = await desk.run('sandbox', '--port', port);
    expect([third.code, third.stderr]).toEqual([2, expect.stringContaining(port)]);
    next.process.kill('SIGTERM');
    await next.ended;
  });
});

describe.concurrent('--sandbox', () => {
  const usersFiles = (desk: Desk) => desk.files().filter((name) => /^(?:config|state|home)/.test(name));

  test('--sandbox needs no settings file, even if the existing one is broken', async ({ desk }) => {
    mkdirSync(desk.config);
    const path = join(desk.config, 'config.json');
    writeFileSync(path, '{"profiles": broken');
    desk.env['SRQ_BASE_URL'] = 'http://not.loopback.invalid';
    desk.env['SRQ_PROFILE'] = '../..';
    const leads = desk.write('leads.csv', leadsCsv(3));
    expect(await desk.run('bulk', leads, '--sandbox')).toMatchObject({ code: 0 });
    expect(readFileSync(path, 'utf8')).toBe('{"profiles": broken');
    expect(usersFiles(desk)).toEqual(['config', 'config/config.json', 'home', ...NOTED]);
  });

  test('--sandbox shows what is rehearsed only to whoever holds its credentials', async ({ desk }) => {
    const leads = desk.write('leads.csv', leadsCsv(2_000));
    const running = desk.start(['bulk', leads, '--sandbox', '--verbose', '--rate', '50']);
    const said = await running.until(/POST http:\/\/127\.0\.0\.1:\d+\/v1\/request\/create/);
    const baseUrl = /http:\/\/127\.0\.0\.1:\d+/.exec(said)?.[0];
    for (const call of ['', '_sandbox/requests', '_sandbox/requests/1', '_sandbox/settings']) {
      const { status, text } = await send('GET', `${baseUrl}/${call}`, { accept: 'text/html' });
      expect([call, status]).toEqual([call, 404]);
      expect(text).not.toContain('Exemplo');
    }
    expect((await send('POST', `${baseUrl}/v1/request/validate`, {}, '')).status).toBe(401);
    running.process.kill('SIGINT');
    await running.ended;
  });
});

describe.concurrent('a rehearsal', () => {
  test('leaves no folder behind', async ({ desk }) => {
    const leads = desk.write('leads.csv', leadsCsv(3));
    expect(await desk.run('bulk', leads, '--sandbox', '--yes')).toMatchObject({ code: 0 });
    expect(desk.files().filter((name) => name.startsWith('temp/'))).toEqual([]);
  });

  test('a rehearsal keeps its inbox open with --keep, until it is ended', async ({ desk }) => {
    const leads = desk.write('leads.csv', leadsCsv(2));
    const running = desk.start(['bulk', leads, '--sandbox', '--yes', '--keep']);
    const said = await running.until(/It stays open until Ctrl-C/);
    const [, inbox = ''] = /what was sent: (\S+)/.exec(said) ?? [];
    const { text } = await send('GET', `${inbox}_sandbox/requests?operation=create`);
    expect(JSON.parse(text)).toMatchObject({ total: 2 });
    running.process.kill('SIGINT');
    expect(await running.ended).toMatchObject({ code: 0 });
  });
});
