import { execSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { platform, tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished } from 'vitest';
import { CANARY } from '../helpers/canary-secret.ts';
import { test } from '../helpers/desk.ts';
import { fakeKeychain } from '../helpers/fake-keychain.ts';
import { requestFor } from '../helpers/leads.ts';
import { loginTo, storedProfiles } from '../helpers/login.ts';
import { documentOf } from '../helpers/run-srq.ts';

describe.skipIf(platform() !== 'linux')('login --keychain', () => {
  test('login --keychain uses the secret that a person has put there, and stores the command that prints it', async ({
    desk,
    sandbox,
  }) => {
    // It is not on the desk, which is searched for the secret: this keychain is a file.
    const place = mkdtempSync(join(tmpdir(), 'srq-keychain-'));
    onTestFinished(() => rmSync(place, { recursive: true, force: true }));
    const env = { PATH: fakeKeychain(place) };
    const run = (...args: string[]) => desk.start(args, { env }).ended;
    const login = loginTo(sandbox, '--keychain', '--profile', 'shop');
    const before = await run(...login);
    expect(before).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining('Nothing was stored') });
    expect(desk.files()).not.toContain('config/config.json');
    const [, store = ''] = /run this again: +(secret-tool store .*)/.exec(before.stderr.replace(/\s+/g, ' ')) ?? [];
    execSync(store, { env, input: CANARY });
    expect(await run(...login)).toMatchObject({ code: 0 });
    expect(storedProfiles(desk)['shop']).toMatchObject({
      secretCommand: expect.stringMatching(/^secret-tool lookup service srq account shop\/\d+\/http%3A/),
    });
    expect(storedProfiles(desk)['shop']).not.toHaveProperty('clientSecret');
    expect(await run('create', ...requestFor('com chaveiro'))).toMatchObject({ code: 0 });
    expect(documentOf(await run('status', '--json'))).toMatchObject({ secret: 'command' });
  });
});
