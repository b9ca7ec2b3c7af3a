import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { describePostman } from '../../src/contract/postman/postman.ts';
import type { Json } from '../../src/request/contract.ts';
import { aCollection, anItem, at, bodyOf, described } from './collections.ts';

const fixture = (name: string): Json => JSON.parse(readFileSync(`fixtures/contracts/${name}`, 'utf8')) as Json;

const nested = () =>
  describePostman(fixture('postman-nested-v20.json'), fixture('postman-nested-v20.environment.json'));
const multipart = () => describePostman(fixture('postman-multipart-v21.json'), null);

test('a collection of version 2.0 is described with its folders, its environment and its saved answers', () => {
  const { kind, title, document, provesRequired } = nested();
  expect({ kind, title, provesRequired }).toEqual({
    kind: 'Postman 2.0',
    title: 'Jobs gateway',
    provesRequired: false,
  });
  expect(at(document, '/servers')).toEqual([
    { url: 'https://test.jobs.example.com/partner', description: 'Test system' },
  ]);
  const job = at(document, '/paths/~1jobs/post');
  expect(job).toMatchObject({ operationId: 'New job', description: 'Hands a job over.', tags: ['Jobs'] });
  expect(at(job, '/requestBody/content/application~1json/schema/properties/customer/properties')).toMatchObject({
    name: { type: 'string', example: 'Ana Exemplo' },
    phone: { type: 'string' },
  });
  expect(at(job, '/responses/201/content/application~1json/example')).toEqual({
    job: { id: '5f0c2d1e', state: 'accepted' },
  });
  expect(at(job, '/responses/409')).toMatchObject({ description: 'Already known: a duplicate' });
});

test('a collection of version 2.1 is described with files, disabled parameters and parts of addresses', () => {
  const { kind, document } = multipart();
  expect(kind).toBe('Postman 2.1');
  expect(at(document, '/servers/0/url')).toBe('https://voice.example.com');
  const create = at(document, '/paths/~1v2~1request~1create/post');
  const media = at(create, '/requestBody/content/multipart~1form-data');
  expect(at(media, '/schema/properties/recording')).toEqual({
    type: 'string',
    format: 'binary',
    description: "The customer's words",
  });
  expect(Object.keys(Object(at(media, '/schema/properties')))).toContain('email');
  expect(Object.keys(Object(at(media, '/example')))).not.toContain('email');
  expect(at(create, '/parameters')).toMatchObject([{ name: 'dry_run', in: 'query' }]);
  expect(at(media, '/schema/required')).toBeUndefined();
});

test('numbers without quotes are numbers once they are filled in, comments or not', () => {
  const body = bodyOf(nested().document, '/jobs', 'application/json');
  expect(at(body, '/schema/properties/category_id')).toEqual({ type: 'integer', example: 12 });
  expect(at(body, '/example/category_id')).toBe(12);
});

test('a value without quotes that nobody knows is said to be taken for a number, and is in no example', () => {
  const { document, notes } = nested();
  const body = bodyOf(document, '/jobs', 'application/json');
  expect(at(body, '/schema/properties/batch')).toEqual({ type: 'number' });
  expect(at(body, '/example/batch')).toBeUndefined();
  expect(notes.join('\n')).toContain('{{batch}} stands for. It stands without quotes, so it is taken for a number');
});

test('a script is never run, but what it would have set is noted', () => {
  expect(nested().notes).toContainEqual(
    'A script sets {{batch}} (/event/0). srq runs no scripts, so its value is not known.',
  );
  const unneeded = { listen: 'test', script: { exec: "pm.environment.set('last_id', 1);" } };
  expect(described(aCollection(anItem({ event: [unneeded] }))).notes).toEqual([]);
  const script = "pm.request.headers.upsert({ key: 'X-Signature', value: sign() }); pm.request.body.update('{}');";
  const { notes } = described(aCollection(anItem({ event: [{ listen: 'prerequest', script: { exec: [script] } }] })));
  expect(notes.join('\n')).toMatch(/adds the header "X-Signature" \(\/item\/0\/event\/0\)[\s\S]*changes the body/);
});

test('the made-up key of a header is a UUID', () => {
  const parameters = at(nested().document, '/paths/~1jobs/post/parameters');
  expect(parameters).toContainEqual({
    name: 'Idempotency-Key',
    in: 'header',
    schema: { type: 'string', format: 'uuid', example: '00000000-0000-4000-8000-000000000000' },
  });
});

test('the limits of a saved 429 are noted', () => {
  expect(nested().notes.join('\n')).toContain('Retry-After: 30, X-RateLimit-Limit: 60 (/item/0/item/0/response/2)');
});

test('two saved answers that differ in one word give the words of the verdict', () => {
  const response = at(nested().document, '/paths/~1jobs~1check/post/responses/200/content/application~1json');
  expect(at(response, '/schema/properties/result/enum')).toEqual(['unique', 'duplicate']);
  expect(at(response, '/examples/2 Known/value')).toEqual({ result: 'duplicate' });
});

test('one saved answer does not say which words there are', () => {
  const { document } = described(aCollection(anItem({ response: [{ code: 200, body: '{"status":"new"}' }] })));
  const schema = at(document, '/paths/~1a/post/responses/200/content/application~1json/schema/properties/status');
  expect(schema).toEqual({ type: 'string', example: 'new' });
});

test('an identifier that differs from answer to answer is no word of a verdict', () => {
  const answer = (status: string) => ({ name: '', code: 200, body: JSON.stringify({ status }) });
  const { document } = described(aCollection(anItem({ response: [answer('R-1'), answer('R-2')] })));
  expect(
    at(document, '/paths/~1a/post/responses/200/content/application~1json/schema/properties/status/enum'),
  ).toBeUndefined();
});

test('the settings for a token that no item shows are an operation of their own', () => {
  const { document, where } = nested();
  const token = at(document, '/paths/~1auth~1token/post');
  expect(token).toMatchObject({ security: [{ basic: [] }] });
  expect(at(token, '/requestBody/content/application~1x-www-form-urlencoded/example')).toEqual({
    grant_type: 'client_credentials',
    scope: 'jobs:write',
  });
  expect(where('/paths/~1auth~1token/post/requestBody')).toBe('/auth');
  expect(at(document, '/components/securitySchemes')).toEqual({
    bearer: { type: 'http', scheme: 'bearer' },
    basic: { type: 'http', scheme: 'basic' },
  });
});

test('a token request with Basic credentials says so', () => {
  const { document } = multipart();
  expect(at(document, '/paths/~1v2~1oauth~1token/post/security')).toEqual([{ basic: [] }]);
  expect(at(document, '/components/securitySchemes/basic')).toEqual({ type: 'http', scheme: 'basic' });
});

test.each([
  ['the item before its folder', { type: 'basic' }, { type: 'bearer' }, [{ basic: [] }]],
  ['the folder before the collection', null, { type: 'bearer' }, [{ bearer: [] }]],
  ['none at all where the folder says so', null, { type: 'noauth' }, []],
  ['the collection where nobody says anything', null, null, [{ apikey: [] }]],
])('an authorization is inherited: %s', (_, own, folders, expected) => {
  const folder = { name: 'F', auth: folders, item: [anItem({}, { auth: own })] };
  const { document } = described({
    ...aCollection(folder),
    auth: { type: 'apikey', apikey: [{ key: 'key', value: 'X-Key' }] },
  });
  expect(at(document, '/paths/~1a/post/security')).toEqual(expected);
});

test('a written Authorization header is an authorization, not a parameter', () => {
  const header = [{ key: 'Authorization', value: 'Basic {{credentials}}' }];
  const { document } = described(aCollection(anItem({}, { header })));
  expect(at(document, '/paths/~1a/post')).toMatchObject({ parameters: [], security: [{ basic: [] }] });
});

test.each([
  ['a text', 'https://api.example.com/v1/x?a=1', 'https://api.example.com', '/v1/x'],
  ['a variable and a path', '{{base}}/v1/x', 'https://base.example.com/prefix', '/v1/x'],
  ['a variable without a scheme', '{{host}}/v1/x', 'https://host.example.com', '/v1/x'],
  ['a host in a variable', 'https://{{host}}:8443/v1/x', 'https://host.example.com:8443', '/v1/x'],
  ['a path in a variable', '{{base}}{{path}}', 'https://base.example.com/prefix', '/v1/x'],
  ['a whole address in a variable', '{{whole}}', 'https://whole.example.com', '/v1/x'],
  ['a name and password', 'https://u:p@api.example.com/v1/x', 'https://api.example.com', '/v1/x'],
  ['a parameter of the path', { raw: '{{base}}/v1/:id/x' }, 'https://base.example.com/prefix', '/v1/{id}/x'],
  [
    'parts alone',
    { protocol: 'https', host: ['api', 'example', 'com'], path: ['v1', 'x'] },
    'https://api.example.com',
    '/v1/x',
  ],
])('an address is read: %s', (_, url, server, path) => {
  const variable = [
    { key: 'base', value: 'https://base.example.com/prefix/' },
    { key: 'host', value: 'host.example.com' },
    { key: 'path', value: '/v1/x' },
    { key: 'whole', value: 'https://whole.example.com/v1/x' },
  ];
  const { document } = described({ ...aCollection(anItem({}, { url })), variable });
  expect(at(document, '/servers/0/url')).toBe(server);
  expect(Object.keys(Object(at(document, '/paths')))).toEqual([path]);
});

test('an address that no file gives is no server, and is noted', () => {
  const { document, notes } = described(aCollection(anItem({}, { url: '{{base_url}}/v1/x' })));
  expect(at(document, '/servers')).toEqual([]);
  expect(notes).toContainEqual('The address of the service is in {{base_url}}, and no file says what that is.');
});

test('a token from another address is said to come from there', () => {
  const token = anItem({}, { url: 'https://login.example.com/oauth/token' });
  const { document } = described(aCollection(token, anItem(), anItem({ name: 'B' })));
  expect(at(document, '/servers/0/url')).toBe('https://api.example.com');
  expect(at(document, '/paths/~1oauth~1token/post/servers')).toEqual([{ url: 'https://login.example.com' }]);
});

test('requests to one address are one operation that knows the names of all', () => {
  const body = (raw: Json) => ({ body: { mode: 'raw', raw: JSON.stringify(raw) } });
  const { document } = described(
    aCollection(
      anItem({ name: 'Text' }, body({ text: 'x', size: 1 })),
      anItem({ name: 'Voice' }, body({ audio: 'x', size: 1.5 })),
    ),
  );
  expect(at(document, '/paths/~1a/post/operationId')).toBe('Text');
  const properties = at(bodyOf(document, '/a', 'application/json'), '/schema/properties');
  expect(properties).toMatchObject({ text: { type: 'string' }, audio: { type: 'string' }, size: { type: 'number' } });
});

test('the type of a JSON:API body is fixed', () => {
  const raw = JSON.stringify({ data: { type: 'jobs', attributes: { type: 'house' } } });
  const { document } = described(aCollection(anItem({}, { body: { mode: 'raw', raw } })));
  const data = at(bodyOf(document, '/a', 'application/json'), '/schema/properties/data/properties');
  expect(at(data, '/type/enum')).toEqual(['jobs']);
  expect(at(data, '/attributes/properties/type/enum')).toBeUndefined();
});

test.each([
  ['the header', { header: 'Content-Type: application/vnd.api+json' }, '{"a":1}', 'application/vnd.api+json'],
  ['the language', { language: 'json' }, '{"a":1}', 'application/json'],
  ['its text', {}, '{"a":1}', 'application/json'],
  [
    'the header of a form',
    { header: 'content-type: application/x-www-form-urlencoded' },
    'a=1',
    'application/x-www-form-urlencoded',
  ],
])(
  'what a raw body is, is told by %s',
  (_, { header, language }: { header?: string; language?: string }, raw, type) => {
    const options = language === undefined ? {} : { options: { raw: { language } } };
    const { document } = described(
      aCollection(anItem({}, { header: header ?? null, body: { mode: 'raw', raw, ...options } })),
    );
    expect(Object.keys(Object(at(bodyOf(document, '/a', type), '/schema/properties')))).toEqual(['a']);
  },
);

test.each([
  ['graphql', { mode: 'graphql', graphql: { query: '{ a }' } }, 'a body of the kind "graphql"'],
  ['file', { mode: 'file', file: { src: '/etc/passwd' } }, 'a body of the kind "file"'],
  ['XML', { mode: 'raw', raw: '<a/>', options: { raw: { language: 'xml' } } }, 'a body of the kind "text/xml"'],
  ['no JSON', { mode: 'raw', raw: '{{whole}}' }, 'a body that is no JSON object'],
])('a body that is not read is noted: %s', (_, body, why) => {
  const { document, notes } = described(aCollection(anItem({}, { body })));
  expect(notes.join('\n')).toContain(`"A" (/item/0) has ${why}, which srq does not read.`);
  expect(at(document, '/paths/~1a/post/requestBody')).toBeUndefined();
});

test('a body that only a saved answer shows is read from there', () => {
  const originalRequest = { method: 'POST', body: { mode: 'urlencoded', urlencoded: [{ key: 'phone', value: '1' }] } };
  const response = [
    { name: 'Wrong', code: 400, originalRequest: {} },
    { name: 'Created', code: 201, originalRequest },
  ];
  const { document, where } = described(aCollection(anItem({ response })));
  expect(at(bodyOf(document, '/a', 'application/x-www-form-urlencoded'), '/example')).toEqual({ phone: '1' });
  expect(where('/paths/~1a/post/requestBody')).toBe('/item/0/response/1/originalRequest/body');
});

test('every part leads back to its place in the collection', () => {
  const { where } = multipart();
  const create = '/paths/~1v2~1request~1create/post';
  const properties = `${create}/requestBody/content/multipart~1form-data/schema/properties`;
  expect(where(`${properties}/phone/type`)).toBe('/item/1/request/body/formdata/4');
  expect(where(`${create}/responses/201/content/application~1json/schema`)).toBe('/item/1/response/0');
  expect(where(`${create}/operationId`)).toBe('/item/1/request');
  expect(where('/servers/0/url')).toBe('/item/0/request/url');
  expect(where('/nowhere')).toBe('');
});

test('the environment comes before the collection, and what is switched off is not there', () => {
  const collection = {
    ...aCollection(anItem({}, { url: '{{base}}/a' })),
    variable: [{ key: 'base', value: 'https://old.example.com' }],
  };
  const server = (values: Json) => at(describePostman(collection, { name: 'Live', values }).document, '/servers/0');
  expect(server([{ key: 'base', value: 'https://new.example.com' }])).toEqual({
    url: 'https://new.example.com',
    description: 'Live',
  });
  expect(server([{ key: 'base', value: 'https://new.example.com', enabled: false }])).toMatchObject({
    url: 'https://old.example.com',
  });
});

test('a collection as the API of the client tool gives it is unwrapped', () => {
  const { title } = describePostman({ collection: aCollection(anItem()) }, { environment: { values: [] } });
  expect(title).toBe('Requests');
});

test.each(['bearer', 'basic'])(
  'a written header Authorization tells the scheme, whatever the settings say: %s',
  (scheme) => {
    const header = [{ key: 'Authorization', value: `${scheme.toUpperCase()} {{credentials}}` }];
    const auth = { type: 'apikey', apikey: [{ key: 'key', value: 'X-Key' }] };
    const { document } = described({ ...aCollection(anItem({}, { header })), auth });
    expect(at(document, '/components/securitySchemes')).toEqual({ [scheme]: { type: 'http', scheme } });
  },
);

test('a header Authorization of another scheme leaves it to the settings', () => {
  const header = [{ key: 'Authorization', value: 'Signature abc' }];
  const auth = { type: 'bearer', bearer: [] };
  const { document } = described({ ...aCollection(anItem({}, { header })), auth });
  expect(at(document, '/components/securitySchemes')).toEqual({ bearer: { type: 'http', scheme: 'bearer' } });
});

test.each(['GET', 'PUT', 'POST', 'PATCH', 'DELETE'])('a request by %s is described', (method) => {
  const { document } = described(aCollection(anItem({}, { method })));
  expect(Object.keys(Object(at(document, '/paths/~1a')))).toEqual([method.toLowerCase()]);
});
