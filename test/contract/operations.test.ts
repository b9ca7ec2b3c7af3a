import { expect, test } from 'vitest';
import { learnContract } from '../../src/contract/learn.ts';
import { SrqError } from '../../src/request/errors.ts';
import { answer, KNOWN, learnParts, parameterOf } from './describe-request.ts';
import { learnOptions } from './learn-options.ts';

const body = (properties: object) => ({ content: { 'application/json': { schema: { properties } } } });
const post = (properties: object = KNOWN, rest: object = {}) => ({
  post: { requestBody: body(properties), responses: {}, ...rest },
});

test('create, validate and token are told apart by names and words', () => {
  const paths = {
    '/oauth/token': post({ grant_type: {}, client_id: {}, client_secret: {} }),
    '/support': post({ message: {}, email: {} }),
  };
  const { contract, questions } = learnParts({ paths });
  expect([contract.create.path, contract.validate.path, contract.token.path]).toEqual([
    '/requests',
    '/requests/validate',
    '/oauth/token',
  ]);
  expect(questions).toEqual([]);
});

test('two operations that are alike are asked about; a person may name one by its id or its path', () => {
  const paths = { '/leads': post(KNOWN, { operationId: 'addLead' }) };
  const { questions } = learnParts({ paths });
  expect(questions).toMatchObject([{ name: 'operation:create', answer: '--operation "create=POST /requests"' }]);
  expect(questions[0]?.text).toContain('POST /leads (addLead)');
  for (const create of ['addLead', 'POST /leads', 'post  /leads', '/leads']) {
    const named = learnParts({ paths, options: { operations: { create } } });
    expect(named.contract.create.path).toBe('/leads');
    expect(named.questions).toEqual([]);
  }
  expect(() => learnParts({ paths, options: { operations: { create: 'nothing' } } })).toThrow(
    'has no operation "nothing"',
  );
});

test('a name that no operation has is answered with the one that was meant, never with that for tokens', () => {
  const paths = { '/oauth/token': post({ grant_type: {}, client_id: {} }), '/leads': post() };
  const hintFor = (create: string): string | null => {
    try {
      learnParts({ paths, options: { operations: { create } } });
    } catch (error) {
      return error instanceof SrqError ? error.hint : null;
    }
    return null;
  };
  expect(hintFor('POST /lead')).toMatch(/^There are: POST \/requests, .*create=POST \/leads"$/);
  expect(hintFor('POST /lead')).not.toContain('token');
});

test('an operation may be named with the path of the servers before it', () => {
  const rest = servers('https://api.example.com/v1');
  const learn = (create: string) => learnParts({ rest, options: { operations: { create } } }).contract.create.path;
  expect([learn('POST /v1/requests'), learn('/v1/requests'), learn('/requests')]).toEqual(Array(3).fill('/requests'));
});

test('an operation with too few of the known names is asked about, however far ahead of all others', () => {
  const schema = { properties: { email: {}, phone: {} } };
  const { questions } = learnParts({ schema, paths: { '/users': post({ email: {} }) } });
  expect(questions).toMatchObject([{ name: 'operation:create' }]);
  expect(questions[0]?.text).toContain(
    '1. POST /requests: its name says so, its body has a place for email, phone, but its body lacks much of a request; 2. POST /users',
  );
});

test('an operation that looks for duplicates is never taken for create', () => {
  expect(learnParts({ paths: { '/requests': {} } }).questions).toMatchObject([{ name: 'operation:create' }]);
});

test('without an operation that validates, the public one stands in and needs a yes', () => {
  const { contract } = learnParts({ paths: { '/requests/validate': {} } });
  expect(contract.validate.path).toBe('/v1/request/validate');
  expect(contract.findings).toContainEqual(expect.objectContaining({ setting: 'validate.path', confidence: 'weak' }));
});

test('a path with a parameter is filled with the value that a person gives', () => {
  const parameters = [{ name: 'partner', in: 'path', required: true, schema: { type: 'string' } }];
  const paths = { '/requests': {}, '/{partner}/requests': post(KNOWN, { parameters }) };
  const operations = { create: 'POST /{partner}/requests' };
  expect(learnParts({ paths }).questions).toMatchObject([{ name: 'operation:create' }]);
  expect(learnParts({ paths, options: { operations } }).questions).toMatchObject([{ name: 'constant:partner' }]);
  const { contract } = learnParts({ paths, options: { operations, constants: { partner: 'a/b' } } });
  expect(contract.create.path).toBe('/a%2Fb/requests');
});

test('the value given for a parameter of the path is what the document says of it', () => {
  const schema = { type: 'integer', default: 0 };
  const parameters = [
    { name: 'company', in: 'query', schema: { type: 'string' } },
    { name: 'company', in: 'path', required: true, description: 'Its number.', schema },
  ];
  const paths = { '/requests': {}, '/{company}/requests': post(KNOWN, { parameters }) };
  const learned = (constants: Record<string, string>) =>
    learnParts({ paths, options: { operations: { create: 'POST /{company}/requests' }, constants } });
  const [question] = learned({}).questions;
  expect(question).toMatchObject({ name: 'constant:company', example: '0' });
  expect(question?.text).toContain('holds "company" (Its number.; for example 0), the same in every request.');
  expect(() => learned({ company: 'acme' })).toThrow('"company" is not of type integer');
  expect(learned({ company: '007' }).contract.create.path).toBe('/7/requests');
});

test('form is preferred to JSON, and JSON to multipart', () => {
  const schema = { properties: KNOWN };
  const offered = (...types: string[]) => {
    const requestBody = { content: Object.fromEntries(types.map((type) => [type, { schema }])) };
    const { encoding, contentType } = learnParts({ create: { requestBody } }).contract.create;
    return [encoding, contentType];
  };
  expect(offered('application/json', 'application/x-www-form-urlencoded')).toEqual([
    'form',
    'application/x-www-form-urlencoded',
  ]);
  expect(offered('multipart/form-data', 'application/vnd.api+json; charset=utf-8')).toEqual([
    'json',
    'application/vnd.api+json',
  ]);
  expect(offered('application/xml', 'multipart/form-data')).toEqual(['multipart', 'multipart/form-data']);
  expect(offered('*/*')).toEqual(['json', 'application/json']);
});

const flow = (tokenUrl: string, scopes: object = {}) => ({
  components: { securitySchemes: { partner: { type: 'oauth2', flows: { clientCredentials: { tokenUrl, scopes } } } } },
});
const servers = (...urls: string[]) => ({ servers: urls.map((url) => ({ url })) });

test.each([
  ['/auth/token', 'https://api.example.com', '/auth/token'],
  ['https://api.example.com/auth/token', 'https://api.example.com', '/auth/token'],
  ['/oauth/token', 'https://api.example.com/v1', '/oauth/token'],
])('a token address %s of the server %s is %s', (tokenUrl, server, path) => {
  const { contract } = learnParts({ rest: { ...flow(tokenUrl, { 'requests:write': '' }), ...servers(server) } });
  expect(contract.token).toMatchObject({ path, auth: 'body', extra: { scope: 'requests:write' } });
});

test('of the scopes, those that the operations ask for are asked for', () => {
  const components = {
    securitySchemes: {
      o: { type: 'oauth2', flows: { clientCredentials: { tokenUrl: '/t', scopes: { read: '', write: '', all: '' } } } },
    },
  };
  const learn = (security: object[]) => {
    const { token, findings } = learnParts({ rest: { components, security } }).contract;
    return [token.extra, findings.find(({ setting }) => setting === 'token.scope')?.confidence];
  };
  expect(learn([{ o: ['write'] }])).toEqual([{ scope: 'write' }, 'likely']);
  expect(learn([])).toEqual([{ scope: 'read write all' }, 'weak']);
});

test('the token operation says how credentials go, what else is sent, and how long a token lives', () => {
  const fields = { grant_type: {}, audience: { const: 'partners' }, scope: {} };
  const paths = {
    '/token': {
      post: {
        description: 'Credentials by HTTP Basic. Tokens are valid for 30 minutes.',
        requestBody: {
          content: {
            'application/x-www-form-urlencoded': { schema: { properties: fields, required: ['audience', 'scope'] } },
          },
        },
        responses: { 200: answer({ data: { properties: { accessToken: {} } } }) },
      },
    },
  };
  const { contract, questions } = learnParts({ paths, options: { constants: { scope: 'write' } } });
  expect(questions).toEqual([]);
  expect(contract.token).toEqual({
    path: '/token',
    auth: 'basic',
    encoding: 'form',
    extra: { audience: 'partners', scope: 'write' },
    tokenPointer: '/data/accessToken',
    lifetimePointer: null,
    lifetimeSeconds: 1800,
  });
});

test.each([
  [null, '/v1', '/requests'],
  ['https://api.example.com/v1/', '/v1', '/requests'],
  ['https://api.example.com', '', '/v1/requests'],
])('with the base URL %s the shared path is %j and create is at %s', (baseUrl, basePath, path) => {
  const { contract } = learnParts({
    rest: servers('https://api.example.com/v1', 'https://test.example.com/v1/'),
    options: { baseUrl },
  });
  expect([contract.basePath, contract.create.path]).toEqual([basePath, path]);
});

test('servers of create, or of its path, are those of the contract; others that are used besides are noted', () => {
  const own = { servers: [{ url: 'https://leads.example.com/v2' }] };
  const rest = servers('https://api.example.com/v1');
  const learn = (paths: object, create: object = {}) => learnParts({ rest, paths, create });
  const requests = { ...post(KNOWN, { responses: { 201: {} } }), ...own };
  for (const { contract, notes } of [learn({ '/requests': requests }), learn({}, own)]) {
    expect([contract.basePath, contract.servers.map(({ url }) => url)]).toEqual([
      '/v2',
      ['https://leads.example.com/v2'],
    ]);
    expect(notes.join()).not.toContain('servers');
  }
  const { contract, notes } = learn({ '/requests/validate': { ...post(), ...own } });
  expect(contract.basePath).toBe('/v1');
  expect(notes).toContain('POST /requests/validate names servers of its own. srq sends to the base URL alone.');
});

test('servers whose paths differ share none', () => {
  const { contract } = learnParts({ rest: servers('https://a.example.com/v1', 'https://b.example.com/v2') });
  expect(contract.basePath).toBe('');
});

test('servers are suggestions; which are tests is said by their words alone', () => {
  const list = [
    { url: 'https://a.example.com', description: 'Sandbox' },
    { url: 'https://b.example.com', description: 'Production' },
    { url: 'https://staging.example.com' },
    { url: 'https://c.example.com', description: 'Production, also for tests' },
    { url: '/relative' },
    { url: 'javascript:alert(1)' },
    { url: 'https://sandbox.example.org' },
  ];
  const { contract } = learnParts({ rest: { servers: list } });
  expect(contract.servers.map(({ name, test: isTest }) => [name, isTest])).toEqual([
    ['sandbox', true],
    ['live', false],
    ['staging', true],
    ['c', null],
    ['sandbox-2', true],
  ]);
});

test('while an operation is asked about, no given value is called unknown', () => {
  const paths = { '/leads': post(KNOWN) };
  expect(learnParts({ paths, options: { constants: { partner_id: '42' } } }).questions).toHaveLength(1);
});

test('of several documents, a named operation is meant in those that have it', () => {
  const document = (path: string) => ({
    name: `${path.slice(1)}.json`,
    bytes: Buffer.from(JSON.stringify({ openapi: '3.1.0', paths: { [path]: post(), [`${path}-too`]: post() } })),
  });
  const learn = (create: string) =>
    learnContract([document('/a'), document('/b')], learnOptions({ operations: { create } }));
  expect(learn('POST /a').contract.create.path).toBe('/a');
  expect(() => learn('POST /c')).toThrow('has no operation "POST /c"');
});

test('an operation that somebody named in one document is not replaced by what another one would be guessed to mean', () => {
  const document = (name: string, paths: object) => ({
    name,
    bytes: Buffer.from(JSON.stringify({ openapi: '3.1.0', servers: [{ url: 'https://api.example.com' }], paths })),
  });
  const learn = (operations: object, ...documents: ReturnType<typeof document>[]) =>
    learnContract(documents, learnOptions({ operations }));
  const requests = document('a.json', { '/requests': post(), '/requests/validate': post() });
  const leads = document('b.json', { '/leads': post(), '/leads/validate': post() });
  const said = learn({ create: 'POST /leads' }, requests, leads);
  expect(said.contract).toMatchObject({ create: { path: '/leads' }, validate: { path: '/leads/validate' } });
  expect(said.notes.join()).not.toContain('The first one is used');
  expect(said.contract.findings.find(({ setting }) => setting === 'create.path')).toMatchObject({
    value: 'POST /leads',
    where: expect.stringMatching(/^b\.json /),
    why: 'you said so',
  });
  const checked = learn({ validate: 'POST /leads/validate' }, requests, leads);
  expect(checked.contract).toMatchObject({ create: { path: '/requests' }, validate: { path: '/leads/validate' } });
  const issued = learn(
    { token: 'issueToken' },
    document('a.json', { '/requests': post(), '/oauth/token': post() }),
    document('b.json', { '/v2/token': { post: { ...post().post, operationId: 'issueToken' } } }),
  );
  expect(issued.contract.token.path).toBe('/v2/token');
});

test('an operation that one document calls by its id is the same in another that has its path', () => {
  const named = (name: string, operation: object, rest: object) => ({
    name,
    bytes: Buffer.from(JSON.stringify({ openapi: '3.1.0', paths: { '/leads': post(KNOWN, operation) }, ...rest })),
  });
  const { contract } = learnContract(
    [named('a.json', { responses: { 201: {} } }, {}), named('b.json', { operationId: 'sendLead' }, {})],
    learnOptions({ operations: { create: 'sendLead' } }),
  );
  const found = contract.findings.find(({ setting }) => setting === 'create.path');
  expect(found).toMatchObject({ where: expect.stringMatching(/^a\.json /), why: 'you said so' });
});

test('PUT is a way to create where the document says so; elsewhere it is asked about', () => {
  const learn = (responses: object) => learnParts({ paths: { '/requests': { put: post(KNOWN, { responses }).post } } });
  expect(learn({ 201: {} })).toMatchObject({ contract: { create: { method: 'PUT' } }, questions: [] });
  expect(learn({ 200: {} }).questions).toMatchObject([{ name: 'operation:create' }]);
});

test('a place is told as it stands in the document that was given', () => {
  const components = { schemas: { R: { properties: KNOWN } } };
  const proposal = learnParts({ schema: { $ref: '#/components/schemas/R' }, rest: { components } });
  expect(parameterOf(proposal, 'phone')?.path).toEqual(['phone']);
  const found = proposal.contract.findings.find(({ setting }) => setting === 'phone');
  expect(found?.where).toBe('/components/schemas/R/properties/phone');
});

test.each(['get', 'put', 'post', 'patch', 'delete'])(
  'an operation named by %s and its path is known in every kind of description',
  (method) => {
    const schema = { properties: KNOWN };
    const content = { 'application/json': { schema } };
    const documents = [
      { openapi: '3.0.3', paths: { '/leads': { [method]: { requestBody: { content }, responses: {} } } } },
      { swagger: '2.0', paths: { '/leads': { [method]: { parameters: [{ in: 'body', schema }], responses: {} } } } },
    ];
    const options = learnOptions({ operations: { create: `${method.toUpperCase()} /leads`, validate: 'none' } });
    for (const document of documents) {
      const bytes = Buffer.from(JSON.stringify({ ...document, info: { title: 'T' } }));
      const learned = () => learnContract([{ name: 'api.json', bytes }], options).contract.create;
      if (/^p(?:os|u)t$/.test(method))
        expect(learned()).toMatchObject({ method: method.toUpperCase(), path: '/leads' });
      else expect(learned).toThrow(`${method.toUpperCase()} /leads takes no body`);
    }
  },
);
