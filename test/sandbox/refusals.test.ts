import { expect, test } from 'vitest';
import { creates, FORM, LEAD, partnerOf, sandboxWith, send } from './sandbox-client.ts';

test.each([
  ['a country by its ISO code where the API has its own', { country: 'GB' }, 'country'],
  ['a country that is no market', { country: 'FR' }, 'country'],
  ['a country in small letters', { country: 'pt' }, 'country'],
  ['neither text nor audio', { request_text: ' ' }, 'request_text'],
  ['text and audio', { audio: 'AAAA' }, 'audio'],
  ['audio that is not base64', { request_text: '', audio: 'A-_A' }, 'audio'],
  ['neither e-mail nor phone', { email: '', phone: '' }, 'email'],
  ['a phone number without its plus', { phone: '351912345678' }, 'phone'],
])('create and validate refuse %s, and name the field', async (_what, changes, field) => {
  const sandbox = await sandboxWith();
  const { create, validate } = await partnerOf(sandbox);
  for (const reply of [await create({ ...LEAD, ...changes }), await validate({ ...LEAD, ...changes })]) {
    expect([reply.status, Object.keys(JSON.parse(reply.text).errors)]).toEqual([422, [field]]);
  }
  expect(creates(sandbox)).toMatchObject([{ status: 422, requestId: null }]);
});

test('a body that cannot be decoded is refused: content type 415, broken JSON 400, no object and no string 422', async () => {
  const sandbox = await sandboxWith();
  const { token } = await partnerOf(sandbox);
  const authorization = `Bearer ${token}`;
  const create = (type: string, body: string) =>
    send('POST', `${sandbox.baseUrl}/v1/request/create`, { 'content-type': type, authorization }, body);
  expect((await create('text/csv', 'a,b')).status).toBe(415);
  expect((await create('application/json', '{"country":')).status).toBe(400);
  expect((await create('application/json', '[]')).status).toBe(422);
  const numeric = await create('application/json; charset=utf-8', JSON.stringify({ ...LEAD, phone: 351912345678 }));
  expect([numeric.status, JSON.parse(numeric.text).errors]).toEqual([422, { phone: ['must be string'] }]);
  const twice = await create(FORM['content-type'], `${new URLSearchParams(LEAD)}&country=ES`);
  expect([twice.status, JSON.parse(twice.text).errors]).toEqual([
    422,
    { country: [expect.stringMatching(/^must be/)] },
  ]);
});

test('a body over 40 MiB is refused with an answer that can be read', async () => {
  const sandbox = await sandboxWith();
  const { create } = await partnerOf(sandbox);
  const reply = await create({ ...LEAD, request_text: 'x'.repeat(40 * 1024 * 1024) });
  expect([reply.status, sandbox.requests().at(-1)?.params]).toEqual([413, {}]);
});

test('the sandbox answers unknown paths with 404, other methods with 405', async () => {
  const { baseUrl } = await sandboxWith();
  expect((await send('POST', `${baseUrl}/v1/request/delete`, FORM)).status).toBe(404);
  expect((await send('POST', `${baseUrl}/constructor`, FORM)).status).toBe(404);
  const got = await send('GET', `${baseUrl}/v1/request/create`);
  expect([got.status, got.headers['allow']]).toEqual([405, 'POST']);
});
