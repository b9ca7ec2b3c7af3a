import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, type TestContext } from 'vitest';
import type { Contract } from '../../src/request/contract/contract.ts';
import { CANARY, secretsIn } from '../helpers/canary-secret.ts';
import { type Desk, test } from '../helpers/desk.ts';
import { leadsCsv, requestFor } from '../helpers/leads.ts';
import { type RecordedCall, type Recorder, startRecorder } from '../helpers/recorder.ts';
import { documentOf } from '../helpers/run-srq.ts';

type AtEnd = TestContext['onTestFinished'];

const LEAD = Object.fromEntries(
  ['country', 'lang', 'location', 'fullname', 'phone', 'email', 'request_text'].map((name) => [
    name,
    { type: 'string' },
  ]),
);
const content = (schema: object) => ({ 'application/json': { schema } });
const created = { 201: { description: 'Created', content: content({ properties: { lead_id: { type: 'string' } } }) } };
const clientBody = { properties: { grant_type: { enum: ['client_credentials'] }, client_id: {}, client_secret: {} } };

/** Writes a description of a service that creates leads, secured in this way. */
function describeService(desk: Desk, security: object, rest: object = {}, paths: object = {}): string {
  const create = { requestBody: { content: content({ properties: LEAD }) }, responses: created };
  const document = {
    openapi: '3.1.0',
    info: { title: 'Leads' },
    paths: { '/leads': { post: create }, ...paths },
    security: Object.keys(security).map((name) => ({ [name]: [] })),
    components: { securitySchemes: security },
    ...rest,
  };
  return desk.write('api.json', JSON.stringify(document));
}

const learnArgs = (file: string, ...more: string[]) => [
  'contract',
  'learn',
  file,
  '--operation',
  'create=POST /leads',
  '--operation',
  'validate=none',
  '--yes',
  ...more,
];
const loginArgs = (baseUrl: string, ...more: string[]) => [
  'login',
  '--base-url',
  baseUrl,
  '--client-secret-stdin',
  ...more,
];
const bulkArgs = (desk: Desk, count = 3) => ['bulk', desk.write('leads.csv', leadsCsv(count)), '--yes', '--json'];
const basicOf = ({ headers }: RecordedCall) =>
  Buffer.from((headers.authorization ?? '').replace('Basic ', ''), 'base64').toString();

/** A service that takes leads from callers whom it knows. */
const takesLeads = (atEnd: AtEnd, isKnown: (call: RecordedCall) => boolean, refusal = 401): Promise<Recorder> =>
  startRecorder(
    (call, count) => (isKnown(call) ? { status: 201, body: { lead_id: `L-${count}` } } : { status: refusal }),
    atEnd,
  );

describe.concurrent('Without a token', () => {
  test('A service with HTTP Basic is learned, logged in to, and gets the leads', async ({ desk, onTestFinished }) => {
    const service = await takesLeads(onTestFinished, (call) => basicOf(call) === `shop:${CANARY}`);
    const learned = await desk.call(...learnArgs(describeService(desk, { b: { type: 'http', scheme: 'basic' } })));
    expect(learned, learned.stderr).toMatchObject({ code: 0 });
    expect(learned.stderr).toContain('HTTP Basic');
    const login = await desk.start(loginArgs(service.origin, '--client-id', 'shop', '--json'), { stdin: CANARY }).ended;
    expect(documentOf(login)).toMatchObject({ auth: 'basic', tokenAddress: null, proven: false, expiresAt: null });
    expect(login.stderr).toContain(`goes with each request to ${service.origin}, as HTTP Basic`);
    expect(service.calls).toEqual([]);
    const status = await desk.call('status', '--json');
    expect(documentOf(status)).toMatchObject({ auth: 'basic', tokenAddress: null, secret: 'stored' });
    expect(documentOf(await desk.call(...bulkArgs(desk)))).toMatchObject({ created: 3, stopped: null });
    expect(service.calls.map(({ path }) => path)).toEqual(Array(3).fill('/leads'));
    const verbose = await desk.call('create', ...requestFor('pintar o teto'), '--verbose');
    expect(verbose.code, verbose.stderr).toBe(0);
    expect(verbose.stderr).toContain('authorization: Basic ***');
  });

  test.for([401, 403])(
    'Wrong credentials of a service without a token are reported as such: HTTP %i',
    async (refusal, { desk, onTestFinished }) => {
      const service = await takesLeads(onTestFinished, () => false, refusal);
      await desk.call(...learnArgs(describeService(desk, { b: { type: 'http', scheme: 'basic' } })));
      await desk.start(loginArgs(service.origin, '--client-id', 'shop'), { stdin: CANARY }).ended;
      const ended = await desk.call(...bulkArgs(desk));
      expect(ended.code).toBe(4);
      expect(documentOf(ended)).toMatchObject({
        created: 0,
        stopped: { message: expect.stringContaining('refused the credentials') },
      });
      expect(ended.stdout).toContain(`The service refused the credentials (HTTP ${refusal}).`);
      expect(ended.stdout + ended.stderr).not.toContain('token it had just issued');
      expect(service.calls.every(({ path }) => path === '/leads')).toBe(true);
    },
  );

  test('A key in the query is asked for by login alone, and shown nowhere', async ({ desk, onTestFinished }) => {
    const service = await takesLeads(onTestFinished, ({ query }) => query.get('api_key') === CANARY);
    const file = describeService(desk, { k: { type: 'apiKey', in: 'query', name: 'api_key' } });
    expect(await desk.call(...learnArgs(file))).toMatchObject({ code: 0 });
    const login = await desk.start(loginArgs(service.origin, '--json'), { stdin: CANARY }).ended;
    expect(documentOf(login)).toMatchObject({ auth: 'apiKey', clientId: 'api-key' });
    expect(documentOf(await desk.call(...bulkArgs(desk)))).toMatchObject({ created: 3 });
    const verbose = await desk.call('create', ...requestFor('pintar a porta'), '--verbose');
    expect(verbose.stderr).toContain('/leads?api_key=***');
  });

  test('A key given with the API description is kept there, asked for by nobody, and shown nowhere', async ({
    desk,
    onTestFinished,
  }) => {
    const key = 'k3y-of-the-partner-0815';
    const service = await takesLeads(onTestFinished, ({ headers }) => headers['x-partner'] === key);
    const file = describeService(desk, { k: { type: 'apiKey', in: 'header', name: 'X-Partner' } });
    const learned = await desk.call(...learnArgs(file, '--set', `X-Partner=@${desk.write('key.txt', `${key}\n`)}`));
    const login = await desk.call('login', '--base-url', service.origin);
    const status = await desk.call('status', '--json');
    expect(documentOf(status)).toMatchObject({ secret: 'contract', auth: 'apiKey' });
    const doctor = await desk.call('doctor');
    const bulk = await desk.call(...bulkArgs(desk));
    expect(documentOf(bulk)).toMatchObject({ created: 3 });
    const shown = await desk.call('contract', 'show', '--json');
    const verbose = await desk.call('create', ...requestFor('pintar a mesa'), '--verbose');
    for (const ended of [learned, login, status, doctor, bulk, shown, verbose]) {
      expect([ended.code, (ended.stdout + ended.stderr).includes(key)], ended.stderr).toEqual([0, false]);
    }
    const other = await desk.start(['create', ...requestFor('outra')], { env: { SRQ_BASE_URL: 'http://127.0.0.1:9' } })
      .ended;
    expect(other.stderr).toContain('holds keys for');
  });

  test.for([
    ['Basic', { type: 'http', scheme: 'basic' }],
    ['a key in a header', { type: 'apiKey', in: 'header', name: 'X-Api-Key' }],
    ['a key in the query', { type: 'apiKey', in: 'query', name: 'key' }],
  ] as const)(
    'A rehearsal of %s, and a sandbox for it, accept that way of authorization and no other',
    async ([, scheme], { desk, openSandbox }) => {
      const file = describeService(desk, { s: scheme });
      await desk.call(...learnArgs(file));
      expect(documentOf(await desk.call(...bulkArgs(desk), '--sandbox'))).toMatchObject({ created: 3 });
      const contract = documentOf(await desk.call('contract', 'show', '--json')) as unknown as Contract;
      const sandbox = await openSandbox({ contract, clientSecret: 'a-k3y-of-ascii' });
      const logInWith = (stdin: string) =>
        desk.start(loginArgs(sandbox.baseUrl, '--client-id', sandbox.clientId), { stdin }).ended;
      await logInWith('another-k3y');
      expect(documentOf(await desk.call(...bulkArgs(desk)))).toMatchObject({
        created: 0,
        stopped: { message: expect.stringContaining('refused the credentials') },
      });
      await logInWith('a-k3y-of-ascii');
      expect(documentOf(await desk.call(...bulkArgs(desk)))).toMatchObject({ created: 3, stopped: null });
      expect(
        sandbox
          .requests()
          .map(({ status }) => status)
          .slice(-3),
      ).toEqual([201, 201, 201]);
    },
  );

  test('A service that srq cannot be authorized at is refused before anything is kept', async ({ desk }) => {
    const flows = {
      authorizationCode: { authorizationUrl: 'https://a.example/a', tokenUrl: 'https://a.example/t', scopes: {} },
    };
    const ended = await desk.call(...learnArgs(describeService(desk, { o: { type: 'oauth2', flows } }), '--json'));
    expect(ended.code).toBe(2);
    expect(documentOf(ended)['error']).toMatchObject({
      message: expect.stringContaining('only a login for persons with a browser'),
    });
    expect(ended.stdout).toContain('Ask the service for client credentials');
    expect((await desk.call('contract', 'show')).stdout).toContain('# The public API.');
  });
});

describe.concurrent('A token host of its own', () => {
  const grants = (atEnd: AtEnd) =>
    startRecorder(() => ({ status: 200, body: { access_token: 'tok3n', expires_in: 600 } }), atEnd);
  const oauth = (tokenUrl: string) => ({
    o: { type: 'oauth2', flows: { clientCredentials: { tokenUrl, scopes: {} } } },
  });
  const takesTokens = (atEnd: AtEnd) => takesLeads(atEnd, ({ headers }) => headers.authorization === 'Bearer tok3n');
  const logIn = (desk: Desk, { origin }: Recorder, ...more: string[]) =>
    desk.start(loginArgs(origin, '--client-id', '7', ...more), { stdin: CANARY }).ended;

  test('A token host gets the secret only once a person has named it', async ({ desk, onTestFinished }) => {
    const [service, login] = [await takesTokens(onTestFinished), await grants(onTestFinished)];
    const address = `${login.origin}/sso/token`;
    const file = describeService(desk, oauth(address), { servers: [{ url: service.origin }] });
    const open = await desk.call(...learnArgs(file, '--json'));
    expect(open.code).toBe(2);
    expect(documentOf(open)['error']).toMatchObject({
      hint: expect.stringContaining("--operation 'token=POST /sso/token'"),
    });
    await logIn(desk, service);
    expect(login.calls).toEqual([]);

    const agreed = await desk.call(...learnArgs(file, '--operation', `token=${address}`, '--json'));
    expect(documentOf(agreed)).toMatchObject({ tokenAddress: address, contract: { token: { origin: login.origin } } });
    expect(agreed.stderr).toContain(`Tokens come from ${address}. The client secret is sent there, to another host`);
    expect(login.calls).toEqual([]);
    const loggedIn = await logIn(desk, service, '--json');
    expect(documentOf(loggedIn)).toMatchObject({ tokenAddress: address, proven: true });
    expect(loggedIn.stderr).toContain(`Tokens come from ${address}. The client secret is sent there, to another host`);
    expect(documentOf(await desk.call(...bulkArgs(desk)))).toMatchObject({ created: 3 });
    expect(login.calls.map(({ path }) => path)).toEqual(['/sso/token']);
    const toService = service.calls.filter(({ path }) => path === '/leads');
    expect([toService.length, secretsIn(JSON.stringify(toService))]).toEqual([3, []]);
    expect(documentOf(await desk.call('status', '--json'))).toMatchObject({ tokenAddress: address });
  });

  test('A token host gets nothing in a rehearsal, nor for another base URL', async ({ desk, onTestFinished }) => {
    const [service, login] = [await takesTokens(onTestFinished), await grants(onTestFinished)];
    const file = describeService(desk, oauth(`${login.origin}/token`), { servers: [{ url: service.origin }] });
    await desk.call(...learnArgs(file, '--operation', `token=${login.origin}/token`));
    expect(documentOf(await desk.call(...bulkArgs(desk), '--sandbox'))).toMatchObject({ created: 3 });
    expect([...login.calls, ...service.calls]).toEqual([]);
    await logIn(desk, service);
    const before = login.calls.length;
    const env = { SRQ_BASE_URL: 'http://127.0.0.1:9', SRQ_CLIENT_ID: '8', SRQ_CLIENT_SECRET: CANARY };
    const other = await desk.start(['create', ...requestFor('outra')], { env }).ended;
    expect(other.stderr).toContain('is not sent there');
    expect(login.calls).toHaveLength(before);
  });

  test('A token host is not reached by a redirect', async ({ desk, onTestFinished }) => {
    const login = await grants(onTestFinished);
    for (const status of [301, 302, 307, 308]) {
      const headers = { location: `${login.origin}/token` };
      const service = await startRecorder(() => ({ status, headers }), onTestFinished);
      await desk.call(...learnArgs(describeService(desk, oauth('/oauth/token')), '--json'));
      const ended = await logIn(desk, service);
      expect(ended.stderr).toContain(`The token endpoint redirects to ${new URL(login.origin).host} (HTTP ${status})`);
    }
    expect(login.calls).toEqual([]);
  });

  test('A token host from a description is never used unless its address was shown and agreed to', async ({
    desk,
    onTestFinished,
  }) => {
    const other = await grants(onTestFinished);
    const service = await startRecorder(
      ({ path }) => ({ status: 201, body: path.endsWith('token') ? { access_token: 'tok3n' } : { lead_id: path } }),
      onTestFinished,
    );
    const own = { '/oauth/token': { post: { requestBody: { content: content(clientBody) }, responses: {} } } };
    const elsewhere = { servers: [{ url: other.origin }] };
    const documents: [object, object, object][] = [
      [oauth(`${other.origin}/oauth/token`), {}, {}],
      [oauth(`//${new URL(other.origin).host}/oauth/token`), {}, {}],
      [{}, {}, { '/oauth/token': { ...own['/oauth/token'], ...elsewhere } }],
      [{}, {}, { '/oauth/token': { post: { ...own['/oauth/token'].post, ...elsewhere } } }],
      [{}, elsewhere, own],
      [oauth('/oauth/token'), elsewhere, own],
      [oauth('oauth/token'), { servers: [{ url: `${other.origin}/v1` }, { url: `${service.origin}/v1` }] }, {}],
      [oauth(`${other.origin}/oauth/token`), { servers: [{ url: other.origin }, { url: service.origin }] }, {}],
    ];
    for (const [security, rest, paths] of documents) {
      await desk.call('contract', 'forget');
      const learned = await desk.call(...learnArgs(describeService(desk, security, rest, paths)));
      const login = await logIn(desk, service);
      // Without a contract, requests go where the public document says.
      const bulk = learned.code === 0 ? [await desk.call(...bulkArgs(desk, 1))] : [];
      const shown = [learned, login, ...bulk].map(({ stdout, stderr }) => stdout + stderr).join('\n');
      for (const { path } of service.calls) expect(shown).toContain(path);
      for (const { path, body } of service.calls)
        if (secretsIn(body).length > 0) expect(shown).toContain(service.origin + path);
    }
    expect(other.calls).toEqual([]);
    expect(service.calls.length).toBeGreaterThan(documents.length);
  });
});

test('what is kept of an API description with a key is for its owner alone', async ({ desk }) => {
  const file = describeService(desk, { k: { type: 'apiKey', in: 'header', name: 'X-Api-Key' } });
  await desk.call(...learnArgs(file, '--set', `X-Api-Key=@${desk.write('key.txt', 'k3y')}`));
  const kept = JSON.parse(readFileSync(join(desk.config, 'contracts', 'default.json'), 'utf8'));
  expect(kept.auth).toEqual({ kind: 'apiKey', in: 'header', name: 'X-Api-Key', prefix: '', value: 'k3y' });
});
