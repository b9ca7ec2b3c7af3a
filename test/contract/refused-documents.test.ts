import { expect, test } from 'vitest';
import type { SourceDocument } from '../../src/contract/documents/parse-document.ts';
import { learnContract } from '../../src/contract/learn.ts';
import type { Proposal } from '../../src/contract/version-1/contract.ts';
import { SrqError } from '../../src/request/words/errors.ts';
import { KNOWN } from './describe-request.ts';
import { learnOptions } from './learn-options.ts';

const COLLECTION = 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json';
const BODY = { requestBody: { content: { 'application/json': { schema: { properties: KNOWN } } } }, responses: {} };
const described = (paths: object, rest: object = {}): string =>
  JSON.stringify({ openapi: '3.0.3', info: { title: 'Odd' }, paths, ...rest });

const learn = (content: string | Buffer, name = 'api.json', environment: SourceDocument | null = null): Proposal =>
  learnContract([{ name, bytes: Buffer.from(content) }], learnOptions({ environment }));

/** What is learned if a person says that this path creates. */
const learnPath = (path: string): Proposal => {
  const bytes = Buffer.from(described({ [path]: { post: BODY } }));
  return learnContract([{ name: 'api.json', bytes }], learnOptions({ operations: { create: path } }));
};

function refusal(action: () => unknown): SrqError {
  try {
    action();
  } catch (error) {
    if (error instanceof SrqError && error.code === 'input') return error;
    throw error;
  }
  throw new Error('It was not refused.');
}

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
    `The document has the path "${path}", which is not below the base URL.`,
  );
});

test.each(['/v1/requests', '/v1/requests.json', '/v1/..well', '/v1//requests', '/'])('the path %s is taken', (path) => {
  expect(learnPath(path).contract.create.path).toBe(path);
});

test('a path that stands in another document is named', () => {
  const { message } = refusal(() => learn(described({ '/requests': { $ref: 'https://example.com/path.json' } })));
  expect(message).toContain('refers to "https://example.com/path.json", outside of the document');
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
  expect(learn(`${described({ '/requests': { post: BODY } }).slice(0, -1)},}`).contract.create.path).toBe('/requests');
});

test.each([
  ['of the lower byte first', 'fffe', (text: string) => Buffer.from(text, 'utf16le')],
  ['of the higher byte first', 'feff', (text: string) => Buffer.from(text, 'utf16le').swap16()],
])('UTF-16 %s is read', (_, mark, encode) => {
  const bytes = Buffer.concat([Buffer.from(mark, 'hex'), encode(described({ '/requests': { post: BODY } }))]);
  expect(learn(bytes).contract.create.path).toBe('/requests');
});

test('a title of any length is kept short', () => {
  const document = described({ '/requests': { post: BODY } }, { info: { title: 'x'.repeat(1_000_000) } });
  expect(learn(document).contract.source?.title).toHaveLength(200);
});

const environment = (content: object): SourceDocument => ({
  name: 'env.json',
  bytes: Buffer.from(JSON.stringify(content)),
});

test('an environment without values is none; one without a collection is of no use, which is noted', () => {
  const api = described({ '/requests': { post: BODY } });
  expect(refusal(() => learn(api, 'api.json', environment({ name: 'x' }))).message).toContain(
    'env.json is not a Postman env',
  );
  const { notes } = learn(api, 'api.json', environment({ values: [] }));
  expect(notes.at(-1)).toContain('of use for a Postman collection alone');
  const collection = JSON.stringify({ info: { name: 'C', schema: COLLECTION }, item: [] });
  expect(learn(collection, 'c.json', environment({ values: [] })).notes.join()).not.toContain('of use');
});
