import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { type SandboxCommandOptions, sandbox } from '../../src/commands/sandbox/run.ts';
import type { SrqError } from '../../src/request/errors.ts';
import { contextOf } from '../helpers/command-context.ts';
import { contractFile } from '../helpers/contracts.ts';
import { send } from '../sandbox/sandbox-client.ts';

const USUAL: SandboxCommandOptions = { port: 0, latency: 0, tokenTtl: 3600, fault: {}, seed: 1, operation: [] };
const FORM = contractFile('form-openapi30.yaml');

type Scene = Parameters<typeof contextOf>[0] & { readonly stdin?: string };

function sceneOf({ stdin, ...scene }: Scene = {}) {
  const of = contextOf(scene);
  if (stdin !== undefined) of.stdin.end(stdin);
  const run = (flags: Partial<SandboxCommandOptions> = {}) => sandbox(of.context, { ...USUAL, ...flags });
  const refused = (flags: Partial<SandboxCommandOptions>): Promise<SrqError> =>
    run(flags).then(
      () => Promise.reject(new Error('It was expected to be refused.')),
      (error: SrqError) => error,
    );
  return { ...of, run, refused };
}

/** Runs the marketplace until it has said where it is, then hands over, and ends it as Ctrl-C does. */
async function running(flags: Partial<SandboxCommandOptions>, use: (text: string) => Promise<void>, scene: Scene = {}) {
  const of = sceneOf(scene);
  const signals = vi.spyOn(of.context.process, 'on');
  const ended = of.run(flags);
  await Promise.race([ended, vi.waitFor(() => expect(of.stdout()).toMatch(/\n$/), { timeout: 60_000 })]);
  expect(signals.mock.calls.map(([signal]) => signal)).toContain('SIGINT');
  await use(of.stdout());
  of.context.interruption.halt.abort();
  expect(await ended).toBe(0);
  await of.context.close();
  return of;
}

const tokenOf = async (text: string, secret: string, id: string) => {
  const [, baseUrl = ''] = /(http:\/\/127\.0\.0\.1:\d+)/.exec(text) ?? [];
  const body = new URLSearchParams({ grant_type: 'client_credentials', client_id: id, client_secret: secret });
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  return send('POST', `${baseUrl}/oauth/token`, headers, body.toString());
};

describe('srq sandbox', () => {
  test('runs until it is ended, says how to log in, and is gone then', async () => {
    let baseUrl = '';
    await running({ clientId: 'my id' }, async (text) => {
      baseUrl = /http:\/\/127\.0\.0\.1:\d+/.exec(text)?.[0] ?? '';
      const [, secret = ''] = /client secret {2}(\S+)\n/.exec(text) ?? [];
      expect(text.split('\n')).toEqual([
        '✓ A marketplace to try things on is running. What it receives stays on this machine.',
        `  base URL       ${baseUrl}`,
        '  client id      my id',
        `  client secret  ${secret}`,
        `  inbox          ${baseUrl}/`,
        'Log in to it from another terminal:',
        `  SRQ_CLIENT_SECRET=${secret} srq login --profile sandbox --base-url ${baseUrl} --client-id 'my id'`,
        'or in PowerShell:',
        `  $env:SRQ_CLIENT_SECRET='${secret}'; srq login --profile sandbox --base-url ${baseUrl} --client-id 'my id'`,
        'Stop it with Ctrl-C.',
        '',
      ]);
      expect((await tokenOf(text, secret, 'my id')).status).toBe(200);
      expect((await send('GET', `${baseUrl}/`)).status).toBe(200);
    });
    await expect(send('GET', `${baseUrl}/`)).rejects.toThrow();
  });

  test('takes its secret from the first line of standard input, and quotes it for each shell', async () => {
    for (const stdin of ["it's\nmore", "it's\r\nmore", "it's"]) {
      const flags = { clientSecretStdin: true, clientId: '7' };
      await running(
        flags,
        async (text) => {
          expect(text).toContain(`  SRQ_CLIENT_SECRET='it'\\''s' srq login`);
          expect(text).toContain(`  $env:SRQ_CLIENT_SECRET='it''s'; srq login`);
          expect((await tokenOf(text, "it's", '7')).status).toBe(200);
        },
        { stdin },
      );
    }
    for (const stdin of ['', '\nword'])
      expect(await sceneOf({ stdin }).refused({ clientSecretStdin: true })).toMatchObject({
        ...{ reason: 'login.incomplete', message: 'Standard input holds no client secret.' },
      });
  });

  test('tells a program what it needs', async () => {
    await running(
      { clientId: '7' },
      async (text) => {
        expect(JSON.parse(text)).toMatchObject({
          ...{
            baseUrl: expect.stringMatching(/^http/),
            clientId: '7',
            clientSecret: expect.any(String),
            contract: null,
          },
        });
      },
      { options: { json: true } },
    );
  });

  test('behaves as its flags say', async () => {
    await running({ clientId: '7', tokenTtl: 77, rate: 0.000001 }, async (text) => {
      const [, secret = ''] = /client secret {2}(\S+)\n/.exec(text) ?? [];
      expect(JSON.parse((await tokenOf(text, secret, '7')).text).expires_in).toBe(77);
    });
    expect((await sceneOf().refused({ fault: { none: 0.5 } })).code).toBe('usage');
  });

  test('keeps its credentials for the next start on demand', async () => {
    const scene = { options: { store: join(contextOf().home, 'store.json') } };
    const credentials = ({ stdout }: { stdout: () => string }) => /client id.*\n.*client secret.*/.exec(stdout())?.[0];
    const [first, again, other] = [
      await running({}, async () => {}, scene),
      await running({}, async () => {}, scene),
      await running({}, async () => {}),
    ].map(credentials);
    expect([again === first, other === first]).toEqual([true, false]);
  });

  test('behaves as a document says, and names it', async () => {
    await running({ contract: FORM }, async (text) => {
      const baseUrl = /http:\/\/127\.0\.0\.1:\d+/.exec(text)?.[0] ?? '';
      expect(text).toMatch(/\n {2}contract {7}Service Request API \(form-openapi30\.yaml\)\n/);
      expect(text).toContain(`\nThe client secret goes to ${baseUrl}/oauth/token for a token.\n`);
    });
    await running(
      { contract: FORM },
      async (text) => expect(JSON.parse(text).contract).toMatchObject({ title: 'Service Request API' }),
      { options: { json: true } },
    );
  });

  test('asks which operations are meant, and needs a document for them', async () => {
    const scene = sceneOf({ argv: ['sandbox', '--contract', 'api.json'] });
    const post = { requestBody: { content: { 'application/json': { schema: {} } } }, responses: { 201: {} } };
    const paths = { '/a': { post }, '/b': { post } };
    const file = join(scene.home, 'api.json');
    writeFileSync(file, JSON.stringify({ openapi: '3.1.0', info: { title: 'Leads' }, paths }));
    const error = await scene.refused({ contract: file });
    expect(error).toMatchObject({
      reason: 'document.undecided',
      message: expect.stringContaining(`${file} does not tell which operations are meant. `),
      hint: expect.stringMatching(/^Say it, and run: srq sandbox --contract api\.json --operation /),
    });
    const operation = [['create', 'POST /a']] as const;
    expect(await sceneOf().refused({ operation })).toMatchObject({
      ...{ reason: 'flags.incomplete', hint: 'Name it, too: srq sandbox --contract FILE --operation create=…' },
    });
    expect((await sceneOf().refused({ contract: file, operation: [['delete', 'x']] })).reason).toBe(
      'operation.unknown',
    );
  });
});
