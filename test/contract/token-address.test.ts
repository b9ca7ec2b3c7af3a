import { describe, expect, test } from 'vitest';
import { type Around, type Proposal, secretGoesTo } from '../doors/learn.ts';
import { learnParts } from './describe-request.ts';

const body = (properties: object, required: string[] = [], type = 'application/x-www-form-urlencoded') => ({
  requestBody: { content: { [type]: { schema: { properties, required } } } },
});
const CLIENT = body({ grant_type: { enum: ['client_credentials'] }, client_id: {}, client_secret: {} });
const PERSON = body({ email: {}, password: {} }, ['email', 'password'], 'application/json');
const post = (more: object = {}) => ({ post: { responses: {}, ...more } });
const servers = (...urls: string[]) => ({ servers: urls.map((url) => ({ url })) });
const flows = (...urls: string[]) => ({
  components: {
    securitySchemes: Object.fromEntries(
      urls.map((tokenUrl, index) => [
        `f${index}`,
        { type: 'oauth2', flows: { clientCredentials: { tokenUrl, scopes: {} } } },
      ]),
    ),
  },
});

const learn = (paths: object, rest: object = {}, around: Around = {}) => learnParts({ paths, rest, around });
/** The questions beside that for validate, of which the document has none. */
const rest = ({ questions }: Proposal) =>
  questions.map(({ name }) => name).filter((name) => name !== 'operation:validate');
const asked = ({ questions }: Proposal) => questions.find(({ name }) => name === 'operation:token');
const BASE = 'https://api.example.com';

/** The address that gets the secret under a base URL, or what is asked. */
function addressOf(proposal: Proposal, baseUrl = BASE): string | null {
  return asked(proposal) ? 'asked' : secretGoesTo(proposal.contract, baseUrl);
}

describe('The address for tokens of the client credentials flow', () => {
  test('The token address of a flow beats every operation of the document, and is shown', () => {
    const proposal = learn({ '/oauth/token': post(CLIENT) }, { ...flows('/auth/issue'), ...servers(BASE) });
    expect(addressOf(proposal)).toBe(`${BASE}/auth/issue`);
  });

  test('The token address of a flow names the operation that says how the credentials go', () => {
    const proposal = learn({ '/t': post(CLIENT) }, { ...flows('/t'), ...servers(BASE) });
    expect(proposal.contract.token).toMatchObject({ path: '/t', auth: 'body' });
    const grant = body({ grant_type: { enum: ['client_credentials'] } });
    const basic = learn({ '/t': post(grant) }, { ...flows('/t'), ...servers(BASE) });
    expect(basic.contract.token).toMatchObject({ path: '/t', auth: 'basic' });
  });

  test.each([
    ['below the path of the servers', '/v1/token', 'https://api.example.com/v1', 'https://api.example.com/v1/token'],
    ['outside of it', '/oauth/token', 'https://api.example.com/v1', 'https://api.example.com/oauth/token'],
    [
      'whole and outside of it',
      `${BASE}/oauth/token`,
      'https://api.example.com/v1',
      'https://api.example.com/oauth/token',
    ],
  ])(
    'The token address is where the document has it, under a base URL with a path: %s',
    (_, tokenUrl, server, address) => {
      expect(addressOf(learn({}, { ...flows(tokenUrl), ...servers(server) }, { baseUrl: server }), server)).toBe(
        address,
      );
    },
  );

  test('The token address of two servers with different paths counts from the root of the host', () => {
    const proposal = learn({}, { ...flows('/oauth/token'), ...servers(`${BASE}/v1`, `${BASE}/v2`) });
    expect(addressOf(proposal, `${BASE}/v2`)).toBe(`${BASE}/oauth/token`);
  });

  test('A token address with a variable is asked for its value, and never used as it stands', () => {
    const parts = { ...flows(`${BASE}/{tenant}/oauth/token`), ...servers(BASE) };
    expect(rest(learn({}, parts))).toEqual(['constant:tenant']);
    const proposal = learn({}, parts, { values: { tenant: 'acme' } });
    expect([rest(proposal), addressOf(proposal)]).toEqual([[], `${BASE}/acme/oauth/token`]);
  });

  test.each(['https://login.example.net/token', '//login.example.net/token', 'https://login.example.net:444/token'])(
    'A token address at another host is asked about, and is no answer to be copied unread: %s',
    (tokenUrl) => {
      const proposal = learn({ '/oauth/token': post(CLIENT) }, { ...flows(tokenUrl), ...servers(BASE) });
      const question = asked(proposal);
      expect(question?.text).toContain('another host');
      expect(question?.text).toContain('login.example.net');
      expect(question?.answer).toBe("--operation 'token=POST /token'");
      expect(JSON.stringify(proposal.contract)).not.toContain('login.example.net');
    },
  );

  test('A token address at another host is used once a person has named it, and is shown whole', () => {
    const address = 'https://login.example.net/oauth2/token';
    const parts = { ...flows(address), ...servers(BASE) };
    const proposal = learn({}, parts, { operations: { token: address } });
    expect(addressOf(proposal)).toBe(address);
    expect(proposal.contract.token).toMatchObject({ path: '/oauth2/token', origin: 'https://login.example.net' });
    const own = learn({}, parts, { operations: { token: 'POST /oauth2/token' } });
    expect(addressOf(own)).toBe(`${BASE}/oauth2/token`);
  });

  test.each([
    'http://login.example.net/token',
    'https://user:word@login.example.net/token',
    'https://login.example.net/token?a=1',
  ])('A token address that no secret may be sent to is refused, also from a person: %s', (token) => {
    expect(() => learn({}, {}, { operations: { token } })).toThrow('A client secret may not be sent to');
  });

  test('The token address of several flows is asked about', () => {
    const question = asked(learn({}, { ...flows('/a/token', '/b/token'), ...servers(BASE) }));
    expect(question?.choices).toEqual(['POST /a/token', 'POST /b/token']);
  });

  test("The token address of the document's other server is a guess under this base URL", () => {
    const parts = {
      ...flows('https://live.example.com/token'),
      ...servers('https://test.example.com', 'https://live.example.com'),
    };
    const proposal = learn({}, parts, { baseUrl: 'https://test.example.com' });
    expect(addressOf(proposal, 'https://test.example.com')).toBe('https://test.example.com/token');
  });
});

describe('Without a flow, an operation issues tokens', () => {
  test.each([
    ['as in the public API', '/oauth/token', post(CLIENT)],
    ['below another path', '/v2/oauth/token', post(CLIENT)],
    ['that is described by its path alone', '/oauth/token', post()],
  ])('Where no flow is described, tokens come from the operation %s', (_, path, item) => {
    const proposal = learn({ [path]: item, '/users/login': post(PERSON) });
    expect(addressOf(proposal)).toBe(BASE + path);
  });

  test.each([
    ['has another path', '/session', post(CLIENT)],
    ["takes a person's password", '/auth/login', post(PERSON)],
    [
      "takes a person's password and says token",
      '/oauth/token',
      post(body({ username: {}, password: {}, client_id: {}, client_secret: {} }, ['username', 'password'])),
    ],
    ['requires what nobody knows', '/auth/token', post(body({ device: {} }, ['device']))],
    ['only has a name', '/api-tokens', post(body({ note: {} }))],
  ])('Where no flow is described, an operation that %s is asked about', (_, path, item) => {
    expect(asked(learn({ [path]: item }))?.text).toContain(`POST ${path}`);
  });

  test.each([
    '/{apiToken}/jobs',
    '/tokens/revoke',
    '/oauth/introspect',
    '/push/token',
    '/cards/tokens',
    '/token/refresh',
    '/oauth/authorize',
  ])('Where no flow is described, %s issues no tokens', (path) => {
    const proposal = learn({ [path]: post(CLIENT) });
    expect([asked(proposal), proposal.contract.token.path]).toEqual([undefined, '/oauth/token']);
  });

  test('Several operations that may issue tokens are asked about', () => {
    const paths = Object.fromEntries(['/a', '/b', '/c', '/d'].map((path) => [`${path}/token`, post(CLIENT)]));
    const question = asked(learn(paths));
    expect(question?.choices).toEqual(['/a', '/b', '/c', '/d'].map((path) => `POST ${path}/token`));
    expect(question?.text).toContain('1. POST /a/token for a token; 2.');
    expect(addressOf(learn(paths, {}, { operations: { token: 'POST /c/token' } }))).toBe(`${BASE}/c/token`);
  });

  test('An operation that issues tokens at a server of its own is asked about', () => {
    const item = post({ ...CLIENT, servers: [{ url: 'https://login.example.net/sso' }] });
    const proposal = learn({ '/oauth/token': item }, servers(BASE));
    expect(asked(proposal)?.choices).toEqual(['https://login.example.net/sso/oauth/token']);
    const shared = { '/oauth/token': { ...post(CLIENT), servers: [{ url: 'https://login.example.net' }] } };
    expect(asked(learn(shared, servers(BASE)))?.choices).toContain('https://login.example.net/oauth/token');
    const said = learn(shared, servers(BASE), { operations: { token: 'https://login.example.net/oauth/token' } });
    expect(said.contract.token).toMatchObject({ origin: 'https://login.example.net', auth: 'body' });
  });

  test('A token path with a variable is filled with the value that a person gives', () => {
    const paths = { '/{partner}/oauth/token': post(CLIENT) };
    expect(rest(learn(paths))).toEqual(['constant:partner']);
    expect(addressOf(learn(paths, {}, { values: { partner: '7' } }))).toBe(`${BASE}/7/oauth/token`);
    const operations = { token: 'POST /{partner}/sso' };
    const said = learn({ '/{partner}/sso': post(CLIENT) }, {}, { operations, values: { partner: '7' } });
    expect([rest(said), addressOf(said)]).toEqual([[], `${BASE}/7/sso`]);
  });

  test('A person may name a token path that the document does not describe, but no missing operation', () => {
    expect(addressOf(learn({}, {}, { operations: { token: '/sso/token' } }))).toBe(`${BASE}/sso/token`);
    expect(() => learn({}, {}, { operations: { token: 'issueToken' } })).toThrow('has no operation "issueToken"');
  });
});

test('a document without a word on tokens is as the public API, one with a bearer token a question', () => {
  const silent = learn({});
  expect(addressOf(silent)).toBe(`${BASE}/oauth/token`);
  const bearer = { security: [{ b: [] }], components: { securitySchemes: { b: { type: 'http', scheme: 'bearer' } } } };
  expect(asked(learn({}, bearer))).toMatchObject({ choices: ['POST /oauth/token'] });
  expect(asked(learn({ '/auth': post(CLIENT) }, bearer))?.choices).toEqual(['POST /auth']);
});

test.each([
  ['a key', { type: 'apiKey', in: 'header', name: 'X-Api-Key' }],
  ['HTTP Basic', { type: 'http', scheme: 'basic' }],
  ['a login for persons', { type: 'oauth2', flows: { authorizationCode: {} } }],
])('a document that says only %s is asked about, with the token path of the public API first', (_, scheme) => {
  const access = { security: [{ a: [] }], components: { securitySchemes: { a: scheme } } };
  const question = asked(learn({}, access));
  expect(question?.choices).toEqual(['POST /oauth/token']);
  expect(question?.text).toContain('says nothing of a token');
  expect(asked(learn({ '/oauth/token': post(CLIENT) }, access))?.choices).toEqual(['POST /oauth/token']);
  expect(asked(learn({}, access, { operations: { token: '/oauth/token' } }))).toBeUndefined();
});

test('a key goes beside the token if no way is without it, and is asked like another value', () => {
  const schemes = {
    key: { type: 'apiKey', in: 'header', name: 'X-Api-Key', description: 'Ask support' },
    other: { type: 'apiKey', in: 'query', name: 'code' },
    bearer: { type: 'apiKey', in: 'header', name: 'Authorization' },
  };
  const learnWith = (security: object[], values = {}) =>
    learn({ '/oauth/token': post(CLIENT) }, { security, components: { securitySchemes: schemes } }, { values });
  const both = [{ key: [], bearer: [] }];
  expect(rest(learnWith(both))).toEqual(['constant:X-Api-Key']);
  const [question] = learnWith(both).questions.filter(({ name }) => name === 'constant:X-Api-Key');
  expect(question).toMatchObject({ answer: '--set X-Api-Key=@FILE', text: expect.stringContaining('Ask support') });
  expect(rest(learnWith([{ key: [], bearer: [] }, { bearer: [] }]))).toEqual([]);
  expect(
    rest(
      learnWith([
        { key: [], bearer: [] },
        { other: [], key: [] },
      ]),
    ),
  ).toEqual(['constant:X-Api-Key']);
  expect(rest(learnWith([{ other: [], bearer: [] }]))).toEqual(['constant:code']);
  const { contract } = learnWith(both, { 'X-Api-Key': 'k3y' });
  expect(contract.create.always).toEqual({ 'header X-Api-Key': 'k3y' });
});
