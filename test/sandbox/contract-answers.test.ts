import { expect, test } from 'vitest';
import type { CreateOperation, Json, VerdictRule } from '../doors/described.ts';
import { callsTo, contractWith, parameter, partnerUnder } from './contract-client.ts';
import { creates, LEAD, sandboxWith } from './sandbox-client.ts';

const CREATE = '/v1/request/create';
const VALIDATE = '/v1/request/validate';
const UUID = /^[\da-f]{8}-[\da-f]{4}-8[\da-f]{3}-a[\da-f]{3}-[\da-f]{12}$/;

const answering = (body: Json, ...pointers: string[]): Partial<CreateOperation> => ({
  success: { status: 202, contentType: 'application/vnd.api+json', body },
  identifiers: pointers.map((pointer) => ({ name: pointer, pointer })),
});

test('create answers as the document shows, with identifiers of its own: each stays what it is in the example', async () => {
  const sample = {
    data: [{ id: '3f2504e0-4f89-41d3-9a0c-0305e82c3301', type: 'requests' }, { id: 'another' }],
    reference: 'SR-0099',
    number: 7001,
    long: 1e19,
    code: 'abc',
    meta: { took: 12 },
  };
  const pointers = ['/data/*/id', '/reference', '/number', '/long', '/code', '/made/id'];
  const { sandbox, postForm } = await partnerUnder({ create: answering(sample, ...pointers) });
  const replies = [await postForm(CREATE, LEAD), await postForm(CREATE, LEAD)];
  expect(replies.map(({ status, headers }) => [status, headers['content-type']])).toEqual([
    [202, 'application/vnd.api+json'],
    [202, 'application/vnd.api+json'],
  ]);
  const [first, second] = replies.map(({ text }) => JSON.parse(text));
  expect(first).toMatchObject({
    reference: 'SR-0100',
    number: 7002,
    code: 'abc-1',
    meta: { took: 12 },
    made: { id: 1001 },
  });
  expect(second).toMatchObject({
    reference: 'SR-0101',
    number: 7003,
    code: 'abc-2',
    meta: { took: 12 },
    made: { id: 1002 },
  });
  expect(first.data).toEqual([{ id: expect.stringMatching(UUID), type: 'requests' }]);
  expect(second.data[0].id).not.toBe(first.data[0].id);
  const long = replies.map(({ text }) => /"long":(\d+)/.exec(text)?.[1]);
  expect(long).toEqual([expect.stringMatching(/^\d{20}$/), expect.stringMatching(/^\d{20}$/)]);
  expect(long[0]).not.toBe(long[1]);
  expect(creates(sandbox).map((each) => each.requestId)).toEqual([first.data[0].id, second.data[0].id]);
});

test('an identifier that has no place in the body is in the header Location', async () => {
  const { sandbox, postForm } = await partnerUnder({ create: answering(null) });
  const { status, headers, text } = await postForm(CREATE, LEAD);
  expect([status, text, headers['content-type']]).toEqual([202, '', undefined]);
  expect(headers['location']).toBe(`${CREATE}/${creates(sandbox)[0]?.requestId}`);
});

test.each<[string, VerdictRule, Json, [number, unknown], [number, unknown]]>([
  [
    'a boolean',
    { kind: 'value', pointer: '/data/unique', duplicate: ['false'], clear: ['true'] },
    { data: { unique: true, checked: 3 } },
    [200, { data: { unique: true, checked: 3 } }],
    [200, { data: { unique: false, checked: 3 } }],
  ],
  [
    'a text',
    { kind: 'value', pointer: '/status', duplicate: ['DUPLICATE', 'REPEATED'], clear: ['NEW'] },
    { status: 'DUPLICATE' },
    [200, { status: 'NEW' }],
    [200, { status: 'DUPLICATE' }],
  ],
  [
    'a text that reads like a boolean',
    { kind: 'value', pointer: '/known', duplicate: ['true'], clear: ['false'] },
    { known: 'true' },
    [200, { known: 'false' }],
    [200, { known: 'true' }],
  ],
  [
    'a number',
    { kind: 'value', pointer: '/duplicate', duplicate: ['1'], clear: ['0'] },
    { duplicate: 1 },
    [200, { duplicate: 0 }],
    [200, { duplicate: 1 }],
  ],
  [
    'the length of a list',
    { kind: 'list', pointer: '/matches' },
    { matches: [{ id: 4 }] },
    [200, { matches: [] }],
    [200, { matches: [{ id: 4 }] }],
  ],
  [
    'a status',
    { kind: 'status', status: 409, verdict: 'duplicate' },
    { ok: true },
    [200, { duplicate: false }],
    [409, { error: 'duplicate', message: 'This request was sent before.' }],
  ],
])('validate says by %s whether a request is a duplicate', async (_what, rule, body, clear, duplicate) => {
  const success = { status: 200, contentType: 'application/json', body };
  const { postForm } = await partnerUnder({ validate: { success, verdict: [rule] } });
  const asked = async () => {
    const { status, text } = await postForm(VALIDATE, LEAD);
    return [status, JSON.parse(text)];
  };
  expect(await asked()).toEqual(clear);
  await postForm(CREATE, LEAD);
  expect(await asked()).toEqual(duplicate);
});

test('create refuses what it knows where the document says so, and creates nothing', async () => {
  const duplicate: VerdictRule[] = [{ kind: 'status', status: 409, verdict: 'duplicate' }];
  const refusal = { status: 422, contentType: 'application/problem+json', body: { title: 'Invalid', code: 7 } };
  const { sandbox, postForm } = await partnerUnder({ create: { duplicate, refusal, errorTexts: ['/title'] } });
  expect((await postForm(CREATE, LEAD)).status).toBe(201);
  const again = await postForm(CREATE, LEAD);
  expect([again.status, again.headers['content-type']]).toEqual([409, 'application/problem+json']);
  expect(JSON.parse(again.text)).toEqual({ title: 'This request was sent before.', code: 7 });
  expect(creates(sandbox).map(({ status, requestId }) => [status, requestId !== null])).toEqual([
    [201, true],
    [409, false],
  ]);
  expect((await postForm(CREATE, { ...LEAD, fullname: 'Rui Exemplo' })).status).toBe(201);
});

test('faults and instructions strike as ever; an instruction names wire paths', async () => {
  const create = {
    ...answering({ id: 1 }, '/id'),
    encoding: 'json',
    contentType: 'application/json',
    parameters: [parameter('phone', { path: ['customer', 'phone'] })],
  } as const;
  const sandbox = await sandboxWith({ contract: contractWith({ create }) });
  sandbox.setInstructions([{ on: 'create', fault: '500-after', match: { 'customer.phone': '+351' } }]);
  const { postJson } = await callsTo(sandbox);
  const statuses = [];
  for (const phone of ['+352', '+351', '+351']) statuses.push((await postJson(CREATE, { customer: { phone } })).status);
  expect(statuses).toEqual([202, 500, 202]);
  expect(creates(sandbox).map((each) => each.requestId)).toEqual(['1001', '1002', '1003']);
});

test('a created request is not called a duplicate, whatever the example of the document says', async () => {
  const duplicate: VerdictRule[] = [{ kind: 'value', pointer: '/status', duplicate: ['known'], clear: [] }];
  const create = { ...answering({ id: 1, status: 'known' }, '/id'), duplicate };
  const { postForm } = await partnerUnder({ create });
  expect(JSON.parse((await postForm(CREATE, LEAD)).text)).toEqual({ id: 1001, status: null });
  expect(JSON.parse((await postForm(CREATE, LEAD)).text)).toEqual({ id: 1, status: 'known' });
});
