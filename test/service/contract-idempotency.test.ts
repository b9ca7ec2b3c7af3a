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

function apiTo(baseUrl: string, contract: Contract, clock = virtualClock()): RequestApi {
  return clientOf(httpTo(baseUrl), { ...{ contract, clock }, concurrency: 4 }).api;
}

/** A service that cuts the line after it has acted, twice for each request, and acts once on a value of the header. */
async function startForgetful() {
  const ids = new Map<string, string>();
  const tries = new Map<string, number>();
  const service = await startScriptedService({
    create: ({ headers, body, number }) => {
      const value = String(headers['idempotency-key'] ?? `none-${number}`);
      if (!ids.has(value)) ids.set(value, `R-${ids.size + 1}`);
      const tried = (tries.get(body) ?? 0) + 1;
      tries.set(body, tried);
      return tried <= 2 ? null : { status: 201, body: { id: ids.get(value) } };
    },
  });
  return { service, ids };
}

test.each(['text', 'uuid'] as const)(
  'a service that loses answers and knows the header creates each once: %s',
  async (format) => {
    const { service, ids } = await startForgetful();
    const api = apiTo(service.baseUrl, contractFor(format));
    const names = ['Ana', 'Rui', 'Zé'];
    let intents = 0;
    const intend = async () => {
      intents += 1;
      return true;
    };
    const sent = await Promise.all(
      names.map((fullname) => api.create({ ...request, params: { ...LEAD, fullname } }, intend, termsOf(fullname))),
    );
    expect(sent.map((each) => each?.outcome.status)).toEqual(['created', 'created', 'created']);
    expect([ids.size, intents, service.creates().length]).toEqual([3, 9, 9]);
    const form =
      format === 'text' ? /^[\da-f]{32}$/ : /^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/;
    for (const value of ids.keys()) expect(value).toMatch(form);
  },
);

test('a key that is demanded, but not trusted, is sent, and nothing is repeated under it', async () => {
  const { service } = await startForgetful();
  const api = apiTo(service.baseUrl, contractFor('text', 0));
  expect(api.idempotencyWindowMs).toBeNull();
  const sent = await api.create(request, async () => true, termsOf('Ana'));
  expect([sent?.outcome.status, service.creates().length]).toEqual(['unknown', 1]);
  expect(service.creates()[0]?.headers['idempotency-key']).toBe(keyOf('Ana'));
});

test('a delayed repetition is not written once the service may have forgotten its key', async () => {
  const { service } = await startForgetful();
  const clock = virtualClock();
  const api = apiTo(service.baseUrl, contractFor('text', 600), clock);
  let intents = 0;
  const intend = async () => {
    intents += 1;
    if (intents === 2) clock.passMs(10 * 60_000);
    return true;
  };
  const sent = await api.create(request, intend, termsOf('Ana'));
  expect([sent?.outcome.status, intents, service.creates().length]).toEqual(['unknown', 2, 1]);
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

test('the idempotency header goes on creates alone', async () => {
  const service = await startScriptedService({});
  const api = apiTo(service.baseUrl, contractFor('text'));
  await api.validate(request);
  expect(service.validates()[0]?.headers['idempotency-key']).toBeUndefined();
  await api.create(request, async () => true, termsOf('Ana'));
  expect(service.creates()[0]?.headers['idempotency-key']).toBe(keyOf('Ana'));
});
