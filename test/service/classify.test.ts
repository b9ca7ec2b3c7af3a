import { expect, test } from 'vitest';
import { ERRORS } from '../../src/request/words/error-codes.ts';
import {
  type ComparedMeaning,
  classifyCreate,
  type ExchangeClass,
  type KnownOfAnswer,
  type NextStep,
} from '../../src/service/answers/classify.ts';
import type { Exchange } from '../../src/service/network/exchange.ts';
import { answerWith } from '../helpers/api-client.ts';

const answered = (status: number, body: unknown = '', headers: Record<string, string> = {}): Exchange => ({
  answer: answerWith(body, { status, headers: { 'content-type': 'application/json', ...headers } }),
  error: null,
  written: true,
});

/** Nothing is known of the answers, but for these changes. */
const classify = (exchange: Exchange, changes: Partial<KnownOfAnswer> = {}) =>
  classifyCreate(exchange, {
    compare: () => null,
    namesRequest: () => false,
    unavailableIsNotActed: false,
    ...changes,
  });

/** The table of delivery.md; what it does not name is unknown. */
const TABLE: Readonly<Record<number, readonly [ExchangeClass, NextStep]>> = {
  ...of([301, 307, 308, 404, 405, 410, 501], 'not-acted', 'stop'),
  ...of([302, 303], 'unknown', 'stop'),
  ...of([400, 403, 411, 413, 414, 415, 422, 431, 451], 'rejected', 'record'),
  ...of([401], 'not-acted', 'renew'),
  ...of([429], 'not-acted', 'again'),
};

function of(statuses: readonly number[], to: ExchangeClass, next: NextStep): Record<number, [ExchangeClass, NextStep]> {
  return Object.fromEntries(statuses.map((status) => [status, [to, next]]));
}

test('every status from 200 to 599 means what the table says, and says why', () => {
  for (let status = 200; status <= 599; status++) {
    const expected = TABLE[status] ?? ['unknown', 'record'];
    const { class: meant, next, reason, stop } = classify(answered(status));
    expect([status, meant, next]).toEqual([status, ...expected]);
    expect(reason).toMatch(/^[A-Z].{10,}\.$/);
    if (status >= 300) expect(reason).toContain(String(status));
    expect(stop !== null).toBe(next === 'stop');
    if (stop) expect([ERRORS[stop.reason].kind, stop.hint.length > 20]).toEqual(['service', true]);
  }
});

test.each<ComparedMeaning & string>(['created', 'rejected'])(
  'an answer below 500 that is known to mean %s means that, whatever its status',
  (compared) => {
    for (let status = 200; status <= 599; status++) {
      const meaning = classify(answered(status), { compare: () => compared });
      const [expected] = status < 500 ? [compared] : (TABLE[status] ?? ['unknown']);
      expect([status, meaning.class]).toEqual([status, expected]);
      if (status < 500) expect(meaning).toMatchObject({ next: 'record', stop: null });
    }
  },
);

test('a refusal that names the request is unknown, and not sent again', () => {
  for (let status = 300; status <= 599; status++)
    expect(classify(answered(status), { namesRequest: () => true })).toMatchObject({
      class: 'unknown',
      next: 'record',
    });
});

test('503 with Retry-After means not acted on only where the description says so', () => {
  const told = answered(503, '', { 'retry-after': '2' });
  const sure = { unavailableIsNotActed: true };
  expect(classify(told, sure)).toMatchObject({ class: 'not-acted', next: 'again' });
  expect(classify(answered(503), sure).class).toBe('unknown');
  expect(classify(answered(502, '', { 'retry-after': '2' }), sure).class).toBe('unknown');
  expect(classify(told, { ...sure, namesRequest: () => true }).class).toBe('unknown');
  expect(classify(told).class).toBe('unknown');
});

test.each([408, 500, 502, 503, 504, 520, 599, 418, 402, 407, 425, 409, 300, 304, 101, 999])(
  'HTTP %d is unknown and is never sent again by itself',
  (status) => {
    expect(classify(answered(status))).toMatchObject({ class: 'unknown', next: 'record' });
  },
);

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

test.each(CODES)('%s after the request was written is unknown, whatever the code suggests', (code) => {
  const error = Object.assign(new Error('failed'), { code });
  const meaning = classify({ answer: null, error, written: true, ms: 1 });
  expect(meaning).toMatchObject({ class: 'unknown', next: 'record', stop: null });
  expect(meaning.reason).toContain(code);
});

test.each(CODES)('%s before the request was written means not acted on', (code) => {
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
