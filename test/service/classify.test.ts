import { expect, test } from 'vitest';
import { ERRORS } from '../../src/request/error-codes.ts';
import { classifyCreate, type ExchangeClass, type NextStep } from '../../src/service/answers/classify.ts';
import type { Exchange } from '../../src/service/network/exchange.ts';
import { knowing } from '../helpers/answer-knowledge.ts';
import { answerWith } from '../helpers/api-client.ts';

const answered = (status: number, body: unknown = '', headers: Record<string, string> = {}): Exchange => ({
  answer: answerWith(body, { status, headers: { 'content-type': 'application/json', ...headers } }),
  error: null,
  written: true,
});

const classify = (exchange: Exchange) => classifyCreate(exchange, knowing());

/** The table of delivery.md; what it does not name is in doubt. */
const TABLE: Readonly<Record<number, readonly [ExchangeClass, NextStep]>> = {
  ...of([301, 307, 308, 404, 405, 410, 501], 'not-acted', 'stop'),
  ...of([302, 303], 'doubt', 'stop'),
  ...of([400, 403, 411, 413, 414, 415, 422, 431, 451], 'rejected', 'record'),
  ...of([401], 'not-acted', 'record'),
  ...of([429], 'not-acted', 'again'),
};

function of(statuses: readonly number[], to: ExchangeClass, next: NextStep): Record<number, [ExchangeClass, NextStep]> {
  return Object.fromEntries(statuses.map((status) => [status, [to, next]]));
}

test('every status from 200 to 599 means what the table says, and says why', () => {
  for (let status = 200; status <= 599; status++) {
    const expected = TABLE[status] ?? ['doubt', 'record'];
    const { class: meant, next, reason, stop } = classify(answered(status));
    expect([status, meant, next]).toEqual([status, ...expected]);
    expect(reason).toMatch(/^[A-Z].{10,}\.$/);
    if (status >= 300) expect(reason).toContain(String(status));
    expect(stop !== null).toBe(next === 'stop');
    if (stop) expect([ERRORS[stop.reason].kind, stop.hint.length > 20]).toEqual(['service', true]);
  }
});

test('any status from 200 to 299 is success, and no other is', () => {
  for (let status = 199; status <= 300; status++) {
    const isCreated = classify(answered(status, { id: '4711' })).class === 'created';
    expect([status, isCreated]).toEqual([status, status >= 200 && status <= 299]);
  }
});

test.each([408, 500, 502, 503, 504, 520, 599, 418, 402, 407, 425, 409, 300, 304, 101, 999])(
  'HTTP %d is in doubt and is never sent again by itself',
  (status) => {
    expect(classify(answered(status))).toMatchObject({ class: 'doubt', next: 'record' });
  },
);

test.each<[string, number, unknown, ExchangeClass]>([
  ['a conflict that says duplicate', 409, { error: 'duplicate_request' }, 'duplicate'],
  ['a conflict that says something else', 409, { error: 'version_conflict' }, 'doubt'],
  ['success that says duplicate', 200, { status: 'duplicate', id: '1' }, 'duplicate'],
  ['success that says refused', 200, { success: false, message: 'phone is missing' }, 'doubt'],
  ['success with identifiers', 201, { id: '4711' }, 'created'],
  ['success that nobody can read', 200, 'xyz', 'doubt'],
  ['empty success', 204, '', 'doubt'],
  ['a web page', 200, '<!doctype html><title>Sign in</title>', 'doubt'],
  ['success that was cut', 200, '{"id":"47', 'doubt'],
  ['a conflict about a customer', 409, 'A customer with this e-mail address already exists', 'doubt'],
  ['a conflict whose code is about a customer', 409, { result: 'CUSTOMER_ALREADY_EXISTS' }, 'doubt'],
  ['success that knows the customer', 201, { id: 'L-1', customer_status: 'existing' }, 'created'],
  ['a duplicate beside another error', 200, { duplicate: true, error: 'session expired' }, 'doubt'],
])('%s is what it says', (_, status, body, meant) => {
  expect(classify(answered(status, body))).toMatchObject({ class: meant, next: 'record', stop: null });
});

test('duplicate is read although the service calls its JSON a web page', () => {
  const exchange = answered(200, '{"duplicate":true}', { 'content-type': 'text/html' });
  expect(classify(exchange).class).toBe('duplicate');
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

test.each(CODES)('once the request was written %s is doubt, whatever the code suggests', (code) => {
  const error = Object.assign(new Error('failed'), { code });
  const meaning = classify({ answer: null, error, written: true, ms: 1 });
  expect(meaning).toMatchObject({ class: 'doubt', next: 'record', stop: null });
  expect(meaning.reason).toContain(code);
});

test.each(CODES)('before it was written %s is not acted on', (code) => {
  const error = Object.assign(new Error('failed'), { code });
  const meaning = classify({ answer: null, error, written: false, ms: 1 });
  const isForGood = /CERT|SSL/.test(code);
  expect(meaning).toMatchObject({ class: 'not-acted', next: isForGood ? 'stop' : 'again' });
  expect(meaning.stop?.reason).toBe(isForGood ? 'service.unreachable' : undefined);
});

test('a redirect names the host it leads to, and nothing more of the address', () => {
  const { reason } = classify(answered(308, '', { location: 'https://new.service.test/r?key=hidden' }));
  expect(reason).toContain('new.service.test');
  expect(reason).not.toContain('hidden');
});
