import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { keychainEntry } from '../doors/kept.ts';
import { fakeKeychain } from '../helpers/fake-keychain.ts';

const folder = mkdtempSync(join(tmpdir(), 'srq-keychain-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const TO = { baseUrl: 'https://api.example.com', clientId: '7' };
const SECRET = 's3cret "é" \u{1f511}';
const keychain = (behaviour: Parameters<typeof fakeKeychain>[1]) => ({
  system: 'linux',
  env: { PATH: fakeKeychain(join(folder, behaviour), behaviour) },
});

describe('the keychain', () => {
  test('keeps the secret of one profile, base URL and client id', async () => {
    const options = keychain('sound');
    const entry = keychainEntry('shop', TO, options);
    expect(await entry.read()).toBeNull();
    await entry.write(SECRET);
    expect(await entry.read()).toBe(SECRET);
    const others = [
      keychainEntry('office', TO, options),
      keychainEntry('shop', { ...TO, clientId: '8' }, options),
      keychainEntry('shop', { ...TO, baseUrl: 'https://api.example.org' }, options),
    ];
    for (const other of others) expect(await other.read()).toBeNull();
    await entry.remove();
    expect(await entry.read()).toBeNull();
  });

  test('that does not give back what was put into it is not believed', async () => {
    const entry = keychainEntry('shop', TO, keychain('forgetful'));
    await expect(entry.write(SECRET)).rejects.toMatchObject({
      code: 'settings',
      message: expect.stringMatching(/does not give back/),
    });
  });

  test('that is locked is given up', async () => {
    const entry = keychainEntry('shop', TO, { ...keychain('locked'), limitMs: 700 });
    await expect(entry.read()).rejects.toMatchObject({
      code: 'settings',
      message: expect.stringMatching(/no answer within 0\.7 s/),
    });
  });

  test('that cannot be reached is said so in its own words, on one line, without the secret', async () => {
    const entry = keychainEntry('shop', TO, keychain('absent'));
    const error = await entry.write(SECRET).catch((thrown) => thrown);
    expect(error).toMatchObject({
      code: 'settings',
      message: expect.stringMatching(/\(No \?\[31mkeychain\)/),
      hint: expect.stringMatching(/srq login --help/),
    });
    expect(JSON.stringify([error.message, error.hint, error.cause])).not.toContain('s3cret');
  });

  test.each([
    ['linux', 'there is no secret-tool'],
    ['darwin', 'there is no security'],
    ['win32', 'srq knows no command for it on this system'],
  ])('of %s without its command is said so', async (system, why) => {
    const error = await keychainEntry('shop', TO, { system, env: { PATH: '/nowhere' } })
      .read()
      .catch((thrown) => thrown);
    expect(error.message).toBe(`The keychain of this machine cannot be used (${why}).`);
  });
});
