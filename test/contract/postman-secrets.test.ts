import { expect, test } from 'vitest';
import { isRefusal, learn, page, unlessRefused } from '../doors/learn.ts';

type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json };

const SCHEMA = 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json';
const BODY = { mode: 'urlencoded', urlencoded: [{ key: 'phone', value: '+351210000000' }] };

/** A collection of one request, and of one more that creates. */
function aCollection(...items: readonly Json[]): { readonly [name: string]: Json } {
  const create = {
    name: 'Create',
    request: { method: 'POST', url: 'https://api.example.com/v1/request/create', body: BODY },
  };
  return { info: { name: 'C', schema: SCHEMA }, item: [...items, create] };
}

const anItem = (item: object = {}, request: object = {}): Json =>
  ({
    name: 'A',
    request: { method: 'POST', url: 'https://api.example.com/a', body: BODY, ...request },
    ...item,
  }) as Json;

/** Everything that srq keeps or shows of a collection, as text. */
function kept(collection: object, environment?: object): string {
  const learned = [{ create: '/a' }, { create: '/v1/request/create' }].map((operations) => {
    const around = {
      operations: { ...operations, validate: 'none', token: '/oauth/token' },
      ...(environment && { environment }),
    };
    const learned = unlessRefused(() => learn(collection, around));
    if (isRefusal(learned)) return [learned.message];
    const { contract, questions, notes } = learned;
    return [JSON.stringify([contract, questions]), page(contract), notes.join()];
  });
  return learned.flat().join();
}

const CANARY = 'canary/7f3+X';

const raw = (text: string) => anItem({}, { body: { mode: 'raw', raw: text } });
const answered = (body: string, header: Json = null) => anItem({ response: [{ name: 'OK', code: 200, header, body }] });
const urlencoded = (key: string, value = CANARY) =>
  anItem({}, { body: { mode: 'urlencoded', urlencoded: [{ key, value }] } });
const withAuth = (auth: Json) => ({ ...aCollection(anItem()), auth });

test.each<[string, Json]>([
  ['a variable', { ...aCollection(anItem()), variable: [{ key: 'client_secret', value: CANARY }] }],
  ['a variable of type secret', { ...aCollection(anItem()), variable: [{ key: 'x', type: 'secret', value: CANARY }] }],
  ['a bearer token', withAuth({ type: 'bearer', bearer: [{ key: 'token', value: CANARY }] })],
  ['a bearer token of 2.0', withAuth({ type: 'bearer', bearer: { token: CANARY } })],
  ['a password', withAuth({ type: 'basic', basic: { username: 'u', password: CANARY } })],
  [
    'an API key',
    withAuth({
      type: 'apikey',
      apikey: [
        { key: 'value', value: CANARY },
        { key: 'key', value: 'X-Key' },
      ],
    }),
  ],
  ['a setting nobody knows', withAuth({ type: 'odd', odd: [{ key: 'inner', value: CANARY }] })],
  ['a client secret', withAuth({ type: 'oauth2', oauth2: [{ key: 'clientSecret', value: CANARY }] })],
  [
    'a written Authorization',
    aCollection(anItem({}, { header: [{ key: 'Authorization', value: `Bearer ${CANARY}` }] })),
  ],
  ['a header as text', aCollection(anItem({}, { header: `X-Api-Key: ${CANARY}` }))],
  ['a form', aCollection(urlencoded('client_secret'))],
  ['a JSON body', aCollection(raw(JSON.stringify({ auth: { apiKey: CANARY } })))],
  ['a body that is no JSON', aCollection(raw(`{ "password": "${CANARY}", `))],
  ['a form as text', aCollection(raw(`a=1&client_secret=${CANARY}`))],
  ['an address', aCollection(anItem({}, { url: `https://api.example.com/a?api_key=${CANARY}` }))],
  ['a saved answer', aCollection(answered(JSON.stringify({ access_token: CANARY })))],
  ['a saved header', aCollection(answered('{}', [{ key: 'Set-Cookie', value: CANARY }]))],
  ['a script', aCollection(anItem({ event: [{ listen: 'test', script: { exec: `const secret = "${CANARY}";` } }] }))],
])('a secret is never kept or shown: %s', (_, collection) => {
  expect(kept(Object(collection))).not.toContain(CANARY);
});

test('a secret is not filled into an address either', () => {
  const collection = {
    ...aCollection(urlencoded('note', 'is {{client_secret}}')),
    variable: [{ key: 'client_secret', value: 'q9' }],
  };
  expect(kept(collection)).not.toContain('q9');
});

test.each<[string, object]>([
  ['a secret header', { header: [{ key: 'X-Api-Key', value: CANARY }] }],
  ['an API key', { auth: { type: 'apikey', apikey: [{ key: 'key', value: 'X-Api-Key' }] } }],
])('%s is a key that a person may give beside the token', (_, request) => {
  const said = { operations: { create: '/a', validate: 'none' }, values: { 'X-Api-Key': 'k9y' } };
  const { contract, questions } = learn(aCollection(anItem({}, request)), said);
  expect(questions.map(({ name }) => name)).toEqual(['operation:token']);
  expect(contract.create.always).toEqual({ 'header X-Api-Key': 'k9y' });
});
