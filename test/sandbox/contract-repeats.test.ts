import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { callsTo, contractWith, parameter, partnerUnder } from './contract-client.ts';
import { creates, LEAD, sandboxWith, send, startCalmSandbox } from './sandbox-client.ts';

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
    [201, '{"id":"SR-101"}'],
    [201, '{"id":"SR-101"}'],
    [201, '{"id":"SR-102"}'],
  ]);
  expect(await statsOf(sandbox.baseUrl)).toMatchObject({ created: 2, distinct: 1, doubled: 1, replayed: 1 });
  expect(creates(sandbox).map(({ params, requestId }) => [params[HEADER], requestId])).toEqual([
    [ONE, 'SR-101'],
    [ONE, 'SR-101'],
    [OTHER, 'SR-102'],
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
  expect((await create({ country: 'PT' })).text).toBe('{"id":"SR-101"}');
  expect(await statsOf(sandbox.baseUrl)).toMatchObject({ created: 1, replayed: 1 });
});

test('without the header where it is optional, every create creates', async () => {
  const { create } = UNDER_KEY;
  const parameters = [parameter('country'), parameter(HEADER, { in: 'header', required: false })];
  const { sandbox, postForm } = await partnerUnder({ create: { ...create, parameters } });
  for (const _ of [1, 2]) expect((await postForm(CREATE, { country: 'PT' })).status).toBe(201);
  expect(await statsOf(sandbox.baseUrl)).toMatchObject({ created: 2, doubled: 1, replayed: 0 });
});

test('validate does not see the idempotency value', async () => {
  const idempotency = { header: HEADER, format: 'text', windowSeconds: null } as const;
  const { postForm } = await partnerUnder({ create: { idempotency } });
  await postForm(CREATE, LEAD, { [HEADER]: 'one' });
  expect((await postForm('/v1/request/validate', LEAD)).text).toContain('"duplicate":true');
});

test('a store file brings back what was created under which value, and the counts', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'srq-sandbox-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const options = { contract: contractWith(UNDER_KEY), storeFile: join(folder, 'requests.jsonl') };
  const create = async ({ postForm }: Awaited<ReturnType<typeof callsTo>>, key: string, country: string) =>
    (await postForm(CREATE, { country }, { [HEADER]: key })).text;
  const before = await startCalmSandbox(options);
  const calls = await callsTo(before);
  for (const [key, country] of [
    [ONE, 'PT'],
    [ONE, 'PT'],
    [OTHER, 'ES'],
  ] as const)
    await create(calls, key, country);
  await before.close();
  const after = await sandboxWith({ ...options, seed: 7 });
  expect(await statsOf(after.baseUrl)).toEqual({ created: 2, distinct: 2, doubled: 0, doubles: [], replayed: 1 });
  const again = await callsTo(after);
  expect(await create(again, OTHER, 'ES')).toBe('{"id":"SR-102"}');
  expect(await create(again, OTHER.replace('3302', '3303'), 'PT')).toBe('{"id":"SR-103"}');
  const validated = await again.postForm('/v1/request/validate', LEAD);
  expect(validated.text).toBe('{"duplicate":false}');
});

test('the inbox names a question beside the request that it was answered with, though validate asks for less', async () => {
  const { sandbox, postForm } = await partnerUnder({
    create: { parameters: [parameter('country'), parameter('phone')] },
    validate: { parameters: [parameter('country')] },
  });
  await postForm(CREATE, { country: 'PT', phone: '+351912345678' });
  await postForm('/v1/request/validate', { country: 'PT' });
  await postForm('/v1/request/validate', { country: 'DE' });
  const [created, asked] = sandbox.requests().slice(1);
  expect([asked?.requestId, asked?.key === created?.key]).toEqual([created?.requestId, false]);
  const same = async (number = 0) =>
    JSON.parse((await send('GET', `${sandbox.baseUrl}/_sandbox/requests/${number}/same`)).text);
  expect(await same(created?.number)).toEqual([asked?.number]);
  expect(await same(asked?.number)).toEqual([created?.number]);
});
