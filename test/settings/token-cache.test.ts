import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { fileTokenCache, Secret, secretMark } from '../doors/kept.ts';

const SERVICE = { baseUrl: 'https://api.example.com', clientId: '4711' };
const TOKEN = { accessToken: 'a token', obtainedAtMs: 1_000, expiresAtMs: 2_000 };

let path: string;
beforeEach(() => {
  const folder = mkdtempSync(join(tmpdir(), 'srq-token-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  path = join(folder, 'state', 'default.token.json');
});
const cacheOf = (changes: Partial<typeof SERVICE> = {}, secret: string | null = 's3cret') =>
  fileTokenCache(
    path,
    { ...SERVICE, ...changes },
    secret === null ? null : secretMark({ clientSecret: new Secret(secret) }),
  );

test('a token is kept for its owner alone, and the secret is not kept with it', () => {
  cacheOf().write(TOKEN);
  expect(cacheOf().read()).toEqual(TOKEN);
  if (process.platform !== 'win32') expect(statSync(path).mode & 0o777).toBe(0o600);
  const { secretMark: mark } = JSON.parse(readFileSync(path, 'utf8'));
  expect(mark).toMatch(/^[0-9a-f]{8}$/);
  cacheOf().write({ ...TOKEN, expiresAtMs: null });
  expect(cacheOf().read()?.expiresAtMs).toBeNull();
});

// A token that goes to another service is a secret that was given away; one of an old secret works longer than it may.
test('a token is given to the service, the client and the secret that it was granted for, and to no other', () => {
  cacheOf().write(TOKEN);
  expect(cacheOf({ baseUrl: 'https://api.example.org' }).read()).toBeNull();
  expect(cacheOf({ clientId: '4712' }).read()).toBeNull();
  expect(cacheOf({}, 'another secret').read()).toBeNull();
  // Who knows no secret, as srq status, may look at it all the same.
  expect(cacheOf({}, null).read()).toEqual(TOKEN);
  cacheOf({}, null).write(TOKEN);
  expect([cacheOf({}, null).read(), cacheOf().read()]).toEqual([TOKEN, null]);
});

test('a token that was refused is forgotten, but not one that another command has fetched since', () => {
  cacheOf().write(TOKEN);
  cacheOf().forget('an earlier token');
  expect(cacheOf().read()).toEqual(TOKEN);
  cacheOf().forget(TOKEN.accessToken);
  expect(cacheOf().read()).toBeNull();
  cacheOf().forget(TOKEN.accessToken);
});

test.each([
  '',
  '{',
  '{}',
  JSON.stringify({ ...SERVICE, ...TOKEN, accessToken: '' }),
  JSON.stringify({ ...SERVICE, ...TOKEN, expiresAtMs: 'soon' }),
])('a file that holds %j has no token', (text) => {
  cacheOf().write(TOKEN);
  writeFileSync(path, text);
  expect([cacheOf().read(), cacheOf({}, null).read()]).toEqual([null, null]);
});

test.runIf(process.platform === 'linux')(
  'a refused token that cannot be removed ends nothing, and is not used again',
  () => {
    cacheOf().write(TOKEN);
    // Nobody may remove a file from this folder, not even the superuser.
    const file = openSync(path, 'r');
    onTestFinished(() => closeSync(file));
    const cache = fileTokenCache(`/proc/self/fd/${file}`, SERVICE);
    cache.forget(TOKEN.accessToken);
    expect(fileTokenCache(`/proc/self/fd/${file}`, SERVICE).read()).toEqual(TOKEN);
    expect(cache.read()).toBeNull();
  },
);
