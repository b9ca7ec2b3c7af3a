import { chmodSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { CANARY } from '../helpers/canary-secret.ts';
import { test } from '../helpers/desk.ts';
import { requestFor } from '../helpers/leads.ts';
import { logIn, loginTo, storedProfiles } from '../helpers/login.ts';
import { documentOf } from '../helpers/run-srq.ts';

const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8);

describe.concurrent('login', () => {
  test('takes the secret from standard input and proves it before storing it', async ({ desk, sandbox }) => {
    const ended = await logIn(desk, sandbox, '--json');
    expect(ended).toMatchObject({ code: 0, stderr: expect.stringContaining(`${sandbox.baseUrl}/oauth/token`) });
    expect(documentOf(ended)).toMatchObject({ baseUrl: sandbox.baseUrl, clientId: sandbox.clientId, kind: 'test' });
    expect(sandbox.requests().map(({ operation, status }) => [operation, status])).toEqual([['token', 200]]);
    expect(storedProfiles(desk)['default']?.['clientSecret']).toBe(CANARY);
    expect(await desk.run('create', ...requestFor('depois de entrar'))).toMatchObject({ code: 0 });
  });

  test('takes the secret from the environment', async ({ desk, sandbox }) => {
    const ended = await desk.start(loginTo(sandbox), { env: { SRQ_CLIENT_SECRET: CANARY } }).ended;
    expect(ended.code).toBe(0);
    expect(storedProfiles(desk)['default']).toMatchObject({ clientId: sandbox.clientId, clientSecret: CANARY });
  });

  test('stores a secret command in place of the secret and runs it when it is needed', async ({ desk, sandbox }) => {
    const script = desk.write('secret.mjs', 'console.log(process.env.VAULT);');
    const env = { VAULT: CANARY };
    const command = `'${process.execPath}' "${script}"`;
    expect(await desk.start(loginTo(sandbox, '--secret-command', command), { env }).ended).toMatchObject({ code: 0 });
    expect(storedProfiles(desk)['default']).not.toHaveProperty('clientSecret');
    expect(await desk.start(['create', ...requestFor('com cofre')], { env }).ended).toMatchObject({ code: 0 });
    expect(documentOf(await desk.run('status', '--json'))).toMatchObject({ secret: 'command' });
  });

  test('stores nothing where the secret is wrong', async ({ desk, sandbox }) => {
    const ended = await desk.start(loginTo(sandbox, '--client-secret-stdin'), { stdin: 'not the secret\n' }).ended;
    expect(ended).toMatchObject({ code: 4, stdout: '' });
    expect(ended.stderr).toContain('refused the credentials');
    expect(existsSync(join(desk.config, 'config.json'))).toBe(false);
  });

  test('says, if it fails, that nothing was stored, and names no command that could not show it', async ({
    desk,
    openSandbox,
  }) => {
    const sandbox = await openSandbox();
    const failing: [string, string][] = [
      [sandbox.baseUrl, 'srq login'],
      [`${sandbox.baseUrl}/elsewhere`, 'srq login --base-url URL'],
      ['http://127.0.0.1:1', 'Check host and port.'],
      ['https://nobody.invalid', 'Check'],
    ];
    for (const [baseUrl, hint] of failing) {
      const login = ['login', '--base-url', baseUrl, '--client-id', '7', '--client-secret-stdin'];
      const { code, stderr } = await desk.start(login, { stdin: 'not the secret\n' }).ended;
      expect([baseUrl, [4, 5].includes(code ?? 0)]).toEqual([baseUrl, true]);
      expect(stderr).toContain('Nothing was stored.');
      expect(stderr).toContain(hint);
      expect(stderr).not.toContain('srq status');
    }
  });

  test('leaves the profile as it was where a later login fails', async ({ desk, sandbox }) => {
    await logIn(desk, sandbox);
    const before = storedProfiles(desk);
    await desk.start(loginTo(sandbox, '--client-secret-stdin'), { stdin: 'not the secret\n' }).ended;
    expect(storedProfiles(desk)).toEqual(before);
  });

  test('again for the same account keeps what no flag replaces, and says so with the way to drop it', async ({
    desk,
    sandbox,
  }) => {
    const store = 'postgres://sender@127.0.0.1/leads';
    const settings = ['--store', store, '--store-password-command', 'pass show db', '--encoding', 'json', '--test'];
    expect((await logIn(desk, sandbox, ...settings)).stderr).not.toContain('Kept');
    const [before] = Object.values(storedProfiles(desk));
    expect(before).toMatchObject({ store, storePasswordCommand: 'pass show db', encoding: 'json', test: true });
    const again = await logIn(desk, sandbox);
    expect([again.code, storedProfiles(desk)['default']]).toEqual([0, before]);
    expect(again.stderr).toMatch(/Kept from the earlier login: its store, [^\n]* srq logout, then log in again/);
    const command = ['--store-password-command', 'pass show other'];
    expect(await logIn(desk, sandbox, '--encoding', 'form', ...command)).toMatchObject({ code: 0 });
    const replaced = { ...before, encoding: 'form', storePasswordCommand: 'pass show other' };
    expect(storedProfiles(desk)['default']).toEqual(replaced);
    // The password of one store is not handed to another.
    const elsewhere = 'postgres://sender@127.0.0.1/other';
    expect(await logIn(desk, sandbox, '--store', elsewhere)).toMatchObject({ code: 0 });
    const { storePasswordCommand: _, ...others } = replaced;
    expect(storedProfiles(desk)['default']).toEqual({ ...others, store: elsewhere });
    await desk.run('logout');
    expect((await logIn(desk, sandbox)).stderr).not.toContain('Kept');
    const { baseUrl, clientId } = sandbox;
    expect(storedProfiles(desk)['default']).toEqual({ baseUrl, clientId, clientSecret: CANARY });
  });

  test('for another account keeps nothing, and warns that the store no longer applies', async ({
    desk,
    sandbox,
    openSandbox,
  }) => {
    const other = await openSandbox();
    const store = 'postgres://sender@127.0.0.1/leads';
    await logIn(desk, sandbox, '--store', store, '--encoding', 'json');
    const incomplete = await logIn(desk, other, '--store-password-command', 'pass show db');
    expect(incomplete).toMatchObject({ code: 2, stderr: expect.stringContaining('needs --store') });
    expect(storedProfiles(desk)['default']).toMatchObject({ baseUrl: sandbox.baseUrl, store });
    const moved = await logIn(desk, other);
    expect(moved.stderr).toMatch(
      new RegExp(`! Profile default had its log in the store ${store}, [\\s\\S]* log in with: --store URL`),
    );
    const { baseUrl, clientId } = other;
    expect(storedProfiles(desk)['default']).toEqual({ baseUrl, clientId, clientSecret: CANARY });
    await logIn(desk, sandbox, '--store', store);
    expect((await logIn(desk, other, '--store', store)).stderr).not.toContain('had its log');
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

  test('repairs an address that cannot be used, wherever that stands', async ({ desk, sandbox }) => {
    await logIn(desk, sandbox);
    const settings = join(desk.config, 'config.json');
    const good = readFileSync(settings, 'utf8');
    for (const address of ['http://api.example.com', 'nonsense']) {
      writeFileSync(settings, good.replaceAll(sandbox.baseUrl, address));
      expect([address, (await desk.call('status')).code]).toEqual([address, 2]);
      expect(await logIn(desk, sandbox)).toMatchObject({ code: 0 });
      expect(storedProfiles(desk)['default']).toMatchObject({ baseUrl: sandbox.baseUrl });
    }
    const login = desk.start(loginTo(sandbox), { env: { SRQ_BASE_URL: 'nonsense', SRQ_CLIENT_SECRET: CANARY } });
    expect(await login.ended).toMatchObject({ code: 0 });
  });

  test('is found again where a person has written its address in another way', async ({ desk, sandbox }) => {
    await logIn(desk, sandbox, '--test');
    const settings = join(desk.config, 'config.json');
    const other = sandbox.baseUrl.replace('http://', 'HTTP://');
    writeFileSync(settings, readFileSync(settings, 'utf8').replaceAll(sandbox.baseUrl, `${other}/`));
    const { baseUrl } = sandbox;
    const expected = { baseUrl, secret: 'stored', token: { state: 'valid' } };
    expect(documentOf(await desk.call('status', '--json'))).toMatchObject(expected);
    expect(await desk.call('create', ...requestFor('outra grafia'))).toMatchObject({ code: 0 });
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
    for (const name of kept) {
      const mode = name === 'compile-cache' ? '700' : '600';
      expect([name, modeOf(join(desk.state, name))]).toEqual([name, mode]);
    }
    chmodSync(desk.config, 0o755);
    const again = await run(loginTo(sandbox, '--client-secret-stdin'), CANARY);
    expect(again.stderr).toContain('was open to other users (mode 0755); its mode is 0700 now');
    expect(modeOf(desk.config)).toBe('700');
  });

  test('a settings file that others can read is refused, with the command that closes it', async ({
    desk,
    sandbox,
  }) => {
    await logIn(desk, sandbox);
    const settings = join(desk.config, 'config.json');
    chmodSync(settings, 0o640);
    for (const args of [['create', ...requestFor('aberto')], ['status'], ['profile', 'list'], loginTo(sandbox)]) {
      const ended = await desk.run(...args);
      expect([args[0], ended.code]).toEqual([args[0], 2]);
      expect(ended.stderr).toMatch(new RegExp(`open to other users \\(mode 0640\\)[\\s\\S]*chmod 600 ${settings}\n`));
    }
    expect(sandbox.requests().map(({ operation }) => operation)).toEqual(['token']);
    expect(modeOf(settings)).toBe('640');
    chmodSync(settings, 0o600);
    expect(await desk.run('create', ...requestFor('fechado'))).toMatchObject({ code: 0 });
  });
});

test('a token is not used with another secret than the one it was granted for', async ({ partner }) => {
  const request = ['--country', 'PT', '--phone', '+351912345678', '--request-text', 'Obras', '--json'];
  expect(await partner.run('validate', ...request)).toMatchObject({ code: 0 });
  const env = { SRQ_CLIENT_SECRET: 'not-the-secret' };
  expect(await partner.start(['validate', ...request], { env }).ended).toMatchObject({ code: 4 });
});

test('an unknown option is named without its value, which may be a secret', async ({ desk }) => {
  const { code, stdout, stderr } = await desk.run('login', '--client-secret=s3cret-value', '--json');
  expect(code).toBe(2);
  expect(stdout + stderr).not.toContain('s3cret-value');
  expect(stdout).toContain('--client-secret');
});
