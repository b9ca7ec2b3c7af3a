import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { FaultRates } from '../../src/sandbox/service/faults.ts';
import {
  askToken,
  connectionError,
  creates,
  FAULT_KINDS,
  FORM,
  LEAD,
  partnerOf,
  sandboxWith,
  send,
  startCalmSandbox,
} from './sandbox-client.ts';

// What it answers is in test/sandbox/conversations.

test('credentials differ from start to start unless they are given; the identifier is a number', async () => {
  const [one, other] = [await sandboxWith(), await sandboxWith()];
  expect(one.clientId).toMatch(/^\d{6}$/);
  expect(one.clientSecret).not.toBe(other.clientSecret);
  const given = await sandboxWith({ clientId: '42', clientSecret: 'a-given-secret' });
  expect((await askToken(given, { client_id: '42', client_secret: 'a-given-secret' })).status).toBe(200);
});

test('a body over 40 MiB is refused with an answer that can be read', async () => {
  const sandbox = await sandboxWith();
  const { create } = await partnerOf(sandbox);
  const reply = await create({ ...LEAD, request_text: 'x'.repeat(40 * 1024 * 1024) });
  expect([reply.status, sandbox.requests().at(-1)?.params]).toEqual([413, {}]);
});

test('with a latency, a request takes effect before its answer goes', async () => {
  const sandbox = await sandboxWith({ latencyMs: 20_000 });
  const token = send('POST', `${sandbox.baseUrl}/oauth/token`, FORM, `grant_type=client_credentials`);
  const failed = connectionError(token);
  while (sandbox.requests().length === 0) await new Promise((resolve) => setImmediate(resolve));
  expect(sandbox.requests()[0]).toMatchObject({ operation: 'token', status: 401 });
  await sandbox.close();
  expect(await failed).toBe('ECONNRESET');
});

test('the pages tell of the faults that the sandbox has', () => {
  const [, told = ''] = /the kinds are ([^.]+)\.\n/.exec(readFileSync('docs/sandbox.md', 'utf8')) ?? [];
  expect([...told.matchAll(/`([\w-]+)`/g)].map(([, kind]) => kind).sort()).toEqual([...FAULT_KINDS].sort());
});

test('a fault with a probability strikes that share of the calls, the same ones for the same seed', async () => {
  const struckNumbers = async (seed: number, faults: FaultRates) => {
    const seeded = await startCalmSandbox({ seed, faults });
    const { create } = await partnerOf(seeded);
    for (let row = 0; row < 300; row++) await create({ ...LEAD, fullname: `Row ${row}` });
    await seeded.close();
    return creates(seeded).flatMap((each) => (each.fault === '503' ? [each.number] : []));
  };
  const first = await struckNumbers(3, { '503': 0.2 });
  expect(first.length).toBeGreaterThan(30);
  expect(first.length).toBeLessThan(90);
  expect(await struckNumbers(3, { '503': 0.2 })).toEqual(first);
  expect(await struckNumbers(4, { '503': 0.2 })).not.toEqual(first);
  // Another fault switched on beside it moves none of these, it only takes those that it strikes first.
  const beside = await struckNumbers(3, { '503': 0.2, '429': 0.1 });
  expect(first).toEqual(expect.arrayContaining(beside));
  expect(beside.length).toBeGreaterThan(first.length / 2);
});
