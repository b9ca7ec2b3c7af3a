import { expect, test } from 'vitest';
import type { CreateOperation, Json } from '../doors/described.ts';
import { callsTo, contractWith, parameter, partnerUnder } from './contract-client.ts';
import { creates, LEAD, sandboxWith } from './sandbox-client.ts';

const CREATE = '/v1/request/create';
const UUID = /^[\da-f]{8}-[\da-f]{4}-8[\da-f]{3}-a[\da-f]{3}-[\da-f]{12}$/;

const answering = (body: Json, ...pointers: string[]): Partial<CreateOperation> => ({
  success: { status: 202, contentType: 'application/vnd.api+json', body },
  identifiers: pointers.map((pointer) => ({ name: pointer, pointer })),
});

test('the sandbox answers create as the description shows, with identifiers of its own', async () => {
  const sample = {
    data: [{ id: '3f2504e0-4f89-41d3-9a0c-0305e82c3301', type: 'requests' }, { id: 'another' }],
    reference: 'SR-0099',
    number: 7001,
    meta: { took: 12 },
  };
  const pointers = ['/data/0/id', '/reference', '/number', '/made/id'];
  const { sandbox, postForm } = await partnerUnder({ create: answering(sample, ...pointers) });
  const replies = [await postForm(CREATE, LEAD), await postForm(CREATE, LEAD)];
  expect(replies.map(({ status, headers }) => [status, headers['content-type']])).toEqual([
    [202, 'application/vnd.api+json'],
    [202, 'application/vnd.api+json'],
  ]);
  const [first, second] = replies.map(({ text }) => JSON.parse(text));
  expect(first).toMatchObject({ reference: 'SR-1001', number: 1001, meta: { took: 12 }, made: { id: 1001 } });
  expect(second).toMatchObject({ reference: 'SR-1002', number: 1002, meta: { took: 12 }, made: { id: 1002 } });
  expect(first.data).toEqual([{ id: expect.stringMatching(UUID), type: 'requests' }, { id: 'another' }]);
  expect(second.data[0].id).not.toBe(first.data[0].id);
  expect(creates(sandbox).map((each) => each.requestId)).toEqual([first.data[0].id, second.data[0].id]);
});

test('an identifier that has no place in the body is in the header Location', async () => {
  const { sandbox, postForm } = await partnerUnder({ create: answering(null) });
  const { status, headers, text } = await postForm(CREATE, LEAD);
  expect([status, text, headers['content-type']]).toEqual([202, '', undefined]);
  expect(headers['location']).toBe(`${CREATE}/${creates(sandbox)[0]?.requestId}`);
});

test('faults and instructions work under an API description, too; an instruction names wire paths', async () => {
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
