import { describe, expect, test } from 'vitest';
import { readToken } from '../../src/service/token/token-answer.ts';
import { answerWith } from '../helpers/api-client.ts';

const ASKED = Date.UTC(2026, 10, 21, 12);
const jwt = (payload: object): string => {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  return `${part({ alg: 'none' })}.${part(payload)}.c2ln`;
};
/** Seconds until the token in this answer ends, null if that is not known. */
const lifeOf = (body: unknown, headers: Record<string, string> = {}): number | null => {
  const { expiresAtMs, obtainedAtMs } = readToken(answerWith(body, { headers }), ASKED);
  expect(obtainedAtMs).toBe(ASKED);
  return expiresAtMs === null ? null : (expiresAtMs - ASKED) / 1000;
};

describe('the life of a token', () => {
  test.each<[string, object, number | null]>([
    ['a number', { expires_in: 3600 }, 3600],
    ['a text', { expires_in: '3600' }, 3600],
    ['one second', { expires_in: 1 }, 1],
    ['a fraction', { expires_in: 0.5 }, 0.5],
    ['camel case', { expiresIn: 20 }, 20],
    ['missing', {}, null],
    ['null', { expires_in: null }, null],
    ['zero, which is no life', { expires_in: 0 }, null],
    ['negative', { expires_in: -1 }, null],
    ['words', { expires_in: 'one hour' }, null],
    ['a date', { expires_at: '2026-11-21T12:10:00Z' }, 600],
    ['an epoch in seconds', { expires_at: ASKED / 1000 + 600 }, 600],
    ['an epoch in milliseconds', { expires_at: String(ASKED + 600_000) }, 600],
    ['a point in the past', { expires_at: '2026-11-21T11:00:00Z' }, null],
    ['no date', { expires_at: 'soon' }, null],
    ['both, of which the duration counts', { expires_in: 60, expires_at: '2026-11-21T13:00:00Z' }, 60],
  ])('is read from %s', (_, life, seconds) => {
    expect(lifeOf({ access_token: 'abc', ...life })).toBe(seconds);
  });

  test('is read from the exp of a JWT, unless the answer says more', () => {
    const token = jwt({ sub: 'partner', exp: ASKED / 1000 + 900 });
    expect(lifeOf({ access_token: token })).toBe(900);
    expect(lifeOf({ access_token: token, expires_in: 60 })).toBe(60);
    expect(lifeOf({ access_token: jwt({ sub: 'partner' }) })).toBeNull();
    expect(lifeOf({ access_token: 'not.a.jwt' })).toBeNull();
  });

  test('is right although the clock here is two hours wrong', () => {
    const date = new Date(ASKED + 7_200_000).toUTCString();
    expect(lifeOf({ access_token: 'abc', expires_at: '2026-11-21T14:10:00Z' }, { date })).toBe(600);
    expect(lifeOf({ access_token: jwt({ exp: ASKED / 1000 + 7_200 + 900 }) }, { date })).toBe(900);
  });
});

describe('the token', () => {
  test.each<[string, unknown, string]>([
    ['as OAuth has it', { access_token: 'abc', token_type: 'Bearer' }, 'abc'],
    ['in camel case', { accessToken: 'abc' }, 'abc'],
    ['nested', { data: { token: 'abc' } }, 'abc'],
    ['beside others', { token_type: 'Bearer', id_token: 'x', refresh_token: 'y', access_token: 'abc' }, 'abc'],
    ['as plain text', 'abcdefghijklmnop', 'abcdefghijklmnop'],
    ['as a JSON text', '"abcdefghijklmnop"', 'abcdefghijklmnop'],
    ['as a long number', '{"access_token":12345678901234567890}', '12345678901234567890'],
  ])('is found %s', (_, body, token) => {
    expect(readToken(answerWith(body), ASKED).accessToken).toBe(token);
  });

  test.each<[string, unknown]>([
    ['a web page', '<!doctype html><h1>Sign in</h1>'],
    ['nothing', ''],
    ['an error in a 200', { error: 'invalid_client' }],
    ['an empty token', { access_token: '' }],
    ['something that fits in no header', { access_token: 'a\r\nX-Injected: 1' }],
    ['a token that was cut', '{"access_token":"abcdefghijklmnopqrstuv'],
  ])('is not found in %s', (_, body) => {
    expect(() => readToken(answerWith(body), ASKED)).toThrow(
      expect.objectContaining({ code: 'service', hint: expect.stringContaining('srq status') }),
    );
  });
});
