import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import type { Json } from '../../src/request/contract.ts';
import { startSandbox } from '../../src/sandbox/server.ts';
import { contractWith, namedIn, parameter, partnerUnder } from './contract-client.ts';
import { CALM, creates, FORM, LEAD, partnerOf, sandboxWith, send } from './sandbox-client.ts';

const CREATE = '/v1/request/create';
const VALIDATE = '/v1/request/validate';
const JSON_BODY = { encoding: 'json', contentType: 'application/json' } as const;

const NESTED_SCHEMA = {
  type: 'object',
  required: ['country', 'customer', 'category_id'],
  additionalProperties: false,
  properties: {
    country: { type: 'string', enum: ['PT', 'GB'] },
    category_id: { type: 'integer', maximum: 99 },
    customer: {
      type: 'object',
      required: ['name'],
      anyOf: [{ required: ['phone'] }, { required: ['email'] }],
      properties: {
        name: { type: 'string', maxLength: 5 },
        phone: { type: 'string', pattern: '^\\+' },
        email: { type: 'string', format: 'email' },
      },
    },
  },
} satisfies Json;
const NESTED = {
  ...JSON_BODY,
  schema: NESTED_SCHEMA,
  parameters: [
    parameter('country'),
    parameter('category', { path: ['category_id'], type: 'integer' }),
    parameter('fullname', { path: ['customer', 'name'] }),
    parameter('phone', { path: ['customer', 'phone'], required: false, pattern: '^\\+' }),
    parameter('email', { path: ['customer', 'email'], required: false }),
  ],
} as const;
const NESTED_LEAD = { country: 'PT', category_id: 12, customer: { name: 'Inês', phone: '+351912345678' } };

test('a contract without anything learned is the documented interface', async () => {
  const { create, validate } = await partnerOf(await sandboxWith({ contract: contractWith({}) }));
  const refused = await create({ ...LEAD, country: 'FR' });
  expect([refused.status, namedIn(refused)]).toEqual([422, ['country']]);
  expect((await create(LEAD)).text).toMatch(/^{"request_id":\d{20},"reference":"SR-00000001","status":"received"}$/);
  expect((await validate(LEAD)).text).toMatch(/^{"duplicate":true,"request_id":\d{20}}$/);
});

test('paths answer with and without the base path, under their own method alone', async () => {
  const { sandbox, postForm, authorization } = await partnerUnder({
    basePath: '/api',
    create: { path: '/v3/leads', method: 'PUT' },
  });
  const put = (path: string) =>
    send('PUT', sandbox.baseUrl + path, { ...FORM, authorization }, new URLSearchParams({ ...LEAD }).toString());
  expect([(await put('/v3/leads')).status, (await put('/api/v3/leads')).status]).toEqual([201, 201]);
  const posted = await postForm('/v3/leads', LEAD);
  expect([posted.status, posted.headers['allow']]).toEqual([405, 'PUT']);
  const elsewhere = await postForm(CREATE, LEAD);
  expect(elsewhere.status).toBe(404);
  expect(elsewhere.text).toContain('/api/v3/leads');
});

test.each([[null], [false]])('a validate that the document does not have is not there: %s', async (hasValidate) => {
  const { postForm } = await partnerUnder({ hasValidate });
  const answer = await postForm(VALIDATE, LEAD);
  expect([answer.status, answer.text.includes(VALIDATE)]).toEqual([404, false]);
  expect((await postForm(CREATE, LEAD)).status).toBe(201);
});

test('a text beyond 10,000 characters need not match its pattern, nor one that is read without u', async () => {
  const schema = { properties: { phone: { pattern: '^\\p{Nd}+$' }, email: { pattern: '^\\-$' } } };
  const { postJson } = await partnerUnder({ create: { ...JSON_BODY, schema } });
  expect((await postJson(CREATE, { phone: `+${'1'.repeat(10_000)}`, email: '-' })).status).toBe(201);
  expect((await postJson(CREATE, { phone: '٣', email: '-' })).status).toBe(201);
  const refused = await postJson(CREATE, { phone: `+${'1'.repeat(9_999)}`, email: '+' });
  expect([refused.status, namedIn(refused)]).toEqual([422, ['phone', 'email']]);
});

test('the documented media type alone is taken, whatever its parameters', async () => {
  const contentType = 'application/vnd.api+json';
  const { post } = await partnerUnder({ create: { ...NESTED, contentType } });
  const body = JSON.stringify(NESTED_LEAD);
  expect((await post(CREATE, `${contentType}; charset=utf-8`, body)).status).toBe(201);
  const refused = await post(CREATE, 'application/json', body);
  expect([refused.status, refused.text.includes(contentType)]).toEqual([415, true]);
  expect((await post(CREATE, contentType, '{"country":')).status).toBe(400);
});

test.each([
  ['a required parameter', { ...NESTED_LEAD, category_id: undefined }, ['category_id']],
  ['a required parameter further down', { ...NESTED_LEAD, customer: { phone: '+351' } }, ['customer.name']],
  ['both of two alternatives', { ...NESTED_LEAD, customer: { name: 'Inês' } }, ['customer.phone', 'customer.email']],
  ['a number as text', { ...NESTED_LEAD, category_id: '12' }, ['category_id']],
  ['a number out of bounds', { ...NESTED_LEAD, category_id: 100 }, ['category_id']],
  ['a value that is not listed', { ...NESTED_LEAD, country: 'UK' }, ['country']],
  ['a text too long', { ...NESTED_LEAD, customer: { name: 'Inês E', phone: '+3' } }, ['customer.name']],
  ['a text against its pattern', { ...NESTED_LEAD, customer: { name: 'Inês', phone: '351' } }, ['customer.phone']],
  ['a text against its format', { ...NESTED_LEAD, customer: { name: 'Inês', email: 'ines' } }, ['customer.email']],
  ['a parameter that is not known', { ...NESTED_LEAD, lang: 'pt' }, ['lang']],
  ['a body that is no object', [], ['body']],
])('the schema of a body is demanded: %s', async (_what, body, names) => {
  const { sandbox, postJson } = await partnerUnder({ create: NESTED });
  const refused = await postJson(CREATE, body);
  expect([refused.status, namedIn(refused)]).toEqual([422, names]);
  expect(creates(sandbox)).toMatchObject([{ status: 422, requestId: null }]);
  expect((await postJson(CREATE, NESTED_LEAD)).status).toBe(201);
});

test('lengths are counted in code points', async () => {
  const { postJson } = await partnerUnder({ create: NESTED });
  const named = (name: string) => postJson(CREATE, { ...NESTED_LEAD, customer: { ...NESTED_LEAD.customer, name } });
  expect((await named('🙂🙂🙂🙂🙂')).status).toBe(201);
  expect((await named('🙂🙂🙂🙂🙂🙂')).status).toBe(422);
});

test('what arrived is shown by its wire path, numbers with all their digits', async () => {
  const { sandbox, post } = await partnerUnder({ create: { ...NESTED, schema: null } });
  const text =
    '{"country":"PT","category_id":12345678901234567890,"customer":{"name":"Inês","phone":"+3"},"tags":["a","b"]}';
  expect((await post(CREATE, 'application/json', text)).status).toBe(201);
  expect(creates(sandbox)[0]?.params).toEqual({
    country: 'PT',
    category_id: '12345678901234567890',
    'customer.name': 'Inês',
    'customer.phone': '+3',
    'tags.0': 'a',
    'tags.1': 'b',
  });
});

test('forms nest by brackets; their texts are read as the numbers and lists that the document wants', async () => {
  const form = { ...NESTED, encoding: 'form', contentType: FORM['content-type'] } as const;
  const tags = { type: 'array', items: { type: 'integer' } };
  const schema = { ...NESTED_SCHEMA, properties: { ...NESTED_SCHEMA.properties, tags } };
  const parameters = [...NESTED.parameters, parameter('tags', { isList: true, required: false })];
  const { sandbox, postForm, post } = await partnerUnder({ create: { ...form, schema, parameters } });
  const lead = { country: 'PT', category_id: '12', 'customer[name]': 'Inês', 'customer[phone]': '+351912345678' };
  expect((await postForm(CREATE, { ...lead, tags: '1' })).status).toBe(201);
  expect(creates(sandbox)[0]?.params).toEqual({
    country: 'PT',
    category_id: '12',
    'customer.name': 'Inês',
    'customer.phone': '+351912345678',
    'tags.0': '1',
  });
  const written = `${new URLSearchParams(lead)}&tags[]=1&tags[]=2`;
  expect((await post(CREATE, form.contentType, written)).status).toBe(201);
  const wrong = await postForm(CREATE, { ...lead, category_id: 'twelve', tags: 'a' });
  expect(namedIn(wrong).sort()).toEqual(['category_id', 'tags.0']);
  expect(namedIn(await post(CREATE, form.contentType, `${new URLSearchParams(lead)}&country=PT`))).toEqual(['country']);
});

test('a parameter whose name has brackets stands as it is', async () => {
  const name = 'customer[phone]';
  const { sandbox, postForm } = await partnerUnder({ create: { parameters: [parameter('phone', { path: [name] })] } });
  expect((await postForm(CREATE, { [name]: '+351912345678' })).status).toBe(201);
  expect(creates(sandbox)[0]?.params).toEqual({ [name]: '+351912345678' });
});

const COMPANIONS = {
  encoding: 'multipart',
  contentType: 'multipart/form-data',
  schema: {
    type: 'object',
    required: ['country', 'voice', 'voice_type'],
    properties: {
      country: { type: 'string' },
      priority: { type: 'integer' },
      voice: { type: 'string', format: 'binary', maxLength: 100 },
      voice_type: { type: 'string', enum: ['audio/mpeg'] },
    },
  },
  parameters: [
    parameter('country'),
    parameter('priority', { type: 'integer', required: false }),
    parameter('audio_file', { path: ['voice'], audioForm: 'binary' }),
    parameter('audio_type', { path: ['voice_type'] }),
  ],
} as const;

test('a recording comes as a file in multipart, beside its companions; its bound is in bytes', async () => {
  const { sandbox, authorization } = await partnerUnder({ create: COMPANIONS });
  const bytes = Buffer.from([0xff, 0xfb, 0, 200]);
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  const sent = async (voice: Blob | string, type: string) => {
    const body = new FormData();
    for (const [name, value] of Object.entries({ country: 'PT', priority: '2', voice_type: type }))
      body.set(name, value);
    body.set('scan', new Blob([bytes]));
    if (typeof voice === 'string') body.set('voice', voice);
    else body.set('voice', voice, 'call.mp3');
    const reply = await fetch(sandbox.baseUrl + CREATE, { method: 'POST', headers: { authorization }, body });
    return { status: reply.status, text: await reply.text(), headers: {} };
  };
  expect((await sent(new Blob([bytes]), 'audio/mpeg')).status).toBe(201);
  expect(creates(sandbox)[0]).toMatchObject({
    encoding: 'multipart',
    params: { country: 'PT', priority: '2', voice_type: 'audio/mpeg', scan: `sha256:${sha256}` },
    audio: { bytes: 4, sha256 },
  });
  expect(namedIn(await sent(new Blob([Buffer.alloc(101)]), 'audio/mpeg'))).toEqual(['voice']);
  expect(namedIn(await sent('no file', 'audio/mpeg'))).toEqual(['voice']);
  expect(namedIn(await sent(new Blob([bytes]), 'audio/wav'))).toEqual(['voice_type']);
});

test('multipart that is not is refused', async () => {
  const { post } = await partnerUnder({ create: COMPANIONS });
  expect((await post(CREATE, 'multipart/form-data; boundary=x', 'country=PT')).status).toBe(400);
  expect((await post(CREATE, FORM['content-type'], 'country=PT')).status).toBe(415);
});

test('a recording in JSON is base64, or a data URL where the document has one', async () => {
  const spoken = (audioForm: 'base64' | 'data-url') => ({
    ...JSON_BODY,
    parameters: [parameter('audio_file', { path: ['media', 'voice'], audioForm })],
  });
  const { sandbox, postJson } = await partnerUnder({ create: spoken('data-url'), validate: spoken('base64') });
  const base64 = Buffer.from('a recording').toString('base64');
  const voice = (text: string) => ({ media: { voice: text } });
  const dataUrl = `data:audio/ogg; codecs=opus;base64,${base64}`;
  expect((await postJson(CREATE, voice(dataUrl))).status).toBe(201);
  expect(creates(sandbox)[0]).toMatchObject({ params: {}, audio: { bytes: 11 } });
  expect(namedIn(await postJson(CREATE, voice(base64)))).toEqual(['media.voice']);
  expect((await postJson(VALIDATE, voice(base64))).text).toContain('"duplicate":true');
  expect(namedIn(await postJson(VALIDATE, voice(dataUrl)))).toEqual(['media.voice']);
  expect(namedIn(await postJson(VALIDATE, { media: {} }))).toEqual(['media.voice']);
});

test('without a schema, the parameters and the choices between them are demanded', async () => {
  const create = {
    ...JSON_BODY,
    parameters: [
      parameter('category', {
        path: ['job', 'category'],
        type: 'integer',
        values: [{ value: '12', label: 'Plumbing' }],
      }),
      parameter('lang', { isList: true }),
      parameter('request_text', { required: false, minLength: 3, maxLength: 5, pattern: '^[a-z]+$' }),
      parameter('voice', { required: false }),
      parameter('budget', { type: 'number', minimum: 1, maximum: 9, required: false }),
    ],
    choices: [
      [
        { fields: ['request_text'], constants: [{ path: ['kind'], value: 'text' }] },
        { fields: ['voice'], constants: [{ path: ['kind'], value: 'voice' }] },
      ],
    ],
  };
  const { postJson } = await partnerUnder({ create });
  const good = { job: { category: 12 }, lang: ['pt'], request_text: 'pinga', kind: 'text', budget: 2.5 };
  expect((await postJson(CREATE, good)).status).toBe(201);
  const refused = async (changes: object) => namedIn(await postJson(CREATE, { ...good, ...changes }));
  expect(await refused({ job: {} })).toEqual(['job.category']);
  expect(await refused({ job: undefined })).toEqual(['job']);
  expect(await refused({ job: { category: '12' } })).toEqual(['job.category']);
  expect(await refused({ job: { category: 13 } })).toEqual(['job.category']);
  expect(await refused({ lang: 'pt' })).toEqual(['lang']);
  expect(await refused({ lang: [] })).toEqual(['lang']);
  for (const request_text of ['ab', 'abcdef', 'ABC']) expect(await refused({ request_text })).toEqual(['request_text']);
  for (const budget of [0, 10]) expect(await refused({ budget })).toEqual(['budget']);
  expect(await refused({ request_text: undefined })).toContain('request_text');
  expect(await refused({ kind: 'voice' })).toContain('kind');
});

test('required headers and query parameters are demanded; those that hold secrets are not kept', async () => {
  const place = (field: string, where: 'header' | 'query', changes = {}) =>
    parameter(field, { in: where, constant: '42', ...changes });
  const parameters = [
    parameter('country'),
    place('X-Partner', 'header', { type: 'integer' }),
    place('X-Api-Key', 'header'),
    place('dry', 'query', { values: [{ value: '0', label: null }] }),
    place('api_key', 'query'),
  ];
  const { sandbox, postForm } = await partnerUnder({ create: { parameters } });
  const headers = { 'x-partner': '42', 'x-api-key': 'hidden-value' };
  const path = `${CREATE}?api_key=hidden-key&dry=0`;
  expect((await postForm(path, { country: 'PT' }, headers)).status).toBe(201);
  expect(creates(sandbox)[0]?.params).toEqual({ country: 'PT', dry: '0', 'X-Partner': '42' });
  const kept = await send('GET', `${sandbox.baseUrl}/_sandbox/requests/${creates(sandbox)[0]?.number}`, {});
  expect(kept.text).toContain(`${CREATE}?api_key=***&dry=0`);
  expect(kept.text + JSON.stringify(sandbox.requests())).not.toMatch(/hidden-(?:value|key)/);
  const refused = await postForm(`${CREATE}?dry=1`, { country: 'PT' }, { 'x-partner': 'me' });
  expect([refused.status, namedIn(refused).sort()]).toEqual([422, ['X-Api-Key', 'X-Partner', 'api_key', 'dry']]);
});

test('a schema that nothing can be checked against ends the start', async () => {
  const contract = contractWith({ create: { ...JSON_BODY, schema: { type: 'request' } } });
  await expect(startSandbox({ ...CALM, contract })).rejects.toMatchObject({
    code: 'input',
    message: "The contract's schema of create cannot be used.",
    hint: expect.stringContaining('srq contract learn'),
  });
});
