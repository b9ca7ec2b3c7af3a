import { describe, expect, test } from 'vitest';
import { callText } from '../../src/report/terminal/call-text.ts';
import type { Authorization } from '../../src/request/contract/contract.ts';
import type { TracedCall } from '../../src/request/ports.ts';
import { type FixedAuthorization, fixedAuthorizer } from '../../src/service/token/token.ts';
import { clientOf, httpTo, Secret } from '../doors/client.ts';
import { virtualClock } from '../helpers/api-client.ts';
import { CANARY, secretsIn } from '../helpers/canary-secret.ts';
import { type Script, startScriptedService } from '../helpers/scripted-service.ts';
import { LEAD } from '../sandbox/sandbox-client.ts';

const request = { params: LEAD, audio: null, ref: null };
const TERMS = { key: 'this request', idempotencyKey: '0'.repeat(32) };
const basic: FixedAuthorization = { kind: 'basic' };
const key = (changes: Partial<Extract<Authorization, { kind: 'apiKey' }>> = {}): FixedAuthorization => ({
  ...{ kind: 'apiKey', in: 'header', name: 'X-Api-Key', prefix: '', value: null },
  ...changes,
});
/** The canary has a letter that no header can hold. */
const PLAIN_CANARY = CANARY.replaceAll('é', 'e');

async function serviceWith(authorization: FixedAuthorization, script: Script, clientSecret = PLAIN_CANARY) {
  const service = await startScriptedService({ create: script, validate: script });
  const calls: TracedCall[] = [];
  const http = httpTo(service.baseUrl, { traces: [(call) => calls.push(call)] });
  const credentials = { clientId: 'shop:1', clientSecret };
  const { api } = clientOf(http, { ...{ authorization, credentials }, clock: virtualClock() });
  const create = () => api.create(request, () => Promise.resolve(true), TERMS);
  return { api, service, create, shown: () => calls.map(callText).join('\n') + JSON.stringify(calls) };
}

const taken: Script = ({ number }) => ({ status: 201, body: { id: `R-${number}` } });

test.each([
  [
    'Basic, not form-encoded',
    basic,
    ({ authorization }: Headers) => fromBase64(authorization),
    `shop:1:${PLAIN_CANARY}`,
  ],
  ['a key in a header', key(), (headers: Headers) => headers['x-api-key'], PLAIN_CANARY],
  ['a key of the contract', key({ value: 'own-key' }), (headers: Headers) => headers['x-api-key'], 'own-key'],
  [
    'a token that stays',
    key({ name: 'Authorization', prefix: 'Bearer ' }),
    ({ authorization }: Headers) => authorization,
    `Bearer ${PLAIN_CANARY}`,
  ],
  [
    'one that has its word already',
    key({ name: 'Authorization', prefix: 'Bearer ', value: 'bearer abc' }),
    ({ authorization }: Headers) => authorization,
    'bearer abc',
  ],
])('%s goes with each request, and no token is asked for', async (_, authorization, shownIn, expected) => {
  const { service, create } = await serviceWith(authorization, taken);
  expect((await create())?.outcome.status).toBe('created');
  expect(service.creates().map(({ headers }) => shownIn(headers))).toEqual([expected]);
  expect(service.tokens()).toEqual([]);
});

type Headers = Readonly<Record<string, string | string[] | undefined>>;
const fromBase64 = (text: unknown) => Buffer.from(String(text).replace('Basic ', ''), 'base64').toString('utf8');

test('a key in the query goes encoded, after what is there', async () => {
  const { service, create } = await serviceWith(key({ in: 'query', name: 'api key' }), taken, CANARY);
  await create();
  const [{ url = '' } = {}] = service.creates();
  expect(new URL(url, 'http://x').searchParams.get('api key')).toBe(CANARY);
});

test.each([
  ['Basic', basic],
  ['a key in a header', key()],
  ['a key in Authorization', key({ name: 'Authorization' })],
  ['a key in the query', key({ in: 'query', name: 'k' })],
])('%s is shown nowhere, even if the service repeats it', async (_, authorization) => {
  const echo: Script = ({ url, headers, body }) => ({
    status: 422,
    body: { message: `no: ${decodeURIComponent(url.replaceAll('+', ' '))} ${JSON.stringify(headers)} ${body}` },
  });
  const { create, shown } = await serviceWith(authorization, echo);
  const result = await create();
  const text = shown();
  expect([secretsIn(text), secretsIn(JSON.stringify(result))]).toEqual([[], []]);
  expect(text).toContain('***');
});

test('of a key in Authorization not even the first word is shown, for it may be the key', async () => {
  const { create, shown } = await serviceWith(key({ name: 'Authorization', value: 'k3y-4711 rest' }), taken);
  await create();
  expect(shown()).toMatch(/authorization: \*\*\*$/m);
});

describe.each([
  ['Basic', basic],
  ['a key', key()],
] as const)('Where the service refuses %s,', (_, authorization) => {
  test.each([
    [401, 'The service refused the credentials (HTTP 401).'],
    [403, 'The service denies these requests (HTTP 403).'],
  ])('HTTP %i is reported as what it is, and nothing is sent again', async (status, message) => {
    const { api, service, create } = await serviceWith(authorization, () => ({ status }));
    const result = await create();
    expect(result?.stop).toMatchObject({ code: 'auth', message });
    expect(result?.outcome.status).toBe('failed');
    await expect(api.validate(request)).rejects.toMatchObject({ code: 'auth' });
    expect(service.calls()).toHaveLength(2);
  });

  test('HTTP 401 that names the request as if it had taken it leaves it unknown', async () => {
    const { create } = await serviceWith(authorization, () => ({ status: 401, body: { id: 'R-1' } }));
    expect(await create()).toMatchObject({ outcome: { status: 'unknown', http: 401 }, stop: { code: 'auth' } });
  });

  test('a 403 of a service that has taken requests before is about the request, a 401 is not', async () => {
    const statuses = [201, 403, 401];
    const script: Script = ({ number }) => ({
      status: statuses[number - 1] ?? 500,
      body: number === 1 ? { id: 'R-1' } : {},
    });
    const { create } = await serviceWith(authorization, script);
    expect((await create())?.outcome.status).toBe('created');
    expect(await create()).toMatchObject({ outcome: { status: 'rejected' }, stop: null });
    expect((await create())?.stop?.message).toBe('The service refused the credentials (HTTP 401).');
  });
});

test('a key that no header can hold is reported before anything is sent', () => {
  const credentials = { clientId: '1', clientSecret: new Secret('schlüssel') };
  expect(() => fixedAuthorizer(key(), credentials)).toThrow('holds characters that no header can hold');
  expect(() => fixedAuthorizer(key({ in: 'query' }), credentials)).not.toThrow();
});
