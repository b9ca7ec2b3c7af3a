import { describe, expect, test } from 'vitest';
import { DOCUMENTED_CONTRACT } from '../../src/request/contract.ts';
import { parameterNames, readErrorText } from '../../src/service/answers/error-text.ts';
import { Redactor } from '../../src/service/redaction/redactor.ts';
import { answerWith } from '../helpers/api-client.ts';

const sent = new Redactor(['+351912345678', 'Inês Exemplo', 's3cr3t-v4lue']);

describe("the service's own words", () => {
  test.each<[string, unknown, string | null]>([
    ['problem+json', { type: 'about:blank', title: 'Not valid', detail: 'phone is wrong' }, 'phone is wrong'],
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
  ])('%s', (_, body, text) => {
    expect(readErrorText(answerWith(body, { status: 422 }), sent)).toBe(text);
  });

  test('are cut at 300 characters', () => {
    const text = readErrorText(answerWith({ message: 'word '.repeat(200) }), sent);
    expect(text).toHaveLength(300);
    expect(text).toMatch(/…$/);
  });

  test('never repeat what was sent', () => {
    const body = { detail: 'Inês (+351 912 345 678) is known as INÊS EXEMPLO; s3cr3t-v4lue' };
    expect(readErrorText(answerWith(body), sent)).toBe('*** (+***) is known as ***; ***');
  });

  // Whoever sent the row has nothing else to mend it by.
  test.each(['detail', 'message', 'description', 'title', 'errors', 'reason', 'error', 'code'])(
    'are found where they are called %s',
    (name) => {
      expect(readErrorText(answerWith({ id: 'R-1', [name]: 'phone is wrong' }), sent)).toBe('phone is wrong');
    },
  );

  test('are those that say most: a message and not its code', () => {
    const said = { code: 'E17', error: 'invalid', reason: 'bad', title: 'Not valid', detail: 'phone is wrong' };
    const order = ['detail', 'title', 'reason', 'error', 'code'] as const;
    for (const [at, name] of order.entries()) {
      const left = Object.fromEntries(order.slice(at).map((each) => [each, said[each]]));
      expect(readErrorText(answerWith(left), sent)).toBe(said[name]);
    }
    expect(readErrorText(answerWith({ title: 'Not valid', message: 'phone is wrong', description: 'See' }), sent)).toBe(
      'phone is wrong; See; Not valid',
    );
  });

  describe('about a parameter', () => {
    const names = parameterNames(DOCUMENTED_CONTRACT, (field) => (field === 'phone' ? 'Telefone' : null));
    const read = (body: unknown) => readErrorText(answerWith(body), sent, { pointers: [], names });

    test.each(['field', 'param', 'parameter', 'name', 'property', 'propertyPath', 'path', 'loc', 'pointer', 'source'])(
      'name it by "%s"',
      (naming) => {
        expect(read({ errors: [{ [naming]: 'phone', message: 'is wrong' }] })).toBe(
          'phone (column "Telefone"): is wrong',
        );
      },
    );

    test.each(['message', 'msg', 'detail', 'reason', 'description', 'defaultMessage', 'title', 'error', 'code'])(
      'say by "%s" what is wrong with it',
      (reason) => {
        expect(read({ errors: [{ field: 'email', [reason]: 'is wrong' }] })).toBe('email: is wrong');
      },
    );

    test.each(['errors', 'details', 'detail', 'params', 'violations', 'fields', 'issues', 'error'])(
      'are shown beside the others where they are under "%s"',
      (group) => {
        const said = { message: 'Not valid', [group]: [{ field: 'email', message: 'is wrong' }] };
        expect(read(said)?.endsWith('email: is wrong')).toBe(true);
        expect(read({ message: 'Not valid', [group]: { email: 'is wrong' } })?.endsWith('email: is wrong')).toBe(true);
      },
    );

    test.each(['phone', 'body.phone', '/data/attributes/phone', 'data[phone]', '#/phone', 'leads.0.phone', 'PHONE'])(
      'name its column where it is written as %s',
      (path) => {
        expect(read({ errors: { [path]: 'is wrong' } })).toBe('phone (column "Telefone"): is wrong');
      },
    );

    test('name it by a path in parts, or as JSON:API does', () => {
      for (const where of [
        { loc: ['body', 'email'] },
        { source: { pointer: '/data/email' } },
        { source: { parameter: 'email' } },
      ]) {
        expect(read({ errors: [{ ...where, message: 'is wrong' }] })).toBe('email: is wrong');
      }
    });

    test('say it once, and at most ten things of a hundred thousand', () => {
      expect(read({ message: 'is wrong', errors: { email: 'is wrong' } })).toBe('email: is wrong');
      const many = Array.from({ length: 100_000 }, (_, at) => `n${at}`);
      expect(read({ message: many })?.split('; ')).toEqual(many.slice(0, 10));
    });
  });
});
