import { beforeEach, describe, expect, test } from 'vitest';
import { DOCUMENTED_CONTRACT } from '../../src/request/contract.ts';
import type { Identifiers } from '../../src/request/outcome.ts';
import type { SentStatus } from '../../src/request/status.ts';
import { AnswerReader } from '../../src/service/answers/answer-reader.ts';
import { readIdentifiers } from '../../src/service/answers/creation.ts';
import { createOutcome } from '../../src/service/outcomes.ts';
import { Redactor } from '../../src/service/redaction/redactor.ts';
import { answerWith, httpTo } from '../helpers/api-client.ts';
import { CREATE_SHAPES, startShapedService } from '../helpers/shaped-service.ts';

const LEAD = {
  country: 'PT',
  lang: 'pt',
  location: 'Rua do Exemplo 1234, 1000-001 Lisboa',
  fullname: 'Inês Exemplo',
  email: 'ines@example.com',
  phone: '+351912345678',
  request_text: 'A torneira da cozinha pinga.',
};
let reader = new AnswerReader(DOCUMENTED_CONTRACT, () => null);
beforeEach(() => {
  reader = new AnswerReader(DOCUMENTED_CONTRACT, () => null);
});
const sent = new Redactor([...Object.values(LEAD), 'the-client-secret']);

const UUID = '0d5c7a7e-6a0e-4b56-9a1c-1f2e3d4c5b6a';
const EXPECTED: Readonly<Record<keyof typeof CREATE_SHAPES, { status: SentStatus; ids: Identifiers }>> = {
  flat: { status: 'created', ids: { id: '4711' } },
  nested: { status: 'created', ids: { id: '4711', uuid: UUID } },
  'json-api': { status: 'created', ids: { id: '4711' } },
  array: { status: 'created', ids: { request_id: '4711' } },
  'location-only': { status: 'created', ids: { id: '4711', location: '/v1/request/4711' } },
  'plain-text': { status: 'created', ids: { id: '4711' } },
  'empty-204': { status: 'unknown', ids: {} },
  'big-number': { status: 'created', ids: { request_id: '12345678901234567890' } },
  echo: { status: 'unknown', ids: {} },
  'html-error-page': { status: 'unknown', ids: {} },
  'conflict-duplicate': { status: 'duplicate', ids: {} },
  'problem-json': { status: 'rejected', ids: {} },
};

test.each(Object.keys(CREATE_SHAPES) as (keyof typeof CREATE_SHAPES)[])(
  'a service of shape %s is read as expected over HTTP',
  async (create) => {
    const service = await startShapedService({ create });
    const form = { 'content-type': 'application/x-www-form-urlencoded' };
    const exchange = await httpTo(service.baseUrl).send(
      'POST',
      '/v1/request/create',
      form,
      new URLSearchParams(LEAD).toString(),
    );
    await service.close();
    const outcome = createOutcome(reader.creation(exchange, sent), exchange, sent, reader);
    expect({ status: outcome.status, ids: outcome.ids }).toEqual(EXPECTED[create]);
    // The answer is kept exactly where no identifier could be read.
    expect(outcome.raw === null).toBe(Object.keys(outcome.ids).length > 0);
    for (const value of [outcome.raw, outcome.message]) {
      for (const word of ['Inês', 'Exemplo', 'ines@', '912345678', 'Lisboa', 'torneira']) {
        expect(value ?? '').not.toContain(word);
      }
    }
  },
);

describe('the identifiers of an answer', () => {
  test.each<[unknown, Identifiers]>([
    [
      { requestId: 'r1', REFERENCE: 'x/9', 'order-number': 7 },
      { requestId: 'r1', REFERENCE: 'x/9', 'order-number': '7' },
    ],
    [{ serviceRequestUUID: UUID }, { serviceRequestUUID: UUID }],
    [
      { _id: '5f', guid: 'g1' },
      { _id: '5f', guid: 'g1' },
    ],
    [{ confirmation_code: 'ABC-9' }, { confirmation_code: 'ABC-9' }],
    ['{"id":00012}', {}],
    ['{"id":1e3,"ref":0.10,"uuid":-0}', { id: '1e3', ref: '0.10' }],
    [
      '{"id":12345678901234567890,"number":98765432109876543210987}',
      { id: '12345678901234567890', number: '98765432109876543210987' },
    ],
    // How the call went is no name for the request.
    [{ code: 200, message: 'OK', data: { id: '4711' } }, { id: '4711' }],
    [{ code: 0, data: { code: 'PLB-99' } }, { code: 'PLB-99' }],
    [{ status_code: 201, http_code: 201, error_code: 0, response_code: 'OK' }, {}],
    // Words that only end alike.
    [{ valid: 'yes', paid: '1', bid: '2', android: '3', solid: '4', video: '5', encode: '6' }, {}],
    [{ id: true, uuid: null, reference: '', number: {} }, {}],
    [{ id: 'x'.repeat(201) }, {}],
    // Parts that speak of something else.
    [
      {
        error: { id: 1 },
        errors: [{ code: 'E1' }],
        links: { id: 2 },
        user: { id: 3 },
        category: { id: 4 },
        meta: { id: 5 },
      },
      {},
    ],
    [{ user_id: '3', client_id: '700100', partner_id: '9', category_id: '4', account_number: '5', trace_id: 't' }, {}],
    [
      { data: { id: '4711', category: { id: 12 }, links: { self: '/r/4711' } }, included: [{ id: 'x' }] },
      { id: '4711' },
    ],
    // Two of the same name stay two; the same value twice is one.
    [
      { id: '1', data: { id: '2' } },
      { id: '1', 'data.id': '2' },
    ],
    [[{ id: '1' }, { id: '2' }], { id: '1', '1.id': '2' }],
    [{ id: '1', data: { id: '1' } }, { id: '1' }],
    [
      { a: { id: '1' }, b: { id: '2' }, c: { id: '3' } },
      { id: '1', 'b.id': '2', 'c.id': '3' },
    ],
  ])('of %j are %j', (body, ids) => {
    expect(readIdentifiers(answerWith(body), sent)).toEqual(ids);
  });

  test('are read although the service calls its JSON a web page', () => {
    const answer = answerWith('{"id":"4711"}', { headers: { 'content-type': 'text/html' } });
    expect(readIdentifiers(answer, sent)).toEqual({ id: '4711' });
  });

  test.each<[string, Identifiers]>([
    ['4711', { id: '4711' }],
    ['"4711"', { id: '4711' }],
    ['Created request #4711.', { id: '4711' }],
    ['id: 12345678901234567890\n', { id: '12345678901234567890' }],
    ['Request REQ-77 received, thank you!', { id: 'REQ-77' }],
    ['4711 or 4712', {}],
    ['OK', {}],
    ['Rua do Exemplo 1234 was received', {}],
    ['<html><body>4711</body></html>', {}],
    [`${'long '.repeat(60)}4711`, {}],
  ])('of the plain text %j are %j', (body, ids) => {
    expect(readIdentifiers(answerWith(body), sent)).toEqual(ids);
  });

  test.each<[string, Identifiers]>([
    ['/v1/request/4711', { id: '4711', location: '/v1/request/4711' }],
    ['https://api.service.test/r/4711/?x=1', { id: '4711', location: 'https://api.service.test/r/4711/?x=1' }],
    ['/thanks', { location: '/thanks' }],
    ['/welcome?email=ines@example.com', {}],
    ['/tel/912345678', {}],
  ])('of the Location %s are %j', (location, ids) => {
    expect(readIdentifiers(answerWith('', { status: 201, headers: { location } }), sent)).toEqual(ids);
  });
});

describe('what was sent is no identifier', () => {
  test.each<[string, unknown]>([
    ['the telephone number', { phone_number: '+351912345678', number: '+351912345678' }],
    ['the telephone number without its country', { contactNumber: '912 345 678', number: '912345678' }],
    ['the name', { reference: 'Inês Exemplo', ref: 'EXEMPLO', code: 'inês' }],
    ['a slug made from the name', { reference: 'ines-exemplo-4711' }],
    ['the country', { country_code: 'PT', code: 'pt', market_id: 'PT' }],
    ['the e-mail address', { id: 'INES@example.com' }],
    ['the postal code', { postal_code: '1000-001', zip_code: '1000', code: '1000-001' }],
    ['the secret', { id: 'the-client-secret' }],
  ])('%s', (_, body) => {
    expect(readIdentifiers(answerWith(body), sent)).toEqual({});
  });

  test.each(['91000999', '12341234', '10000011', 'REQ-1000', '1234'])(
    'but an identifier that has the digits of an address within it is one: %s',
    (id) => {
      expect(readIdentifiers(answerWith({ id }), sent)).toEqual({ id });
    },
  );
});

describe('an answer that was cut gives no half identifier', () => {
  test.each<[string, Identifiers]>([
    ['{"id":"47', {}],
    ['{"id":47', {}],
    ['"47', {}],
    ['47', {}],
    ['Created request 47', {}],
    ['[{"id":"1"},{"id":"2', {}],
    ['{"id":"4711"}', { id: '4711' }],
  ])('%s', (body, ids) => {
    expect(readIdentifiers(answerWith(body, { complete: false }), sent)).toEqual(ids);
  });
});

describe('where no identifier can be read', () => {
  test('the answer is kept, at most 2 KiB of it, with all that was sent masked', () => {
    const body = JSON.stringify({ received: LEAD, padding: 'ã'.repeat(5000) });
    const answer = answerWith(body);
    const exchange = { answer, error: null, written: true } as const;
    const { raw, status, message } = createOutcome(reader.creation(exchange, sent), exchange, sent, reader);
    expect(status).toBe('unknown');
    expect(message).toContain('nothing in its answer proves');
    expect(Buffer.byteLength(raw ?? '')).toBeLessThanOrEqual(2048);
    expect(raw).toMatch(/^\{"received":\{"country":"\*\*\*"/);
    for (const value of Object.values(LEAD)) expect(raw).not.toContain(`"${value}"`);
  });
});

test.each([
  ['id_pedido', true],
  ['ref_interv_oi', true],
  ['job_uid', true],
  ['identificador', true],
  ['numero_intentos', false],
  ['id_cliente', false],
  ['id_sesion', false],
  ['code_reponse', false],
  ['customer_uid', false],
])('%s names the request: %s', (name, isTaken) => {
  const answer = answerWith({ [name]: 'A-4711' });
  expect(Object.keys(readIdentifiers(answer, sent)).includes(name)).toBe(isTaken);
});
