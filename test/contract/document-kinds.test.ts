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
