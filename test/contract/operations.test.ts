import { expect, test } from 'vitest';
import { KNOWN, learnParts } from './describe-request.ts';

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

test('an operation may be named with the path of the servers before it', () => {
  const rest = servers('https://api.example.com/v1');
  const learn = (create: string) => learnParts({ rest, options: { operations: { create } } }).contract.create.path;
  expect([learn('POST /v1/requests'), learn('/v1/requests'), learn('/requests')]).toEqual(Array(3).fill('/requests'));
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

const servers = (...urls: string[]) => ({ servers: urls.map((url) => ({ url })) });

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

test('PUT is a way to create where the document says so; elsewhere it is asked about', () => {
  const learn = (responses: object) => learnParts({ paths: { '/requests': { put: post(KNOWN, { responses }).post } } });
  expect(learn({ 201: {} })).toMatchObject({ contract: { create: { method: 'PUT' } }, questions: [] });
  expect(learn({ 200: {} }).questions).toMatchObject([{ name: 'operation:create' }]);
});
