import { createHash } from 'node:crypto';
import { describe, expect } from 'vitest';
import { test } from '../helpers/desk.ts';
import { REQUEST } from '../helpers/leads.ts';
import { documentOf } from '../helpers/run-srq.ts';
import { creates, LEAD } from '../sandbox/sandbox-client.ts';

describe.concurrent('create', () => {
  test('creates a request given by flags and returns its identifiers as exact text', async ({ partner, sandbox }) => {
    const ended = await partner.run('create', ...REQUEST, '--ref', 'A-17', '--json');
    expect(ended.code).toBe(0);
    const [created, ...others] = creates(sandbox);
    expect(others).toEqual([]);
    expect(created?.params).toEqual({ ...LEAD });
    expect(documentOf(ended)).toMatchObject({
      status: 'created',
      ids: { request_id: created?.requestId },
      row: 1,
      ref: 'A-17',
      key: expect.stringMatching(/^[0-9a-f]{32}$/),
      http: 201,
    });
    expect(created?.requestId).toMatch(/^\d{20}$/);
    expect(partner.records().map(({ event, ref }) => [event, ref])).toEqual([
      ['sending', 'A-17'],
      // Until validate has shown that it was taken: it is the first request of this service.
      ['unknown', 'A-17'],
      ['created', 'A-17'],
    ]);
  });

  test('sends a recording in place of the text', async ({ partner, sandbox }) => {
    const sound = Buffer.from('RIFF not really a song, but bytes all the same \0\x01\xff', 'latin1');
    const path = partner.write('need.wav', sound);
    expect(await partner.run('create', ...REQUEST.slice(0, -2), '--audio', path)).toMatchObject({ code: 0 });
    const [received] = creates(sandbox);
    const sha256 = createHash('sha256').update(sound).digest('hex');
    expect(received?.audio).toEqual({ bytes: sound.length, sha256 });
    expect(received?.params).not.toHaveProperty('request_text');
  });

  test('sends the same request once, however many processes are asked for it at the same time', async ({
    partner,
    sandbox,
  }) => {
    const all = await Promise.all(
      Array.from({ length: 4 }, () => partner.run('create', ...REQUEST, '--no-validate', '--json')),
    );
    const codes = all.map(({ code }) => code);
    expect(creates(sandbox)).toHaveLength(1);
    expect(codes.filter((code) => code === 0)).toHaveLength(1);
    // Who comes while the first is under way cannot know its outcome; who comes later can.
    expect(codes.filter((code) => code !== 0).every((code) => code === 7 || code === 8)).toBe(true);
  });

  test('sends JSON where the profile says so', async ({ desk, sandbox }) => {
    desk.use(sandbox);
    const login = ['login', '--base-url', sandbox.baseUrl, '--client-id', sandbox.clientId, '--encoding', 'json'];
    expect(await desk.run(...login)).toMatchObject({ code: 0 });
    expect(await desk.run('create', ...REQUEST)).toMatchObject({ code: 0 });
    const encodings = new Map(sandbox.requests().map(({ operation, encoding }) => [operation, encoding]));
    expect(Object.fromEntries(encodings)).toEqual({ token: 'form', validate: 'json', create: 'json' });
  });
});
