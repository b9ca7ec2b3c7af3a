import { EventEmitter } from 'node:events';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { GlobalOptions } from '../../src/cli/command.ts';
import { certificateFiles, connect, contractFor, destinationOf, proveNewCredentials } from '../../src/cli/connect.ts';
import { Interruption } from '../../src/cli/interruption.ts';
import { finishOnSignal, RequestSession } from '../../src/cli/session.ts';
import { type Contract, DOCUMENTED_CONTRACT } from '../../src/request/contract.ts';
import type { Sandbox } from '../../src/sandbox/server.ts';
import type { Settings } from '../../src/settings/settings.ts';
import { PREPARATION, submissionOf } from '../delivery/leads.ts';
import { contextOf } from '../helpers/command-context.ts';
import { contractWith } from '../sandbox/contract-client.ts';
import { sandboxWith } from '../sandbox/sandbox-client.ts';

const SHOP = { baseUrl: 'https://api.example.com', clientId: 'id', clientSecret: 's3cret' };
const SOURCE = { files: ['api.yaml'], title: 'Leads', kind: 'OpenAPI 3.1', learnedAt: '2026-11-20T00:00:00Z' };
const KEY = { kind: 'apiKey', in: 'header', name: 'x-key', prefix: '', value: 'own-key' } as const;
const learned = (changes: Parameters<typeof contractWith>[0] & { auth?: object } = {}): Contract =>
  ({ ...contractWith(changes), source: SOURCE }) as Contract;
const signedInAt = ({ baseUrl, clientId, clientSecret }: Pick<Sandbox, 'baseUrl' | 'clientId' | 'clientSecret'>) => ({
  ...{ SRQ_BASE_URL: baseUrl, SRQ_CLIENT_ID: clientId, SRQ_CLIENT_SECRET: clientSecret },
});

interface Given {
  readonly options?: GlobalOptions;
  readonly env?: Record<string, string>;
  readonly profile?: object | null;
  readonly contract?: Contract | null;
}

/** The context of a command whose profile `default` has these settings and this contract. */
async function contextWith({ options = {}, env = {}, profile = SHOP, contract = null }: Given = {}) {
  const of = contextOf({ options, env });
  if (profile !== null) await (await of.context.profiles()).set('default', profile as typeof SHOP);
  if (contract !== null) {
    mkdirSync(join(of.home, 'config', 'contracts'), { recursive: true, mode: 0o700 });
    writeFileSync(join(of.home, 'config', 'contracts', 'default.json'), JSON.stringify(contract), { mode: 0o600 });
  }
  return of;
}

describe('A command is logged in', () => {
  const secret = (state: string) => ({ state, read: async () => '' });
  const settingsOf = (baseUrl: boolean, clientId: boolean, isSecretThere: boolean) =>
    ({
      profile: { value: 'default', source: 'default' },
      baseUrl: baseUrl ? { value: SHOP.baseUrl, source: 'env' } : null,
      clientId: clientId ? { value: 'id', source: 'env' } : null,
      secret: secret(isSecretThere ? 'stored' : 'missing'),
      otherProfiles: [],
    }) as unknown as Settings;
  const BY_KEY = learned({ auth: KEY });

  test.each<[boolean, boolean, boolean, Contract, string | null]>([
    [true, true, true, DOCUMENTED_CONTRACT, null],
    [true, true, false, BY_KEY, null],
    [true, true, false, DOCUMENTED_CONTRACT, 'client secret is missing'],
    [true, false, true, DOCUMENTED_CONTRACT, 'client id is missing'],
    [false, true, true, DOCUMENTED_CONTRACT, 'base URL is missing'],
    [false, false, false, DOCUMENTED_CONTRACT, 'base URL, client id, client secret are missing'],
    [false, true, false, BY_KEY, 'base URL is missing'],
  ])(
    'with the base URL: %j, the client id: %j, the secret: %j',
    (baseUrl, clientId, isSecretThere, contract, missing) => {
      const destination = () => destinationOf(settingsOf(baseUrl, clientId, isSecretThere), contract);
      if (missing === null) expect(destination()).toEqual({ baseUrl: SHOP.baseUrl, clientId: 'id' });
      else
        expect(destination).toThrow(
          expect.objectContaining({ reason: 'auth.missing', message: `You are not logged in: ${missing}.` }),
        );
    },
  );
});

describe('The contract of a profile', () => {
  const OTHER = 'https://other.example.com';
  const elsewhere = learned({ token: { origin: 'https://login.example.com' } });

  test.each<[string, Contract | null, object | null, string, string | null]>([
    ['that was learned', learned(), SHOP, OTHER, null],
    ['with a key', learned({ auth: KEY }), SHOP, SHOP.baseUrl, null],
    ['with a key', learned({ auth: KEY }), null, OTHER, null],
    [
      ...(['with a key', learned({ auth: KEY }), SHOP, OTHER] as const),
      'The contract of profile default holds keys for https://api.example.com; they are not sent to https://other.example.com.',
    ],
    ['with tokens of another host', elsewhere, SHOP, SHOP.baseUrl, null],
    [
      ...(['with tokens of another host', elsewhere, SHOP, OTHER] as const),
      'The contract of profile default has tokens of https://api.example.com issued at https://login.example.com; the secret for https://other.example.com is not sent there.',
    ],
    ['with tokens of the service itself', learned({ token: { origin: 'service' } }), SHOP, OTHER, null],
    ['that is none', null, SHOP, OTHER, null],
  ])('%s is used at another address only if nothing secret goes there', async (_, contract, profile, at, message) => {
    const { context } = await contextWith({ contract, profile });
    if (message === null) await expect(contractFor(context, at)).resolves.toMatchObject({ version: 1 });
    else
      await expect(contractFor(context, at)).rejects.toMatchObject({
        ...{ reason: 'contract.other-service', message, hint: expect.stringContaining('srq contract learn FILE') },
      });
  });

  test('has its path before those of its operations where the base URL lacks it', async () => {
    const contract = learned({ basePath: '/partner' });
    const { context } = await contextWith({ contract });
    expect([(await context.contract()).create.path, await context.basePath()]).toEqual([
      '/partner/v1/request/create',
      '/partner',
    ]);
    expect((await context.contract(`${SHOP.baseUrl}/partner`)).create.path).toBe('/v1/request/create');
    const nowhere = await contextWith({ contract, profile: null });
    expect((await nowhere.context.contract()).create.path).toBe('/v1/request/create');
    const none = await contextWith();
    expect([(await none.context.contract()).source, await none.context.basePath()]).toEqual([null, '']);
  });

  test('is read again once a command has stored another one', async () => {
    const { context, home } = await contextWith({ contract: learned() });
    expect((await context.contract()).source?.title).toBe('Leads');
    const path = join(home, 'config', 'contracts', 'default.json');
    writeFileSync(path, JSON.stringify({ ...learned(), source: { ...SOURCE, title: 'Newer' } }), { mode: 0o600 });
    expect((await context.contract()).source?.title).toBe('Leads');
    context.contractChanged();
    expect((await context.contract()).source?.title).toBe('Newer');
  });

  test('is that of the public document in the encoding of the profile, if none was learned', async () => {
    const { context } = await contextWith({ profile: { ...SHOP, encoding: 'json' } });
    expect((await context.contract()).create.encoding).toBe('json');
  });

  test('in a rehearsal sends no secret to another host, has no path, and may be that of no profile', async () => {
    const contract = learned({ basePath: '/partner', token: { origin: 'https://login.example.com' } });
    const { context } = await contextWith({ contract, options: { sandbox: true } });
    expect([(await context.contract()).token.origin, await context.basePath()]).toEqual(['service', '']);
    const unnamed = contextOf({ options: { sandbox: true, profile: '../a' } }).context;
    expect([(await unnamed.contract()).source, await unnamed.mappings()]).toEqual([null, null]);
    const named = contextOf({ options: { profile: '../a' } }).context;
    await expect(named.contract()).rejects.toMatchObject({ reason: 'profile.bad-name' });
    await expect(named.mappings()).rejects.toMatchObject({ reason: 'profile.bad-name' });
  });
});

describe('The base URL', () => {
  test('that a login gives goes before those that it replaces', async () => {
    const { context } = await contextWith({ env: { SRQ_BASE_URL: 'no address' } });
    await expect(context.settings()).rejects.toMatchObject({ reason: 'address.invalid' });
    context.replaceBaseUrl('https://new.example.com');
    expect((await context.settings()).baseUrl).toMatchObject({ value: 'https://new.example.com' });
    context.replaceBaseUrl('https://newer.example.com');
    expect((await context.settings()).baseUrl).toMatchObject({ value: 'https://newer.example.com' });
  });

  test.each([
    ['https://api.example.com/v1', DOCUMENTED_CONTRACT, 'https://api.example.com'],
    ['https://api.example.com/oauth/token', DOCUMENTED_CONTRACT, 'https://api.example.com'],
    ['https://api.example.com/partner', learned({ basePath: '/partner' }), 'https://api.example.com/partner'],
    ['https://api.example.com/sub', DOCUMENTED_CONTRACT, 'https://api.example.com/sub'],
  ])(
    '%s of the environment is used without what srq adds itself, which is said once',
    async (given, contract, used) => {
      const env = { SRQ_BASE_URL: given };
      const { context, stderr } = await contextWith({ env, contract: contract.source ? contract : null });
      for (let times = 0; times < 2; times++) expect(await context.withoutPath(given)).toBe(used);
      expect((await context.settings()).baseUrl?.value).toBe(used);
      const said = `The base URL is ${used} without ${given.slice(used.length)}, which srq adds itself.\n`;
      expect(stderr()).toBe(used === given ? '' : said);
    },
  );
});

describe('A connection of a command', () => {
  const OPTIONS = { rate: 'max', concurrency: 1, audio: PREPARATION.audio } as const;
  const proxied = { ...signedInAt(SHOP) };
  const [ONE, OTHER] = ['http://one.example:3128', 'http://other.example:3128'];

  test.each<[Record<string, string>, string | null]>([
    [{}, null],
    [{ HTTPS_PROXY: ONE }, ONE],
    [{ https_proxy: ONE, HTTPS_PROXY: OTHER }, ONE],
    [{ https_proxy: '', HTTPS_PROXY: OTHER }, OTHER],
    [{ HTTPS_PROXY: ONE, NO_PROXY: 'api.example.com' }, null],
    [{ HTTPS_PROXY: ONE, no_proxy: 'api.example.com', NO_PROXY: 'x.example' }, null],
    [{ HTTPS_PROXY: ONE, no_proxy: 'x.example', NO_PROXY: 'api.example.com' }, ONE],
    [{ HTTPS_PROXY: ONE, no_proxy: '', NO_PROXY: 'api.example.com' }, null],
  ])('with the environment %j has the proxy %j', async (env, proxy) => {
    const { context } = await contextWith({ env: { ...proxied, ...env } });
    const connection = await connect(context, OPTIONS);
    expect([connection.network.proxy?.url ?? null, connection.isProxied]).toEqual([proxy, proxy !== null]);
    expect(connection.network.secureContext).toBeNull();
  });

  test('checks certificates, and knows its own by flags before those of the profile', async () => {
    const unchecked = await contextWith({ env: { NODE_TLS_REJECT_UNAUTHORIZED: '0' } });
    await expect(connect(unchecked.context, OPTIONS)).rejects.toMatchObject({
      ...{ reason: 'certificate.unchecked', hint: expect.stringContaining('name its file: --ca-file FILE') },
    });
    const profile = { ...SHOP, caFile: '/none/of-profile.pem' };
    const refused = async (options: GlobalOptions) =>
      connect((await contextWith({ options, profile })).context, OPTIONS).catch((error: Error) => error.message);
    expect(await refused({})).toContain('/none/of-profile.pem cannot be read');
    expect(await refused({ caFile: 'none/of-flag.pem' })).toContain(`${resolve('none/of-flag.pem')} cannot be read`);
  });

  test('keeps the secret and the passphrase of the key out of reports', async () => {
    const { context } = await contextWith({ env: { SRQ_KEY_PASSPHRASE: 'pa55' } });
    await connect(context, OPTIONS);
    expect(context.redacted('s3cret and pa55 and id')).toBe('*** and *** and id');
    const without = await contextWith({ env: { SRQ_KEY_PASSPHRASE: '' } });
    await connect(without.context, OPTIONS);
    expect(without.context.redacted('s3cret and pa55')).toBe('*** and pa55');
  });

  test('needs a login', async () => {
    const { context } = await contextWith({ profile: null });
    await expect(connect(context, OPTIONS)).rejects.toMatchObject({ reason: 'auth.missing' });
  });

  test('shows its calls with --verbose alone, each as a whole, and tells them to whom it may concern', async () => {
    const sandbox = await sandboxWith();
    for (const [options, isShown] of [
      [{ verbose: true }, true],
      [{}, false],
    ] as const) {
      const { context, stderr } = await contextWith({ options, env: signedInAt(sandbox), profile: null });
      const watched: string[] = [];
      const connection = await connect(context, { ...OPTIONS, watch: ({ url }) => watched.push(url) });
      await connection.proveCredentials();
      expect(watched).toEqual([`${sandbox.baseUrl}/oauth/token`]);
      expect(/^> POST .*\/oauth\/token\n[\s\S]*< HTTP 200/.test(stderr())).toBe(isShown);
      expect(stderr()).not.toContain(sandbox.clientSecret);
    }
  });

  test('gives a call up after the seconds of --timeout', async () => {
    const sandbox = await sandboxWith({ latencyMs: 700 });
    const { context } = await contextWith({ options: { timeout: 0.1 }, env: signedInAt(sandbox), profile: null });
    await expect((await connect(context, OPTIONS)).proveCredentials()).rejects.toMatchObject({ code: 'unreachable' });
    const patient = await contextWith({ env: signedInAt(sandbox), profile: null });
    await expect((await connect(patient.context, OPTIONS)).proveCredentials()).resolves.toMatchObject({
      accessToken: expect.any(String),
    });
  });

  test('proves new credentials without those of the profile', async () => {
    const sandbox = await sandboxWith();
    const { context } = await contextWith();
    const { baseUrl, clientId, clientSecret } = sandbox;
    const destination = { baseUrl, clientId };
    expect(await proveNewCredentials(context, destination, clientSecret, {})).toMatchObject({
      accessToken: expect.any(String),
    });
    expect(context.redacted(clientSecret)).toBe('***');
    await expect(proveNewCredentials(context, destination, 'wrong', {})).rejects.toMatchObject({ code: 'auth' });
    const unreadable = proveNewCredentials(context, destination, clientSecret, { caFile: '/none.pem' });
    await expect(unreadable).rejects.toMatchObject({ reason: 'certificate.unusable' });
  });

  test.each([
    ['/request_id', { confirmed: 1, contradicted: 0 }],
    ['/another', { confirmed: 0, contradicted: 1 }],
  ])(
    'notes at its end what answers showed of a contract that names %s, and warns of what they contradict',
    async (...[pointer, seen]) => {
      const sandbox = await sandboxWith();
      const contract = learned({ create: { identifiers: [{ name: 'id', pointer }] } });
      const options = { profile: 'default' };
      const { context, home, stderr } = await contextWith({
        options,
        env: signedInAt(sandbox),
        profile: null,
        contract,
      });
      const { api } = await connect(context, OPTIONS);
      const { request, key } = submissionOf('Paint the wall');
      expect(await api.create(request, async () => true, { key, idempotencyKey: key })).toMatchObject({
        outcome: { status: 'created' },
      });
      await context.close();
      const observed = JSON.parse(readFileSync(join(home, 'state', 'default.observed.json'), 'utf8'));
      expect(observed.settings).toEqual({ 'create.identifiers': seen });
      const warned = /The service does not answer as the contract says: .* srq contract learn --profile default FILE/;
      expect(warned.test(stderr())).toBe(seen.contradicted > 0);
    },
  );

  test('has the files of certificates by their whole paths', () => {
    expect(certificateFiles({ caFile: 'a.pem', cert: '/b.pem', key: 'c/d.pem' })).toEqual({
      ...{ caFile: resolve('a.pem'), certFile: '/b.pem', keyFile: resolve('c/d.pem') },
    });
    expect(certificateFiles({})).toEqual({});
  });
});

describe('The session of a command', () => {
  const { audio } = PREPARATION;
  const both = ['create', 'validate'] as const;

  test('needs a login, but where nothing is sent: then it has what is known', async () => {
    const use = { audio, operations: both };
    const { context } = await contextWith({ profile: null, env: { SRQ_CLIENT_ID: 'known' } });
    await expect(RequestSession.open(context, use)).rejects.toMatchObject({ reason: 'auth.missing' });
    const session = await RequestSession.open(context, { ...use, needsNoLogin: true });
    expect(session.preparation.destination).toEqual({ baseUrl: '', clientId: 'known' });
    const known = await RequestSession.open((await contextWith()).context, { ...use, needsNoLogin: true });
    expect(known.preparation.destination).toEqual({ baseUrl: SHOP.baseUrl, clientId: 'id' });
  });

  test.each([
    [false, true, both, ['create'], true],
    [false, true, ['create'], ['create'], false],
    [false, false, both, both, false],
    [true, true, both, both, false],
    [null, true, both, both, false],
  ] as const)('where validate is there: %j, and may be missing: %j, of %j takes %j', async (...given) => {
    const [hasValidate, isAsOffered, operations, taken, isWarned] = given;
    const { context, stderr } = await contextWith({ contract: learned({ hasValidate }) });
    const session = await RequestSession.open(context, { audio, operations, isAsOffered });
    expect(session.preparation.operations).toEqual(taken);
    expect(session.validates).toBe(taken.some((name) => name === 'validate'));
    expect(stderr().includes('The contract says that the service has no validate')).toBe(isWarned);
  });

  test('is strict only if that is said, and reads recordings as it was told last', async () => {
    const { context } = await contextWith();
    const session = await RequestSession.open(context, { audio, operations: both });
    expect([session.preparation.strict, session.preparation.audio]).toEqual([false, audio]);
    const other = { ...audio };
    expect(session.withAudio(other).preparation).toEqual({ ...session.preparation, audio: other });
    expect(session.withAudio(other).preparation.audio).toBe(other);
    const strict = await RequestSession.open(context, { audio, operations: both, strict: true });
    expect(strict.preparation.strict).toBe(true);
  });

  test.each<[string, Given, string]>([
    ['live', {}, 'To https://api.example.com as client id (profile default, live)'],
    ['test', { profile: { ...SHOP, test: true } }, 'To https://api.example.com as client id (profile default, test)'],
    [
      'by a contract',
      { contract: learned() },
      'To https://api.example.com as client id (profile default, live) by Leads (api.yaml)',
    ],
    ['to a program', { options: { json: true } }, ''],
    ['quietly', { options: { quiet: true } }, ''],
  ])('says where it sends, %s', async (_, given, said) => {
    const { context, stderr } = await contextWith(given);
    await (await RequestSession.open(context, { audio, operations: both })).sayDestination();
    expect(stderr()).toBe(said === '' ? '' : `${said}\n`);
  });

  test.each([
    [null, 'the sandbox in this process'],
    [learned(), 'the sandbox in this process, made from the contract'],
  ])('says that it rehearses: %#', async (contract, kind) => {
    const { context } = await contextWith({ options: { sandbox: true }, contract });
    const { destinationText } = await RequestSession.open(context, { audio, operations: both });
    expect(destinationText).toMatch(new RegExp(`^http://127\\.0\\.0\\.1:\\d+ as client \\S+ \\(${kind}\\)$`));
  });

  test('connects, and reads the log, without making one', async () => {
    const { context, home } = await contextWith();
    const session = await RequestSession.open(context, { audio, operations: both });
    const log = await session.logReader();
    const { key } = submissionOf('Paint the wall');
    await log.prefetch([key]);
    expect([log.lookup(key), existsSync(join(home, 'state', 'default.ndjson'))]).toEqual(['none', false]);
    expect(await session.connect({ rate: 'max', concurrency: 2 })).toMatchObject({
      destination: { baseUrl: SHOP.baseUrl, clientId: 'id' },
    });
  });

  test('closes the log that it reads with the command', async () => {
    const { context } = await contextWith();
    let closed = 0;
    const close = async () => {
      closed += 1;
    };
    Object.assign(context, { logStore: async () => ({ openReader: async () => ({ close }) }) });
    await (await RequestSession.open(context, { audio, operations: both })).logReader();
    expect(closed).toBe(0);
    await context.close();
    expect(closed).toBe(1);
  });

  test('finishes what was sent at the first signal, and says so', async () => {
    const signalled = new EventEmitter();
    const interruption = new Interruption(signalled as never);
    const warned: string[] = [];
    const reporter = async () => ({ warn: (message: string) => warned.push(message) });
    await finishOnSignal({ interruption, reporter } as never);
    expect([warned, interruption.halt.signal.aborted]).toEqual([[], false]);
    signalled.emit('SIGINT');
    expect(warned).toEqual(['Finishing what was sent; press Ctrl-C again to stop at once.']);
    expect(interruption.halt.signal.aborted).toBe(true);
  });
});

describe('The sandbox in the process of a command', () => {
  const isOpen = (baseUrl: string) =>
    fetch(baseUrl, { headers: { accept: 'text/html' } }).then(
      ({ status }) => status,
      () => 'closed',
    );

  test.each([
    [{ sandbox: true }, 404],
    [{ sandbox: true, keep: true }, 200],
    [{ sandbox: true, keep: false }, 404],
  ])('with %j answers a browser with %i, and closes with the command', async (options, status) => {
    const { context } = await contextWith({ options });
    const settings = await context.settings();
    expect(settings).toMatchObject({
      ...{ profile: { value: 'sandbox' }, ownBaseUrl: null, live: false, encoding: 'form', otherProfiles: [] },
      ...{ certificates: {}, secret: { state: 'stored' } },
    });
    expect(await context.settings()).toBe(settings);
    const { value = '' } = settings.baseUrl ?? {};
    expect(await isOpen(value)).toBe(status);
    expect(
      await (await connect(context, { rate: 'max', concurrency: 1, audio: PREPARATION.audio })).proveCredentials(),
    ).not.toBeNull();
    await context.close();
    expect(await isOpen(value)).toBe('closed');
  });
});
