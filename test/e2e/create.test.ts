import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import type { Sandbox } from '../../src/sandbox/server.ts';
import { test } from '../helpers/desk.ts';
import { REQUEST, requestFor } from '../helpers/leads.ts';
import { documentOf } from '../helpers/run-srq.ts';
import { creates, LEAD } from '../sandbox/sandbox-client.ts';

const validates = (sandbox: Sandbox) => sandbox.requests().filter(({ operation }) => operation === 'validate');

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

  test('does not send the same content again, and says so with exit code 8', async ({ partner, sandbox }) => {
    const first = documentOf(await partner.run('create', ...REQUEST, '--json'));
    const again = await partner.run('create', ...REQUEST, '--ref', 'another reference', '--json');
    expect(again.code).toBe(8);
    expect(documentOf(again)).toMatchObject({ status: 'repeated', ids: first['ids'], key: first['key'] });
    expect(creates(sandbox)).toHaveLength(1);
    expect(await partner.run('create', ...REQUEST, '--again', '--on-duplicate', 'create')).toMatchObject({ code: 0 });
    expect(creates(sandbox)).toHaveLength(2);
  });

  test('does not create what validate calls a duplicate, unless told to', async ({ partner, sandbox }) => {
    await partner.run('create', ...REQUEST);
    const elsewhere = ['--log', join(partner.work, 'other.ndjson'), '--json'];
    const skipped = await partner.run('create', ...REQUEST, ...elsewhere);
    expect(skipped.code).toBe(8);
    expect(documentOf(skipped)).toMatchObject({ status: 'duplicate', message: expect.stringContaining('duplicate') });
    expect(creates(sandbox)).toHaveLength(1);
    const forced = await partner.run('create', ...REQUEST, ...elsewhere, '--on-duplicate', 'create');
    expect(documentOf(forced)).toMatchObject({ status: 'created' });
    expect(creates(sandbox)).toHaveLength(2);
  });

  test('asks validate first, and not with --no-validate', async ({ partner, sandbox }) => {
    await partner.run('create', ...requestFor('com validação'));
    const asked = validates(sandbox).length;
    expect(asked).toBeGreaterThan(0);
    await partner.run('create', ...requestFor('sem validação'), '--no-validate');
    expect([validates(sandbox).length, creates(sandbox).length]).toEqual([asked, 2]);
  });

  test('refuses what cannot be sent with exit code 3 and sends nothing', async ({ partner, sandbox }) => {
    const ended = await partner.run('create', ...REQUEST, '--country', 'FR', '--json');
    expect(ended.code).toBe(3);
    expect(documentOf(ended)).toMatchObject({ status: 'invalid', ids: {}, message: expect.stringContaining('FR') });
    expect(sandbox.requests()).toEqual([]);
  });

  test('takes a refusal of the service for an answer: exit code 3, its reason, one record', async ({
    partner,
    sandbox,
  }) => {
    const refused = [...REQUEST, '--lang', 'no idea', '--json'];
    for (const [more, calls] of [
      [[], { validates: 1, creates: 0 }],
      [['--no-validate'], { validates: 1, creates: 1 }],
    ] as const) {
      const ended = await partner.run('create', ...refused, ...more);
      expect(ended.code).toBe(3);
      expect(documentOf(ended)).toMatchObject({ status: 'rejected', message: expect.stringContaining('language') });
      expect({ validates: validates(sandbox).length, creates: creates(sandbox).length }).toEqual(calls);
    }
    expect(partner.records().map(({ event }) => event)).toEqual(['rejected', 'sending', 'rejected']);
  });

  test('sends further parameters and the category', async ({ partner, sandbox }) => {
    const more = ['--field', 'campaign=a=b', '--field', 'floor=3', '--category', 'plumbing'];
    expect(await partner.run('create', ...REQUEST, ...more)).toMatchObject({ code: 0 });
    expect(creates(sandbox)[0]?.params).toMatchObject({ campaign: 'a=b', floor: '3', category: 'plumbing' });
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
