import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { contractWith, parameter } from './contract-client.ts';
import { creates, grantedToken, sandboxWith } from './sandbox-client.ts';

const CREATE = '/v1/request/create';
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
  const sandbox = await sandboxWith({ contract: contractWith({ create: COMPANIONS }) });
  const authorization = `Bearer ${await grantedToken(sandbox)}`;
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
    return { status: reply.status, named: Object.keys(JSON.parse(await reply.text()).errors ?? {}) };
  };
  expect((await sent(new Blob([bytes]), 'audio/mpeg')).status).toBe(201);
  expect(creates(sandbox)[0]).toMatchObject({
    encoding: 'multipart',
    params: { country: 'PT', priority: '2', voice_type: 'audio/mpeg', scan: `sha256:${sha256}` },
    audio: { bytes: 4, sha256 },
  });
  expect((await sent(new Blob([Buffer.alloc(101)]), 'audio/mpeg')).named).toEqual(['voice']);
  expect((await sent('no file', 'audio/mpeg')).named).toEqual(['voice']);
  expect((await sent(new Blob([bytes]), 'audio/wav')).named).toEqual(['voice_type']);
});
