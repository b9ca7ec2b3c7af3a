import { expect, test } from 'vitest';
import { learnContract } from '../../src/contract/learn.ts';
import { learnOptions } from './learn-options.ts';

const learn = (bytes: Buffer) => learnContract([{ name: 'given', bytes }], learnOptions());

test.each([
  ['a web page', '<!doctype html><title>API</title>'],
  ['a WSDL description', '<?xml version="1.0"?><wsdl:definitions/>'],
  ['an XML document', '<api/>'],
  ['a RAML description', '#%RAML 1.0\ntitle: API\n'],
  ['a GraphQL schema', 'type Query {\n  a: Int\n}\n'],
  ['a Bruno request', 'meta {\n  name: Create\n}\n'],
  ['a HAR recording', '{"log":{"creator":{"name":"x"},"entries":[]}}'],
  ['an Insomnia export', '{"_type":"export","__export_format":4,"resources":[]}'],
  ['an AsyncAPI description', '{"asyncapi":"2.6.0"}'],
  ['a JSON Schema alone', '{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object"}'],
  ['a Postman environment alone', '{"values":[],"_postman_variable_scope":"environment"}'],
  ['OpenAPI 4.0.0, which srq does not read', '{"openapi":"4.0.0"}'],
  ['Swagger of another version than 2.0', '{"swaggerVersion":"1.2"}'],
  ['a packed file', 'PK\u0003\u0004'],
  ['no description that srq knows', '{"a":1}'],
])('%s is named and refused', (what, text) => {
  expect(() => learn(Buffer.from(text))).toThrow(
    expect.objectContaining({
      code: 'input',
      message: `given is ${what}.`,
      hint: expect.stringContaining('srq contract learn FILE'),
    }),
  );
});

const MINIMAL = '{"openapi":"3.0.3","info":{"title":"T"},"paths":{}}';

test.each([
  ['JSON', Buffer.from(MINIMAL)],
  ['JSON with a byte order mark', Buffer.from(`\ufeff${MINIMAL}`)],
  ['UTF-16', Buffer.from(`\ufeff${MINIMAL}`, 'utf16le')],
  ['JSON with comments and a comma too many', Buffer.from(MINIMAL.replace('{}}', '{},} # end'))],
  ['YAML', Buffer.from('openapi: 3.0.3\ninfo: { title: T }\npaths: {}\n')],
  ['YAML with anchors', Buffer.from('openapi: 3.0.3\nx: &t { title: T }\ninfo: *t\npaths: {}\n')],
])('%s is read', (_, bytes) => {
  const { contract } = learn(bytes);
  expect(contract.source).toEqual({
    files: ['given'],
    title: 'T',
    kind: 'OpenAPI 3.0',
    learnedAt: '2026-11-21T12:00:00.000Z',
  });
});

test('dates, yes and no stay the texts they are', () => {
  const { contract } = learn(Buffer.from('openapi: 3.0.3\ninfo: { title: 2026-03-01 }\npaths: {}\n'));
  expect(contract.source?.title).toBe('2026-03-01');
});

test('merge keys of YAML are followed: own names count before merged ones, and the first map before the next', () => {
  const text = [
    'openapi: 3.0.3',
    'a: &a { title: first, x: 1 }',
    'b: &b { <<: *a, title: second }',
    'c: &c { title: third, version: v3 }',
    'info: { <<: [*b, *c] }',
    'paths:',
    '  /leads:',
    '    post: &post',
    '      requestBody: { content: { application/json: { schema: { properties: { phone: { type: string } } } } } }',
    '      responses: {}',
    '  /requests:',
    '    post: { <<: *post, operationId: second }',
  ].join('\n');
  const { contract, questions } = learn(Buffer.from(text));
  expect(contract.source?.title).toBe('second');
  expect(questions[0]?.text).toContain('POST /requests (second): its name says so, its body has a place for phone');
});

test('OpenAPI 3.2 is read, with its media types in components and its values of examples', () => {
  const schema = { properties: { phone: {}, email: {}, fullname: {}, request_text: {} } };
  const content = { 'application/json': { $ref: '#/components/mediaTypes/Lead' } };
  const created = { 'application/json': { examples: { one: { dataValue: { lead_id: 7 }, serializedValue: '{}' } } } };
  const document = {
    openapi: '3.2.0',
    $self: 'https://api.example.com/openapi',
    info: { title: 'T' },
    components: { mediaTypes: { Lead: { schema } } },
    paths: {
      '/leads': {
        post: { requestBody: { content }, responses: { 201: { content: created } } },
        query: { requestBody: { content }, responses: {} },
        additionalOperations: { COPY: { requestBody: { content }, responses: {} } },
      },
    },
  };
  const { contract, questions } = learn(Buffer.from(JSON.stringify(document)));
  expect([contract.source?.kind, questions]).toEqual(['OpenAPI 3.2', []]);
  expect(contract.create).toMatchObject({ method: 'POST', identifiers: [{ pointer: '/lead_id' }] });
  expect(contract.create.parameters?.map(({ field }) => field)).toContain('phone');
});
