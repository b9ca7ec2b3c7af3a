import { describe, expect, test } from 'vitest';
import { describeOpenApi } from '../../src/contract/documents/described.ts';
import { operationsOf, startReading } from '../../src/contract/learn/described-operation.ts';
import { openNotebook } from '../../src/contract/learn/notebook.ts';
import {
  atServersOf,
  basePathOf,
  noteOwnServers,
  ownServerOf,
  requireServicePaths,
  serverSuggestions,
  sharedPath,
  tokenPlaces,
} from '../../src/contract/learn/servers.ts';
import { DOCUMENTED_CONTRACT, type Json } from '../../src/request/contract.ts';

const at = (...urls: string[]) => urls.map((url) => ({ url }));

describe('Addresses are suggested', () => {
  const told = (servers: Json) => serverSuggestions(servers).map(({ name, url, test }) => [name, url, test]);

  test.each<[string, string, string, boolean | null]>([
    ['https://sandbox.example.com/', '', 'sandbox', true],
    ['https://api.example.com', 'Production', 'live', false],
    ['https://api.example.com', 'Try it here', 'test', true],
    ['https://test.example.com', 'live', 'live', false],
    ['https://api.example.com', 'Not for production: staging', 'example', null],
    ['https://www.example.com', '', 'example', null],
    ['http://localhost:8080', '', 'localhost', null],
    ['https://api', '', 'service', null],
    ['https://test.live.example.com', '', 'test', null],
  ])('%s (%s) is called %s', (url, description, name, test) => {
    expect(told([{ url, description }])).toEqual([[name, url.replace(/\/$/, ''), test]]);
  });

  test('each by a name of its own, up to twenty of them', () => {
    const many = Array.from({ length: 21 }, () => ({ url: 'https://test.example.com' }));
    const names = told(many).map(([name]) => name);
    expect(names.slice(0, 3)).toEqual(['test', 'test-2', 'test-3']);
    expect([names.length, new Set(names).size]).toEqual([20, 20]);
  });

  test('for each value of the first variable that has several, the default first, up to ten', () => {
    const server = (variables: Json) => [{ url: 'https://{env}.example.com/{v}', variables }];
    const version = { default: 'v1' };
    expect(told(server({ v: version, env: { default: 'live', enum: ['test', 'live', 'x'] } }))).toEqual([
      ['live', 'https://live.example.com/v1', false],
      ['test', 'https://test.example.com/v1', true],
      ['x', 'https://x.example.com/v1', null],
    ]);
    expect(told(server({ v: version, env: { default: 'api', enum: ['api'] } }))).toEqual([
      ['example', 'https://api.example.com/v1', null],
    ]);
    const values = Array.from({ length: 12 }, (_, at) => `e${at}`);
    expect(told(server({ env: { default: 'e0', enum: values }, v: version }))).toHaveLength(10);
    // The words of a value count as those of the host do.
    const inPath = [
      { url: 'https://api.example.com/{env}', variables: { env: { default: 'sandbox', enum: ['sandbox', 'prod'] } } },
    ];
    expect(told(inPath).map(([name]) => name)).toEqual(['sandbox', 'live']);
  });

  test.each(['ftp://example.com', '/v1', 'https:///x', ''])('but not %j', (url) => {
    expect(told([{ url }])).toEqual([]);
  });

  test('with up to 300 letters of description', () => {
    expect(
      serverSuggestions([{ url: 'https://a.example', description: 'x'.repeat(301) }])[0]?.description,
    ).toHaveLength(300);
  });
});

test.each<[string, string[]]>([
  ['/v1', ['https://a.example/v1/', 'https://b.example/v1']],
  ['', ['https://a.example/v1', 'https://b.example/v2']],
  ['', ['https://a.example']],
  ['/v1', ['/v1']],
  ['', []],
])('the path %j is shared by %j', (path, urls) => {
  expect(sharedPath(at(...urls))).toBe(path);
});

const readingOf = (document: Record<string, Json>) => startReading(describeOpenApi(document));
const notebook = () => openNotebook((pointer) => pointer);

test.each<[string | null, object]>([
  [null, { path: '/v1', before: '' }],
  ['https://a.example/v1', { path: '/v1', before: '' }],
  ['https://a.example/v1/', { path: '/v1', before: '' }],
  ['https://a.example', { path: '', before: '/v1' }],
])('under the base URL %s the shared path stands so: %j', (baseUrl, base) => {
  const notes = notebook();
  expect(basePathOf(readingOf({ servers: at('https://a.example/v1') }), baseUrl, notes)).toEqual(base);
  expect(notes.findings.map(({ setting, value }) => [setting, value])).toEqual([['basePath', '/v1']]);
  expect(basePathOf(readingOf({}), baseUrl, notes)).toEqual({ path: '', before: '' });
  expect(notes.findings).toHaveLength(1);
});

test('a path that leads elsewhere is refused, of whatever operation it is', () => {
  expect(() => requireServicePaths(DOCUMENTED_CONTRACT)).not.toThrow();
  for (const name of ['create', 'validate', 'token'] as const) {
    const contract = { ...DOCUMENTED_CONTRACT, [name]: { ...DOCUMENTED_CONTRACT[name], path: '/a/../b' } };
    expect(() => requireServicePaths(contract)).toThrow('The document has the path "/a/../b"');
  }
  expect(() => requireServicePaths({ ...DOCUMENTED_CONTRACT, basePath: '//x' })).toThrow('"//x"');
});

describe('An address for tokens means', () => {
  const [inBase, before, none] = [
    { path: '/v1', before: '' },
    { path: '', before: '/v1' },
    { path: '', before: '' },
  ];
  test.each<[string, string[], typeof inBase, string | null, object[]]>([
    ['https://a.example/v1/token', ['https://a.example/v1'], inBase, null, [{ path: '/token' }]],
    ['https://a.example/token', ['https://a.example/v1'], inBase, null, [{ path: '/token', origin: 'service' }]],
    ['https://a.example/token', ['https://a.example/v1'], before, null, [{ path: '/token' }]],
    ['https://a.example/token', ['https://a.example'], none, null, [{ path: '/token' }]],
    ['https://b.example/token', ['https://a.example'], none, 'https://b.example', [{ path: '/token' }]],
    ['https://b.example/token', ['https://a.example'], none, null, [{ path: '/token', origin: 'https://b.example' }]],
    ['//b.example/token', [], none, null, [{ path: '/token', origin: 'https://b.example' }]],
    ['https://b.example/{tenant}/token', [], none, null, [{ path: '/{tenant}/token', origin: 'https://b.example' }]],
    ['/token', ['https://a.example/v1'], inBase, null, [{ path: '/token', origin: 'service' }]],
    ['token', ['https://a.example/v1'], inBase, null, [{ path: '/token' }, { path: '/token', origin: 'service' }]],
    ['token', [], none, null, [{ path: '/token' }]],
    ['https://', [], none, null, []],
  ])('%s at %j: a place', (address, servers, base, baseUrl, places) => {
    expect(tokenPlaces(address, readingOf({ servers: at(...servers) }), base, baseUrl)).toEqual(places);
  });
});

test('an operation may name servers of its own, or its path does, and that is noted', () => {
  const servers = at('https://a.example');
  const own = at('https://b.example/');
  const reading = readingOf({
    servers,
    paths: {
      '/own': { post: { servers: own } },
      '/path': { servers: own, post: {} },
      '/same': { post: { servers } },
      '/none': { post: {} },
    },
  });
  const operations = operationsOf(reading);
  expect(operations.map((each) => ownServerOf(reading, each))).toEqual([
    'https://b.example',
    'https://b.example',
    'https://a.example',
    null,
  ]);
  const notes = notebook();
  noteOwnServers(reading, operations, notes);
  expect(notes.notes).toEqual(
    ['POST /own', 'POST /path'].map((name) => `${name} names servers of its own. srq sends to the base URL alone.`),
  );
  const [first = null, , , last = null] = operations;
  expect(atServersOf(first, reading).described.document['servers']).toEqual(own);
  expect([atServersOf(last, reading), atServersOf(null, reading)]).toEqual([reading, reading]);
});

test('operations are those of five methods whose path begins with a slash, with what is said of them', () => {
  const all = Object.fromEntries(
    ['get', 'post', 'put', 'patch', 'delete', 'head', 'trace'].map((method) => [method, {}]),
  );
  const reading = readingOf({
    paths: {
      '/a': all,
      'x-b': { post: {} },
      '/c': { post: { summary: 'One', description: 'two', tags: ['three'], operationId: 'id' } },
    },
  });
  const operations = operationsOf(reading);
  expect(operations.map(({ name }) => name)).toEqual([
    'GET /a',
    'POST /a',
    'PUT /a',
    'PATCH /a',
    'DELETE /a',
    'POST /c',
  ]);
  expect(operations.at(-1)).toMatchObject({ words: 'One two three', id: 'id', pointer: '/paths/~1c/post' });
  const long = (length: number) =>
    operationsOf(readingOf({ paths: { '/a': { post: { summary: 'x'.repeat(length) } } } }))[0]?.words;
  expect(long(20_001)).toHaveLength(20_000);
});
