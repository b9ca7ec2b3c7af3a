import { describe, expect, test } from 'vitest';
import type { Contract } from '../../src/request/contract/contract.ts';
import { AnswerReader } from '../../src/service/answers/answer-reader.ts';
import { Redactor } from '../../src/service/redaction/redactor.ts';
import { answerWith } from '../helpers/api-client.ts';
import { contractWith, parameter } from '../sandbox/contract-client.ts';

const nothing = new Redactor([]);
const readerOf = (contract: Contract, columnOf: (field: string) => string | null = () => null) =>
  new AnswerReader(contract, columnOf);

describe('The words of a refusal', () => {
  const contract = contractWith({
    create: {
      parameters: [
        parameter('phone', { path: ['data', 'attributes', 'telephoneNumber'] }),
        parameter('request_text', { path: ['data', 'attributes', 'message'] }),
        parameter('category', { path: ['data', 'attributes', 'service_id'] }),
      ],
    },
  });
  const columnOf = (field: string) => (field === 'phone' ? 'Telefone' : null);
  const PHONE = 'phone (column "Telefone"): is wrong';
  const said = (body: unknown, by = readerOf(contract, columnOf), sent = nothing) =>
    by.errorText(answerWith(body, { status: 422 }), sent);

  test.each<[string, unknown]>([
    ['Laravel', { errors: { 'data.attributes.telephoneNumber': ['is wrong'] } }],
    ['an object by name', { errors: { telephone_number: 'is wrong' } }],
    ['Django REST framework', { telephoneNumber: ['is wrong'] }],
    ['RFC 9457 invalid-params', { 'invalid-params': [{ name: 'telephoneNumber', reason: 'is wrong' }] }],
    ['RFC 9457 errors', { errors: [{ pointer: '#/data/attributes/telephoneNumber', detail: 'is wrong' }] }],
    ['JSON:API', { errors: [{ source: { pointer: '/data/attributes/telephoneNumber' }, detail: 'is wrong' }] }],
    ['FastAPI', { detail: [{ loc: ['body', 'data', 'attributes', 'telephoneNumber'], msg: 'is wrong' }] }],
    ['Spring', { fieldErrors: [{ field: 'data.attributes.telephoneNumber', message: 'is wrong' }] }],
    ['Symfony', { violations: [{ propertyPath: 'data[attributes][telephoneNumber]', message: 'is wrong' }] }],
    ['a list with param', { error: { details: [{ param: 'telephoneNumber', message: 'is wrong' }] } }],
    ['a list with path', { errors: [{ path: ['data', 'attributes', 'telephoneNumber'], message: 'is wrong' }] }],
  ])('The words of a refusal name the parameter as the user knows it: %s', (_, body) => {
    expect(said(body)).toBe(PHONE);
  });

  test('The words of a refusal come with the parameters even beside a summary', () => {
    const body = { title: 'Invalid', detail: 'Look.', errors: [{ pointer: '#/telephoneNumber', detail: 'is wrong' }] };
    expect(said(body)).toBe(`Look.; ${PHONE}`);
  });

  test('The words of a refusal name several parameters once each, by column or by srq’s name', () => {
    const errors = { telephoneNumber: ['is wrong'], service_id: ['is unknown', 'is unknown'], foo: ['is odd'] };
    expect(said({ message: 'No.', errors })).toBe(`No.; ${PHONE}; category: is unknown; foo: is odd`);
  });

  test('The words of a refusal show nothing of what was sent', () => {
    const sent = new Redactor(['ines@example.com', '+351912345678']);
    const errors = { telephoneNumber: ['+351912345678 is taken'], 'ines@example.com': ['is taken'] };
    expect(said({ errors }, readerOf(contract, columnOf), sent)).toBe(
      'phone (column "Telefone"): +*** is taken; ***: is taken',
    );
  });
});
