import { expect, test } from 'vitest';
import { learnContract } from '../../src/contract/learn.ts';
import {
  type Contract,
  contractAt,
  type Json,
  type Proposal,
  tokenAddress,
} from '../../src/contract/version-1/contract.ts';
import { aCollection, anItem } from './collections.ts';
import { learnOptions } from './learn-options.ts';

const URL_OF = 'https://api.example.com';
const FIELDS = { country: 'PT', lang: 'pt', location: 'Lisboa', fullname: 'Ana Exemplo', phone: '+351210000000' };

const text = { type: 'string' };
const properties = Object.fromEntries(Object.keys(FIELDS).map((name) => [name, text]));
const operation = (extra: object = {}, operationExtra: object = {}) => ({
  requestBody: {
    content: {
      'application/json': { schema: { type: 'object', required: ['phone'], properties: { ...properties, ...extra } } },
    },
  },
  responses: {},
  ...operationExtra,
});
const openApi = <T extends object>(paths: T, rest: object = {}) => ({
  ...{ openapi: '3.1.0', info: { title: 'API', version: '1' }, paths },
  ...rest,
});
const item = (name: string, path: string, raw: object, response: Json[] = [], request: object = {}) =>
  anItem({ name, response }, { url: `${URL_OF}${path}`, body: rawOf(raw), ...request });
const rawOf = (raw: object) => ({ mode: 'raw', raw: JSON.stringify(raw) });
const saved = (code: number, body: object) => ({ name: '', code, body: JSON.stringify(body) });

/** The description is given last, and is believed all the same. */
function learned(description: object, collection: Json, constants: Record<string, string> = {}): Proposal {
  const file = (name: string, value: unknown) => ({ name, bytes: Buffer.from(JSON.stringify(value)) });
  return learnContract(
    [file('collection.json', collection), file('api.json', description)],
    learnOptions({ constants }),
  );
}

test('a collection fills what a description leaves open, and each finding names its file', () => {
  const description = openApi({
    '/v1/request/create': { post: operation() },
    '/v1/request/validate': { post: operation() },
  });
  const { contract, notes } = learned(
    description,
    aCollection(
      item('Create', '/v1/request/create', FIELDS, [saved(201, { request_id: 7 })]),
      item('Validate', '/v1/request/validate', FIELDS, [saved(200, { duplicate: false })]),
      item('Token', '/oauth/token', { grant_type: 'client_credentials', client_secret: '{{s}}', scope: 'all' }),
    ),
  );
  expect(contract.source).toMatchObject({ files: ['api.json', 'collection.json'], kind: 'OpenAPI 3.1 + Postman 2.1' });
  expect(contract.create.identifiers).toEqual([{ name: 'request_id', pointer: '/request_id' }]);
  expect(contract.create.success?.body).toEqual({ request_id: 7 });
  expect(contract.validate.verdict).toMatchObject([{ kind: 'value', pointer: '/duplicate' }]);
  expect(contract.token).toMatchObject({ path: '/oauth/token', encoding: 'json', extra: { scope: 'all' } });
  expect(contract.servers.map(({ url }) => url)).toEqual([URL_OF]);
  expect(contract.create.parameters?.find(({ field }) => field === 'phone')?.required).toBe(true);
  expect(whereOf(contract, 'create.path')).toEqual(['api.json /paths/~1v1~1request~1create/post']);
  expect(whereOf(contract, 'create.identifiers')).toEqual(['collection.json /item/0/response/0']);
  expect(whereOf(contract, 'validate.verdict')).toEqual(['collection.json /item/1/response/0']);
  expect(whereOf(contract, 'token.path')).toEqual(['collection.json /item/2/request']);
  expect(whereOf(contract, 'phone')).toEqual([expect.stringMatching(/^api\.json /)]);
  expect(notes.filter((each) => /first one/.test(each))).toEqual([]);
});

test('where both speak the description is believed, and each contradiction is noted with both places', () => {
  const answer = {
    description: '',
    content: { 'application/json': { schema: { type: 'object', properties: { exists: { type: 'boolean' } } } } },
  };
  const { contract, notes } = learned(
    openApi({
      '/v2/requests': { post: operation() },
      '/v2/requests/validate': { post: operation({}, { responses: { 200: answer } }) },
    }),
    aCollection(
      item('Create', '/v1/requests', { ...FIELDS, phone: undefined, phone_number: '+351210000000' }),
      item('Validate', '/v2/requests/validate', FIELDS, [saved(200, { duplicates: [] })]),
    ),
  );
  expect(contract.create.path).toBe('/v2/requests');
  expect(contract.create.parameters?.find(({ field }) => field === 'phone')?.path).toEqual(['phone']);
  expect(contract.validate.verdict).toMatchObject([{ kind: 'value', pointer: '/exists' }]);
  expect(notes.filter((each) => each.endsWith('The first one is used.'))).toEqual([
    'create.path: /v2/requests by api.json /paths/~1v2~1requests/post, but /v1/requests by collection.json /item/0/request. The first one is used.',
    'phone: phone by api.json /paths/~1v2~1requests/post/requestBody/content/application~1json/schema/properties/phone, but phone_number by collection.json /item/0/request/body/raw. The first one is used.',
    'validate.verdict: value /exists by api.json /paths/~1v2~1requests~1validate/post/responses/200, but list /duplicates by collection.json /item/1/response/0. The first one is used.',
  ]);
});

const CLIENT = { grant_type: 'client_credentials', client_id: '{{i}}', client_secret: '{{s}}' };
const below = (path: string, paths: object = { '/requests': { post: operation() } }) =>
  openApi(paths, { servers: [{ url: URL_OF + path }] });

test('an operation that the collection alone has keeps its own address', () => {
  const asked = (path: string) => [
    item('Create', '/v1/requests', FIELDS),
    item('Validate', path, FIELDS, [saved(200, { duplicate: false })]),
  ];
  const token = item('Token', '/oauth/token', CLIENT);
  const { contract } = learned(below('/v1'), aCollection(...asked('/v1/requests/validate'), token));
  expect(contract).toMatchObject({
    basePath: '/v1',
    create: { path: '/requests' },
    validate: { path: '/requests/validate' },
  });
  expect(tokenAddress(contract, `${URL_OF}/v1`)).toBe(`${URL_OF}/oauth/token`);
  expect(tokenAddress(contractAt(contract, URL_OF), URL_OF)).toBe(`${URL_OF}/oauth/token`);
  const under = learned(below('/v1'), aCollection(item('Token', '/v1/oauth/token', CLIENT))).contract;
  expect(under.token).toMatchObject({ path: '/oauth/token' });
  expect(under.token.origin).toBeUndefined();
  const variable = { ...anItem({ name: 'Token' }, { url: '{{base}}/oauth/token', body: rawOf(CLIENT) }) };
  expect(learned(below('/v1'), aCollection(variable)).contract.token).toMatchObject({ path: '/oauth/token' });
  expect(() => learned(below('/v1'), aCollection(...asked('/v2/requests/validate')))).toThrow(
    'validate is at /v2/requests/validate by collection.json',
  );
});

test('what a person gave for a place that the collection alone has is sent, or refused if the other body has no such place', () => {
  const description = openApi({ '/v1/request/create': { post: operation() } });
  const extra = { campaign: 'x', labels: ['a'] };
  const collection = aCollection(item('Create', '/v1/request/create', { ...FIELDS, category: 'plumbing', extra }));
  const refusal = 'in collection.json alone, and the request of api.json has no place for it';
  for (const name of ['campaign', 'extra.campaign']) {
    expect(() => learned(description, collection, { [name]: 'y' })).toThrow(`"${name}" is ${refusal}`);
  }
  expect(() => learned(description, collection, { campaign: '' })).toThrow(refusal);
  expect(() => learned(description, collection, { 'extra.campaign': '{email}' })).toThrow(refusal);
  expect(() => learned(description, collection, { labels: '["b"]' })).toThrow(refusal);
  expect(() => learned(description, collection, { campaing: 'y' })).toThrow('has no parameter "campaing"');
  const { contract } = learned(description, collection, { category: 'painting' });
  expect(contract.create.parameters?.find(({ field }) => field === 'category')?.constant).toBe('painting');
});

const KNOWN_FOR = (time: string) => `The same key returns the first answer for ${time}.`;

test.each([
  [KNOWN_FOR('24 hours'), KNOWN_FOR('24 hours'), 86_400],
  [KNOWN_FOR('24 hours'), KNOWN_FOR('5 minutes'), 300],
  [KNOWN_FOR('5 minutes'), KNOWN_FOR('24 hours'), 300],
  [KNOWN_FOR('24 hours'), 'The same key returns the first answer.', 600],
  [KNOWN_FOR('24 hours'), '', 86_400],
  ['', KNOWN_FOR('5 minutes'), 300],
  ['Ignored.', KNOWN_FOR('24 hours'), null],
  [KNOWN_FOR('24 hours'), 'Ignored.', 0],
])('of an idempotency key the shorter time counts, and a denial before any: %j, %j', (one, other, window) => {
  const name = 'Idempotency-Key';
  const parameters = [{ name, in: 'header', description: one, schema: { type: 'string' } }];
  const header = [{ key: name, value: '1', description: other }];
  const proposal = learned(
    openApi({ '/v1/request/create': { post: operation({}, { parameters }) } }),
    aCollection(item('Create', '/v1/request/create', FIELDS, [], { header })),
  );
  expect(proposal.contract.create.idempotency?.windowSeconds ?? null).toBe(window);
  expect(proposal.questions.filter((each) => each.name.startsWith('idempotency') && window !== null)).toEqual([]);
  expect(proposal.notes.join().includes('Until you say so')).toBe(false);
});

function whereOf({ findings }: Contract, setting: string): string[] {
  return findings.filter((each) => each.setting === setting).map(({ where }) => where);
}
