import { expect, test } from 'vitest';
import { parameter, partnerUnder } from './contract-client.ts';
import { creates, send } from './sandbox-client.ts';

const CREATE = '/v1/request/create';
const HEADER = 'Idempotency-Key';
const ONE = '3f2504e0-4f89-41d3-9a0c-0305e82c3301';
const OTHER = '3f2504e0-4f89-41d3-9a0c-0305e82c3302';
const UNDER_KEY = {
  create: {
    idempotency: { header: HEADER, format: 'uuid', windowSeconds: 86_400 },
    identifiers: [{ name: 'id', pointer: '/id' }],
    success: { status: 201, contentType: 'application/json', body: { id: 'SR-100' } },
    parameters: [parameter('country'), parameter('phone', { required: false })],
  },
} as const;
const statsOf = async (baseUrl: string) => JSON.parse((await send('GET', `${baseUrl}/_sandbox/stats`)).text);

test('the same idempotency value gets the same answer again, and creates nothing', async () => {
  const { sandbox, postForm } = await partnerUnder(UNDER_KEY);
  const create = (key: string) => postForm(CREATE, { country: 'PT' }, { [HEADER]: key });
  const replies = [await create(ONE), await create(ONE), await create(OTHER)];
  expect(replies.map(({ status, text }) => [status, text])).toEqual([
    [201, '{"id":"SR-1001"}'],
    [201, '{"id":"SR-1001"}'],
    [201, '{"id":"SR-1002"}'],
  ]);
  expect(await statsOf(sandbox.baseUrl)).toMatchObject({ created: 2, distinct: 1, doubled: 1, replayed: 1 });
  expect(creates(sandbox).map(({ params, requestId }) => [params[HEADER], requestId])).toEqual([
    [ONE, 'SR-1001'],
    [ONE, 'SR-1001'],
    [OTHER, 'SR-1002'],
  ]);
});

test('the same idempotency value with other content is refused, and so is a missing or malformed one', async () => {
  const { sandbox, postForm } = await partnerUnder(UNDER_KEY);
  const create = (params: Record<string, string>, headers: Record<string, string>) =>
    postForm(CREATE, params, headers).then(({ status, text }) => [status, JSON.parse(text).error]);
  await create({ country: 'PT' }, { [HEADER]: ONE });
  expect(await create({ country: 'ES' }, { [HEADER]: ONE })).toEqual([422, 'idempotency_conflict']);
  expect(await create({ country: 'PT' }, {})).toEqual([400, 'idempotency_missing']);
  expect(await create({ country: 'PT' }, { [HEADER]: 'one' })).toEqual([400, 'idempotency_invalid']);
  expect(await statsOf(sandbox.baseUrl)).toMatchObject({ created: 1, replayed: 0 });
});

test('a refused create uses up no idempotency value; one whose answer was lost does', async () => {
  const { sandbox, postForm } = await partnerUnder(UNDER_KEY);
  const create = (params: Record<string, string>) => postForm(CREATE, params, { [HEADER]: ONE });
  expect((await create({ phone: '+351' })).status).toBe(422);
  sandbox.setInstructions([{ on: 'create', fault: '500-after' }]);
  expect((await create({ country: 'PT' })).status).toBe(500);
  expect((await create({ country: 'PT' })).text).toBe('{"id":"SR-1001"}');
  expect(await statsOf(sandbox.baseUrl)).toMatchObject({ created: 1, replayed: 1 });
});
