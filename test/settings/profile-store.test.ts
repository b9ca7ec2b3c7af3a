import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { profileStore, replaceFileOrThrow } from '../doors/kept.ts';

const PROFILE = { baseUrl: 'https://api.example.com', clientId: '7', clientSecret: 'x' };
const uid = process.getuid?.() ?? 0;
const modeOf = (path: string) => (statSync(path).mode & 0o7777).toString(8);

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "srq-it's-settings-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function write(mode: number): string {
  const path = join(folder, 'config.json');
  writeFileSync(path, JSON.stringify({ profiles: { shop: PROFILE } }));
  chmodSync(path, mode);
  return path;
}

describe.skipIf(process.platform === 'win32')('settings that others may have read or changed', () => {
  test.each([0o604, 0o640, 0o620, 0o602, 0o610, 0o666])(
    'settings that others may reach are unused: mode %o',
    (mode) => {
      const path = write(mode);
      const quoted = path.replace("'", "'\\''");
      expect(() => profileStore(folder, uid).get('shop')).toThrow(
        expect.objectContaining({
          code: 'settings',
          message: expect.stringContaining(`mode 0${mode.toString(8)}`),
          hint: expect.stringMatching(new RegExp(`chmod 600 '${quoted.replaceAll(/[\\']/g, '\\$&')}'$`)),
        }),
      );
    },
  );

  test.each([0o600, 0o400, 0o700])('settings of the user alone are used: mode %o', (mode) => {
    write(mode);
    expect(profileStore(folder, uid).get('shop')).toEqual(PROFILE);
  });

  test('settings of another user are not used', () => {
    write(0o600);
    expect(() => profileStore(folder, uid + 1).all()).toThrow(/belongs to another user/);
  });
});

test('a change of the settings that cannot be written is an error', async () => {
  const file = join(folder, 'file');
  writeFileSync(file, '');
  const store = profileStore(join(file, 'below'), uid);
  const unwritable = { reason: 'settings.unwritable', message: expect.stringContaining('ENOTDIR') };
  await expect(store.set('shop', PROFILE)).rejects.toMatchObject(unwritable);
  await expect(store.use('shop')).rejects.toMatchObject(unwritable);
});

describe.skipIf(process.platform !== 'linux')('The settings file', () => {
  test.each([0o000, 0o022, 0o777])(
    'The settings file is for its owner alone, and so is its new folder, with the mask %o',
    async (mask) => {
      const before = process.umask(mask);
      const below = join(folder, 'new', 'deeper');
      try {
        if (mask !== 0o777) await profileStore(below, uid).set('shop', PROFILE);
        replaceFileOrThrow(join(folder, 'state.json'), '{}');
      } finally {
        process.umask(before);
      }
      if (mask !== 0o777) expect([modeOf(below), modeOf(join(below, 'config.json'))]).toEqual(['700', '600']);
      expect(modeOf(join(folder, 'state.json'))).toBe('600');
    },
  );
});

test('no draft is left beside a settings file that cannot be replaced', () => {
  const path = join(folder, 'state.json');
  mkdirSync(join(path, 'taken'), { recursive: true });
  expect(() => replaceFileOrThrow(path, '{}')).toThrow();
  expect(readdirSync(folder)).toEqual(['state.json']);
  rmSync(path, { recursive: true });
  replaceFileOrThrow(path, '{}');
  expect([readdirSync(folder), readFileSync(path, 'utf8')]).toEqual([['state.json'], '{}']);
});

test('profiles that are stored, chosen and removed side by side lose nothing of each other', async () => {
  const store = () => profileStore(folder, uid);
  await Promise.all(['shop', 'agency', 'branch'].map((name) => store().set(name, PROFILE)));
  expect(Object.keys(store().all()).sort()).toEqual(['agency', 'branch', 'shop']);
  await Promise.all([store().use('branch'), store().remove('shop'), store().set('crm', PROFILE)]);
  expect(Object.keys(store().all()).sort()).toEqual(['agency', 'branch', 'crm']);
  expect(store().current()).toBe('branch');
});
