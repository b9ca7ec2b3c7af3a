import { expect, test } from 'vitest';
import { learn as learnAny, type Proposal, refusalOf as refusal } from '../doors/learn.ts';
import { KNOWN } from './describe-request.ts';

const BODY = { requestBody: { content: { 'application/json': { schema: { properties: KNOWN } } } }, responses: {} };
const described = (paths: object, rest: object = {}): string =>
  JSON.stringify({ openapi: '3.0.3', info: { title: 'Odd' }, paths, ...rest });

const learn = (content: string | Buffer, name = 'api.json', environment?: object): Proposal =>
  learnAny(content, { name, operations: { create: '/requests' }, ...(environment && { environment }) });

/** What is learned if a person says that this path creates. */
const learnPath = (path: string): Proposal =>
  learnAny(described({ [path]: { post: BODY } }), { operations: { create: path } });

test.each([
  ['//127.0.0.1:4699/x'],
  ['/v1/x?token=a'],
  ['/v1/x#f'],
  ['/v1/../../admin'],
  ['/v1/%2e%2E/admin'],
  ['/v1/..%2fadmin'],
  ['/v1\\admin'],
  ['/./x'],
])('the path %s, which leads elsewhere, is refused and named', (path) => {
  expect(refusal(() => learnPath(path)).message).toBe(
    `The API description has the path "${path}", which is not below the base URL.`,
  );
});

test.each(['/v1/requests', '/v1/requests.json', '/v1/..well', '/v1//requests', '/'])('the path %s is good', (path) => {
  expect(learnPath(path).contract.create.call).toBe(`POST ${path}`);
});

test('a path that stands in another document is named', () => {
  const { message } = refusal(() => learn(described({ '/requests': { $ref: 'https://example.com/path.json' } })));
  expect(message).toContain('refers to "https://example.com/path.json", outside of this file');
});

const deep = (depth: number): string => `openapi: 3.0.0\na: ${'['.repeat(depth)}${']'.repeat(depth)}\n`;

test.each([
  ['nothing', 'api.json', '', 'api.json is empty.'],
  ['blanks', 'api.yaml', ' \n\t', 'api.yaml is empty.'],
  ['a list', 'api.json', '[]', 'api.json is neither an OpenAPI description nor a Postman collection.'],
  ['10,000 levels of YAML', 'api.yaml', deep(10_000), 'api.yaml is nested more than 200 levels deep.'],
  ['300 levels of YAML', 'api.yaml', deep(300), 'api.yaml is nested more than 200 levels deep.'],
])('%s is refused in words that say what it is', (_, name, content, message) => {
  expect(refusal(() => learn(content, name)).message).toBe(message);
});

test('JSON that ends too early is called so, and not quoted', () => {
  const text = described({}).slice(0, -10).replace('Odd', 'canary');
  const { message } = refusal(() => learn(text));
  expect(message).toMatch(/^api\.json is not JSON: /);
  expect(message).not.toMatch(/canary|YAML/);
  expect(refusal(() => learn('{"openapi": "canary" x}')).message).not.toContain('canary');
});

test('JSON with comments is read all the same', () => {
  expect(learn(`${described({ '/requests': { post: BODY } }).slice(0, -1)},}`).contract.create.call).toBe(
    'POST /requests',
  );
});

test.each([
  '#%RAML 1.0\ntitle: x',
  '<?xml version="1.0"?><wsdl:definitions/>',
  '<!doctype html><html></html>',
  'meta { name: x }',
  '{"log":{"entries":[]}}',
  '{"asyncapi":"2.0.0"}',
  '{"openapi":"4.0.0"}',
  '{"swagger":"1.2"}',
])('%j is no description, and the refusal names what srq learns from', (content) => {
  const { message, hint } = refusal(() => learn(content));
  expect(message).toBe('api.json is no API description that srq reads.');
  expect(hint).toContain('OpenAPI 3.0 to 3.2, Swagger 2.0 and Postman');
});

test('a title of any length is kept short', () => {
  const document = described({ '/requests': { post: BODY } }, { info: { title: 'x'.repeat(1_000_000) } });
  expect(learn(document).contract.source?.title).toHaveLength(200);
});

test('an environment without values is none; one without a collection gets a note', () => {
  const api = described({ '/requests': { post: BODY } });
  expect(refusal(() => learn(api, 'api.json', { name: 'x' })).message).toContain('env.json is not a Postman env');
  const { notes } = learn(api, 'api.json', { values: [] });
  expect(notes.join()).toContain('works only with a Postman collection');
});
