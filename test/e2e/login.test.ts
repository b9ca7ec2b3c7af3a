import { chmodSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { CANARY } from '../helpers/canary-secret.ts';
import { test } from '../helpers/desk.ts';
import { requestFor } from '../helpers/leads.ts';
import { logIn, loginTo } from '../helpers/login.ts';
import { documentOf } from '../helpers/run-srq.ts';

const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8);

describe.concurrent('login', () => {
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
