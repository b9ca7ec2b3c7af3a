import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { learn as learnAny, type Proposal, refusalOf as refusal, unlessRefused } from '../doors/learn.ts';
import fc from '../helpers/fast-check.ts';

/** Generous: what is bounded takes a small part of it, what is not takes minutes. */
const BOUND_MS = 60_000;

const operations = { create: 'POST /requests', validate: 'none' };
const learnText = (text: string, name = 'api.yaml'): Proposal => learnAny(text, { name, operations });
const learn = (document: unknown): Proposal => learnText(JSON.stringify(document), 'api.json');

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
      refusal(() => learnText(`openapi: 3.0.0\npaths: {}\nx: !!include ${reference}\ny: !include ${reference}\n`));
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
  const { contract } = learn(description({ $ref: '#/components/schemas/S59' }, { components: { schemas } }));
  expect(Object.values(contract.create.fields)).toContain('phone');
});

test('a body of more than 20,000 parts is refused, and two hundred operations are ordered in bounded time', {
  timeout: BOUND_MS,
}, () => {
  const many = Object.fromEntries(Array.from({ length: 20_001 }, (_, index) => [`p${index}`, {}]));
  expect(refusal(() => learn(description({ properties: many }))).message).toContain('more than 20000 parts');
  const values = Array.from({ length: 400_001 }, () => 0);
  expect(refusal(() => learn({ openapi: '3.1.0', values })).message).toContain('more than 400000 values');
  const post = { requestBody: { content: { 'application/json': { schema: { properties: many } } } } };
  const paths = Object.fromEntries(Array.from({ length: 200 }, (_, index) => [`/r${index}`, { $ref: '#/x-post' }]));
  const { questions } = learnAny({ openapi: '3.1.0', paths, 'x-post': { post } });
  expect(questions.map(({ name }) => name)).toContain('operation:create');
});

const times = <Each>(count: number, each: (index: number) => Each): Each[] =>
  Array.from({ length: count }, (_, index) => each(index));
const names = times(20_001, String);
const paths = Object.fromEntries(times(5_001, (index) => [`/${index}`, {}]));
const item = times(5_001, () => ({ request: {} }));

test.each([
  ['required names', description({ properties, required: names }), 'more than 20000 parts'],
  ['allowed values', description({ properties: { ...properties, lang: { enum: names } } }), 'more than 20000 parts'],
  ['paths', { openapi: '3.1.0', paths }, 'more than 5000 paths'],
  ['requests of a collection', { info: { name: 'C' }, item }, 'more than 5000 requests'],
  ['YAML', `openapi: 3.1.0\nx: ${'x'.repeat(3 * 1024 * 1024)}`, 'more than 3 MB'],
])('too many %s are refused', (_, document, told) => {
  const text = typeof document === 'string' ? document : JSON.stringify(document);
  expect(refusal(() => learnText(text)).message).toContain(told);
});

test.each([
  ['an alias bomb', aliasBomb()],
  ['a merge bomb', mergeBomb()],
  ['lists 100,000 deep in YAML', `a: ${'['.repeat(100_000)}`],
  ['blocks 2,000 deep in YAML', Array.from({ length: 2000 }, (_, depth) => `${' '.repeat(depth)}a:`).join('\n')],
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

test.each([
  ['that repeats a repetition', '^(a+)+$'],
  ['that repeats two of them', '(x+x+)+y'],
  ['that repeats groups of them', '^(([a-z])+.)+[A-Z]([a-z])+$'],
  ['that is none', '('],
  ['of 2,000 characters', 'a'.repeat(2000)],
])('a pattern %s keeps nobody waiting', (_, pattern) => {
  const schema = { properties: { ...properties, phone: { type: 'string', pattern } } };
  expect(learn(description(schema)).contract.create.fields['phone']).toBe('phone');
});

test('names that every object inherits are names like any other', () => {
  const document = JSON.stringify(
    description({ properties: { ...properties, constructor: { type: 'string' }, PROTO: {} } }),
  );
  const { contract } = learnText(document.replace('PROTO', '__proto__'), 'api.json');
  expect(Object.keys(contract.create.fields)).toEqual(NAMES);
  expect(Object.prototype).not.toHaveProperty('type');
  const toConstructor = description({ allOf: [{ properties }, { $ref: '#/constructor' }] });
  expect(refusal(() => learn(toConstructor)).message).toContain('which is not there');
});

const fixture = (name: string): string =>
  readFileSync(new URL(`../../fixtures/contracts/${name}`, import.meta.url), 'utf8');

test('whatever is changed in a document, it ends in a proposal or in an error that says what is wrong', () => {
  const document = JSON.parse(
    fixture('json-api-openapi30.json').replace('/v1/service-requests"', '/requests"'),
  ) as unknown;
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
      unlessRefused(() => learn(changed));
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
