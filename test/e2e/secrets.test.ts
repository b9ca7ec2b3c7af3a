import { readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { CANARY, filesWithSecret, secretsIn } from '../helpers/canary-secret.ts';
import { test } from '../helpers/desk.ts';
import { leadsCsv, REQUEST, requestFor } from '../helpers/leads.ts';
import { createdAtLeast, setLatency } from '../helpers/sandbox-view.ts';

// Every end-to-end test uses the canary as its secret, and the desk looks for it in all that srq says and writes.

test('the search for the secret in these tests finds it in all its spellings', () => {
  const spellings = [
    CANARY,
    encodeURIComponent(CANARY),
    new URLSearchParams({ client_secret: CANARY }).toString(),
    Buffer.from(CANARY).toString('base64'),
    Buffer.from(`4711:${CANARY}`).toString('base64url'),
    JSON.stringify({ CANARY }),
  ];
  expect(spellings.filter((text) => secretsIn(`before ${text} after`).length === 0)).toEqual([]);
  expect(secretsIn('an ordinary text, with birds and songs')).toEqual([]);
});

describe.concurrent('the secret', () => {
  test('the secret lies in the settings alone, whatever was done with it', async ({ desk, sandbox }) => {
    const login = ['login', '--base-url', sandbox.baseUrl, '--client-id', sandbox.clientId, '--client-secret-stdin'];
    await desk.start([...login, '--verbose'], { stdin: CANARY }).ended;
    sandbox.setInstructions([{ on: 'create', fault: 'html', match: { request_text: 'Pintar a sala 9' } }]);
    const leads = desk.write('leads.csv', leadsCsv(12));
    await desk.run('bulk', leads, '--rate', 'max', '--verbose', '--in-doubt', 'park');
    await desk.run('create', ...REQUEST, '--verbose');
    await desk.run('validate', ...REQUEST, '--verbose', '--json');
    await desk.run('status', '--verbose');
    await desk.run('log', '--json');
    expect(filesWithSecret(desk.folder)).toEqual(['config/config.json 600']);
    await desk.run('logout');
    expect(filesWithSecret(desk.folder)).toEqual([]);
  });

  test('the secret is never shown back when the service repeats it', async ({ desk }) => {
    const echo = createServer((request, response) => {
      let body = '';
      request.on('data', (chunk) => {
        body += chunk;
      });
      request.on('end', () => {
        const said = JSON.stringify({
          error: 'bad',
          message: `You sent ${body} and ${decodeURIComponent(body.replaceAll('+', ' '))}`,
        });
        response
          .writeHead(request.url === '/oauth/token' ? 401 : 422, { 'content-type': 'application/json' })
          .end(said);
      });
    });
    await new Promise<void>((resolve) => echo.listen(0, '127.0.0.1', resolve));
    desk.use({ baseUrl: `http://127.0.0.1:${(echo.address() as AddressInfo).port}`, clientId: '7' });
    for (const args of [
      ['create', ...REQUEST],
      ['validate', ...REQUEST, '--json'],
      ['login', '--verbose'],
    ]) {
      const env = { ...desk.env, SRQ_CLIENT_ID: '7' };
      expect([args[0], (await desk.start(args, { env }).ended).code]).toEqual([args[0], 4]);
    }
    echo.close();
  });

  test('the secret is in nobody’s arguments, and the token in no log', async ({ desk, openSandbox }) => {
    const sandbox = await openSandbox({ latencyMs: 500 });
    desk.use(sandbox);
    const running = desk.start(['bulk', desk.write('leads.csv', leadsCsv(40)), '--rate', 'max', '--verbose']);
    await createdAtLeast(sandbox, 2, running);
    const commandLine = readFileSync(`/proc/${running.process.pid}/cmdline`, 'utf8');
    expect([commandLine.includes('bulk'), secretsIn(commandLine)]).toEqual([true, []]);
    await setLatency(sandbox, 0);
    const { stdout, stderr } = await running.ended;
    const token = JSON.parse(readFileSync(join(desk.state, 'default.token.json'), 'utf8')).accessToken;
    expect(token.length).toBeGreaterThan(20);
    expect((stdout + stderr).includes(token)).toBe(false);
    const files = readdirSync(desk.state, { recursive: true, withFileTypes: true }).filter((each) => each.isFile());
    const holding = files.filter((each) => readFileSync(join(each.parentPath, each.name), 'utf8').includes(token));
    expect(holding.map(({ name }) => name)).toEqual(['default.token.json']);
  });

  test('the secret is not in the message about a secret command that fails', async ({ desk, sandbox }) => {
    const script = desk.write(
      'leaky.mjs',
      'console.log(process.env.VAULT); console.error(process.env.VAULT); process.exit(3);',
    );
    const args = ['login', '--base-url', sandbox.baseUrl, '--client-id', sandbox.clientId, '--verbose'];
    const command = `${process.execPath} ${script}`;
    const ended = await desk.start([...args, '--secret-command', command], { env: { VAULT: CANARY } }).ended;
    expect(ended.code).toBe(4);
    expect(ended.stderr).toContain('secret command');
    expect(await desk.run('create', ...requestFor('x'))).toMatchObject({ code: 4 });
  });
});
