import { expect, test } from 'vitest';
import { learn, type Proposal, refusalOf } from '../doors/learn.ts';
import { KNOWN } from './describe-request.ts';

const body = { content: { 'application/json': { schema: { properties: KNOWN } } } };
const post = { requestBody: body, responses: { 200: { description: 'OK' } } };

/** What is learned of operations, each named by its method and path. */
function learnAll(names: readonly string[], operations: Record<string, string> = {}, more: object = {}): Proposal {
  const paths: Record<string, object> = {};
  for (const name of names) {
    const [method = '', path = ''] = name.split(/ (.*)/s);
    paths[path] = { ...paths[path], [method.toLowerCase()]: { ...post, ...more } };
  }
  return learn({ openapi: '3.1.0', info: { title: 'Extract' }, paths }, { operations });
}

const asked = ({ questions }: Proposal) => questions.map(({ name }) => name);
const question = ({ questions }: Proposal, role: string) => questions.find(({ name }) => name === `operation:${role}`);
const PUBLIC = ['POST /v1/request/create', 'POST /v1/request/validate'];

test('the operations of the public API are taken unasked, also below the path of the servers', () => {
  const { contract, questions } = learnAll(PUBLIC);
  expect([contract.create.call, contract.validate?.call, questions]).toEqual([...PUBLIC, []]);
  const paths = { '/request/create': { post }, '/request/validate': { post } };
  const below = learn({ openapi: '3.1.0', servers: [{ url: 'https://api.example.com/v1' }], paths });
  expect([below.contract.create.call, asked(below)]).toEqual(['POST /request/create', []]);
});

// Shaped like operations of public interfaces for contacts, leads, orders, tickets and appointments.
test.each([
  ...['POST /leads', 'POST /v1/serviceRequests', 'POST /service-requests/submit', 'POST /pedidos', 'PUT /leads'],
  ...['POST /users', 'POST /orders', 'POST /leads/search', 'POST /leads/import', 'POST /accounts/{account_id}/leads'],
])('%s may create, and is asked about', (name) => {
  const proposal = learnAll([name, 'GET /leads']);
  expect(question(proposal, 'create')).toMatchObject({ choices: [name] });
  expect(question(proposal, 'create')?.unanswered).toBeUndefined();
});

test.each([
  ...['POST /leads/check', 'POST /leads/duplicate-check', 'POST /leads/validate', 'POST /contacts/upsert'],
  ...['POST /leads/dedupe', 'PUT /leads/validate', 'POST /leads/validate-and-create', 'POST /leads/bulk/validate'],
  ...['POST /address/validate', 'POST /validate', 'POST /leads/exists', 'POST /login/check'],
])('%s may write, and is never used as validate unasked', (name) => {
  const proposal = learnAll(['POST /v1/request/create', name]);
  expect(proposal.contract.validate).toBeNull();
  expect(question(proposal, 'validate')).toMatchObject({ answer: '--operation validate=none' });
  const said = learnAll(['POST /v1/request/create', name], { validate: name });
  expect([asked(said), said.contract.validate?.call]).toEqual([[], name]);
});

test('validate is asked about at the same time as create; none is proposed where nothing resembles it', () => {
  const proposal = learnAll(['POST /leads', 'POST /orders']);
  expect(asked(proposal)).toEqual(['operation:create', 'operation:validate']);
  expect(question(proposal, 'validate')).toMatchObject({ choices: ['none'], unanswered: 'none' });
  const resembling = learnAll(['POST /leads', 'POST /leads/check']);
  expect(question(resembling, 'validate')).toMatchObject({ choices: ['POST /leads/check', 'none'] });
  expect(question(resembling, 'validate')?.unanswered).toBeUndefined();
});

test('a person may say that there is no validate, against the document, too', () => {
  const { contract, questions } = learnAll(PUBLIC, { validate: 'none' });
  expect([contract.validate, questions]).toEqual([null, []]);
});

test('the operations with most known fields are offered first', () => {
  const few = { requestBody: { content: { 'application/json': { schema: { properties: { phone: {} } } } } } };
  const paths = { '/notes': { post: few }, '/tickets': { post }, '/empty': { post: { responses: {} } } };
  const { questions } = learn({ openapi: '3.1.0', paths });
  expect(questions[0]?.choices).toEqual(['POST /tickets', 'POST /notes', 'POST /empty']);
  expect(questions[0]?.text).toContain('1. POST /tickets: 6 known fields; 2. POST /notes: 1 known field;');
});

test('an operation is named by its path alone, by its id, and with blanks in its path', () => {
  const names = ['POST /a b/leads', 'POST /c'];
  expect(learnAll(names, { create: 'POST /a b/leads', validate: 'none' }).contract.create.call).toBe(
    'POST /a%20b/leads',
  );
  expect(learnAll(names, { create: '/c', validate: 'none' }).contract.create.call).toBe('POST /c');
  const named = learnAll(['POST /c'], { create: 'addLead', validate: 'none' }, { operationId: 'addLead' });
  expect(named.contract.create.call).toBe('POST /c');
  const { message, hint } = refusalOf(() => learnAll(names, { create: '/d' }));
  expect(message).toBe('api.json has no operation "/d" that takes a body.');
  expect(hint).toContain('--operation create=');
});

test('what takes no body, or a body that srq cannot write, creates nothing', () => {
  expect(refusalOf(() => learnAll(['GET /leads'])).message).toContain('describes no operation that takes a body');
  const xml = { requestBody: { content: { 'application/xml': {} } } };
  const document = { openapi: '3.1.0', paths: { '/leads': { post: xml } } };
  const { message } = refusalOf(() => learn(document, { operations: { create: '/leads', validate: 'none' } }));
  expect(message).toBe('POST /leads takes no body that srq can write.');
});
