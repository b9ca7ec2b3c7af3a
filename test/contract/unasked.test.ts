import { expect, test } from 'vitest';
import { learn, refusalOf } from '../doors/learn.ts';
import { KNOWN } from './describe-request.ts';

// Which operations are taken and asked about, and what is no description, is in test/doors/learned.

const withBody = (properties: object, type = 'application/json') => ({
  requestBody: { content: { [type]: { schema: { properties } } } },
  responses: { 200: { description: 'OK' } },
});
const post = withBody(KNOWN);
const described = (paths: object, rest: object = {}) => ({ openapi: '3.1.0', info: { title: 'Odd' }, paths, ...rest });

test('the operations of the public API are taken unasked, also below the path of the servers', () => {
  const paths = { '/request/create': { post }, '/request/validate': { post } };
  const { contract, questions } = learn(described(paths, { servers: [{ url: 'https://api.example.com/v1' }] }));
  expect([contract.create.call, questions]).toEqual(['POST /request/create', []]);
});

test('the operations with most known fields are offered first', () => {
  const few = withBody({ phone: {} });
  const paths = { '/notes': { post: few }, '/tickets': { post }, '/empty': { post: { responses: {} } } };
  const { questions } = learn(described(paths));
  expect(questions[0]?.choices).toEqual(['POST /tickets', 'POST /notes', 'POST /empty']);
  expect(questions[0]?.text).toContain('1. POST /tickets: 6 known fields; 2. POST /notes: 1 known field;');
});

test('an operation is named by its id, and one with a body that srq cannot write creates nothing', () => {
  const operations = { create: 'addLead', validate: 'none' };
  const paths = (each: object) => ({ '/c': { post: { ...each, operationId: 'addLead' } } });
  expect(learn(described(paths(post)), { operations }).contract.create.call).toBe('POST /c');
  const xml = described(paths(withBody({}, 'application/xml')));
  expect(refusalOf(() => learn(xml, { operations })).message).toBe('POST /c takes no body that srq can write.');
});

test('a title of any length is kept short', () => {
  const document = described({ '/c': { post } }, { info: { title: 'x'.repeat(1_000_000) } });
  expect(learn(document, { operations: { create: '/c' } }).contract.source?.title).toHaveLength(200);
});

test('an environment without values is none; one without a collection gets a note', () => {
  const learnBeside = (environment: object) => learn(described({ '/c': { post } }), { environment });
  expect(refusalOf(() => learnBeside({ name: 'x' })).message).toContain('env.json is not a Postman env');
  expect(learnBeside({ values: [] }).notes.join()).toContain('works only with a Postman collection');
});
