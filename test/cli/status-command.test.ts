import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { systemClock } from '../../src/account/system-clock.ts';
import { logout } from '../../src/commands/logout.ts';
import { profileList, profileRemove, profileUse } from '../../src/commands/profile/run.ts';
import { status } from '../../src/commands/status.ts';
import type { Contract } from '../../src/request/contract.ts';
import { FileTokenCache } from '../../src/settings/account-files.ts';
import { contractPaths } from '../../src/settings/paths.ts';
import type { Profile } from '../../src/settings/profile-store.ts';
import { contextOf } from '../helpers/command-context.ts';
import { contractWith } from '../sandbox/contract-client.ts';

const SHOP: Profile = { baseUrl: 'https://api.example.com', clientId: '4711', clientSecret: 'word' };
const OFFICE: Profile = { baseUrl: 'http://127.0.0.1:9', clientId: '4712', secretCommand: 'print it' };
const NOW_MS = Date.parse('2026-11-21T12:00:00Z');
const BY_KEY: Contract = {
  ...contractWith({}),
  auth: { kind: 'apiKey', in: 'header', name: 'X-Api-Key', prefix: '', value: 'k' },
  source: { files: ['api.yaml'], title: 'Leads', kind: 'OpenAPI 3.1', learnedAt: '2026-11-20T00:00:00Z' },
};

type Scene = Parameters<typeof contextOf>[0] & {
  readonly profiles?: Readonly<Record<string, Profile>>;
  /** The contract of a profile, by its name. */
  readonly contracts?: Readonly<Record<string, object>>;
};

async function sceneOf({ profiles = {}, contracts = {}, ...scene }: Scene = {}) {
  const of = contextOf(scene);
  Object.assign(of.context, { clock: { ...systemClock, nowMs: () => NOW_MS } });
  const store = await of.context.profiles();
  for (const [name, profile] of Object.entries(profiles)) await store.set(name, profile);
  for (const [name, contract] of Object.entries(contracts)) {
    const { contract: path } = contractPaths(of.context.ownPaths(), name);
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    writeFileSync(path, JSON.stringify(contract), { mode: 0o600 });
  }
  const document = () => {
    const { schemaVersion: _, ...rest } = JSON.parse(of.stdout());
    return rest;
  };
  return { ...of, store, document };
}

const linesOf = (text: string) =>
  Object.fromEntries(text.split('\n').flatMap((line) => [/^(\S+(?: \S+)?) {2,}(.*)$/.exec(line)?.slice(1) ?? []]));

describe('srq status', () => {
  test('shows what is in force, where it comes from, and its places', async () => {
    const { context, home, stdout } = await sceneOf({ profiles: { default: SHOP } });
    expect(await status(context)).toBe(0);
    const text = stdout();
    expect(linesOf(text)).toEqual({
      ...{ profile: 'default', 'base URL': 'https://api.example.com', 'client id': '4711', secret: 'stored' },
      ...{ service: 'live, form', token: 'none', contract: 'what the public document says' },
      ...{ settings: join(home, 'config', 'config.json'), state: join(home, 'state') },
      log: join(home, 'state', 'default.ndjson'),
    });
    expect(text).toMatch(/\nThe client secret goes to https:\/\/api\.example\.com\/oauth\/token for a token\.\n$/);
  });

  test('says of each value that is not of the profile where it comes from', async () => {
    const env = { SRQ_BASE_URL: 'http://127.0.0.1:9', SRQ_CLIENT_ID: '7', SRQ_CLIENT_SECRET: 'word' };
    const { context, stdout } = await sceneOf({ profiles: { shop: SHOP }, env, options: { profile: 'shop' } });
    await status(context);
    expect(linesOf(stdout())).toMatchObject({
      ...{ profile: 'shop (flag)', 'base URL': 'http://127.0.0.1:9 (env)', 'client id': '7 (env)' },
      ...{ secret: 'env', service: 'test, form' },
    });
  });

  test.each<[string, Partial<Profile> | null, Record<string, string>, boolean]>([
    ['everything', null, {}, false],
    ['the secret', { clientSecret: undefined }, {}, false],
    ['the id and the secret', null, { SRQ_BASE_URL: 'http://127.0.0.1:9' }, false],
    ['nothing', {}, {}, true],
  ])('says where to log in if %s is missing', async (_, profile, env, isWhole) => {
    const profiles = profile === null ? {} : { default: { ...SHOP, ...profile } };
    const { context, stdout } = await sceneOf({ profiles, env, options: { profile: 'default' } });
    await status(context);
    const { secret, 'client id': id, service } = linesOf(stdout());
    expect(stdout().endsWith('Log in with: srq login --profile default\n')).toBe(!isWhole);
    expect(secret).toBe(isWhole ? 'stored' : 'missing');
    expect(id).toBe(profile === null ? 'missing' : '4711');
    expect(service === '-').toBe(profile === null && Object.keys(env).length === 0);
  });

  test.each([
    [null, 'none', null],
    [{ expiresAtMs: null }, 'valid', null],
    [{ expiresAtMs: NOW_MS + 1 }, 'valid', '2026-11-21T12:00:00.001Z'],
    [{ expiresAtMs: NOW_MS }, 'expired', '2026-11-21T12:00:00.000Z'],
    [{ expiresAtMs: NOW_MS - 1 }, 'expired', '2026-11-21T11:59:59.999Z'],
  ])('of the token %j says %s', async (token, state, expiresAt) => {
    for (const json of [true, false]) {
      const { context, home, stdout, document } = await sceneOf({ profiles: { default: SHOP }, options: { json } });
      if (token) {
        const cache = new FileTokenCache(join(home, 'state', 'default.token.json'), SHOP);
        cache.write({ accessToken: 't', obtainedAtMs: 0, ...token });
      }
      await status(context);
      if (json) expect(document().token).toEqual({ state, expiresAt });
      else expect(linesOf(stdout())['token']).toBe(expiresAt === null ? state : `${state} until ${expiresAt}`);
    }
  });

  test('of a token for another address says nothing', async () => {
    const { context, home, document } = await sceneOf({ profiles: { default: SHOP }, options: { json: true } });
    const cache = new FileTokenCache(join(home, 'state', 'default.token.json'), OFFICE);
    cache.write({ accessToken: 't', obtainedAtMs: 0, expiresAtMs: null });
    await status(context);
    expect(document().token.state).toBe('none');
  });

  test('for a program has all of it, and the sources', async () => {
    const { context, home, document } = await sceneOf({
      ...{ profiles: { default: { ...SHOP, test: true, encoding: 'json' } }, options: { json: true } },
    });
    await status(context);
    const [config, state] = [join(home, 'config', 'config.json'), join(home, 'state')];
    expect(document()).toEqual({
      ...{
        profile: 'default',
        baseUrl: SHOP.baseUrl,
        clientId: '4711',
        secret: 'stored',
        kind: 'test',
        encoding: 'json',
      },
      ...{ token: { state: 'none', expiresAt: null }, paths: { config, state, log: join(state, 'default.ndjson') } },
      ...{ contract: null, auth: 'bearer', tokenAddress: 'https://api.example.com/oauth/token' },
      sources: { profile: 'profile', baseUrl: 'profile', clientId: 'profile' },
    });
    const none = await sceneOf({ options: { json: true } });
    await status(none.context);
    expect(none.document()).toMatchObject({
      ...{ baseUrl: null, clientId: null, secret: 'missing', kind: 'test', tokenAddress: null },
      sources: { profile: 'profile', baseUrl: null, clientId: null },
    });
  });

  test('names a key of the contract as the secret', async () => {
    const { clientSecret: _, ...keyless } = SHOP;
    const scene = { profiles: { default: keyless }, contracts: { default: BY_KEY } };
    const { context, document } = await sceneOf({ ...scene, options: { json: true } });
    await status(context);
    expect(document()).toMatchObject({
      secret: 'contract',
      auth: 'apiKey',
      contract: BY_KEY.source,
      tokenAddress: null,
    });
    const shown = await sceneOf(scene);
    await status(shown.context);
    expect(linesOf(shown.stdout())).toMatchObject({ secret: 'contract', contract: 'Leads (api.yaml)' });
    expect(shown.stdout()).toMatch(
      /The key goes with each request to https:\/\/api\.example\.com, in the header X-Api-Key\./,
    );
    expect(shown.stdout()).not.toContain('Log in');
  });
});

describe('srq profile list', () => {
  test('shows each profile, what it is and where its secret is, and marks the one in force', async () => {
    const { clientSecret: _, ...keyless } = SHOP;
    const profiles = {
      ...{ shop: SHOP, office: OFFICE, chain: { ...keyless, keychain: true }, keyed: keyless, none: keyless },
      tested: { ...SHOP, test: true, secretCommand: 'x' },
    };
    const scene = { profiles, contracts: { keyed: BY_KEY, none: { broken: true } } };
    const { context, document } = await sceneOf({ ...scene, options: { json: true, profile: 'office' } });
    expect(await profileList(context)).toBe(0);
    expect(document().profiles.map((each: Record<string, unknown>) => Object.values(each))).toEqual([
      ['shop', false, SHOP.baseUrl, '4711', 'live', 'stored'],
      ['office', true, OFFICE.baseUrl, '4712', 'test', 'command'],
      ['chain', false, SHOP.baseUrl, '4711', 'live', 'keychain'],
      ['keyed', false, SHOP.baseUrl, '4711', 'live', 'contract'],
      ['none', false, SHOP.baseUrl, '4711', 'live', 'missing'],
      ['tested', false, SHOP.baseUrl, '4711', 'test', 'command'],
    ]);
    const shown = await sceneOf(scene);
    await profileList(shown.context);
    expect(shown.stdout()).toMatch(/^\* +shop +live +https:\/\/api\.example\.com +4711 +stored\n +office +test/);
    const wide = await sceneOf({ ...scene, options: { profile: 'keyed' } });
    Object.assign(wide.context.process.stdout, { isTTY: true, columns: 120 });
    await profileList(wide.context);
    expect(wide.stdout()).toMatch(/^ +name +kind +base URL +client id +secret\n(?:.*\n)*\* +keyed/);
  });

  test('needs no store, so it also shows a profile whose store cannot be one', async () => {
    const { clientSecret: _, ...keyless } = SHOP;
    const profiles = { shop: { ...keyless, store: 'mysql://nowhere' } };
    for (const env of [{}, { SRQ_STORE: 'mysql://nowhere' }]) {
      const { context, document } = await sceneOf({ profiles, env, options: { json: true } });
      expect(await profileList(context)).toBe(0);
      expect(document()).toMatchObject({ profiles: [{ name: 'shop', secret: 'missing' }] });
    }
  });

  test('says what to do where there is none', async () => {
    const { context, stdout } = await sceneOf();
    await profileList(context);
    expect(stdout()).toBe('No profiles are stored. Log in with: srq login\n');
  });
});

const NOT_THE_SANDBOX = { reason: 'flags.contradict', hint: expect.stringMatching(/^Leave it out: srq /) };

describe('srq profile use', () => {
  test('chooses the profile for the commands that name none, and says what it is', async () => {
    const { context, store, stdout, stderr } = await sceneOf({ profiles: { shop: SHOP, office: OFFICE } });
    expect(store.current()).toBe('shop');
    expect(await profileUse(context, 'office')).toBe(0);
    expect([store.current(), stderr()]).toEqual(['office', '']);
    expect(stdout()).toBe('Profile office is in use: http://127.0.0.1:9 as client 4712 (test).\n');
    const json = await sceneOf({ profiles: { shop: SHOP }, options: { json: true } });
    await profileUse(json.context, 'shop');
    expect(json.document()).toEqual({ profile: 'shop', kind: 'live', baseUrl: SHOP.baseUrl, clientId: '4711' });
  });

  test('warns where the environment names another', async () => {
    const { context, stderr } = await sceneOf({ profiles: { shop: SHOP }, env: { SRQ_PROFILE: 'office' } });
    await profileUse(context, 'shop');
    expect(stderr()).toMatch(/^! SRQ_PROFILE is set: as long as it is/);
  });

  test.each([
    ['shpo', ' Did you mean shop?'],
    ['nothing-like-it', ''],
    ['toString', ''],
  ])('refuses %s, which is none', async (name, guess) => {
    for (const command of [profileUse, profileRemove]) {
      const { context, store } = await sceneOf({ profiles: { shop: SHOP } });
      await expect(command(context, name)).rejects.toMatchObject({
        ...{ reason: 'profile.unknown', message: `There is no profile "${name}".${guess}` },
        hint: 'See what there is: srq profile list',
      });
      expect([store.current(), Object.keys(store.all())]).toEqual(['shop', ['shop']]);
    }
  });

  test('and the others that change a profile take no --sandbox', async () => {
    for (const command of [
      (of: Parameters<typeof logout>[0]) => profileUse(of, 'shop'),
      (of: Parameters<typeof logout>[0]) => profileRemove(of, 'shop'),
      logout,
    ]) {
      const { context, store } = await sceneOf({
        profiles: { shop: SHOP, office: OFFICE },
        options: { sandbox: true },
      });
      await expect(command(context)).rejects.toMatchObject(NOT_THE_SANDBOX);
      expect(Object.keys(store.all())).toEqual(['shop', 'office']);
    }
  });

  test('tells that it closed a folder of settings that was open to others', async () => {
    for (const command of [
      (of: Parameters<typeof logout>[0]) => profileUse(of, 'shop'),
      (of: Parameters<typeof logout>[0]) => profileRemove(of, 'shop'),
    ]) {
      const { context, home, stderr } = await sceneOf({ profiles: { shop: SHOP } });
      chmodSync(join(home, 'config'), 0o755);
      await command(context);
      expect(stderr()).toContain('was open to other users (mode 0755); its mode is 0700 now.');
    }
  });
});

/** Writes everything that is kept of a profile besides its settings. */
function keep(home: string, name: string): string[] {
  const files = [
    ...['token', 'learned', 'observed'].map((what) => join(home, 'state', `${name}.${what}.json`)),
    ...['mappings', 'contracts'].map((what) => join(home, 'config', what, `${name}.json`)),
    join(home, 'state', `${name}.ndjson`),
  ];
  for (const path of files) {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    writeFileSync(path, '', { mode: 0o600 });
  }
  return files;
}

const namesOf = (files: readonly string[]) =>
  files.filter((path) => existsSync(path)).map((path) => path.replace(/^.*\//, ''));

describe('srq profile remove', () => {
  test('forgets all of the profile but its log, and nothing of another', async () => {
    const { context, home, store, stdout } = await sceneOf({ profiles: { shop: SHOP, office: OFFICE } });
    const [ours, theirs] = [keep(home, 'shop'), keep(home, 'office')];
    expect(await profileRemove(context, 'shop')).toBe(0);
    expect([Object.keys(store.all()), namesOf(ours), namesOf(theirs).length]).toEqual([['office'], ['shop.ndjson'], 6]);
    const log = join(home, 'state', 'shop.ndjson');
    expect(stdout()).toBe(
      `Removed profile shop. Its log stays: ${log}\nCommands now need --profile (office). To choose a default: srq profile use NAME\n`,
    );
  });

  test('says which one is in force then', async () => {
    const { context, home, document } = await sceneOf({
      profiles: { shop: SHOP, office: OFFICE },
      options: { json: true },
    });
    await profileRemove(context, 'office');
    const log = join(home, 'state', 'office.ndjson');
    expect(document()).toEqual({ profile: 'office', removed: true, log, left: ['shop'], inForce: 'shop' });
  });
});

describe('srq logout', () => {
  test('forgets the credentials and the token, and keeps the log and what was learned', async () => {
    const { context, home, store, stdout } = await sceneOf({ profiles: { shop: SHOP, office: OFFICE } });
    const ours = keep(home, 'shop');
    expect(await logout(context)).toBe(0);
    expect([
      Object.keys(store.all()),
      ours.length - namesOf(ours).length,
      namesOf(ours).includes('shop.token.json'),
    ]).toEqual([['office'], 1, false]);
    expect(stdout()).toBe(
      `Logged out of profile shop. The log stays: ${join(home, 'state', 'shop.ndjson')}\nCommands now need --profile (office). To choose a default: srq profile use NAME\n`,
    );
  });

  test('of one that was not logged in says so', async () => {
    const { context, stdout } = await sceneOf({ profiles: { shop: SHOP }, options: { profile: 'new' } });
    expect(await logout(context)).toBe(0);
    expect(stdout()).toMatch(/^Profile new was not logged in\.\nCommands without --profile use shop: /);
    const json = await sceneOf({ options: { profile: 'new', json: true, log: '/a/b.ndjson' } });
    await logout(json.context);
    expect(json.document()).toEqual({ profile: 'new', removed: false, log: '/a/b.ndjson', inForce: null });
  });
});
