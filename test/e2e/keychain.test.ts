import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { describe, expect, inject, onTestFinished } from 'vitest';
import { CANARY } from '../helpers/canary-secret.ts';
import { type Desk, test } from '../helpers/desk.ts';
import { fakeKeychain } from '../helpers/fake-keychain.ts';
import { requestFor } from '../helpers/leads.ts';
import { logIn, loginTo, storedProfiles } from '../helpers/login.ts';
import { documentOf, type Ended } from '../helpers/run-srq.ts';
import { HAS_TERMINAL, onTerminal } from '../helpers/terminal.ts';

interface Installed {
  run(args: readonly string[], stdin?: string): Promise<Ended>;
  /** What the keychain holds, by service, account and store. */
  kept(): Record<string, string>;
}

/**
 * srq installed beside another keychain library. Not on the desk, which is searched for the secret: this keychain is a file.
 */
function installedBeside(desk: Desk, behaviour: Parameters<typeof fakeKeychain>[1]): Installed {
  const place = mkdtempSync(join(tmpdir(), 'srq-installed-'));
  onTestFinished(() => rmSync(place, { recursive: true, force: true }));
  const keyring = join(place, 'node_modules/@napi-rs/keyring');
  mkdirSync(keyring, { recursive: true });
  symlinkSync(resolve('node_modules/fs-native-extensions'), join(place, 'node_modules/fs-native-extensions'));
  cpSync(dirname(inject('srqProgram')), join(place, 'dist'), { recursive: true });
  const library = fakeKeychain(join(keyring, 'index.js'), behaviour);
  const under = ['sh', '-c', `node=$1; shift 2; exec "$node" '${place}/dist/srq.js' "$@"`, 'sh'];
  return {
    run: (args, stdin = '') => desk.start(args, { under, stdin }).ended,
    kept: () => JSON.parse(readFileSync(`${library}.json`, 'utf8')),
  };
}

describe('login --keychain', () => {
  test('keeps the secret in the keychain alone; commands find it there, and logout takes it away', async ({
    desk,
    sandbox,
  }) => {
    const { run, kept } = installedBeside(desk, 'sound');
    const login = loginTo(sandbox, '--client-secret-stdin', '--keychain', '--profile', 'shop');
    expect(await run(login, CANARY)).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(/^Getting a token from \S+ (…|\.\.\.)\n$/),
    });
    expect(storedProfiles(desk)['shop']).toMatchObject({ keychain: true });
    expect(storedProfiles(desk)['shop']).not.toHaveProperty('clientSecret');
    expect(Object.values(kept())).toEqual([CANARY]);
    expect(await run(['create', ...requestFor('com chaveiro')])).toMatchObject({ code: 0 });
    expect(documentOf(await run(['status', '--json']))).toMatchObject({ secret: 'keychain' });
    expect(await run(['logout'])).toMatchObject({ code: 0, stderr: '' });
    expect(kept()).toEqual({});
  });

  test('a later login without it leaves nothing behind in the keychain', async ({ desk, sandbox }) => {
    const { run, kept } = installedBeside(desk, 'sound');
    await run(loginTo(sandbox, '--client-secret-stdin', '--keychain'), CANARY);
    expect(Object.keys(kept())).toHaveLength(1);
    expect(await run(loginTo(sandbox, '--client-secret-stdin'), CANARY)).toMatchObject({ code: 0 });
    expect(kept()).toEqual({});
    expect(storedProfiles(desk)['default']).toMatchObject({ clientSecret: CANARY });
  });

  test.for(['forgetful', 'absent'] as const)(
    'stores nothing anywhere where the keychain is %s, and says what else there is',
    async (behaviour, { desk, sandbox }) => {
      const { run } = installedBeside(desk, behaviour);
      const ended = await run(loginTo(sandbox, '--client-secret-stdin', '--keychain'), CANARY);
      expect(ended).toMatchObject({ code: 2, stdout: '' });
      expect(ended.stderr).toMatch(
        /keychain of this machine cannot be used[\s\S]*Nothing was stored\.[\s\S]*srq login --help/,
      );
      expect(desk.files()).not.toContain('config/config.json');
    },
  );

  test.skipIf(!HAS_TERMINAL)('lets a person at a terminal choose the file instead', async ({ desk, sandbox }) => {
    // No keychain is within reach of this environment, whatever the machine has.
    const env = { SRQ_CLIENT_SECRET: CANARY, DBUS_SESSION_BUS_ADDRESS: 'unix:path=/nonexistent' };
    const login = loginTo(sandbox, '--keychain');
    const no = await onTerminal(desk, login, [[/instead\? \[y\/N\]/, '']], { env, term: 'dumb' });
    expect([no.code, desk.files().includes('config/config.json')]).toEqual([2, false]);
    const yes = await onTerminal(desk, login, [[/cannot be used[\s\S]*mode 0600\)\s+instead\?/, 'y']], {
      env,
      term: 'dumb',
    });
    expect(yes.code).toBe(0);
    expect(storedProfiles(desk)['default']).toMatchObject({ clientSecret: CANARY });
  });

  test('excludes --secret-command', async ({ desk, sandbox }) => {
    const ended = await desk.run(...loginTo(sandbox, '--keychain', '--secret-command', 'true'));
    expect(ended).toMatchObject({ code: 2, stderr: expect.stringContaining('--secret-command') });
  });
});

test('a keychain that has lost the secret is said so, with the way back', async ({ desk, sandbox }) => {
  const { run } = installedBeside(desk, 'sound');
  await logIn(desk, sandbox);
  const { baseUrl, clientId } = sandbox;
  const settings = { current: 'default', profiles: { default: { baseUrl, clientId, keychain: true } } };
  desk.write('../config/config.json', JSON.stringify(settings));
  const ended = await run(['create', ...requestFor('sem chave')]);
  expect(ended).toMatchObject({ code: 4, stderr: expect.stringContaining('srq login --profile default --keychain') });
});
