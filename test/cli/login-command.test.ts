import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type LoginOptions, login } from '../../src/commands/login/run.ts';
import type { SrqError } from '../../src/request/errors.ts';
import type { Profile } from '../../src/settings/profile-store.ts';
import { contextOf, type Typed } from '../helpers/command-context.ts';
import { startScriptedService } from '../helpers/scripted-service.ts';
import { contractWith } from '../sandbox/contract-client.ts';

const STORE = 'postgres://leads@127.0.0.1/leads';
const SOURCE = { files: ['api.yaml'], title: 'Leads', kind: 'OpenAPI 3.1', learnedAt: '2026-01-01T00:00:00.000Z' };
const BY_KEY = {
  ...contractWith({}),
  source: SOURCE,
  auth: { kind: 'apiKey', in: 'header', name: 'X-Api-Key', prefix: '', value: 'k' },
};

type Scene = Parameters<typeof contextOf>[0] & {
  readonly profiles?: Readonly<Record<string, Profile>>;
  readonly contract?: object;
  readonly stdin?: string;
};

const grant = { status: 200, body: { access_token: 'a-token', expires_in: 3600 } };
const serviceOf = (token: object = grant) => startScriptedService({ token: () => token as never });

async function sceneOf({ profiles = {}, contract, stdin, ...scene }: Scene = {}) {
  const of = contextOf(scene);
  const store = await of.context.profiles();
  for (const [name, profile] of Object.entries(profiles)) await store.set(name, profile);
  const name = scene.options?.profile ?? 'default';
  if (contract !== undefined) {
    const path = join(of.home, 'config', 'contracts', `${name}.json`);
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    writeFileSync(path, JSON.stringify(contract), { mode: 0o600 });
  }
  if (stdin !== undefined) of.stdin.end(stdin);
  const run = (flags: LoginOptions = {}) => login(of.context, flags);
  const refused = (flags: LoginOptions): Promise<SrqError> =>
    run(flags).then(
      () => Promise.reject(new Error('It was expected to be refused.')),
      (error: SrqError) => error,
    );
  const token = join(of.home, 'state', `${name}.token.json`);
  const kept = () => (existsSync(token) ? JSON.parse(readFileSync(token, 'utf8')) : null);
  const document = () => {
    const { schemaVersion: _, ...rest } = JSON.parse(of.stdout());
    return rest;
  };
  return { ...of, store, run, refused, kept, document };
}

describe('srq login', () => {
  test('proves the credentials, keeps them with the token, and says what was done', async () => {
    const { baseUrl, tokens } = await serviceOf();
    const { run, store, kept, stdout, stderr } = await sceneOf({ env: { SRQ_CLIENT_SECRET: 'word' } });
    expect(await run({ baseUrl, clientId: '4711' })).toBe(0);
    expect([tokens().length, store.all()]).toEqual([
      1,
      { default: { baseUrl, clientId: '4711', clientSecret: 'word' } },
    ]);
    expect(kept()).toMatchObject({ baseUrl, clientId: '4711', accessToken: 'a-token', secretMark: expect.any(String) });
    expect(stderr()).toBe(`The client secret goes to ${baseUrl}/oauth/token for a token.\n`);
    expect(stdout()).toBe(
      `✓ The credentials work. Logged in to ${baseUrl} as client 4711 (profile default, test).\nNext: srq bulk FILE --dry-run\n`,
    );
  });

  test('tells a program what was proven, and until when', async () => {
    for (const [answer, expiresAt] of [
      [grant, expect.stringMatching(/^\d{4}-.*Z$/)],
      [{ status: 200, body: { access_token: 't' } }, null],
    ] as const) {
      const { baseUrl } = await serviceOf(answer);
      const { run, store, document } = await sceneOf({ env: { SRQ_CLIENT_SECRET: 'word' }, options: { json: true } });
      await run({ baseUrl, clientId: '4711' });
      expect(document()).toEqual({
        ...{
          profile: 'default',
          baseUrl,
          clientId: '4711',
          kind: 'test',
          expiresAt,
          config: store.path,
          contract: null,
        },
        ...{ auth: 'bearer', tokenAddress: `${baseUrl}/oauth/token`, proven: true, inForce: 'default' },
      });
    }
  });

  test.each<[LoginOptions, Record<string, string>, string | undefined, string, string]>([
    [{ clientId: '1', clientSecretStdin: true }, { SRQ_CLIENT_SECRET: 'other' }, 'word\nmore', '1', 'word'],
    [{ clientId: '1', clientSecretStdin: true }, {}, 'word\r\nmore', '1', 'word'],
    [{ clientId: '1', clientSecretStdin: true }, {}, 'word', '1', 'word'],
    [{ clientId: '1' }, { SRQ_CLIENT_ID: '2', SRQ_CLIENT_SECRET: 'word' }, undefined, '1', 'word'],
    [{}, { SRQ_CLIENT_ID: '2', SRQ_CLIENT_SECRET: 'word' }, 'unread', '2', 'word'],
  ])('takes %j with the environment %j and the input %j', async (flags, env, stdin, clientId, clientSecret) => {
    const { baseUrl, tokens } = await serviceOf();
    const scene = await sceneOf({ env: { ...env, SRQ_BASE_URL: baseUrl }, ...(stdin === undefined ? {} : { stdin }) });
    expect(await scene.run(flags)).toBe(0);
    expect(scene.store.get('default')).toEqual({ baseUrl, clientId, clientSecret });
    expect(tokens()[0]?.body).toContain(`client_secret=${clientSecret}`);
  });

  test('keeps a command in place of the secret that it prints', async () => {
    const { baseUrl, tokens } = await serviceOf();
    const { run, store } = await sceneOf();
    const secretCommand = `'${process.execPath}' -p "'printed'"`;
    await run({ baseUrl, clientId: '1', secretCommand });
    expect(store.get('default')).toEqual({ baseUrl, clientId: '1', secretCommand });
    expect(tokens()[0]?.body).toContain('client_secret=printed');
  });

  test('keeps what the flags say besides', async () => {
    const { baseUrl } = await serviceOf();
    const env = { SRQ_CLIENT_SECRET: 'word' };
    const { run, store } = await sceneOf({ env, options: { store: STORE } });
    await run({ baseUrl, clientId: '1', encoding: 'json', test: true, storePasswordCommand: 'print it' });
    expect(store.get('default')).toEqual({
      ...{ baseUrl, clientId: '1', clientSecret: 'word', encoding: 'json', test: true, store: STORE },
      storePasswordCommand: 'print it',
    });
  });

  test.each<[string, LoginOptions, Scene, RegExp]>([
    ['a rehearsal', {}, { options: { sandbox: true } }, /^--sandbox needs no login\.$/],
    ['two places', { keychain: true, secretCommand: 'x' }, {}, /^Choose either --keychain or --secret-command\.$/],
    ['no store', { storePasswordCommand: 'x' }, {}, /^--store-password-command needs --store\.$/],
    ['a bad store', {}, { options: { store: 'mysql://x' } }, /it does not begin with postgres:\/\/\.$/],
    [
      'a bad address',
      { baseUrl: 'http://api.example.com' },
      {},
      /to api\.example\.com unencrypted, so it is refused\.$/,
    ],
  ])('is refused for %s before anything is asked', async (_, flags, scene, message) => {
    const { refused, stderr } = await sceneOf({ ...scene, typed: [] });
    expect((await refused(flags)).message).toMatch(message);
    expect(stderr()).toBe('');
  });

  test.each<[LoginOptions, Record<string, string>, string]>([
    [
      {},
      {},
      '--base-url URL (or SRQ_BASE_URL); --client-id ID (or SRQ_CLIENT_ID); the client secret (SRQ_CLIENT_SECRET, --client-secret-stdin or --secret-command)',
    ],
    [{ baseUrl: 'http://127.0.0.1:9' }, { SRQ_CLIENT_SECRET: 'x' }, '--client-id ID (or SRQ_CLIENT_ID)'],
    [{ clientId: '1' }, { SRQ_CLIENT_SECRET: 'x' }, '--base-url URL (or SRQ_BASE_URL)'],
    [
      { clientId: '1' },
      { SRQ_BASE_URL: 'http://127.0.0.1:9' },
      'the client secret (SRQ_CLIENT_SECRET, --client-secret-stdin or --secret-command)',
    ],
  ])('with %j and %j names all that is missing: %s', async (flags, env, missing) => {
    expect(await (await sceneOf({ env })).refused(flags)).toMatchObject({
      ...{ reason: 'login.incomplete', message: `Missing: ${missing}.` },
    });
  });

  test('asks on a terminal for what is missing, and again where an answer cannot be', async () => {
    const { baseUrl, tokens } = await serviceOf();
    const typed: Typed[] = [
      [/Base URL: /, 'http://api.example.com\r'],
      [/https:\/\/api\.example\.com[\s\S]*Base URL: /, `${baseUrl}/oauth/token\r`],
      [/Client id: /, '\r'],
      [/It must not be empty\. Ctrl-C leaves without storing anything\.[\s\S]*Client id: /, '4711\r'],
      [/Client secret \(not shown\): /, '\r'],
      [/It must not be empty[\s\S]*Client secret \(not shown\): /, 'hidden-word\r'],
    ];
    const { run, store, stderr } = await sceneOf({ typed });
    expect(await run()).toBe(0);
    expect(store.get('default')).toEqual({ baseUrl, clientId: '4711', clientSecret: 'hidden-word' });
    expect([tokens().length, stderr().includes('hidden-word')]).toEqual([1, false]);
    expect(stderr()).toContain(`The base URL is ${baseUrl} without /oauth/token, which srq adds itself.`);
  });

  test('keeps nothing where the credentials are refused, and says so in words of its own', async () => {
    for (const [token, hint] of [
      [{ status: 401, body: { error: 'invalid_client' } }, /then log in again: srq login$/],
      [{ status: 404 }, /Check the base URL, and log in again: srq login --base-url URL$/],
    ] as const) {
      const { baseUrl } = await serviceOf(token);
      const before = { default: { baseUrl, clientId: '1', clientSecret: 'old' } };
      const { refused, store, kept } = await sceneOf({ env: { SRQ_CLIENT_SECRET: 'new' }, profiles: before });
      const error = await refused({ baseUrl, clientId: '1' });
      expect(error.message).toMatch(/\S Nothing was stored\.$/);
      expect(error.hint).toMatch(hint);
      expect([store.all(), kept()]).toEqual([before, null]);
    }
    const nobody = await (await sceneOf({ env: { SRQ_CLIENT_SECRET: 'x' } })).refused({
      baseUrl: 'http://127.0.0.1:1',
      clientId: '1',
    });
    expect([nobody.code, nobody.hint]).toEqual(['unreachable', expect.not.stringContaining('srq status')]);
    expect(nobody.hint).toMatch(/^Check host and port\. /);
  });

  test('under a contract with a key needs neither a secret nor an id, and says that nothing is proven', async () => {
    const { baseUrl, calls } = await serviceOf();
    const { run, store, kept, stdout } = await sceneOf({ contract: BY_KEY, options: { profile: 'shop' } });
    expect(await run({ baseUrl })).toBe(0);
    expect([calls().length, store.get('shop'), kept()]).toEqual([0, { baseUrl, clientId: 'api-key' }, null]);
    expect(stdout()).toBe(
      [
        `✓ Logged in to ${baseUrl} as client api-key (profile shop, test).`,
        'Its requests obey Leads (api.yaml).',
        'Nothing was sent, so nothing proves the credentials yet. That does: srq doctor --profile shop',
        'Next: srq bulk --profile shop FILE --dry-run',
        '',
      ].join('\n'),
    );
    const json = await sceneOf({ contract: BY_KEY, options: { json: true } });
    await json.run({ baseUrl, clientId: '7' });
    expect(json.document()).toMatchObject({
      clientId: '7',
      proven: false,
      auth: 'apiKey',
      tokenAddress: null,
      expiresAt: null,
    });
  });

  test('under a contract whose key a person has still to give asks for it by its name', async () => {
    const { baseUrl } = await serviceOf();
    const contract = { ...BY_KEY, auth: { ...BY_KEY.auth, value: null } };
    const typed: Typed[] = [[/Key for the header X-Api-Key \(not shown\): /, 'k\r']];
    const { run, store } = await sceneOf({ contract, typed });
    await run({ baseUrl });
    expect(store.get('default')).toEqual({ baseUrl, clientId: 'api-key', clientSecret: 'k' });
  });

  test('warns where the secret goes to another host', async () => {
    const { baseUrl } = await serviceOf();
    const other = (await serviceOf()).baseUrl;
    const contract = { ...contractWith({ token: { origin: other } }), source: SOURCE };
    const { run, stderr } = await sceneOf({ contract, env: { SRQ_CLIENT_SECRET: 'word' } });
    await run({ baseUrl, clientId: '1' });
    expect(stderr()).toBe(
      `! The client secret goes to ${other}/oauth/token, another host than that of the service, for a token.\n`,
    );
  });
});

describe('A login beside another one', () => {
  const LIVE: Profile = { baseUrl: 'https://api.example.com', clientId: '1', clientSecret: 'old' };

  test('does not become the one in force unasked, and says which one is', async () => {
    const { baseUrl } = await serviceOf();
    for (const use of [false, true]) {
      const scene = await sceneOf({
        profiles: { shop: LIVE },
        env: { SRQ_CLIENT_SECRET: 'w' },
        options: { profile: 'new' },
      });
      await scene.run({ baseUrl, clientId: '2', use });
      expect([Object.keys(scene.store.all()), scene.store.current()]).toEqual([['shop', 'new'], use ? 'new' : 'shop']);
      const told =
        'Commands without --profile use shop: https://api.example.com as client 1 (live).\nTo use this one instead: srq profile use new\n';
      expect(scene.stdout().includes(told)).toBe(!use);
      expect(scene.stdout().includes('profile use')).toBe(!use);
    }
  });

  test.each<[string, Profile, Scene, LoginOptions, boolean]>([
    ['another address', LIVE, {}, { clientId: '1' }, true],
    ['that is a test', { ...LIVE, test: true }, {}, { clientId: '1' }, false],
    ['that is named', LIVE, { options: { profile: 'default' } }, { clientId: '1' }, false],
    ['that the environment names', LIVE, { env: { SRQ_PROFILE: 'default' } }, { clientId: '1' }, false],
    ['that cannot be used', { ...LIVE, baseUrl: 'http://api.example.com' }, {}, { clientId: '1' }, false],
  ])('replaces the live one %s only if that is meant', async (_, before, scene, flags, isRefused) => {
    const { baseUrl, tokens } = await serviceOf();
    const env = { SRQ_CLIENT_SECRET: 'w', ...scene.env };
    const { run, refused, store } = await sceneOf({ ...scene, env, profiles: { default: before } });
    if (!isRefused) {
      expect(await run({ ...flags, baseUrl })).toBe(0);
      expect(store.get('default')?.baseUrl).toBe(baseUrl);
      return;
    }
    expect(await refused({ ...flags, baseUrl })).toMatchObject({
      reason: 'profile.leads-elsewhere',
      message:
        'Profile default is in force and leads elsewhere: https://api.example.com as client 1. Nothing was sent or stored.',
      hint: 'Keep both, under a new name: srq login --profile NAME    Or replace it: srq login --profile default',
    });
    expect([tokens().length, store.get('default')]).toEqual([0, before]);
  });

  test('of a live account for another client is refused, for the same one it is not', async () => {
    const { refused } = await sceneOf({ profiles: { default: LIVE }, env: { SRQ_CLIENT_SECRET: 'w' } });
    expect((await refused({ baseUrl: LIVE.baseUrl, clientId: '2' })).reason).toBe('profile.leads-elsewhere');
    const same = await sceneOf({
      ...{ profiles: { default: LIVE }, env: { SRQ_CLIENT_SECRET: 'w', HTTPS_PROXY: 'http://127.0.0.1:1' } },
    });
    expect((await same.refused({ baseUrl: LIVE.baseUrl, clientId: '1' })).code).toBe('unreachable');
  });

  test('for the same account keeps its settings, says so, and how to drop them', async () => {
    const { baseUrl } = await serviceOf();
    const before: Profile = {
      ...{ baseUrl, clientId: '1', clientSecret: 'old', store: STORE, storePasswordCommand: 'print it' },
      ...{ encoding: 'json', test: true },
    };
    const scene = await sceneOf({
      profiles: { default: before },
      env: { SRQ_CLIENT_SECRET: 'new' },
      options: { profile: 'default' },
    });
    await scene.run({ baseUrl, clientId: '1' });
    expect(scene.store.get('default')).toEqual({ ...before, clientSecret: 'new' });
    expect(scene.stderr().trimEnd().split('\n').slice(1)).toEqual([
      "Kept from the earlier login: its store, the command for the store's password, how requests are sent, that it is a test. To drop that: srq logout --profile default, then log in again.",
    ]);
    // What a flag says is not kept, but given.
    const given = await sceneOf({
      profiles: { default: { ...before, test: undefined } },
      env: { SRQ_CLIENT_SECRET: 'new' },
    });
    await given.run({ baseUrl, clientId: '1', encoding: 'form', storePasswordCommand: 'print other' });
    expect(given.store.get('default')).toMatchObject({
      encoding: 'form',
      store: STORE,
      storePasswordCommand: 'print other',
    });
    expect(given.stderr()).toContain('Kept from the earlier login: its store. To drop');
    const none = await sceneOf({
      profiles: { default: { baseUrl, clientId: '1' } },
      env: { SRQ_CLIENT_SECRET: 'new' },
    });
    await none.run({ baseUrl, clientId: '1' });
    expect(none.stderr()).not.toContain('Kept');
  });

  test('for another store hands no password of the first one on', async () => {
    const { baseUrl } = await serviceOf();
    const before: Profile = { baseUrl, clientId: '1', store: STORE, storePasswordCommand: 'print it' };
    for (const [store, command] of [
      [STORE, 'print it'],
      ['postgres://leads@127.0.0.1/other', undefined],
    ] as const) {
      const scene = await sceneOf({
        profiles: { default: before },
        env: { SRQ_CLIENT_SECRET: 'w' },
        options: { store },
      });
      await scene.run({ baseUrl, clientId: '1' });
      const kept = scene.store.get('default');
      expect([kept?.store, kept?.storePasswordCommand]).toEqual([store, command]);
    }
  });

  test('for another account keeps nothing of the first one, and warns of the log that it leaves', async () => {
    const { baseUrl } = await serviceOf();
    const before: Profile = { baseUrl, clientId: '1', store: STORE, encoding: 'json' };
    const options = { profile: 'shop' };
    const scene = await sceneOf({ profiles: { shop: before }, env: { SRQ_CLIENT_SECRET: 'w' }, options });
    await scene.run({ baseUrl, clientId: '2' });
    expect(scene.store.get('shop')).toEqual({ baseUrl, clientId: '2', clientSecret: 'w' });
    expect(scene.stderr()).toContain(
      `! Profile shop had its log in the store ${STORE}, for ${baseUrl} as client 1. For ${baseUrl} as client 2 it has no store: without SRQ_STORE, its log is a file. To have the store here as well, log in with: --store URL`,
    );
    for (const [profile, flags] of [
      [before, { ...options, store: STORE }],
      [{ baseUrl, clientId: '1' }, options],
    ] as const) {
      const quiet = await sceneOf({ profiles: { shop: profile }, env: { SRQ_CLIENT_SECRET: 'w' }, options: flags });
      await quiet.run({ baseUrl, clientId: '2' });
      expect(quiet.stderr()).not.toContain('had its log');
    }
  });

  test('removes a secret from the keychain that it replaces', async () => {
    const { baseUrl } = await serviceOf();
    const before: Profile = { baseUrl, clientId: '1', keychain: true };
    const { context, run, store, stderr } = await sceneOf({
      profiles: { default: before },
      env: { SRQ_CLIENT_SECRET: 'w' },
    });
    Object.assign(context.process, { execPath: '/nowhere/node' });
    await run({ baseUrl, clientId: '1' });
    expect(store.get('default')).toEqual({ baseUrl, clientId: '1', clientSecret: 'w' });
    expect(stderr()).toContain('The secret of profile default is still in the keychain, under "srq".');
  });

  test('tells that it closed a folder of settings that was open to others', async () => {
    const { baseUrl } = await serviceOf();
    const { home, run, stderr } = await sceneOf({ env: { SRQ_CLIENT_SECRET: 'w' } });
    mkdirSync(join(home, 'config'), { mode: 0o755 });
    await run({ baseUrl, clientId: '1' });
    expect(stderr()).toContain('was open to other users (mode 0755); its mode is 0700 now.');
  });
});

describe('A keychain that cannot be used', () => {
  async function attempted(typed?: readonly Typed[]) {
    const { baseUrl } = await serviceOf();
    const scene = await sceneOf({ env: { SRQ_CLIENT_SECRET: 'word' }, ...(typed ? { typed } : {}) });
    Object.assign(scene.context.process, { execPath: '/nowhere/node' });
    const flags = { baseUrl, clientId: '1', keychain: true };
    return { ...scene, baseUrl, flags };
  }

  test('ends a login without a terminal with nothing stored', async () => {
    const { refused, flags, store } = await attempted();
    expect(await refused(flags)).toMatchObject({
      code: 'settings',
      message: expect.stringMatching(/\S Nothing was stored\.$/),
    });
    expect(store.all()).toEqual({});
  });

  test('leaves it to a person whether the file of settings has the secret', async () => {
    const yes = await attempted([
      [/^[\s\S]*Store the secret in \S*config\.json \(mode 0600\) instead\? \[y\/N\] /, 'y\r'],
    ]);
    expect(await yes.run(yes.flags)).toBe(0);
    expect(yes.store.get('default')).toEqual({ baseUrl: yes.baseUrl, clientId: '1', clientSecret: 'word' });
    const no = await attempted([[/\[y\/N\] /, 'n\r']]);
    expect((await no.refused(no.flags)).message).toBe('The secret was not stored.');
    expect(no.store.all()).toEqual({});
  });
});
