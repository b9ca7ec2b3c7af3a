import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { platform, tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished } from 'vitest';
import { CANARY } from '../helpers/canary-secret.ts';
import { type Desk, test } from '../helpers/desk.ts';
import { fakeKeychain } from '../helpers/fake-keychain.ts';
import { requestFor } from '../helpers/leads.ts';
import { loginTo, storedProfiles } from '../helpers/login.ts';
import { documentOf, type Ended } from '../helpers/run-srq.ts';

interface WithKeychain {
  run(args: readonly string[], stdin?: string): Promise<Ended>;
  /** What the keychain holds, by account. */
  kept(): Record<string, string>;
}

/** srq on a machine with this keychain. It is not on the desk, which is searched for the secret: this keychain is a file. */
function withKeychain(desk: Desk, behaviour: Parameters<typeof fakeKeychain>[1]): WithKeychain {
  const place = mkdtempSync(join(tmpdir(), 'srq-keychain-'));
  onTestFinished(() => rmSync(place, { recursive: true, force: true }));
  const env = { PATH: fakeKeychain(place, behaviour) };
  const file = join(place, 'kept.json');
  return {
    run: (args, stdin = '') => desk.start(args, { env, stdin }).ended,
    kept: () => (existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {}),
  };
}

describe.skipIf(platform() !== 'linux')('login --keychain', () => {
  test('keeps the secret in the keychain alone; commands find it there, and logout takes it away', async ({
    desk,
    sandbox,
  }) => {
    const { run, kept } = withKeychain(desk, 'sound');
    const login = loginTo(sandbox, '--client-secret-stdin', '--keychain', '--profile', 'shop');
    expect(await run(login, CANARY)).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(/^Getting a token from \S+ (…|\.\.\.)\n$/),
    });
    expect(storedProfiles(desk)['shop']).toMatchObject({
      secretCommand: expect.stringMatching(/^secret-tool lookup service srq account shop\/\d+\/http%3A/),
    });
    expect(storedProfiles(desk)['shop']).not.toHaveProperty('clientSecret');
    expect(Object.values(kept())).toEqual([CANARY]);
    expect(await run(['create', ...requestFor('com chaveiro')])).toMatchObject({ code: 0 });
    expect(documentOf(await run(['status', '--json']))).toMatchObject({ secret: 'command' });
    expect(await run(['logout'])).toMatchObject({ code: 0, stderr: '' });
    expect(kept()).toEqual({});
  });

  test('a later login without it leaves nothing behind in the keychain', async ({ desk, sandbox }) => {
    const { run, kept } = withKeychain(desk, 'sound');
    await run(loginTo(sandbox, '--client-secret-stdin', '--keychain'), CANARY);
    expect(Object.keys(kept())).toHaveLength(1);
    expect(await run(loginTo(sandbox, '--client-secret-stdin'), CANARY)).toMatchObject({ code: 0 });
    expect(kept()).toEqual({});
    expect(storedProfiles(desk)['default']).toMatchObject({ clientSecret: CANARY });
  });

  test.for(['forgetful', 'absent'] as const)(
    'stores nothing anywhere where the keychain is %s, and says what else there is',
    async (behaviour, { desk, sandbox }) => {
      const { run } = withKeychain(desk, behaviour);
      const ended = await run(loginTo(sandbox, '--client-secret-stdin', '--keychain'), CANARY);
      expect(ended).toMatchObject({ code: 2, stdout: '' });
      expect(ended.stderr).toMatch(
        /keychain of this machine cannot be used[\s\S]*Nothing was stored\.[\s\S]*srq login --help/,
      );
      expect(desk.files()).not.toContain('config/config.json');
    },
  );

  test('excludes --secret-command', async ({ desk, sandbox }) => {
    const ended = await desk.run(...loginTo(sandbox, '--keychain', '--secret-command', 'true'));
    expect(ended).toMatchObject({ code: 2, stderr: expect.stringContaining('--secret-command') });
  });
});
