import { describe, expect, test } from 'vitest';
import { DOCUMENTED_CONTRACT } from '../../src/request/contract/public-api.ts';
import { parameterNames, readErrorText } from '../../src/service/answers/error-text.ts';
import { Redactor } from '../../src/service/redaction/redactor.ts';
import { answerWith } from '../helpers/api-client.ts';

const sent = new Redactor(['+351912345678', 'Inês Exemplo', 's3cr3t-v4lue']);

describe("the service's own words", () => {
  test.each<[string, unknown, string | null]>([
    ['problem+json', { type: 'about:blank', title: 'Not valid', detail: 'phone is wrong' }, 'phone is wrong'],
    ['problem+json without details', { type: 'about:blank', title: 'Not valid', status: 422 }, 'Not valid'],
    ['a message', { message: 'No such market' }, 'No such market'],
    ['an OAuth error', { error: 'invalid_client', error_description: 'Unknown client' }, 'Unknown client'],
    ['an error alone', { error: 'invalid_request' }, 'invalid_request'],
    ['errors by field', { errors: { phone: ['is wrong', 'is too long'] } }, 'phone: is wrong; phone: is too long'],
    [
      'a message and errors by field',
      { message: 'Not valid', errors: { email: 'is wrong' } },
      'Not valid; email: is wrong',
    ],
    ['a message within an error', { error: { message: 'No such market', code: 'E1' } }, 'No such market'],
    ['a list of errors alone', [{ field: 'x', message: 'is wrong' }], 'x: is wrong'],
    ['words deep within lists', `{"errors":${'['.repeat(4000)}"no"${']'.repeat(4000)}}`, null],
    ['plain text', 'phone is wrong\n', 'phone is wrong'],
    ['a JSON text', '"phone is wrong"', 'phone is wrong'],
    ['lines', 'first\n\n   second', 'first second'],
    ['a page', '<!doctype html><p>Sorry</p>', null],
    ['nothing', '', null],
    ['no words', { id: 1 }, null],
    ['a long plain text', 'word '.repeat(200), null],
  ])("the service's own words: %s", (_, body, text) => {
    expect(readErrorText(answerWith(body, { status: 422 }), sent)).toBe(text);
  });

  test("the service's own words never repeat what was sent", () => {
    const body = { detail: 'Inês (+351 912 345 678) is known as INÊS EXEMPLO; s3cr3t-v4lue' };
    expect(readErrorText(answerWith(body), sent)).toBe('*** (+***) is known as ***; ***');
  });

  describe('about a parameter', () => {
    const names = parameterNames(DOCUMENTED_CONTRACT, (field) => (field === 'phone' ? 'Telefone' : null));
    const read = (body: unknown) => readErrorText(answerWith(body), sent, names);

    test.each(['phone', 'body.phone', '/data/attributes/phone', 'data[phone]', '#/phone', 'leads.0.phone', 'PHONE'])(
      "the service's words about a parameter name its column where it is written as %s",
      (path) => {
        expect(read({ errors: { [path]: 'is wrong' } })).toBe('phone (column "Telefone"): is wrong');
      },
    );

    test("the service's words say each thing once, and at most ten things of a hundred thousand", () => {
      expect(read({ message: 'is wrong', errors: { email: 'is wrong' } })).toBe('email: is wrong');
      const many = Array.from({ length: 100_000 }, (_, at) => `n${at}`);
      expect(read({ message: many })?.split('; ')).toEqual(many.slice(0, 10));
    });
  });
});
