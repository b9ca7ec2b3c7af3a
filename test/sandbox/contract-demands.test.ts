import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { namedIn, parameter, partnerUnder } from './contract-client.ts';
import { creates, FORM, LEAD, send } from './sandbox-client.ts';

const CREATE = '/v1/request/create';
const VALIDATE = '/v1/request/validate';
test('the sandbox answers a path only under its own method', async () => {
  const { sandbox, postForm, authorization } = await partnerUnder({
    create: { path: '/v3/leads', method: 'PUT' },
  });
  const put = (path: string) =>
    send('PUT', sandbox.baseUrl + path, { ...FORM, authorization }, new URLSearchParams({ ...LEAD }).toString());
  expect([(await put('/v3/leads')).status, (await put('/api/v3/leads')).status]).toEqual([201, 404]);
  const posted = await postForm('/v3/leads', LEAD);
  expect([posted.status, posted.headers['allow']]).toEqual([405, 'PUT']);
  const elsewhere = await postForm(CREATE, LEAD);
  expect(elsewhere.status).toBe(404);
  expect(elsewhere.text).toContain('/v3/leads');
});

test('the sandbox has no validate where the service has none', async () => {
  const { postForm } = await partnerUnder({ hasValidate: false });
  const answer = await postForm(VALIDATE, LEAD);
  expect([answer.status, answer.text.includes(VALIDATE)]).toEqual([404, false]);
  expect((await postForm(CREATE, LEAD)).status).toBe(201);
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

test('the sandbox demands required headers and query parameters, and keeps none that hold secrets', async () => {
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
  expect([refused.status, namedIn(refused).sort()]).toEqual([422, ['api_key', 'dry', 'x-api-key', 'x-partner']]);
});
