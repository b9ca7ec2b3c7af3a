import { describe, expect, test } from 'vitest';
import { DOCUMENTED_CONTRACT } from '../../src/request/contract.ts';
import { AnswerReader } from '../../src/service/answers/answer-reader.ts';
import { readVerdict, reportsDuplicate } from '../../src/service/answers/verdict.ts';
import { processValidate } from '../../src/service/outcomes.ts';
import { Redactor } from '../../src/service/redaction/redactor.ts';
import { answerWith, httpTo } from '../helpers/api-client.ts';
import { startShapedService, VALIDATE_SHAPES } from '../helpers/shaped-service.ts';

const reader = new AnswerReader(DOCUMENTED_CONTRACT, () => null);
const EXPECTED: Readonly<Record<keyof typeof VALIDATE_SHAPES, string>> = {
  'is-duplicate-true': 'duplicate',
  'is-duplicate-false': 'clear',
  'exists-true': 'duplicate',
  'exists-false': 'clear',
  'unique-true': 'clear',
  'unique-false': 'duplicate',
  'valid-true': 'clear',
  'valid-false-duplicate': 'duplicate',
  'valid-false-other': 'unknown',
  'status-duplicate': 'duplicate',
  'status-clear': 'clear',
  'matches-some': 'duplicate',
  'matches-none': 'clear',
  'already-reported-208': 'duplicate',
  unreadable: 'unknown',
  'empty-204': 'clear',
  'html-error-page': 'unknown',
  'conflict-duplicate': 'duplicate',
  'problem-json': 'unknown',
};

test.each(Object.keys(VALIDATE_SHAPES) as (keyof typeof VALIDATE_SHAPES)[])(
  'a service of shape %s is read as expected over HTTP',
  async (validate) => {
    const service = await startShapedService({ validate });
    const exchange = await httpTo(service.baseUrl).send('POST', '/v1/request/validate', {}, '');
    await service.close();
    const { result, isTransient: passing, stop } = processValidate(exchange, new Redactor([]), reader);
    expect(result.verdict).toBe(EXPECTED[validate]);
    expect(result.refused).toBe(validate === 'problem-json' ? 'rejected' : null);
    expect([passing, stop]).toEqual([false, null]);
    expect(result.ids).toEqual(
      ['is-duplicate-true', 'exists-true'].includes(validate)
        ? { [validate === 'exists-true' ? 'id' : 'request_id']: '4711' }
        : validate === 'matches-some'
          ? { id: '4711', 'matches.1.id': '4712' }
          : {},
    );
  },
);

describe('the verdict of a 2xx body', () => {
  const bodies: [unknown, 'duplicate' | 'clear' | 'unknown'][] = [
    [{ duplicate: true }, 'duplicate'],
    [{ duplicate: false }, 'clear'],
    [{ isDuplicate: 'yes' }, 'duplicate'],
    [{ IS_DUPLICATE: 0 }, 'clear'],
    [{ is_duplicate: 1 }, 'duplicate'],
    [{ data: { attributes: { already_exists: true } } }, 'duplicate'],
    [[{ has_duplicates: false }], 'clear'],
    [{ duplicate: null }, 'unknown'],
    [{ duplicate: {} }, 'unknown'],
    // A request can be well formed and a duplicate all the same.
    [{ valid: true, duplicate: true }, 'duplicate'],
    [{ phone: { valid: true }, result: { duplicate: true } }, 'duplicate'],
    [{ valid: true, status: 'duplicate' }, 'duplicate'],
    [{ valid: true, duplicates: [{ id: 1 }] }, 'duplicate'],
    [{ valid: true, unique: false }, 'duplicate'],
    [{ phone: { valid: false }, email: { valid: true } }, 'unknown'],
    [{ valid: false }, 'unknown'],
    [{ valid: false, message: 'The location does not exist' }, 'unknown'],
    [{ valid: false, message: "This category doesn't exist" }, 'unknown'],
    [{ valid: false, errors: ['This is no duplicate'] }, 'unknown'],
    [{ valid: false, reason: 'Already submitted' }, 'duplicate'],
    [{ valid: false, error: { code: 'DUPLICATE' } }, 'duplicate'],
    // How the call went says nothing of duplicates if something else does.
    [{ status: 'ok', duplicate: true }, 'duplicate'],
    [{ status: 'ok', data: { status: 'duplicate' } }, 'duplicate'],
    [{ status: 'OK', duplicates: [{ id: 4711 }] }, 'duplicate'],
    [{ status: 'ok', duplicates: [] }, 'clear'],
    [{ verdict: 'unique', matches: [{ score: 0.2 }] }, 'clear'],
    [{ result: 'ALREADY_EXISTS' }, 'duplicate'],
    [{ outcome: 'repeated' }, 'duplicate'],
    [{ validation_status: 'no duplicate' }, 'clear'],
    [{ status: 'NOT_DUPLICATE' }, 'clear'],
    [{ status: 'not_a_duplicate' }, 'clear'],
    [{ status: 'no_duplicates_found' }, 'unknown'],
    [{ status: 'nonexistent' }, 'unknown'],
    [{ status: 'non-existing' }, 'unknown'],
    [{ status: 'duplicate check passed' }, 'unknown'],
    [{ status: 'received' }, 'unknown'],
    [{ status: 'success' }, 'unknown'],
    [{ status: 200 }, 'unknown'],
    [{ category: { exists: true } }, 'unknown'],
    [{ user: { exists: true } }, 'unknown'],
    [{ customer: { exists: true } }, 'unknown'],
    [{ ok: true, data: { contactPerson: { exists: true } } }, 'unknown'],
    [{ email: { exists: true } }, 'unknown'],
    [{ errors: [{ duplicate: true }] }, 'unknown'],
    [{ similarity: 0.9 }, 'unknown'],
    // That the customer is known says nothing of the request, unless a word names it.
    [{ customer_status: 'existing' }, 'unknown'],
    [{ customerStatus: 'duplicate' }, 'unknown'],
    [{ client_status: 'ALREADY_EXISTS' }, 'unknown'],
    [{ customer: { status: 'existing' } }, 'unknown'],
    [{ existing_customer: { status: 'duplicate' } }, 'unknown'],
    [{ customer_status: 'new' }, 'unknown'],
    [{ status: 'existing customer' }, 'unknown'],
    [{ result: 'CUSTOMER_ALREADY_EXISTS' }, 'unknown'],
    [{ customer: { matches: [{ id: 7 }] } }, 'unknown'],
    [{ customer_matches: [{ id: 7 }] }, 'unknown'],
    [{ valid: false, message: 'Customer already exists' }, 'unknown'],
    [{ valid: false, customer_message: 'already exists' }, 'unknown'],
    [{ valid: false, error: { code: 'EMAIL_ALREADY_USED' } }, 'unknown'],
    [{ valid: false, errors: { email: ['already exists'] } }, 'unknown'],
    ['A customer with this e-mail address already exists', 'unknown'],
    [{ customer_status: 'existing', status: 'duplicate' }, 'duplicate'],
    [{ lead_status: 'existing' }, 'duplicate'],
    [{ customer_request_status: 'duplicate' }, 'duplicate'],
    [{ customer_request: { status: 'duplicate' } }, 'duplicate'],
    [{ status: 'existing request of this customer' }, 'duplicate'],
    [{ valid: false, message: 'This customer has already sent the request' }, 'duplicate'],
    [{ valid: false, errors: { request: ['already exists'] } }, 'duplicate'],
    ['A lead of this customer already exists', 'duplicate'],
    // In the other languages of the markets.
    [{ duplicado: true }, 'duplicate'],
    [{ duplicado: false }, 'clear'],
    [{ duplicado: 'não' }, 'clear'],
    [{ duplicado: 'sí' }, 'duplicate'],
    [{ ya_existe: true }, 'duplicate'],
    [{ jáExiste: false }, 'clear'],
    [{ ist_doppelt: true }, 'duplicate'],
    [{ bereitsVorhanden: false }, 'clear'],
    [{ doublon: true }, 'duplicate'],
    [{ 'déjà existant': true }, 'duplicate'],
    [{ già_presente: true }, 'duplicate'],
    [{ único: true }, 'clear'],
    [{ posible_duplicado: true }, 'unknown'],
    [{ cliente: { existe: true } }, 'unknown'],
    [{ duplicados: [] }, 'clear'],
    [{ doublons: [{ id: 7 }] }, 'duplicate'],
    [{ estado: 'DUPLICADO' }, 'duplicate'],
    [{ estado: 'no duplicado' }, 'clear'],
    [{ resultado: 'Já existe' }, 'duplicate'],
    [{ ergebnis: 'bereits vorhanden' }, 'duplicate'],
    [{ ergebnis: 'kein Duplikat' }, 'clear'],
    [{ ergebnis: 'nicht doppelt geprüft' }, 'unknown'],
    [{ statut: 'déjà enregistré' }, 'duplicate'],
    [{ statut: 'non dupliqué' }, 'clear'],
    [{ statut: 'aucun doublon dans la région' }, 'unknown'],
    [{ esito: 'già presente' }, 'duplicate'],
    [{ stato: 'nuovo' }, 'clear'],
    [{ valid: false, mensaje: 'La solicitud ya existe' }, 'duplicate'],
    [{ valid: false, meldung: 'Das ist keine Dublette' }, 'unknown'],
    [{ duplicado: false, erro: 'índice indisponível' }, 'unknown'],
    // A word that denies makes it no duplicate in any of the languages, also one that is rarer than "not".
    [{ stato: 'mai duplicato' }, 'unknown'],
    [{ statut: 'ni duplicate ni refusé' }, 'unknown'],
    [{ estado: 'tampoco duplicate' }, 'unknown'],
    [{ estado: 'nem duplicata' }, 'unknown'],
    [{ ergebnis: 'weder Duplicat noch gesperrt' }, 'unknown'],
    [{ ergebnis: 'niemals wiederholt' }, 'unknown'],
    [{ valid: false, message: 'nem duplicata nem recusada' }, 'unknown'],
    [{ status: 'duplicate: false' }, 'unknown'],
    [{ status: 'un-duplicated' }, 'unknown'],
    // A month and the Portuguese for "in the" deny nothing.
    [{ valid: false, message: 'Anfrage existiert bereits (erstellt am 3. Mai 2026)' }, 'duplicate'],
    [{ valid: false, message: 'Diese Anfrage wurde im Mai bereits gesendet' }, 'duplicate'],
    [{ valid: false, message: 'La demande existe déjà, reçue le 12 mai 2026' }, 'duplicate'],
    [{ valid: false, mensagem: 'O pedido já existe no sistema' }, 'duplicate'],
    [{ valid: false, mensagem: 'Pedido duplicado no nosso cadastro' }, 'duplicate'],
    [{ estado: 'não duplicado' }, 'clear'],
    // But "no" before an English word denies, and "mai" after an Italian article.
    [{ valid: false, message: 'no CRM duplicate' }, 'unknown'],
    [{ valid: false, message: 'No portal duplicate, but incomplete' }, 'unknown'],
    [{ valid: false, messaggio: 'tra le mai duplicate' }, 'unknown'],
    // The article of three languages denies nothing.
    [{ estado: 'es un duplicado' }, 'duplicate'],
    [{ statut: 'un doublon' }, 'duplicate'],
    [{ esito: 'è un duplicato' }, 'duplicate'],
    ['mai duplicato', 'unknown'],
    // A duplicate is told otherwise, so an answer that holds nothing tells of none.
    [{}, 'clear'],
    [[], 'clear'],
    ['null', 'clear'],
    [{ data: null }, 'clear'],
    [{ data: [] }, 'clear'],
    [{ data: { similarity: null } }, 'unknown'],
    [{ error: null }, 'unknown'],
    // Who tells of an error has not looked.
    [{ duplicate: false, error: 'search index unavailable' }, 'unknown'],
    [{ status: 'ok', errors: [{ detail: 'session expired' }] }, 'unknown'],
    [{ valid: true, errors: [] }, 'clear'],
    ['duplicate', 'duplicate'],
    ['"Duplicate"', 'duplicate'],
    ['OK', 'clear'],
    ['"ok"\n', 'clear'],
    ['not a duplicate', 'clear'],
    ['true', 'unknown'],
    ['1', 'unknown'],
    ['', 'clear'],
    ['{"duplicate":tr', 'unknown'],
    ['{"duplicate":fals', 'unknown'],
    ['<!doctype html><p>duplicate</p>', 'unknown'],
    [`We found that this is a duplicate of ${'an earlier request '.repeat(4)}`, 'unknown'],
  ];

  test.each(bodies)('%j is %s', (body, verdict) => {
    expect(readVerdict(answerWith(body))).toBe(verdict);
  });

  test('is read although the service calls its JSON a web page', () => {
    const answer = answerWith('{"duplicate":true}', { headers: { 'content-type': 'text/html; charset=utf-8' } });
    expect(readVerdict(answer)).toBe('duplicate');
  });
});

test.each([300, 400, 401, 404, 422, 429, 500, 503])('HTTP %d is no verdict, whatever its body says', (status) => {
  expect(readVerdict(answerWith({ duplicate: false }, { status }))).toBe('unknown');
});

test.each([
  ['', 'duplicate'],
  [{ title: 'Conflict', status: 409 }, 'duplicate'],
  [{ error: 'DUPLICATE_REQUEST' }, 'duplicate'],
  [{ message: 'Request is locked by another process; try again' }, 'unknown'],
  [{ error: 'MARKET_CLOSED', message: null }, 'unknown'],
  [{ message: 'This is not a duplicate: the market is closed.' }, 'unknown'],
  ['A customer with this e-mail address already exists', 'unknown'],
  [{ result: 'CUSTOMER_ALREADY_EXISTS' }, 'unknown'],
  [{ customer: { status: 'existing' } }, 'unknown'],
  [{ customer_exists: true }, 'unknown'],
  [{ customer: { exists: true } }, 'unknown'],
  [{ customer_exists: false, error: null }, 'duplicate'],
  [{ result: 'LEAD_ALREADY_EXISTS', customer: { status: 'existing' } }, 'duplicate'],
])('a conflict that holds %j is %s', (body, verdict) => {
  expect(readVerdict(answerWith(body, { status: 409 }))).toBe(verdict);
});

test.each([
  ['a page, as a proxy shows it', '<html><title>409 Conflict</title></html>', true],
  ['JSON that was cut', '{"error":"MARKET_CL', false],
  ['a body of which nothing arrived', '', false],
])('a conflict with %s is no duplicate, for nobody knows what it is about', (_, body, complete) => {
  expect(readVerdict(answerWith(body, { status: 409, complete }))).toBe('unknown');
});

test.each<[unknown, boolean]>([
  [{ error: 'duplicate_request' }, true],
  [{ errors: [{ code: 'DUPLICATE', field: 'phone' }] }, true],
  [{ message: 'This request already exists.' }, true],
  [{ duplicate: true }, true],
  ['Duplicate entry', true],
  [{ error: 'version_conflict' }, false],
  [{ customer_status: 'duplicate' }, false],
  [{ customer: { message: 'already exists' } }, false],
  [{ errors: { email: ['already exists'] } }, false],
  [{ errors: { request: ['already exists'] } }, true],
  [{ request: { note: 'duplicate key for the door' } }, false],
  ['<html>duplicate</html>', false],
  ['', false],
])('a conflict with %j says duplicate: %s', (body, says) => {
  expect(reportsDuplicate(answerWith(body, { status: 409 }))).toBe(says);
});
