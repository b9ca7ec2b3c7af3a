import { expect, test } from 'vitest';
import { learnContract } from '../../src/contract/learn.ts';
import type { Proposal } from '../../src/contract/version-1/contract.ts';
import { KNOWN } from './describe-request.ts';
import { learnOptions } from './learn-options.ts';

const body = (names: readonly string[] = Object.keys(KNOWN)) => ({
  content: { 'application/json': { schema: { properties: Object.fromEntries(names.map((name) => [name, {}])) } } },
});

interface Extract {
  readonly create?: string;
  readonly operationId?: string;
  readonly summary?: string;
  readonly description?: string;
  readonly responses?: object;
  readonly body?: readonly string[];
}

const OK = { 200: { description: 'OK' } };

/** A document in which `create` creates and another operation may be asked for duplicates. */
function learnBeside(name: string, extract: Extract = {}, operations: Record<string, string> = {}): Proposal {
  const { create = '/leads', body: names, responses = OK, ...words } = extract;
  const [method = '', path = ''] = name.split(' ');
  const paths: Record<string, object> = {
    [create]: { post: { requestBody: body(), responses: { 201: { description: 'Created' } } } },
  };
  const other = { [method.toLowerCase()]: { requestBody: body(names), responses, ...words } };
  paths[path] = { ...paths[path], ...other };
  const bytes = Buffer.from(JSON.stringify({ openapi: '3.1.0', info: { title: 'Extract' }, paths }));
  return learnContract(
    [{ name: 'api.json', bytes }],
    learnOptions({ operations: { create: `POST ${create}`, ...operations } }),
  );
}

const asked = ({ questions }: Proposal) => questions.map(({ name }) => name);
const place = ({ contract }: Proposal) => contract.findings.find(({ setting }) => setting === 'validate.path');

test.each<[string, Extract]>([
  ['POST /v1/request/validate', { create: '/v1/request/create' }],
  ['POST /leads/check', { operationId: 'checkLead', summary: 'Tell whether a lead is a duplicate' }],
  ['POST /leads/duplicate-check', { operationId: 'checkDuplicate' }],
  ['POST /v1/service-request-validations', { create: '/v1/service-requests' }],
  ['POST /leads/validate', { summary: 'Checks a lead without creating it' }],
  [
    'POST /leads/validate',
    { description: 'Call this before you create the lead by POST /leads/create. Nothing is stored.' },
  ],
  ['POST /leads/check', { description: 'Whether the lead was already submitted. Does not create a lead.' }],
])('%s %j only looks, and is taken for validate', (name, extract) => {
  const proposal = learnBeside(name, extract);
  expect([asked(proposal), place(proposal)?.value]).toEqual([[], name]);
  expect(proposal.contract.hasValidate).toBe(true);
});

// Shaped like operations of public interfaces for contacts, leads, orders, tickets and appointments.
test.each<[string, Extract]>([
  ['POST /contacts/upsert', { create: '/contacts', summary: 'Create or update a contact; duplicates are merged' }],
  [
    'POST /consumer/v1/customers',
    { create: '/consumer/v1/appointments', summary: 'Creates a customer unless it already exists' },
  ],
  ['POST /leads/duplicate', {}],
  ['POST /leads/dedupe', { summary: 'Merges repeated leads' }],
  ['PUT /users/{id}/email', { description: 'Refused if the address already exists' }],
  ['PUT /leads/validate', {}],
  ['POST /leads/{id}/validate', {}],
  ['POST /leads/validate-and-create', {}],
  ['POST /leads/validate', { operationId: 'createValidatedLead' }],
  ['POST /leads/validate', { summary: 'Validates and creates a lead' }],
  ['POST /leads/check', { description: 'A lead that is no duplicate is stored, and its identifier comes back.' }],
  ['POST /leads/check', { description: 'Creates a lead unless there is one already.' }],
  ['POST /leads/check', { description: 'Verifica o lead e envia para o parceiro.' }],
  ['POST /leads/check', { responses: { 200: { description: 'Lead validated and saved' } } }],
  ['POST /leads/check', { responses: { 201: { description: 'Checked' } } }],
  ['POST /leads/check-in', {}],
  ['POST /leads/bulk/validate', {}],
  ['POST /address/validate', {}],
  ['POST /leads/validate-phone', {}],
  ['POST /validate', {}],
  ['POST /leads/validate', { operationId: 'verifyEmailOfLead' }],
  ['POST /leads/validate', { body: ['lead_id', 'phone'] }],
])('%s %j is never taken for validate unasked', (name, extract) => {
  const proposal = learnBeside(name, extract);
  expect(place(proposal)?.where ?? '').toBe('');
  expect(proposal.contract.validate.path).toBe('/v1/request/validate');
});

test.each(['POST /login/check', 'POST /validate-token', 'POST /auth/verify', 'POST /sessions/validate'])(
  '%s is about who asks, and not even asked about',
  (name) => {
    const proposal = learnBeside(name, { body: ['token'] });
    expect([asked(proposal), place(proposal)?.where]).toEqual([[], '']);
  },
);

test('what resembles validate is asked about, with what speaks against it; none is proposed', () => {
  const proposal = learnBeside('POST /leads/upsert', { operationId: 'upsertLead', description: 'Finds duplicates' });
  const [question] = proposal.questions;
  expect(question).toMatchObject({
    name: 'operation:validate',
    answer: '--operation validate=none',
    choices: ['POST /leads/upsert', 'none'],
  });
  expect(question?.unanswered).toBeUndefined();
  expect(question?.text).toContain('1. POST /leads/upsert (upsertLead): it seems to write ("upsert")');
  expect(question?.text).toContain('2. none');
});

test('two that only look are asked about', () => {
  const proposal = learnBeside('POST /leads/check');
  const post = { requestBody: body(), responses: OK };
  const paths = { '/leads': { post }, '/leads/check': { post }, '/leads/exists': { post } };
  const bytes = Buffer.from(JSON.stringify({ openapi: '3.1.0', paths }));
  const both = learnContract([{ name: 'api.json', bytes }], learnOptions({ operations: { create: '/leads' } }));
  expect([asked(proposal), asked(both)]).toEqual([[], ['operation:validate']]);
});

test('a person may take any of them, or none', () => {
  const taken = learnBeside('POST /leads/upsert', {}, { validate: 'POST /leads/upsert' });
  expect([asked(taken), taken.contract.validate.path]).toEqual([[], '/leads/upsert']);
  const none = learnBeside('POST /leads/upsert', { description: 'duplicates' }, { validate: 'none' });
  expect([asked(none), none.contract.hasValidate]).toEqual([[], false]);
});

test('as long as nobody knows which operation creates, none is taken for validate, nor asked about', () => {
  const post = { requestBody: body(), responses: OK };
  const paths = { '/leads': { post }, '/orders': { post }, '/leads/check': { post } };
  const bytes = Buffer.from(JSON.stringify({ openapi: '3.1.0', paths }));
  const proposal = learnContract([{ name: 'api.json', bytes }], learnOptions());
  expect([asked(proposal), place(proposal)?.where]).toEqual([['operation:create'], '']);
});
