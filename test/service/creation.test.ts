import { describe, expect, test } from 'vitest';
import {
  type AnswerMemory,
  NO_MEMORY,
  withOpenForm,
  withPlace,
  withStatement,
  withValidateResult,
} from '../../src/request/answer-memory.ts';
import { answerForm } from '../../src/service/answers/answer-value.ts';
import { type Creation, judgeCreation } from '../../src/service/answers/creation.ts';
import { mentionsFailure, outcomeSigns } from '../../src/service/answers/refusal-signs.ts';
import type { Answer } from '../../src/service/network/exchange.ts';
import { Redactor } from '../../src/service/redaction/redactor.ts';
import { answerWith } from '../helpers/api-client.ts';

const nothing = new Redactor([]);
const PATH = '/v1/request/create';
const KNOWN = withPlace(NO_MEMORY, 'request_id');

function judge(body: unknown, changes: Partial<Answer> = {}, memory: AnswerMemory = NO_MEMORY): Creation {
  return judgeCreation(answerWith(body, changes), nothing, { path: PATH, identifiers: [], errorTexts: [], memory });
}
const isOf = (...given: Parameters<typeof judge>) => judge(...given).is;

describe('In the first creations of a service', () => {
  test.each<[unknown, Partial<Answer>]>([
    [{ id: 4711 }, {}],
    [{ data: { request: { uuid: 'a-1' } } }, {}],
    [[{ requestId: 'R-1' }], {}],
    ['Request 4711 received', {}],
    ['4711', {}],
    ['<order><id>77</id></order>', {}],
    ['', { status: 201, headers: { location: '/v1/request/4711' } }],
    ['', { status: 202, headers: { location: 'https://api.example.com/v1/request/create/4711' } }],
  ])('%j names the request', (body, changes) => {
    expect(judge(body, changes)).toMatchObject({ is: 'taken', hasRemark: false });
  });

  test.each<[unknown, Partial<Answer>]>([
    ['', {}],
    ['OK', {}],
    ['404', {}],
    [{ code: 200 }, {}],
    [{ id: 0 }, {}],
    [{ id: 'error' }, {}],
    [{ incident_id: 'I-5' }, {}],
    [{ error: 'session expired', id: 'e-1' }, { status: 201 }],
    [{ message: 'Die Anfrage wurde abgelehnt', id: 'e-1' }, { status: 201 }],
    [{ id: 'R-1', errors: ['photo skipped'] }, {}],
    ['Access denied. Reference 4711', {}],
    ['See you in 2027', {}],
    ['', { headers: { location: '/v1/request/4711' } }],
    ['', { status: 201, headers: { location: '/login/4711' } }],
    ['', { status: 201, headers: { location: '/v1/request/errors/4711' } }],
    [{ id: 'R-1' }, { complete: false }],
    ['<!doctype html>4711', {}],
    ['x7', { headers: { 'content-type': 'application/json' } }],
  ])('%j proves nothing', (body, changes) => {
    expect(isOf(body, changes)).toBe('unproven');
  });

  test.each([
    { id: 'R-1', success: true, errors: ['CRM webhook timed out'] },
    { id: 'R-1', status: 'created', error: 'notification failed' },
  ])('an identifier beside an error counts where the answer says that the request was taken: %j', (body) => {
    expect(judge(body)).toMatchObject({ is: 'taken', hasRemark: true, ids: { id: 'R-1' } });
  });

  test('a list of errors beside an identifier is a remark under HTTP 201', () => {
    expect(judge({ id: 'R-1', errors: ['photo skipped'] }, { status: 201 })).toMatchObject({
      is: 'taken',
      hasRemark: true,
    });
  });
});

describe('Where earlier creations were named', () => {
  test('an identifier in their place is proof, in another one it is news', () => {
    expect(judge({ request_id: 'R-2' }, {}, KNOWN)).toMatchObject({ is: 'taken', place: 'request_id' });
    expect(judge({ reference: 'M-1' }, {}, KNOWN)).toMatchObject({ is: 'unproven', place: 'reference' });
    expect(isOf({ data: { request_id: 'R-2' } }, {}, KNOWN)).toBe('unproven');
  });

  test('an answer that denies contradicts its identifier', () => {
    for (const denial of [{ success: false }, { accepted: 0 }, { status: 400 }, { status: 'rejected' }, { result: -1 }])
      expect(judge({ request_id: 'R-2', ...denial }, {}, KNOWN), JSON.stringify(denial)).toMatchObject({
        is: 'unproven',
        isDenied: true,
      });
  });

  test('what is told of somebody else is no denial', () => {
    expect(isOf({ request_id: 'R-2', professional: { accepted: false } }, {}, KNOWN)).toBe('taken');
    expect(isOf({ request_id: 'R-2', notification: { success: false, status: 'pending' } }, {}, KNOWN)).toBe('taken');
  });

  test('a text is known by the words around its number, and not by a number in others', () => {
    const memory = withPlace(NO_MEMORY, 'request # received');
    expect(isOf('Request 17 received', {}, memory)).toBe('taken');
    expect(isOf('Request 17 deferred', {}, memory)).toBe('unproven');
  });
});

describe('Where a document names the identifier', () => {
  const documented = (body: unknown, sent = nothing) =>
    judgeCreation(answerWith(body), sent, {
      path: PATH,
      identifiers: [
        { name: 'id', pointer: '/id' },
        { name: 'external_lead_id', pointer: '/external_lead_id' },
      ],
      errorTexts: [],
      memory: NO_MEMORY,
    });

  test.each([
    0,
    -1,
    '',
    ' ',
    'null',
    'N/A',
    'error',
    '0000',
    '00000000-0000-0000-0000-000000000000',
    true,
    false,
    null,
    {},
    'x'.repeat(201),
  ])('%j in its place proves nothing', (id) => {
    expect(documented({ id, error: 'Invalid phone number' })).toMatchObject({ is: 'unproven', ids: {} });
    expect(documented({ id })).toMatchObject({ is: 'unproven', ids: {} });
  });

  test('a reference that was sent proves nothing, and an identifier beside it does', () => {
    const sent = new Redactor(['A-17']);
    const refusal = { id: null, external_lead_id: 'A-17', message: 'Lead rejected: outside area' };
    expect(documented(refusal, sent)).toMatchObject({ is: 'unproven', ids: {} });
    expect(documented({ external_lead_id: 'A-17' }, sent)).toMatchObject({ is: 'unproven' });
    expect(documented({ id: 'L-1', external_lead_id: 'A-17' }, sent)).toMatchObject({
      is: 'taken',
      ids: { id: 'L-1' },
    });
    expect(documented({ external_lead_id: 'A-18' }, sent)).toMatchObject({ is: 'taken' });
  });

  test.each(['a-17', ' A-17 '])('%j, in whatever letters, proves nothing where A-17 was sent', (external_lead_id) => {
    expect(documented({ external_lead_id }, new Redactor(['A-17']))).toMatchObject({ is: 'unproven', ids: {} });
  });

  test('an identifier that contains a sent word or number is proof, though it is none in another place', () => {
    const sent = new Redactor(['plumbing', 'Rua de Lisboa 12', '1200-109', '+351912345678']);
    for (const id of ['plumbing-2201', 'lisboa-000123', '12', '1200', 'A-1200-109']) {
      expect(documented({ id }, sent)).toMatchObject({ is: 'taken', ids: { id } });
    }
    const undescribed = { path: PATH, identifiers: [], errorTexts: [], memory: NO_MEMORY };
    expect(judgeCreation(answerWith({ id: 'plumbing-2201' }), sent, undescribed)).toMatchObject({
      ...{ is: 'unproven', ids: {} },
    });
    expect(documented({ id: '1200-109' }, sent)).toMatchObject({ is: 'unproven', ids: {} });
  });

  test('an identifier there is proof beside words of error, and not beside a denial', () => {
    expect(documented({ id: 5, error: 'photo skipped' })).toMatchObject({ is: 'taken', hasRemark: true });
    expect(documented({ id: 5, success: false })).toMatchObject({ is: 'unproven', isDenied: true });
  });
});

describe('A form', () => {
  const answer = (body: unknown, changes: Partial<Answer> = {}) => answerWith(body, changes);
  const form = (body: unknown, changes: Partial<Answer> = {}, sent = nothing) =>
    answerForm(answer(body, changes), sent, false);

  test.each<[unknown, Partial<Answer>, string]>([
    ['', { status: 204, headers: {} }, '204 empty'],
    ['OK', {}, '200 text/plain ok'],
    [{ status: 'ok', at: '2026-11-21', n: 5 }, {}, '200 application/json {"at":"#","n":"#","status":"ok"}'],
    [[{ a: true }, { a: true }], {}, '200 application/json [{"a":true}]'],
    [
      '<?xml version="1.0"?><r>ok</r>',
      { headers: { 'content-type': 'text/xml; charset=utf-8' } },
      '200 text/xml <r>ok</r>',
    ],
  ])('of %j can be read by a person', (body, changes, expected) => {
    expect(form(body, changes)).toBe(expected);
  });

  test.each([
    ['objects', (inner: unknown) => ({ a: inner }), (inner: string) => `{"a":${inner}}`],
    ['lists', (inner: unknown) => [inner], (inner: string) => `[${inner}]`],
  ])('is told to a depth of six, in %s', (_, nest, nestForm) => {
    const nested = (depth: number): unknown => (depth === 0 ? { b: true } : nest(nested(depth - 1)));
    const nestedForm = (depth: number, end: string): string =>
      depth === 0 ? end : nestForm(nestedForm(depth - 1, end));
    expect(form(nested(5))).toBe(`200 application/json ${nestedForm(5, '{"b":true}')}`);
    expect(form(nested(6))).toBe(`200 application/json ${nestedForm(6, '…')}`);
  });

  test('is told of sixty members and elements', () => {
    const told = (count: number) => form(Array.from({ length: count }, (_, at) => (at < 60 ? true : { b: true })));
    expect([told(60), told(61)]).toEqual(Array(2).fill('200 application/json [true]'));
    const members = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, at) => [`m${at}`, true]));
    expect(form(members(60))).not.toBe(form(members(59)));
    expect(form(members(61))).toBe(form(members(60)));
  });

  test('holds nothing that was sent, and nothing that differs from request to request', () => {
    const sent = new Redactor(['Ana Exemplo']);
    expect(form({ message: 'Thanks, Ana Exemplo', id: 'R-17' }, {}, sent)).not.toMatch(/Ana|17/);
    expect(form({ id: 'R-17' })).toBe(form({ id: 'R-18' }));
  });

  test('differs by words, flags, kinds, status and media type', () => {
    const forms = [
      form({ status: 'ok' }),
      form({ status: 'closed' }),
      form({ status: true }),
      form({ status: false }),
      form({ status: null }),
      form({ status: ['ok'] }),
      form({ status: 'ok' }, { status: 202 }),
      form({ status: 'ok' }, { headers: { 'content-type': 'application/hal+json' } }),
      form(`${'long words '.repeat(20)}a`),
      form(`${'long words '.repeat(20)}b`),
    ];
    expect(new Set(forms).size).toBe(forms.length);
  });

  test('leaves out the words of a denial, which say why', () => {
    const [one, other] = [
      { success: false, error: 'No phone' },
      { success: false, error: 'No e-mail' },
    ];
    expect(answerForm(answer(one), nothing, true)).toBe(answerForm(answer(other), nothing, true));
  });

  test.each<[string, Partial<Answer>]>([
    ['<html>ok</html>', {}],
    ['OK', { complete: false }],
    ['{"id":1', {}],
    ['\0\x01', {}],
  ])('there is none of what cannot be read: %j', (body, changes) => {
    expect(form(body, changes)).toBeNull();
  });

  test('is proof once validate has seen three, none of them missing, or a person has said so', () => {
    const seen = (times: number) => {
      let memory = NO_MEMORY;
      for (let time = 0; time < times; time++) memory = withValidateResult(memory, '200 text/plain ok', true);
      return memory;
    };
    expect([isOf('OK', {}, seen(2)), isOf('OK', {}, seen(3))]).toEqual(['unproven', 'taken']);
    expect(isOf('OK', {}, withValidateResult(seen(3), '200 text/plain ok', false))).toBe('unproven');
    expect(isOf('OK', {}, withStatement(NO_MEMORY, '200 text/plain ok', 'taken'))).toBe('taken');
    expect(isOf('OK, 4711', {}, seen(3))).toBe('unproven');
  });

  test('of a denial is a refusal where a person has said so, or the description has its words', () => {
    const body = { success: false, error: 'No.' };
    const known = judge(body);
    if (known.is !== 'unproven') return expect.fail('nothing is known yet');
    const memory = withOpenForm(NO_MEMORY, known.form ?? '', { isDenied: true, complains: true });
    expect(isOf(body, {}, withStatement(memory, known.form ?? '', 'refused'))).toBe('refused');
    const described = { path: PATH, identifiers: [], errorTexts: ['/error'], memory: NO_MEMORY };
    expect(judgeCreation(answerWith(body), nothing, described).is).toBe('refused');
    return expect(judgeCreation(answerWith({ success: false }), nothing, described).is).toBe('unproven');
  });
});

describe('A documented refusal', () => {
  const described = (body: unknown, memory: AnswerMemory, changes: Partial<Answer> = {}) =>
    judgeCreation(answerWith(body, changes), nothing, {
      path: PATH,
      identifiers: [],
      errorTexts: ['/message'],
      memory,
    });
  const saved = { success: false, message: 'Lead saved; CRM notification failed' };

  test.each([
    ['where earlier creations were named', { ...saved, reference: 'R-2' }, withPlace(NO_MEMORY, 'reference')],
    ['in the first creations', { ...saved, id: 'R-2' }, NO_MEMORY],
    ['in another place than before', { ...saved, data: { id: 'R-2' } }, withPlace(NO_MEMORY, 'id')],
  ])('that names the request contradicts itself: %s', (_, body, memory) => {
    expect(described(body, memory)).toMatchObject({ is: 'unproven', isDenied: true });
  });

  test('that says where the request is contradicts itself', () => {
    const headers = { 'content-type': 'application/json', location: `${PATH}/4711` };
    expect(described(saved, NO_MEMORY, { status: 201, headers })).toMatchObject({ is: 'unproven', isDenied: true });
  });

  test.each([
    saved,
    { ...saved, id: null },
    { ...saved, id: 0 },
    { ...saved, code: 'E1042' },
    { ...saved, reference: 'E-88' },
    { ...saved, trace_id: 'T-1' },
  ])('names no request: %j', (body) => {
    expect(described(body, NO_MEMORY).is).toBe('refused');
    expect(described(body, withPlace(NO_MEMORY, 'id')).is).toBe('refused');
  });
});

describe('What speaks of refusal', () => {
  test.each([
    'Session expired',
    'SESSION_EXPIRED',
    'sessionExpired',
    'could not be saved',
    'O pedido foi recusado',
    'não foi possível',
    'La solicitud fue rechazada',
    'inténtelo más tarde',
    'Ungültige Telefonnummer',
    'wurde nicht angelegt',
    'Échec de la création',
    'numéro invalide',
    'Richiesta respinta',
    'non è valido',
    'ERR-17',
  ])('in words: %s', (text) => {
    expect(mentionsFailure(text)).toBe(true);
  });

  test.each([
    'Request received, thank you!',
    'Obrigado',
    'Gracias por su solicitud',
    'Vielen Dank',
    'Merci',
    'Grazie',
    'OK',
  ])('is not in thanks: %s', (text) => {
    expect(mentionsFailure(text)).toBe(false);
  });

  test.each([
    [{ errors: [] }, false],
    [{ error: null }, false],
    [{ error_code: 0 }, false],
    [{ error: 'none' }, false],
    [{ has_errors: false }, false],
    [{ errors: { phone: [] } }, false],
    [{ errors: { phone: ['bad'] } }, true],
    [{ a: { b: { fault: 'x' } } }, true],
    [{ error_code: 17 }, true],
    [{ has_errors: true }, true],
    [{ user: { error: 'x' } }, false],
    [{ warnings: ['postal code not found'] }, false],
  ])('in members: %j: %s', (body, complains) => {
    expect(outcomeSigns(answerWith(body)).complains).toBe(complains);
  });

  test('whatever the size of an answer, looking at it takes no time', () => {
    const bodies = ['x'.repeat(1 << 20), JSON.stringify(Array(60_000).fill({ a: 1 })), `"${'no '.repeat(300_000)}"`];
    for (const body of bodies) {
      const before = process.cpuUsage();
      judge(body);
      const { user, system } = process.cpuUsage(before);
      expect((user + system) / 1000).toBeLessThan(4_000);
    }
  });
});
