import { describe, expect, type TestContext } from 'vitest';
import { CANARY, secretsIn } from '../helpers/canary-secret.ts';
import { type Desk, test } from '../helpers/desk.ts';
import { leadsCsv, requestFor } from '../helpers/leads.ts';
import { documentOf } from '../helpers/run-srq.ts';
import { type ScriptedService, startScriptedService } from '../helpers/scripted-service.ts';

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

describe.concurrent('A token host of its own', () => {
  const grants = (atEnd: AtEnd) =>
    startScriptedService({ other: () => ({ status: 200, body: { access_token: 'tok3n', expires_in: 600 } }) }, atEnd);
  const oauth = (tokenUrl: string) => ({
    o: { type: 'oauth2', flows: { clientCredentials: { tokenUrl, scopes: {} } } },
  });
  const takesTokens = (atEnd: AtEnd) =>
    startScriptedService(
      {
        other: ({ headers, number }) =>
          headers.authorization === 'Bearer tok3n'
            ? { status: 201, body: { lead_id: `L-${number}` } }
            : { status: 401 },
      },
      atEnd,
    );
  const logIn = (desk: Desk, { baseUrl }: ScriptedService, ...more: string[]) =>
    desk.pipe(CANARY, ...loginArgs(baseUrl, '--client-id', '7', ...more));

  test('A token host gets the secret only once a person has named it', async ({ desk, onTestFinished }) => {
    const [service, login] = [await takesTokens(onTestFinished), await grants(onTestFinished)];
    const address = `${login.baseUrl}/sso/token`;
    const file = describeService(desk, oauth(address), { servers: [{ url: service.baseUrl }] });
    const open = await desk.call(...learnArgs(file, '--json'));
    expect(open.code).toBe(2);
    expect(documentOf(open)['error']).toMatchObject({
      hint: expect.stringContaining("--operation 'token=POST /sso/token'"),
    });
    await logIn(desk, service);
    expect(login.calls()).toEqual([]);

    const agreed = await desk.call(...learnArgs(file, '--operation', `token=${address}`, '--json'));
    expect(documentOf(agreed)).toMatchObject({ tokenAddress: address, contract: { token: { origin: login.baseUrl } } });
    expect(agreed.stderr).toContain(`Tokens come from ${address}. The client secret is sent there, to another host`);
    expect(login.calls()).toEqual([]);
    const loggedIn = await logIn(desk, service, '--json');
    expect(documentOf(loggedIn)).toMatchObject({ tokenAddress: address });
    expect(loggedIn.stderr).toContain(`Tokens come from ${address}. The client secret is sent there, to another host`);
    expect(documentOf(await desk.call(...bulkArgs(desk)))).toMatchObject({ created: 3 });
    expect(login.calls().map(({ path }) => path)).toEqual(['/sso/token']);
    const toService = service.calls().filter(({ path }) => path === '/leads');
    expect([toService.length, secretsIn(JSON.stringify(toService))]).toEqual([3, []]);
    expect(documentOf(await desk.call('status', '--json'))).toMatchObject({ tokenAddress: address });
  });

  test('A token host gets nothing in a rehearsal, nor for another base URL', async ({ desk, onTestFinished }) => {
    const [service, login] = [await takesTokens(onTestFinished), await grants(onTestFinished)];
    const file = describeService(desk, oauth(`${login.baseUrl}/token`), { servers: [{ url: service.baseUrl }] });
    await desk.call(...learnArgs(file, '--operation', `token=${login.baseUrl}/token`));
    expect(documentOf(await desk.call(...bulkArgs(desk), '--sandbox'))).toMatchObject({ created: 3 });
    expect([...login.calls(), ...service.calls()]).toEqual([]);
    await logIn(desk, service);
    const before = login.calls().length;
    const env = { SRQ_BASE_URL: 'http://127.0.0.1:9', SRQ_CLIENT_ID: '8', SRQ_CLIENT_SECRET: CANARY };
    const other = await desk.start(['create', ...requestFor('outra')], { env }).ended;
    expect(other.stderr).toContain('is not sent there');
    expect(login.calls()).toHaveLength(before);
  });

  test('A token host from a description is never used unless its address was shown and agreed to', async ({
    desk,
    onTestFinished,
  }) => {
    const other = await grants(onTestFinished);
    const service = await startScriptedService(
      {
        other: ({ path }) => ({
          status: 201,
          body: path.endsWith('token') ? { access_token: 'tok3n' } : { lead_id: path },
        }),
      },
      onTestFinished,
    );
    const own = { '/oauth/token': { post: { requestBody: { content: content(clientBody) }, responses: {} } } };
    const elsewhere = { servers: [{ url: other.baseUrl }] };
    const documents: [object, object, object][] = [
      [oauth(`${other.baseUrl}/oauth/token`), {}, {}],
      [oauth(`//${new URL(other.baseUrl).host}/oauth/token`), {}, {}],
      [{}, {}, { '/oauth/token': { ...own['/oauth/token'], ...elsewhere } }],
      [{}, {}, { '/oauth/token': { post: { ...own['/oauth/token'].post, ...elsewhere } } }],
      [{}, elsewhere, own],
      [oauth('/oauth/token'), elsewhere, own],
      [oauth('oauth/token'), { servers: [{ url: `${other.baseUrl}/v1` }, { url: `${service.baseUrl}/v1` }] }, {}],
      [oauth(`${other.baseUrl}/oauth/token`), { servers: [{ url: other.baseUrl }, { url: service.baseUrl }] }, {}],
    ];
    for (const [security, rest, paths] of documents) {
      await desk.call('contract', 'forget');
      const learned = await desk.call(...learnArgs(describeService(desk, security, rest, paths)));
      const login = await logIn(desk, service);
      // Without a contract, requests go where the public document says.
      const bulk = learned.code === 0 ? [await desk.call(...bulkArgs(desk, 1))] : [];
      const shown = [learned, login, ...bulk].map(({ stdout, stderr }) => stdout + stderr).join('\n');
      for (const { path } of service.calls()) expect(shown).toContain(path);
      for (const { path, body } of service.calls())
        if (secretsIn(body).length > 0) expect(shown).toContain(service.baseUrl + path);
    }
    expect(other.calls()).toEqual([]);
    expect(service.calls().length).toBeGreaterThan(documents.length);
  });
});
