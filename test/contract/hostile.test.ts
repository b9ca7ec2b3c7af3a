import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { learnContract } from '../../src/contract/learn.ts';
import type { Proposal } from '../../src/request/contract.ts';
import { SrqError } from '../../src/request/errors.ts';
import fc from '../helpers/fast-check.ts';
import { aCollection, anItem } from './collections.ts';
import { learnOptions } from './learn-options.ts';

/** Generous: what is bounded takes a small part of it, what is not takes minutes. */
const BOUND_MS = 180_000;

const learnText = (text: string, name = 'api.yaml'): Proposal =>
  learnContract([{ name, bytes: Buffer.from(text) }], learnOptions());
const learn = (document: unknown): Proposal => learnText(JSON.stringify(document), 'api.json');

function refusal(action: () => unknown): SrqError {
  try {
    action();
  } catch (error) {
    if (error instanceof SrqError) return error;
    throw error;
  }
  throw new Error('It was not refused.');
}

/** Members that every object has, so that a table that is asked for them without care has them, too. */
const INHERITED = ['constructor', 'toString', 'valueOf', 'hasOwnProperty'];
const NAMES = ['country', 'lang', 'location', 'fullname', 'email', 'phone', 'request_text'];
const properties = Object.fromEntries(NAMES.map((name) => [name, { type: 'string' }]));

function description(schema: unknown, rest: object = {}) {
  return {
    openapi: '3.0.3',
    info: { title: 'Hostile' },
    paths: { '/requests': { post: { requestBody: { content: { 'application/json': { schema } } }, responses: {} } } },
    ...rest,
  };
}

const fieldsOf = ({ contract }: Proposal) => (contract.create.parameters ?? []).map(({ field }) => field);

test.each([
  ['/etc/passwd'],
  ['file:///etc/passwd'],
  ['../secrets.yaml#/a'],
  ['https://example.com/schema.json'],
  ['//example.com/x'],
])('a body that refers to %s is refused, and the reference named', (reference) => {
  const error = refusal(() => learn(description({ allOf: [{ properties }, { $ref: reference }] })));
  expect(error).toMatchObject({ code: 'input' });
  expect(error.message).toContain(`"${reference}", outside of the document`);
});

test.each(INHERITED)('the name %s, which every object inherits, is a name like any other', (name) => {
  const format = { type: 'string', format: name };
  const schema = { properties: { ...properties, branch: format }, required: ['branch'] };
  const answers = {
    201: { description: '', content: { 'application/json': { schema: { properties: { id: format } } } } },
  };
  const document = description(schema);
  Object.assign(document.paths['/requests'].post, { responses: answers });
  const { contract, questions } = learn(document);
  expect(questions).toMatchObject([{ name: 'constant:branch' }]);
  expect(contract.create.success?.body).toEqual({ id: 'text' });

  const flows = {
    components: { securitySchemes: { a: { type: 'oauth2', flows: { [name]: {} } } } },
    security: [{ a: [] }],
  };
  expect(learn(description({ properties }, flows)).questions[0]?.text).toContain(`by ${name},`);
  const swagger = {
    ...{ swagger: '2.0', info: { title: 'Hostile' }, security: [{ a: [] }] },
    securityDefinitions: { a: { type: 'oauth2', flow: name } },
    paths: { '/requests': { post: { parameters: [{ in: 'body', schema: { properties } }], responses: {} } } },
  };
  expect(learn(swagger).questions[0]?.text).toContain('by unknown,');

  const settings = { type: 'oauth2', oauth2: [{ key: 'grant_type', value: name }] };
  const shown = (body: object) => ({ name: '', code: 201, body: JSON.stringify(body) });
  const post = (path: string, raw: object, response: object[] = []) =>
    anItem(
      { name: path, response: JSON.parse(JSON.stringify(response)) },
      {
        url: `https://api.example.com/${path}`,
        body: { mode: 'raw', raw: JSON.stringify(raw) },
        auth: JSON.parse(JSON.stringify(settings)),
      },
    );
  const collection = aCollection(post('requests', properties, [shown({ id: 1, [name]: 'x' }), shown({ id: 1 })]));
  expect(JSON.stringify(learn(collection))).not.toContain('native code');
});

test('a body that stands in another file altogether is refused, too', () => {
  const error = refusal(() => learn(description({ $ref: 'requests.yaml#/Request' })));
  expect(error.message).toContain('"requests.yaml#/Request", outside of the document');
});

test('a reference to a file where nothing is read from it is no error', () => {
  const answer = { description: 'ok', content: { 'application/json': { schema: { $ref: 'file:///etc/passwd' } } } };
  const elsewhere = { get: { responses: { 200: answer } } };
  const components = { schemas: { Other: { $ref: 'other.yaml' } } };
  const document = description({ properties }, { components });
  expect(fieldsOf(learn({ ...document, paths: { ...document.paths, '/else': elsewhere } }))).toEqual(NAMES);
});

test('no file and no address of a document is ever opened', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'srq-refs-'));
  const connections: unknown[] = [];
  const server = createServer((socket) => {
    connections.push(socket);
    socket.destroy();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  // Whoever opens a fifo to read it waits until somebody writes: it would never return.
  const fifo = join(folder, 'fifo');
  spawnSync('mkfifo', [fifo]);
  try {
    for (const reference of [fifo, `file://${fifo}`, `http://127.0.0.1:${port}/a.json`, `//127.0.0.1:${port}/a.json`]) {
      refusal(() => learn(description({ properties: { ...properties, x: { $ref: reference } } })));
      learn(description({ properties }, { components: { schemas: { X: { $ref: reference } } }, $schema: reference }));
      learnText(`openapi: 3.0.0\npaths: {}\nx: !!include ${reference}\ny: !include ${reference}\n`);
    }
    // Whoever had opened a connection would have come before this one.
    await new Promise((resolve) =>
      connect(port, '127.0.0.1')
        .on('error', () => {})
        .on('close', resolve),
    );
    expect(connections).toHaveLength(1);
  } finally {
    server.close();
    rmSync(folder, { recursive: true });
  }
});

test('schemas that contain themselves are cut where they begin again', () => {
  const Node = { properties: { ...properties, parent: { $ref: '#/components/schemas/Node' } } };
  const { contract } = learn(description({ $ref: '#/components/schemas/Node' }, { components: { schemas: { Node } } }));
  expect(contract.create.parameters?.slice(0, NAMES.length).map(({ path }) => path)).toEqual(
    NAMES.map((name) => [name]),
  );
  expect(JSON.stringify(contract.create.schema)).not.toContain('$ref');
});

test('a reference that refers to nothing but itself is refused', () => {
  const schemas = { A: { $ref: '#/components/schemas/B' }, B: { $ref: '#/components/schemas/A' } };
  const error = refusal(() =>
    learn(
      description(
        { properties: { ...properties, a: { $ref: '#/components/schemas/A' } } },
        { components: { schemas } },
      ),
    ),
  );
  expect(error.message).toContain('refers to itself alone');
});

test('references that double at each level end in bounded time', { timeout: BOUND_MS }, () => {
  const schemas: Record<string, unknown> = { S0: { properties } };
  for (let level = 1; level < 60; level += 1) {
    const inner = { $ref: `#/components/schemas/S${level - 1}` };
    schemas[`S${level}`] = {
      properties: { ...properties, a: inner, b: inner },
      anyOf: [inner, inner],
      allOf: [inner, inner],
    };
  }
  const { notes } = learn(description({ $ref: '#/components/schemas/S59' }, { components: { schemas } }));
  expect(notes.join()).toContain('too large');
});

test.each([
  ['an alias bomb', aliasBomb()],
  ['a merge bomb', mergeBomb()],
  ['a merge key that is no map', 'openapi: 3.0.0\npaths:\n  <<: [1]\n'],
  ['many merged maps of many keys', manyMerged()],
  ['a name said twice', 'openapi: 3.0.0\npaths: {}\npaths: {}\n'],
  ['lists 100,000 deep in YAML', `a: ${'['.repeat(100_000)}`],
  ['lists 100,000 deep in JSON', `{"openapi":"3.0.0","a":${'['.repeat(100_000)}${']'.repeat(100_000)}}`],
  ['blocks 2,000 deep in YAML', Array.from({ length: 2000 }, (_, depth) => `${' '.repeat(depth)}a:`).join('\n')],
  ['an alias that is not there', 'openapi: 3.0.0\npaths: *nowhere\n'],
  ['a list', '[]'],
  ['nothing', ''],
  ['bytes that are no text', '\u0000\u0001'],
])('%s is refused in bounded time', { timeout: BOUND_MS }, (_, text) => {
  const { code, hint } = refusal(() => learnText(text));
  expect(code).toBe('input');
  expect(hint).toContain('srq contract learn FILE');
});

function aliasBomb(): string {
  const levels = Array.from({ length: 12 }, (_, at) => `a${at + 1}: &a${at + 1} [${`*a${at},`.repeat(10)}]`);
  return ['openapi: 3.0.0', 'a0: &a0 [x, x]', ...levels].join('\n');
}

function mergeBomb(): string {
  const levels = Array.from({ length: 12 }, (_, at) => `a${at + 1}: &a${at + 1} { <<: [${`*a${at},`.repeat(10)}] }`);
  return ['openapi: 3.0.0', 'a0: &a0 { x: 1 }', ...levels].join('\n');
}

function manyMerged(): string {
  const keys = Array.from({ length: 50_000 }, (_, at) => `k${at}: 1`).join(', ');
  return ['openapi: 3.0.0', `a: &a { ${keys} }`, `b: { <<: [${'*a,'.repeat(5000)}] }`].join('\n');
}

test('50 MB are refused before they are read', () => {
  const bytes = Buffer.alloc(50 * 1024 * 1024, ' ');
  const error = refusal(() => learnContract([{ name: 'big.yaml', bytes }], learnOptions()));
  expect(error.message).toBe('big.yaml is larger than 10 MB.');
});

test('what is wrong in a document is told by its place, not by quoting it', () => {
  const error = refusal(() => learnText('openapi: 3.0.0\nclient_secret: "canary\n'));
  expect(error.message).toMatch(/is neither JSON nor YAML: .* at line \d+, column \d+\.$/);
  expect(error.message).not.toContain('canary');
});

test.each([
  ['that repeats a repetition', '^(a+)+$'],
  ['that repeats two of them', '(x+x+)+y'],
  ['that repeats groups of them', '^(([a-z])+.)+[A-Z]([a-z])+$'],
  ['that is none', '('],
  ['of 2,000 characters', 'a'.repeat(2000)],
])('a pattern %s is left to the service', (_, pattern) => {
  const schema = { properties: { ...properties, phone: { type: 'string', pattern } } };
  const { contract, notes } = learn(description(schema));
  expect(contract.create.parameters?.find(({ field }) => field === 'phone')?.pattern).toBeNull();
  expect(JSON.stringify(contract.create.schema)).not.toContain('"pattern"');
  expect(notes.join()).toContain('/pattern is left to the service');
});

test('names that every object inherits are names like any other', () => {
  const document = JSON.stringify(
    description({ properties: { ...properties, constructor: { type: 'string' }, PROTO: {} } }),
  );
  const { contract } = learnText(document.replace('PROTO', '__proto__'), 'api.json');
  expect(contract.create.parameters?.map(({ field }) => field)).toEqual([...NAMES, 'constructor']);
  expect(Object.prototype).not.toHaveProperty('type');
  const toConstructor = description({ allOf: [{ properties }, { $ref: '#/constructor' }] });
  expect(refusal(() => learn(toConstructor)).message).toContain('which is not there');
});

test('a list of 100,000 values is taken in bounded time', { timeout: BOUND_MS }, () => {
  const values = Array.from({ length: 100_000 }, (_, index) => `trade-${index}`);
  const category = { allOf: [{ type: 'string', enum: values }, { enum: values }] };
  const { contract, notes } = learn(description({ properties: { ...properties, category } }));
  expect(contract.create.parameters?.find(({ field }) => field === 'category')?.values).toHaveLength(100_000);
  expect(contract.create.schema).toBeNull();
  expect(notes.join()).toContain('too large for the sandbox');
});

test('branches within branches end in bounded time', { timeout: BOUND_MS }, () => {
  const branch = (depth: number): object =>
    depth === 0
      ? { required: ['phone'] }
      : {
          properties: { [`p${depth}`]: { type: 'string' } },
          oneOf: [branch(depth - 1), branch(depth - 1)],
          anyOf: [branch(depth - 1), branch(depth - 1)],
        };
  expect(fieldsOf(learn(description({ allOf: [{ properties }, branch(5)] })))).toEqual(expect.arrayContaining(NAMES));
});

test('thousands of operations end in bounded time', { timeout: BOUND_MS }, () => {
  const operation = {
    post: { requestBody: { content: { 'application/json': { schema: { $ref: '#/components/schemas/A' } } } } },
  };
  const paths = Object.fromEntries(Array.from({ length: 5000 }, (_, index) => [`/p${index}`, operation]));
  const A = {
    properties: Object.fromEntries(Array.from({ length: 3000 }, (_, index) => [`x${index}`, { type: 'string' }])),
  };
  expect(learn({ openapi: '3.1.0', paths, components: { schemas: { A } } }).questions).not.toEqual([]);
});

test('YAML with many names in one place ends in bounded time', { timeout: BOUND_MS }, () => {
  const lines = Array.from({ length: 30_000 }, (_, index) => `x${index}: 1`).join('\n');
  expect(learnText(`openapi: 3.0.0\n${lines}`).questions).toHaveLength(1);
});

const fixture = (name: string): string =>
  readFileSync(new URL(`../../fixtures/contracts/${name}`, import.meta.url), 'utf8');

test('whatever is changed in a document, it ends in a proposal or in an error that says what is wrong', () => {
  const document = JSON.parse(fixture('json-api-openapi30.json')) as unknown;
  const places = placesOf(document);
  const value = fc.oneof(
    fc.jsonValue(),
    fc.constantFrom({ $ref: '#/paths' }, { $ref: 'x.json' }, '#/components', [], {}, -1, '\u0000', 'object', true),
  );
  const changes = fc.array(fc.tuple(fc.nat(places.length - 1), fc.constantFrom('set', 'drop'), value), {
    minLength: 1,
    maxLength: 6,
  });
  fc.assert(
    fc.property(changes, (list) => {
      const changed = structuredClone(document);
      for (const [index, how, to] of list) change(changed, places[index] ?? [], how === 'drop' ? undefined : to);
      try {
        learn(changed);
      } catch (error) {
        if (!(error instanceof SrqError)) throw error;
      }
    }),
    { numRuns: 200 },
  );
});

function placesOf(value: unknown, path: readonly string[] = []): string[][] {
  if (typeof value !== 'object' || value === null) return [[...path]];
  const inner = Object.entries(value).flatMap(([name, each]) => placesOf(each, [...path, name]));
  return path.length === 0 ? inner : [[...path], ...inner];
}

function change(root: unknown, path: readonly string[], to: unknown): void {
  const holder = path.slice(0, -1).reduce<unknown>((value, name) => (isHolder(value) ? value[name] : undefined), root);
  const name = path.at(-1);
  if (!isHolder(holder) || name === undefined) return;
  if (to === undefined) delete holder[name];
  else holder[name] = to;
}

const isHolder = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;
