import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import type { Sandbox } from '../../src/sandbox/server.ts';
import { CANARY } from '../helpers/canary-secret.ts';
import { type Desk, test } from '../helpers/desk.ts';
import { leadsCsv, requestFor } from '../helpers/leads.ts';
import { documentOf } from '../helpers/run-srq.ts';

const loginTo = ({ baseUrl, clientId }: Sandbox, ...more: string[]) => [
  'login',
  '--base-url',
  baseUrl,
  '--client-id',
  clientId,
  ...more,
];
const logIn = (desk: Desk, sandbox: Sandbox, ...more: string[]) =>
  desk.start(loginTo(sandbox, '--client-secret-stdin', ...more), { stdin: `${CANARY}\n` }).ended;
const storedIn = (desk: Desk) => JSON.parse(readFileSync(join(desk.config, 'config.json'), 'utf8'));
const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8);

describe.concurrent('login', () => {
  test('takes the secret from standard input and proves it before storing it', async ({ desk, sandbox }) => {
    const ended = await logIn(desk, sandbox, '--json');
    expect(ended).toMatchObject({ code: 0, stderr: '' });
    expect(documentOf(ended)).toMatchObject({ baseUrl: sandbox.baseUrl, clientId: sandbox.clientId, kind: 'test' });
    expect(sandbox.requests().map(({ operation, status }) => [operation, status])).toEqual([['token', 200]]);
    expect(storedIn(desk).profiles.default.clientSecret).toBe(CANARY);
    expect(await desk.run('create', ...requestFor('depois de entrar'))).toMatchObject({ code: 0 });
  });

  test('takes the secret from the environment', async ({ desk, sandbox }) => {
    const ended = await desk.start(loginTo(sandbox), { env: { SRQ_CLIENT_SECRET: CANARY } }).ended;
    expect(ended.code).toBe(0);
    expect(storedIn(desk).profiles.default).toMatchObject({ clientId: sandbox.clientId, clientSecret: CANARY });
  });

  test('stores a secret command in place of the secret and runs it when it is needed', async ({ desk, sandbox }) => {
    const script = desk.write('secret.mjs', 'console.log(process.env.VAULT);');
    const env = { VAULT: CANARY };
    const command = `'${process.execPath}' "${script}"`;
    expect(await desk.start(loginTo(sandbox, '--secret-command', command), { env }).ended).toMatchObject({ code: 0 });
    expect(storedIn(desk).profiles.default).not.toHaveProperty('clientSecret');
    expect(await desk.start(['create', ...requestFor('com cofre')], { env }).ended).toMatchObject({ code: 0 });
    expect(documentOf(await desk.run('status', '--json'))).toMatchObject({ secret: 'command' });
  });

  test('stores nothing where the secret is wrong', async ({ desk, sandbox }) => {
    const ended = await desk.start(loginTo(sandbox, '--client-secret-stdin'), { stdin: 'not the secret\n' }).ended;
    expect(ended).toMatchObject({ code: 4, stdout: '' });
    expect(ended.stderr).toContain('refused the credentials');
    expect(existsSync(join(desk.config, 'config.json'))).toBe(false);
  });

  test('leaves the profile as it was where a later login fails', async ({ desk, sandbox }) => {
    await logIn(desk, sandbox);
    const before = storedIn(desk);
    await desk.start(loginTo(sandbox, '--client-secret-stdin'), { stdin: 'not the secret\n' }).ended;
    expect(storedIn(desk)).toEqual(before);
  });

  test('names all that is missing in one error where there is no terminal', async ({ desk }) => {
    const ended = await desk.run('login');
    expect(ended.code).toBe(2);
    for (const named of ['--base-url', '--client-id', 'SRQ_CLIENT_SECRET', '--client-secret-stdin'])
      expect(ended.stderr).toContain(named);
    expect(desk.files()).not.toContain('config/config.json');
  });

  test('refuses http:// to any host but this one', async ({ desk }) => {
    const ended = await desk.start(
      ['login', '--base-url', 'http://service.invalid', '--client-id', '1', '--client-secret-stdin'],
      { stdin: CANARY },
    ).ended;
    expect(ended.code).toBe(2);
    expect(ended.stderr).toContain('https://service.invalid');
  });

  test('keeps settings and token to the user, whatever the umask and the modes of before', async ({
    desk,
    sandbox,
  }) => {
    const shell = ['sh', '-c', 'umask 000; exec "$0" "$@"'];
    const run = (args: string[], stdin = '') => desk.start(args, { under: shell, stdin }).ended;
    expect(await run(loginTo(sandbox, '--client-secret-stdin'), CANARY)).toMatchObject({ code: 0 });
    expect(await run(['create', ...requestFor('umask')])).toMatchObject({ code: 0 });
    expect([modeOf(desk.config), modeOf(join(desk.config, 'config.json'))]).toEqual(['700', '600']);
    expect(modeOf(desk.state)).toBe('700');
    const kept = readdirSync(desk.state);
    expect(kept).toEqual(expect.arrayContaining(['default.ndjson', 'default.token.json']));
    for (const name of kept) expect([name, modeOf(join(desk.state, name))]).toEqual([name, '600']);
    chmodSync(desk.config, 0o777);
    chmodSync(join(desk.config, 'config.json'), 0o666);
    await run(loginTo(sandbox, '--client-secret-stdin'), CANARY);
    expect([modeOf(desk.config), modeOf(join(desk.config, 'config.json'))]).toEqual(['700', '600']);
  });
});

describe.concurrent('logout', () => {
  test('forgets credentials and token; the log stays', async ({ desk, sandbox }) => {
    await logIn(desk, sandbox);
    await desk.run('create', ...requestFor('antes de sair'));
    const before = desk.records();
    expect(documentOf(await desk.run('logout', '--json'))).toMatchObject({ profile: 'default', removed: true });
    expect(readFileSync(join(desk.config, 'config.json'), 'utf8')).not.toContain(sandbox.clientId);
    expect(desk.files()).not.toContain('state/default.token.json');
    expect(desk.records()).toEqual(before);
    expect(await desk.run('create', ...requestFor('depois de sair'))).toMatchObject({ code: 4 });
    expect(await desk.run('logout')).toMatchObject({ code: 0 });
  });

  test('forgets the named profile alone', async ({ desk, sandbox }) => {
    await logIn(desk, sandbox, '--profile', 'one');
    await logIn(desk, sandbox, '--profile', 'two');
    await desk.run('logout', '--profile', 'one');
    expect(Object.keys(storedIn(desk).profiles)).toEqual(['two']);
  });
});

describe.concurrent('status', () => {
  test('says what is there on a fresh machine, and how to begin', async ({ desk }) => {
    const ended = await desk.run('status');
    expect(ended.code).toBe(0);
    expect(ended.stdout).toContain('srq login');
    expect(desk.files().filter((name) => /^(?:config|state)/.test(name))).toEqual([]);
  });

  test('gives profile, address, token and paths', async ({ desk, sandbox }) => {
    await logIn(desk, sandbox);
    await desk.run('create', ...requestFor('para o estado'));
    expect(documentOf(await desk.run('status', '--json'))).toMatchObject({
      profile: 'default',
      baseUrl: sandbox.baseUrl,
      clientId: sandbox.clientId,
      secret: 'stored',
      token: { state: 'valid', expiresAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT/) },
      paths: {
        config: join(desk.config, 'config.json'),
        state: desk.state,
        log: join(desk.state, 'default.ndjson'),
      },
    });
  });

  test('says where each value comes from: flag, environment, profile', async ({ desk, sandbox }) => {
    await logIn(desk, sandbox, '--profile', 'shop');
    const sourcesOf = async (args: string[], env: Record<string, string> = {}) =>
      documentOf(await desk.start(['status', '--json', ...args], { env }).ended)['sources'];
    expect(await sourcesOf([])).toEqual({ profile: 'profile', baseUrl: 'profile', clientId: 'profile' });
    expect(await sourcesOf(['--profile', 'shop'], { SRQ_PROFILE: 'other' })).toMatchObject({ profile: 'flag' });
    expect(await sourcesOf([], { SRQ_PROFILE: 'shop', SRQ_CLIENT_ID: '7' })).toEqual({
      profile: 'env',
      baseUrl: 'profile',
      clientId: 'env',
    });
  });

  test('does not give a stored secret to an address it was not stored for', async ({ desk, sandbox, openSandbox }) => {
    const other = await openSandbox();
    await logIn(desk, sandbox);
    const env = { SRQ_BASE_URL: other.baseUrl };
    expect(documentOf(await desk.start(['status', '--json'], { env }).ended)).toMatchObject({ secret: 'missing' });
    expect(await desk.start(['create', ...requestFor('desviado')], { env }).ended).toMatchObject({ code: 4 });
    expect(other.requests()).toEqual([]);
  });
});

const BROKEN_SETTINGS = ['{"profiles": {', '[]', '{"profiles": {"default": {"baseUrl": 7}}}'];

describe.concurrent('a broken settings file', () => {
  test.for(BROKEN_SETTINGS)('is named, with exit code 2, and left alone: %s', async (text, { desk }) => {
    mkdirSync(desk.config);
    const path = join(desk.config, 'config.json');
    writeFileSync(path, text);
    const leads = desk.write('leads.csv', leadsCsv(1));
    for (const args of [['status'], ['create', ...requestFor('x')], ['logout'], ['bulk', leads]]) {
      const ended = await desk.run(...args);
      expect([args[0], ended.code, ended.stderr]).toEqual([args[0], 2, expect.stringContaining(path)]);
    }
    expect(readFileSync(path, 'utf8')).toBe(text);
  });
});
