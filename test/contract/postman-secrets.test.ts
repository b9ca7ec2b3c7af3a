import { expect, test } from 'vitest';
import { describePostman } from '../../src/contract/postman/postman.ts';
import type { Json } from '../../src/contract/version-1/contract.ts';
import { isSecretName } from '../../src/request/words/names.ts';
import { aCollection, anItem, at, bodyOf, described } from './collections.ts';

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
])('a secret never gets into what is described: %s', (_, collection) => {
  // The secret is repeated where nobody would look for one.
  const item = anItem(
    { name: `Call ${CANARY}` },
    { description: `Send ${CANARY}.`, url: `https://api.example.com/${CANARY}` },
  );
  const repeated = { ...Object(collection), item: [...Object(collection).item, item] };
  const result = described(repeated);
  expect(JSON.stringify(result)).not.toContain(CANARY);
  expect(JSON.stringify(result)).toContain('Call <secret>');
  expect(result.notes[0]).toMatch(/^The collection holds secrets: \S+ \(\/.*\)\. None of them is kept\. Take them out/);
});

test('a secret of the environment is known in the collection', () => {
  const collection = aCollection(urlencoded('note', `as ${CANARY}`), urlencoded('client_secret', '{{s}}'));
  const result = describePostman(collection, { values: [{ key: 's', value: CANARY, type: 'secret' }] });
  expect(JSON.stringify(result)).not.toContain(CANARY);
  expect(result.notes).toContain(
    'The environment holds secrets: s (/values/0/value). None of them is kept. Take them out before you pass the file on.',
  );
});

test('a secret too short to be searched for is not filled in', () => {
  const collection = aCollection(urlencoded('note', 'is {{client_secret}}'));
  const { document } = described({ ...collection, variable: [{ key: 'client_secret', value: 'q9' }] });
  const body = bodyOf(document, '/a', 'application/x-www-form-urlencoded');
  expect(at(body, '/example')).toEqual({ note: 'is <secret>' });
});

test('the password within encoded Basic credentials is found in plain', () => {
  const value = `Basic ${Buffer.from(`77:${CANARY}`).toString('base64')}`;
  const result = described(
    aCollection(anItem({}, { header: [{ key: 'Authorization', value }], description: `It is ${CANARY}` })),
  );
  expect(JSON.stringify(result)).not.toContain(CANARY);
});

test('what looks like a token or names a user is left out wherever it stands', () => {
  const token = `eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.c2lnbmF0dXJl`;
  const description = `See https://ana:pa55@example.com, send Bearer 12345678abc or ${token}.`;
  const { document } = described(aCollection(anItem({}, { description })));
  expect(at(document, '/paths/~1a/post/description')).toBe(
    'See https://example.com, send Bearer <secret> or <secret>.',
  );
});

test('placeholders and references are no secrets', () => {
  const values = ['{{client_secret}}', '<CLIENT_SECRET>', 'your-client-secret', '****', ''];
  expect(described(aCollection(...values.map((each) => urlencoded('client_secret', each)))).notes).toEqual([]);
});

test('where a secret stood its type stays, and so do flags and lives of tokens', () => {
  const body = JSON.stringify({ token: { value: 'abc', at: 5, on: true }, token_type: 'Bearer', expires_in: 3600 });
  const media = bodyOf(described(aCollection(raw(body))).document, '/a', 'application/json');
  expect(at(media, '/example')).toEqual({
    ...{ token: { value: '<secret>', at: 0, on: true } },
    ...{ token_type: 'Bearer', expires_in: 3600 },
  });
});

test('a header that holds a secret is no parameter, and that is noted', () => {
  const { document, notes } = described(aCollection(anItem({}, { header: [{ key: 'X-Signature', value: '{{k}}' }] })));
  expect(at(document, '/paths/~1a/post')).toMatchObject({ parameters: [], security: [] });
  expect(notes).toEqual(['"A" (/item/0) sends the secret "X-Signature" as a header parameter, which srq does not.']);
});

test.each([
  ...[
    'client_secret',
    'Authorization',
    'apiKey',
    'X-API-Key',
    'accessToken',
    'partner-key',
    'db_password',
    'Set-Cookie',
  ],
])('%s names a secret', (name) => void expect(isSecretName(name)).toBe(true));

test.each([
  ...[
    'token_url',
    'token_type',
    'Idempotency-Key',
    'expires_in',
    'phone',
    'client_id',
    'monkey_count',
    'key',
    'tokenPath',
  ],
])('%s names no secret', (name) => void expect(isSecretName(name)).toBe(false));
