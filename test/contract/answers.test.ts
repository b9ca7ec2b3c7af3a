import { expect, test } from 'vitest';
import { answer, KNOWN, learnParts } from './describe-request.ts';

const verdictOf = (validateAnswers: object) => {
  const { contract } = learnParts({ validateAnswers });
  const found = contract.findings.find(({ setting }) => setting === 'validate.verdict');
  return { rules: contract.validate.verdict, confidence: found?.confidence };
};
const flag = (pointer: string, duplicate: string[], clear: string[]) => ({ kind: 'value', pointer, duplicate, clear });
const conflict = { kind: 'status', status: 409, verdict: 'duplicate' };

test.each([
  ['is_duplicate', { type: 'boolean' }, flag('/is_duplicate', ['true'], ['false']), 'certain'],
  ['alreadyExists', { type: 'boolean' }, flag('/alreadyExists', ['true'], ['false']), 'certain'],
  ['unique', { type: 'boolean' }, flag('/unique', ['false'], ['true']), 'likely'],
  ['valid', { type: 'boolean' }, flag('/valid', ['false'], ['true']), 'weak'],
  ['valid', { type: 'boolean', description: 'False for a duplicate' }, flag('/valid', ['false'], ['true']), 'likely'],
  ['status', { enum: ['DUPLICATE', 'UNIQUE'] }, flag('/status', ['DUPLICATE'], ['UNIQUE']), 'certain'],
  [
    'state',
    { enum: ['not_found', 'already_submitted', 'error'] },
    flag('/state', ['already_submitted'], ['not_found']),
    'certain',
  ],
  ['status', { type: 'string', example: 'duplicate' }, flag('/status', ['duplicate'], []), 'weak'],
  ['matches', { type: 'array', items: {} }, { kind: 'list', pointer: '/matches' }, 'likely'],
  ['duplicado', { type: 'boolean' }, flag('/duplicado', ['true'], ['false']), 'certain'],
  ['bereitsVorhanden', { type: 'boolean' }, flag('/bereitsVorhanden', ['true'], ['false']), 'certain'],
  ['possible_duplicate', { type: 'boolean' }, flag('/possible_duplicate', ['true'], ['false']), 'weak'],
  ['único', { type: 'boolean' }, flag('/único', ['false'], ['true']), 'likely'],
  ['estado', { enum: ['YA_EXISTE', 'NUEVO', 'NO_VALIDO'] }, flag('/estado', ['YA_EXISTE'], ['NUEVO']), 'certain'],
  ['statut', { enum: ['doublon', 'non_trouvé'] }, flag('/statut', ['doublon'], ['non_trouvé']), 'certain'],
  [
    'ergebnis',
    { enum: ['dublette', 'keine_dublette'] },
    flag('/ergebnis', ['dublette'], ['keine_dublette']),
    'certain',
  ],
  ['esito', { type: 'string', example: 'già presente' }, flag('/esito', ['già presente'], []), 'weak'],
  ['doppioni', { type: 'array', items: {} }, { kind: 'list', pointer: '/doppioni' }, 'likely'],
])('an answer with %s %j tells the verdict', (name, schema, rule, confidence) => {
  expect(verdictOf({ 200: answer({ [name]: schema }) })).toEqual({ rules: [rule], confidence });
});

test.each(['success', 'ok', 'is_success', 'isOk'])(
  'a flag %s may speak of the call alone, and tells no verdict, whatever is said of it',
  (name) => {
    for (const description of ['', 'False if the request exists already, true if it is no duplicate']) {
      expect(verdictOf({ 200: answer({ [name]: { type: 'boolean', description } }) }).rules).toEqual([]);
    }
  },
);

test.each([
  ['The request is a duplicate', 'certain'],
  ['O pedido já existe', 'certain'],
  ['Die Anfrage ist bereits vorhanden', 'certain'],
  ['Conflict', 'weak'],
])('409 "%s" is a duplicate, and then any success is clear', (description, confidence) => {
  expect(verdictOf({ 200: { description: 'OK' }, 409: { description } })).toEqual({
    rules: [
      { kind: 'status', status: 409, verdict: 'duplicate' },
      { kind: 'status', status: 200, verdict: 'clear' },
    ],
    confidence,
  });
});

test.each([
  'Request is locked by another process; try again',
  'Kein Duplikat, sondern gesperrt',
  'La solicitud no es un duplicado',
  'The market is closed. This status is not used for duplicates.',
  'Conflict with the state of the partner',
])('409 "%s" makes no rule, for validate or for create', (description) => {
  expect(verdictOf({ 200: { description: 'OK' }, 409: { description } })).toEqual({ rules: [], confidence: 'likely' });
  expect(learnParts({ createAnswers: { 409: { description } } }).contract.create.duplicate).toEqual([]);
});

test.each([
  ['Duplicate', { enum: ['DUPLICATE_REQUEST', 'MARKET_CLOSED'] }, flag('/error', ['DUPLICATE_REQUEST'], []), 'likely'],
  ['Conflict', { enum: ['duplicate', 'already_exists'] }, conflict, 'certain'],
  ['Duplicate', { enum: ['MARKET_CLOSED'] }, conflict, 'weak'],
  ['Duplicate', { type: 'string', example: 'duplicate' }, conflict, 'certain'],
  ['Conflict', { type: 'string', example: 'duplicate' }, flag('/error', ['duplicate'], []), 'likely'],
  ['A duplicate, or the request is locked', { type: 'string' }, conflict, 'weak'],
])('409 "%s" whose error is %j says no more than its codes', (description, error, rule, confidence) => {
  const { findings, create } = learnParts({ createAnswers: { 409: answer({ error }, description) } }).contract;
  expect(create.duplicate).toEqual([rule]);
  expect(findings.find(({ setting }) => setting === 'create.duplicate')?.confidence).toBe(confidence);
});

test.each([
  ['a customer who exists', { customer: { properties: { exists: { type: 'boolean' } } } }],
  ['an e-mail address that exists', { email: { properties: { exists: { type: 'boolean' } } } }],
  [
    'warnings of something else',
    { warnings: { enum: ['EMAIL_EXISTS_ON_BLOCKLIST', 'REPEATED_CHARACTERS', 'ACCOUNT_ALREADY_EXISTS'] } },
  ],
])('%s tells no duplicate', (_, properties) => {
  expect(verdictOf({ 200: answer(properties) }).rules).toEqual([]);
});

test('codes that speak of something else make no duplicate', () => {
  const code = {
    enum: ['INVALID_PHONE', 'ACCOUNT_ALREADY_SUSPENDED', 'EMAIL_EXISTS_ON_BLOCKLIST', 'REPEATED_CHARACTERS'],
  };
  expect(learnParts({ createAnswers: { 422: answer({ code }) } }).contract.create.duplicate).toEqual([]);
});

test('the examples of an answer tell it where there is no schema', () => {
  const examples = { a: { value: { result: 'duplicate' } }, b: { value: { result: 'unique' } } };
  const content = { 'application/json': { examples } };
  expect(verdictOf({ 200: { description: '', content } })).toEqual({
    rules: [flag('/result', ['duplicate'], ['unique'])],
    confidence: 'likely',
  });
});

const identifiersOf = (createAnswers: object) => learnParts({ createAnswers }).contract.create.identifiers;

test('what names the request is told from what names something else', () => {
  const named = { type: 'object', properties: { id: { type: 'string' } } };
  const properties = {
    data: { type: 'object', properties: { id: { type: 'integer' }, reference: {}, customer: named, category: named } },
    userId: { type: 'string' },
    status_code: { type: 'integer' },
    is_id: { type: 'boolean' },
    items: { type: 'array', items: named },
  };
  expect(identifiersOf({ 201: answer(properties) })).toEqual([
    { name: 'data.id', pointer: '/data/id' },
    { name: 'reference', pointer: '/data/reference' },
    { name: 'items.*.id', pointer: '/items/*/id' },
  ]);
});

test('create tells a duplicate by a status that says so, or by a code among its errors', () => {
  const code = { enum: ['invalid_phone', 'duplicate_request', 'not_a_duplicate'] };
  const answers = { 409: { description: 'Already exists' }, 422: answer({ error: { properties: { code } } }) };
  expect(learnParts({ createAnswers: answers }).contract.create.duplicate).toEqual([
    { kind: 'status', status: 409, verdict: 'duplicate' },
    flag('/error/code', ['duplicate_request'], []),
  ]);
  expect(learnParts({ createAnswers: { 409: { description: 'Conflict' } } }).contract.create.duplicate).toEqual([]);
});

test.each([
  ['The request was not processed.', true],
  ['It is safe to retry.', true],
  ['Not available. The request was not processed, it is safe to retry after the time given.', true],
  ['Returned when the service is overloaded. Nothing was created. Please try again later.', true],
  ["The request wasn't accepted and can be safely retried after Retry-After seconds.", true],
  ['The server is temporarily unable to handle requests. The request was not accepted.', true],
  ['You may safely retry, since no request was created.', true],
  ['- Nothing was created\n- safe to retry', true],
  ['Service Unavailable\nThe request was\nnot processed', true],
  ['Try again later.', false],
  ['It is not\nsafe to retry', false],
  ['It is not\n- safe to retry', false],
  ['Safe to retry: it is not', false],
  ['It is not true that:\n\nit is safe to retry', false],
  ['Nothing was created, retry with care.', false],
  ['It is not safe to retry: the request may have been processed.', false],
  ['Unsafe to retry.', false],
  ['Unsafe to be retried', false],
  ["It isn't safe to retry.", false],
  ['It is **not** safe to retry.', false],
  ['It is never safe to repeat the request.', false],
  ['It is no longer safe to retry.', false],
  ['Safe to retry? No.', false],
  ['Safe to retry: no', false],
  ['Safe to retry only with an Idempotency-Key.', false],
  ['It is safe to retry GET requests.', false],
  ['It should be safe to retry.', false],
  ['Safe to retry, but check first.', false],
  ['The request may or may not have been processed.', false],
  ['The request might not have been processed.', false],
  ['The request could not be processed in time.', false],
  ['The request was not processed in time.', false],
  ['The request has not been processed yet.', false],
  ['The request was not fully processed.', false],
  ['The request was probably not processed.', false],
  ['We cannot guarantee that the request was not processed.', false],
  ['There is no guarantee that it was accepted.', false],
  ['It is not known whether the request was processed.', false],
  ['If the request was not processed, it is safe to retry.', false],
  ['The request was not processed. Do not retry.', false],
  ['The request was not processed by this node. The request was processed by another.', false],
  ['Nothing was created. The request was processed nevertheless.', false],
  ['Some requests were not processed.', false],
  ['No response was created, the request was stored.', false],
  ['Never retry: no such request was created twice.', false],
  ['Nicht sicher, ob die Anfrage verarbeitet wurde: not safe to retry.', false],
])('503 "%s" means that nothing was done: %s', (description, isSaid) => {
  const headers = { 'Retry-After': { schema: { type: 'integer' } } };
  const learned = (answers: object) => learnParts({ createAnswers: answers }).contract.unavailableIsNotActed;
  expect(learned({ 503: { description, headers } })).toBe(isSaid);
  expect(learned({ 503: { description } })).toBe(false);
});

test('what identifies something beside the request is no identifier of it', () => {
  const id = { type: 'integer' };
  const inner = { properties: { id, access_code: { type: 'string' } } };
  const parts = { contactMethods: inner, user_account: inner, lead_contact: inner };
  const { contract } = learnParts({ createAnswers: { 201: answer(parts) } });
  expect(contract.create.identifiers.map(({ pointer }) => pointer)).toEqual([
    '/lead_contact/id',
    '/lead_contact/access_code',
  ]);
});

test.each([
  'A customer with this e-mail address already exists',
  'Phone number already exists',
  'El cliente ya existe',
  'Kunde bereits vorhanden',
  'Este e-mail já existe',
])('409 "%s" is about something else than the request', (description) => {
  const learned = (path: string) =>
    learnParts({ createAnswers: { 409: { description } }, options: { operations: { create: `POST ${path}` } } });
  expect(learned('/requests').contract.create.duplicate).toEqual([]);
});

test('409 of a create that makes contacts is about the contact', () => {
  const contacts = {
    requestBody: { content: { 'application/json': { schema: { properties: KNOWN } } } },
    responses: {
      201: answer({ contact: { properties: { id: { type: 'integer' } } }, contact_uid: { type: 'string' } }),
      409: { description: 'A contact with this e-mail already exists' },
    },
  };
  const { create } = learnParts({
    paths: { '/contacts': { post: contacts } },
    options: { operations: { create: 'POST /contacts' } },
  }).contract;
  expect(create.duplicate).toEqual([conflict]);
  expect(create.identifiers.map(({ pointer }) => pointer)).toEqual(['/contact/id', '/contact_uid']);
});

test.each([
  [499, 1],
  [500, 0],
])(
  'codes of a duplicate among the answers with status %d make %d rules: a service that fails tells none',
  (status, rules) => {
    const createAnswers = { [status]: answer({ error: { enum: ['DUPLICATE_REQUEST', 'MARKET_CLOSED'] } }) };
    expect(learnParts({ createAnswers }).contract.create.duplicate).toHaveLength(rules);
  },
);
