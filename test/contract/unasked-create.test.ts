import { expect, test } from 'vitest';
import { learnContract } from '../../src/contract/learn.ts';
import type { Proposal } from '../../src/contract/version-1/contract.ts';
import { learnOptions } from './learn-options.ts';

const FIELDS = ['name', 'email', 'phone', 'description', 'city'];
const body = (names: readonly string[] = FIELDS, required: readonly string[] = []) => ({
  content: {
    'application/json': {
      schema: { properties: Object.fromEntries(names.map((name) => [name, { type: 'string' }])), required },
    },
  },
});
const operation = (extra: object = {}) => ({ requestBody: body(), responses: { 201: {} }, ...extra });

/** What is learned of a document with these operations, each named by its method and path. */
function learn(operations: Record<string, object>, said: Record<string, string> = {}): Proposal {
  const paths: Record<string, object> = {};
  for (const [name, value] of Object.entries(operations)) {
    const [method = '', path = ''] = name.split(' ');
    paths[path] = { ...paths[path], [method.toLowerCase()]: value };
  }
  const bytes = Buffer.from(JSON.stringify({ openapi: '3.1.0', info: { title: 'Extract' }, paths }));
  return learnContract([{ name: 'api.json', bytes }], learnOptions({ operations: said }));
}

const chosen = ({ contract }: Proposal) => contract.findings.find(({ setting }) => setting === 'create.path');
const asked = ({ questions }: Proposal) => questions.find(({ name }) => name === 'operation:create');

test.each<[string, object]>([
  ['POST /leads', {}],
  ['POST /api/v2/leads.json', {}],
  ['POST /v1/serviceRequests', { operationId: 'createServiceRequest' }],
  ['POST /service-requests/submit', { summary: 'Submit a request' }],
  ['POST /quotes/requests', {}],
  ['POST /enquiries', { operationId: 'create_enquiry_api_v1_enquiries_post' }],
  ['POST /pedidos', {}],
  ['POST /leads/addlead', {}],
  ['POST /api/solicitudes/crear', {}],
  ['POST /anfragen', {}],
  ['PUT /leads', { operationId: 'addLead' }],
])('the name and the body of %s %j say that it creates', (name, extra) => {
  const proposal = learn({ [name]: operation(extra) });
  expect([chosen(proposal)?.value, chosen(proposal)?.confidence]).toEqual([name, 'certain']);
});

test.each<[string, object, string]>([
  ['POST /users', {}, 'its path does not say that it is about requests'],
  ['POST /orders', {}, 'its name may be that of something else'],
  ['POST /support/requests', {}, '"support" may make it something else'],
  ['POST /leads/sources', {}, '"sources" may make it something else'],
  ['POST /leads/search', {}, 'it seems to do something else ("search")'],
  ['POST /leads/import', {}, 'it seems to do something else ("import")'],
  ['POST /leads', { operationId: 'upsertLead' }, 'it seems to do something else ("upsert")'],
  ['POST /leads', { summary: 'Update a lead' }, 'it seems to do something else ("update")'],
  ['POST /leads', { deprecated: true }, 'it is deprecated'],
  ['PUT /leads', { responses: { 200: {} } }, 'PUT mostly changes what is there'],
  ['POST /accounts/{account_id}/leads', {}, 'its path holds {account_id}'],
  ['POST /leads', { requestBody: body([]) }, 'the document does not say what its body holds'],
  ['POST /leads', { requestBody: body(['email', 'name']) }, 'its body lacks much of a request'],
])('%s %j is asked about: %s', (name, extra, reason) => {
  const proposal = learn({ [name]: operation(extra) });
  expect(chosen(proposal)).toBeUndefined();
  expect(asked(proposal)?.text).toContain(reason);
});

test('a rival by its name or by its body makes a question of it; what changes, lists or looks is none', () => {
  const leads = { 'POST /leads': operation() };
  for (const rival of ['POST /requests', 'POST /v2/leads', 'POST /customers'])
    expect(asked(learn({ ...leads, [rival]: operation() }))?.choices).toEqual(['POST /leads', rival]);
  const poor = operation({ requestBody: body(['email', 'name', 'phone']) });
  const others = { 'PUT /leads/{id}': operation(), 'POST /leads/batch': operation(), 'POST /leads/check': operation() };
  expect(chosen(learn({ ...leads, 'POST /customers': poor, ...others }))?.value).toBe('POST /leads');
});

test('the three best are asked about, each with its reason, the one that is most likely meant first', () => {
  const proposal = learn({
    'POST /users': operation({ requestBody: body(['email', 'name']) }),
    'POST /tickets': operation(),
    'POST /leads/{id}/notes': operation({ requestBody: body(['description']) }),
    'POST /leads': operation({ operationId: 'addLead' }),
  });
  expect(asked(proposal)?.choices).toEqual(['POST /leads', 'POST /tickets', 'POST /users']);
  expect(asked(proposal)?.text).toMatch(
    /1\. POST \/leads \(addLead\): its name says so, its body has a place for [^;]+; 2\. POST \/tickets: its body has .+, but its name may be that of something else; 3\. /,
  );
});

test('an operation whose body the document does not show cannot be taken, which is said', () => {
  const leads = { 'POST /leads': { responses: {} } };
  expect(asked(learn(leads))?.text).toContain('its name says so, but the document does not say what its body holds');
  expect(() => learn(leads, { create: 'POST /leads' })).toThrow('does not show what the body of POST /leads holds');
});
