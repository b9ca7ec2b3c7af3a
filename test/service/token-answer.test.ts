import { describe, expect, test } from 'vitest';
import { readToken } from '../../src/service/token/token-answer.ts';
import { answerWith } from '../helpers/api-client.ts';

const ASKED = Date.UTC(2026, 10, 21, 12);
/** Seconds until the token in this answer ends, null if that is not known. */
const lifeOf = (body: unknown): number | null => {
  const { expiresAtMs, obtainedAtMs } = readToken(answerWith(body), ASKED);
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
    ['a date, which is not read', { expires_at: '2026-11-21T12:10:00Z' }, null],
  ])('the life of a token is read from %s', (_, life, seconds) => {
    expect(lifeOf({ access_token: 'abc', ...life })).toBe(seconds);
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
  ])('the token is found %s', (_, body, token) => {
    expect(readToken(answerWith(body), ASKED).accessToken).toBe(token);
  });

  test.each<[string, unknown]>([
    ['a web page', '<!doctype html><h1>Sign in</h1>'],
    ['nothing', ''],
    ['an error in a 200', { error: 'invalid_client' }],
    ['an empty token', { access_token: '' }],
    ['something that fits in no header', { access_token: 'a\r\nX-Injected: 1' }],
    ['a token that was cut', '{"access_token":"abcdefghijklmnopqrstuv'],
  ])('the token is not found in %s', (_, body) => {
    expect(() => readToken(answerWith(body), ASKED)).toThrow(
      expect.objectContaining({ code: 'service', hint: expect.stringContaining('srq status') }),
    );
  });
});
