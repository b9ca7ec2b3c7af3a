import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import type { Contract } from '../../src/request/contract/contract.ts';
import type { RequestApi } from '../../src/service/client.ts';
import { clientOf, httpTo } from '../doors/client.ts';
import { virtualClock } from '../helpers/api-client.ts';
import { startScriptedService } from '../helpers/scripted-service.ts';
import { contractWith } from '../sandbox/contract-client.ts';
import { LEAD } from '../sandbox/sandbox-client.ts';

const request = { params: LEAD, audio: null, ref: null };
const termsOf = (text: string) => ({ key: text, idempotencyKey: keyOf(text) });
const keyOf = (text: string) => createHash('sha256').update(text).digest('hex').slice(0, 32);
const contractFor = (format: 'uuid' | 'text', windowSeconds: number | null = 86_400): Contract =>
  contractWith({ create: { idempotency: { header: 'Idempotency-Key', format, windowSeconds } } });

function apiTo(baseUrl: string, contract: Contract): RequestApi {
  return clientOf(httpTo(baseUrl), { contract, clock: virtualClock() }).api;
}

test.each([
  ['text', /^[\da-f]{32}$/],
  ['uuid', /^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/],
] as const)('the header goes on creates alone, with the key as %s', async (format, form) => {
  const service = await startScriptedService({});
  const api = apiTo(service.baseUrl, contractFor(format));
  await api.validate(request);
  expect(service.validates()[0]?.headers['idempotency-key']).toBeUndefined();
  await api.create(request, async () => true, termsOf('Ana'));
  expect(service.creates()[0]?.headers['idempotency-key']).toMatch(form);
});

test('a key that is demanded, but not trusted, is sent, and nothing is repeated under it', async () => {
  const service = await startScriptedService({ create: () => null });
  const api = apiTo(service.baseUrl, contractFor('text', 0));
  const sent = await api.create(request, async () => true, termsOf('Ana'));
  expect([sent?.outcome.status, service.creates().length]).toEqual(['unknown', 1]);
  expect(service.creates()[0]?.headers['idempotency-key']).toBe(keyOf('Ana'));
});

test.each([
  [86_400, (0.9 * 24 * 60 - 10) * 60_000],
  [600, 240_000],
  [null, 240_000],
  [121, 500],
  [120, null],
  [0, null],
])(
  'a key for %s seconds is used for nine tenths of them, less two minutes and the time of the tries',
  (windowSeconds, windowMs) => {
    expect(apiTo('http://127.0.0.1:1', contractFor('text', windowSeconds)).idempotencyWindowMs).toBe(windowMs);
  },
);
