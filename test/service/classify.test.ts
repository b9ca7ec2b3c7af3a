import { expect, test } from 'vitest';
import { clientOf, lineOf } from '../doors/client.ts';
import { answerWith, virtualClock } from '../helpers/api-client.ts';

const TERMS = { key: 'this request', idempotencyKey: '0'.repeat(32) };
const REQUEST = { params: { country: 'PT', request_text: 'Pintar a sala' }, audio: null, ref: null };
const token = answerWith({ access_token: 'tok3n' });

/** What becomes of a create that is answered so each time: its status, the reason to stop, and how often it was sent. */
async function told(status: number, headers: Record<string, string> = {}) {
  let creates = 0;
  const http = lineOf(async (path) => {
    const answer = path === '/oauth/token' ? token : { ...answerWith('', { status, headers }) };
    if (path !== '/oauth/token') creates += 1;
    return { answer, error: null, written: true };
  });
  const sent = await clientOf(http, { clock: virtualClock() }).api.create(REQUEST, async () => true, TERMS);
  const { outcome, stop } = sent ?? {};
  return { is: [outcome?.status, stop?.reason ?? null, creates], message: outcome?.message, stop };
}

type Told = readonly [status: string, stop: string | null, creates: number];

/** What is not named here is unknown, and sent once. */
const TABLE: Readonly<Record<number, Told>> = {
  ...of([301, 307, 308], ['failed', 'service.redirects', 1]),
  ...of([404, 405, 410, 501], ['failed', 'service.wrong-address', 1]),
  ...of([302, 303], ['unknown', 'answer.unproven', 1]),
  ...of([403], ['failed', 'auth.denied', 1]),
  ...of([400, 411, 413, 414, 415, 422, 431, 451], ['rejected', null, 1]),
  ...of([401], ['unknown', 'auth.token-refused', 2]),
  ...of([429], ['failed', null, 10]),
};

function of(statuses: readonly number[], means: Told): Record<number, Told> {
  return Object.fromEntries(statuses.map((status) => [status, means]));
}

test('every status from 200 to 599 means what the table says, and says why', async () => {
  for (let status = 200; status <= 599; status++) {
    const { is, message, stop } = await told(status);
    expect([status, ...is]).toEqual([status, ...(TABLE[status] ?? ['unknown', null, 1])]);
    expect(message).toMatch(/^[A-Z].{10,}\.$/);
    expect(message).toContain(String(status));
    if (stop) expect(stop.hint?.length).toBeGreaterThan(20);
  }
});

test('503 is unknown and sent once, with Retry-After too', async () => {
  expect((await told(503, { 'retry-after': '2' })).is).toEqual(['unknown', null, 1]);
});

const CODES = [
  'ECONNRESET',
  'ECONNREFUSED',
  'EPIPE',
  'ENOTFOUND',
  'ETIMEDOUT',
  'UND_ERR_SOCKET',
  'UND_ERR_CONNECT_TIMEOUT',
  'UND_ERR_HEADERS_TIMEOUT',
  'HPE_INVALID_CONSTANT',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'ERR_SSL_WRONG_VERSION_NUMBER',
  'SOMETHING_NEW',
];

async function failing(code: string, written: boolean) {
  let creates = 0;
  const error = Object.assign(new Error('failed'), { code });
  const http = lineOf(async (path) => {
    if (path === '/oauth/token') return { answer: token, error: null, written: true };
    creates += 1;
    return { answer: null, error, written, ms: 1 };
  });
  const sent = await clientOf(http, { clock: virtualClock() }).api.create(REQUEST, async () => true, TERMS);
  return { is: [sent?.outcome.status, sent?.stop?.reason ?? null, creates], message: sent?.outcome.message };
}

test.each(CODES)('%s after the request was written is unknown, whatever the code suggests', async (code) => {
  const { is, message } = await failing(code, true);
  expect(is).toEqual(['unknown', null, 1]);
  expect(message).toContain(code);
});

test.each(CODES)('before it was written %s means that nobody acted', async (code) => {
  const isForGood = /CERT|SSL/.test(code);
  expect((await failing(code, false)).is).toEqual(['failed', 'service.unreachable', isForGood ? 1 : 3]);
});

test('a redirect names the host it leads to, and nothing more of the address', async () => {
  const { message } = await told(308, { location: 'https://new.service.test/r?key=hidden' });
  expect(message).toContain('new.service.test');
  expect(message).not.toContain('hidden');
});
