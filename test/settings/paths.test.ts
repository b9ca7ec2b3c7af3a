import { join } from 'node:path';
import { expect, test } from 'vitest';
import { directories, profileNamed, settingsFiles, stateFiles } from '../doors/kept.ts';

const HOME = join('/', 'home', 'ana');

// Who moves to another version finds settings and logs only if they stay where they were.
test.each<[platform: string, env: Record<string, string>, config: string, state: string]>([
  ['linux', {}, join(HOME, '.config', 'srq'), join(HOME, '.local', 'state', 'srq')],
  ['linux', { XDG_CONFIG_HOME: '/c', XDG_STATE_HOME: '/s' }, join('/c', 'srq'), join('/s', 'srq')],
  ['linux', { XDG_CONFIG_HOME: '', XDG_STATE_HOME: '/s' }, join(HOME, '.config', 'srq'), join('/s', 'srq')],
  ['linux', { APPDATA: '/a', LOCALAPPDATA: '/l' }, join(HOME, '.config', 'srq'), join(HOME, '.local', 'state', 'srq')],
  [
    'darwin',
    { XDG_CONFIG_HOME: '/c', XDG_STATE_HOME: '/s' },
    join(HOME, 'Library', 'Preferences', 'srq'),
    join(HOME, 'Library', 'Application Support', 'srq'),
  ],
  ['win32', {}, join(HOME, 'AppData', 'Roaming', 'srq'), join(HOME, 'AppData', 'Local', 'srq')],
  ['win32', { APPDATA: '/a', LOCALAPPDATA: '/l' }, join('/a', 'srq'), join('/l', 'srq')],
  ['win32', { SRQ_CONFIG_DIR: '/own', APPDATA: '/a' }, '/own', join(HOME, 'AppData', 'Local', 'srq')],
  ['linux', { SRQ_STATE_DIR: '/own', SRQ_CONFIG_DIR: '' }, join(HOME, '.config', 'srq'), '/own'],
])('on %s with %j settings and state are where they have always been', (platform, env, config, state) => {
  expect(directories(env, platform, () => HOME)).toEqual({ config, state });
});

test('each profile has files of its own, the settings beside config.json and the rest in the state', () => {
  expect({
    ...stateFiles(join('/', 's'), 'shop'),
    ...settingsFiles(join('/', 'c', 'config.json'), 'shop'),
  }).toEqual({
    token: join('/', 's', 'shop.token.json'),
    learned: join('/', 's', 'shop.learned.json'),
    mappings: join('/', 'c', 'mappings', 'shop.json'),
    contract: join('/', 'c', 'contracts', 'shop.json'),
  });
});

test('a name that leads out of the folder of its files is no profile', () => {
  for (const name of ['a', 'Shop_2.test-x', '_', 'x'.repeat(64)]) expect(profileNamed(name)).toBe(name);
  for (const name of ['', '.', '..', '../a', 'a/b', 'a\\b', '-a', 'a b', 'a\n', 'x'.repeat(65)]) {
    expect(() => profileNamed(name)).toThrow(expect.objectContaining({ reason: 'profile.bad-name', code: 'usage' }));
  }
});
