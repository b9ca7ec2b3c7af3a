import { expect, test } from 'vitest';
import type { CreateOperation, Json, VerdictRule } from '../../src/request/contract.ts';
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

test('a success without a body is answered so, also by a validate that tells the verdict by status alone', async () => {
  const success = { status: 202, contentType: 'application/json', body: null };
  const verdict: VerdictRule[] = [{ kind: 'status', status: 200, verdict: 'clear' }];
  const { postForm } = await partnerUnder({ create: { success }, validate: { success, verdict } });
  expect(await postForm(VALIDATE, LEAD)).toMatchObject({ status: 200, text: '' });
  expect(await postForm(CREATE, LEAD)).toMatchObject({ status: 202, text: '' });
});

test('an answer that is a text is the identifier itself', async () => {
  const success = { status: 200, contentType: 'text/plain', body: 'REQ17' };
  const { postForm } = await partnerUnder({ create: { success, identifiers: [{ name: 'id', pointer: '' }] } });
  expect((await postForm(CREATE, LEAD)).text).toBe('REQ18');
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

test('the first rule that can tell a verdict decides its status; the body says nothing else', async () => {
  const verdict: VerdictRule[] = [
    { kind: 'status', status: 204, verdict: 'clear' },
    { kind: 'value', pointer: '/known', duplicate: ['true'], clear: [] },
    { kind: 'list', pointer: '/matches' },
  ];
  const { postForm } = await partnerUnder({ validate: { verdict } });
  const clear = await postForm(VALIDATE, LEAD);
  expect([clear.status, clear.headers['content-type']]).toEqual([204, undefined]);
  await postForm(CREATE, LEAD);
  const duplicate = await postForm(VALIDATE, LEAD);
  expect(duplicate.status).toBe(200);
  expect(JSON.parse(duplicate.text)).toEqual({ known: true, matches: ['an earlier request'] });
});

test('validate knows a request by the fields that both operations take, whatever each calls them', async () => {
  const create = {
    encoding: 'json',
    contentType: 'application/json',
    parameters: [
      parameter('type', { path: ['data', 'type'], constant: 'request' }),
      parameter('phone', { path: ['data', 'customer', 'phone'] }),
      parameter('lang', { path: ['data', 'langs'], isList: true, required: false }),
      parameter('request_text', { path: ['data', 'text'], required: false }),
    ],
    choices: [[{ fields: ['request_text'], constants: [{ path: ['data', 'kind'], value: 'text' }] }]],
  } as const;
  const validate = {
    parameters: [
      parameter('type', { constant: 'check' }),
      parameter('phone', { path: ['tel'] }),
      parameter('lang', { required: false }),
    ],
  };
  const { postJson, postForm } = await partnerUnder({ create, validate });
  const data = { type: 'request', customer: { phone: '+351' }, langs: ['pt'], text: 'pinga', kind: 'text' };
  expect((await postJson(CREATE, { data })).status).toBe(201);
  const asked = async (params: Record<string, string>) =>
    JSON.parse((await postForm(VALIDATE, { type: 'check', ...params })).text).duplicate;
  expect(await asked({ tel: '+351', lang: 'pt' })).toBe(true);
  expect(await asked({ tel: '+352', lang: 'pt' })).toBe(false);
  expect(await asked({ tel: '+351', lang: 'es' })).toBe(false);
  expect(await asked({ tel: '+351', lang: 'pt', budget: '5' })).toBe(false);
});

test.each([
  ['counts where both operations take it', true],
  ['does not count where validate takes none', false],
])('a recording %s', async (_what, isTaken) => {
  const audio = parameter('audio_file', { path: ['voice'] });
  const country = parameter('country');
  const { postForm } = await partnerUnder({
    create: { parameters: [country, audio] },
    validate: { parameters: isTaken ? [country, audio] : [country] },
  });
  const voice = (text: string) => ({ voice: Buffer.from(text).toString('base64') });
  await postForm(CREATE, { country: 'PT', ...voice('one recording') });
  const asked = async (spoken: object) =>
    JSON.parse((await postForm(VALIDATE, { country: 'PT', ...spoken })).text).duplicate;
  expect(await asked(isTaken ? voice('one recording') : {})).toBe(true);
  if (isTaken) expect(await asked(voice('another recording'))).toBe(false);
});

test('the verdict that is kept is what validate said, in whatever form the document has it', async () => {
  const verdict: VerdictRule[] = [
    { kind: 'status', status: 404, verdict: 'clear' },
    { kind: 'status', status: 409, verdict: 'duplicate' },
  ];
  const { sandbox, postForm } = await partnerUnder({ validate: { verdict } });
  expect((await postForm(VALIDATE, LEAD)).status).toBe(404);
  await postForm(CREATE, LEAD);
  expect((await postForm(VALIDATE, LEAD)).status).toBe(409);
  const validated = sandbox.requests().filter(({ operation }) => operation === 'validate');
  expect(validated.map(({ status, verdict: kept }) => [status, kept])).toEqual([
    [404, 'clear'],
    [409, 'duplicate'],
  ]);
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

test('a created request is not called a duplicate, whatever the example of the document says', async () => {
  const duplicate: VerdictRule[] = [{ kind: 'value', pointer: '/status', duplicate: ['known'], clear: [] }];
  const create = { ...answering({ id: 1, status: 'known' }, '/id'), duplicate };
  const { postForm } = await partnerUnder({ create });
  expect(JSON.parse((await postForm(CREATE, LEAD)).text)).toEqual({ id: 1001, status: null });
  expect(JSON.parse((await postForm(CREATE, LEAD)).text)).toEqual({ id: 1, status: 'known' });
});

test.each<[string, Json, string[], unknown]>([
  [
    'one text',
    { error: { message: 'Invalid', code: 4 } },
    ['/error/message'],
    { error: { message: 'lang is required; phone must NOT have fewer than 5 characters', code: 4 } },
  ],
  [
    'a list of errors with pointers',
    { errors: [{ status: '422', source: { pointer: '/data/x' }, detail: 'is wrong' }] },
    ['/errors/*/detail'],
    {
      errors: [
        { status: '422', source: { pointer: '/lang' }, detail: 'lang is required' },
        { status: '422', source: { pointer: '/phone' }, detail: 'phone must NOT have fewer than 5 characters' },
      ],
    },
  ],
  [
    'a list of errors with lists of names',
    { detail: [{ loc: ['body', 'x', 'y'], msg: 'is wrong', meta: { code: 4 } }] },
    ['/detail/*/msg'],
    {
      detail: [
        { loc: ['body', 'lang'], msg: 'lang is required', meta: { code: 4 } },
        { loc: ['body', 'phone'], msg: 'phone must NOT have fewer than 5 characters', meta: { code: 4 } },
      ],
    },
  ],
  [
    'a list of errors with names',
    { errors: [{ field: 'x', message: 'is wrong' }] },
    ['/errors/*/message'],
    {
      errors: [
        { field: 'lang', message: 'lang is required' },
        { field: 'phone', message: 'phone must NOT have fewer than 5 characters' },
      ],
    },
  ],
  [
    'an object of lists, and a text beside it',
    { message: 'Invalid', errors: { email: ['is wrong'] } },
    ['/message', '/errors/*/*'],
    {
      message: 'lang is required; phone must NOT have fewer than 5 characters',
      errors: { lang: ['lang is required'], phone: ['phone must NOT have fewer than 5 characters'] },
    },
  ],
])('refusals are those of the document, with words of their own: %s', async (_what, body, errorTexts, expected) => {
  const parameters = [parameter('lang'), parameter('phone', { minLength: 5 })];
  const refusal = { status: 400, contentType: 'application/json', body };
  const { postForm } = await partnerUnder({ create: { parameters, refusal, errorTexts } });
  const { status, text } = await postForm(CREATE, { phone: '+351' });
  expect([status, JSON.parse(text)]).toEqual([400, expected]);
});

test('a refusal whose words the document does not place has its status', async () => {
  const refusal = { status: 400, contentType: 'text/html', body: '<p>' };
  const { postForm } = await partnerUnder({ create: { parameters: [parameter('lang')], refusal } });
  const { status, text } = await postForm(CREATE, {});
  expect([status, JSON.parse(text).errors]).toEqual([400, { lang: ['is required'] }]);
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

test('an answer of success tells of no failure, whatever the example or the schema shows beside it', async () => {
  const shown = {
    id: 4,
    success: false,
    errors: [{ code: 'E1', message: 'text' }],
    errorCode: 17,
    error: { message: 'text' },
    hasErrors: true,
    warnings: ['text'],
    status: 'REQUEST_REJECTED',
    code: 422,
    message: 'Validation failed',
    data: { status: 'NEW', fehler: ['text'], message: 'Thank you' },
  };
  const { postForm } = await partnerUnder({ create: answering(shown, '/id') });
  expect(JSON.parse((await postForm(CREATE, LEAD)).text)).toEqual({
    id: 5,
    success: true,
    errors: [],
    errorCode: 0,
    hasErrors: false,
    warnings: [],
    status: 'ok',
    code: 202,
    message: 'ok',
    data: { status: 'NEW', fehler: [], message: 'Thank you' },
  });
});

test('a path with variables that nobody has filled is answered whatever they hold, and no other one', async () => {
  const path = '/accounts/{account_id}/leads';
  const create = { ...answering(null), path };
  const { sandbox, postForm } = await partnerUnder({ create, validate: { path: '/accounts/check/leads' } });
  const reply = await postForm('/accounts/42/leads', LEAD);
  expect([reply.status, reply.headers['location']]).toEqual([
    202,
    `/accounts/1/leads/${creates(sandbox)[0]?.requestId}`,
  ]);
  expect((await postForm('/accounts/check/leads', LEAD)).text).toContain('duplicate');
  for (const other of ['/accounts//leads', '/accounts/42/leads/7', '/accounts/42/notes'])
    expect((await postForm(other, LEAD)).status).toBe(404);
  expect(creates(sandbox)).toHaveLength(1);
});

test('the address of what was created is one below the base path', async () => {
  const success = { status: 201, contentType: 'application/json', body: null };
  const { sandbox, postForm } = await partnerUnder({ create: { success, identifiers: [] }, basePath: '/api' });
  const { headers } = await postForm(`/api${CREATE}`, LEAD);
  expect(headers['location']).toBe(`/api${CREATE}/${creates(sandbox)[0]?.requestId}`);
});

test('a required object that is empty in the contract may hold what a row gives', async () => {
  const choices = [[{ fields: [], constants: [{ path: ['options'], value: {} }] }]];
  const { postJson } = await partnerUnder({
    create: {
      choices,
      encoding: 'json',
      contentType: 'application/json',
      parameters: [parameter('fullname')],
      identifiers: [],
    },
  });
  expect((await postJson(CREATE, { fullname: 'Ana', options: { note: 'x' } })).status).toBeLessThan(300);
  expect((await postJson(CREATE, { fullname: 'Ana' })).status).toBeGreaterThan(399);
});
