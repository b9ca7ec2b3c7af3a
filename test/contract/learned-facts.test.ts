import { describe, expect, test } from 'vitest';
import { holdsSecrets, withGivenSecrets, withoutSecretValues } from '../../src/contract/contract-secrets.ts';
import { documentKind, parseDocument } from '../../src/contract/documents/parse-document.ts';
import { requiredObjects } from '../../src/contract/learn/body-leaves.ts';
import { bodyOf as postmanBody } from '../../src/contract/postman/postman-body.ts';
import { createVariables } from '../../src/contract/postman/postman-variables.ts';
import type { Contract } from '../../src/request/contract.ts';
import { contractWith, parameter } from '../sandbox/contract-client.ts';
import { answer, KNOWN, learnParts } from './describe-request.ts';

const text = { type: 'string' };
const told = ({ contract }: { contract: Contract }, setting: string) =>
  contract.findings.filter((each) => each.setting === setting).map(({ value }) => value);

describe('Of an operation is told', () => {
  test('how its body is written, and what it was preferred to', () => {
    const schema = { properties: KNOWN };
    const content = { 'application/json': { schema }, 'application/x-www-form-urlencoded': { schema } };
    const encoding = (requestBody: object) =>
      learnParts({ create: { requestBody } }).contract.findings.find(({ setting }) => setting === 'create.encoding');
    expect(encoding({ content: { 'application/json': { schema } } })).toMatchObject({
      value: 'json (application/json)',
      why: 'the only one offered',
    });
    expect(encoding({ content })?.why).toMatch(/^preferred to application\//);
  });

  test('where refusals give their reason, if they do', () => {
    const of = (properties: object) => learnParts({ createAnswers: { 422: answer(properties) } });
    expect(told(of({ message: text }), 'create.errorTexts')).toEqual(['/message']);
    expect(told(of({ code: { type: 'integer' } }), 'create.errorTexts')).toEqual([]);
  });

  test('which of the usual fields it has no place for', () => {
    const notes = (...names: string[]) =>
      learnParts({
        schema: { properties: Object.fromEntries(names.map((name) => [name, text])) },
        options: { operations: { create: 'POST /requests', validate: 'none' } },
      }).notes.filter((note) => note.includes('has no place for'));
    expect(notes('country', 'lang', 'location', 'fullname', 'email', 'phone')).toHaveLength(1);
    expect(notes('country', 'lang', 'location', 'fullname', 'email', 'phone', 'request_text')).toEqual([]);
  });

  test('the samples of its first success and of the refusal of the data', () => {
    const of = (...statuses: number[]) => {
      const createAnswers = Object.fromEntries(
        statuses.map((status) => [status, answer({ id: { type: 'integer', example: status } })]),
      );
      const { success, refusal } = learnParts({ createAnswers }).contract.create;
      return [success?.status, refusal?.status];
    };
    expect(of(200, 201, 400, 422)).toEqual([200, 422]);
    expect(of(299, 300, 400, 401)).toEqual([299, 400]);
    expect(of(199, 300, 401, 500)).toEqual([undefined, undefined]);
  });

  test('of a header for repetitions, why it counts and for how long', () => {
    const of = (said: string | undefined, description: string) =>
      told(
        learnParts({
          create: { parameters: [{ name: 'Idempotency-Key', in: 'header', description, schema: text }] },
          options: { constants: said === undefined ? {} : { 'Idempotency-Key': said } },
        }),
        'create.idempotency',
      );
    const key = 'Idempotency-Key (text), for';
    expect(of('no', '')).toEqual(['not by Idempotency-Key']);
    expect(of(undefined, 'Ignored.')).toEqual(['not by Idempotency-Key']);
    expect(of('yes', '')).toEqual([`${key} 10 minutes, for no time is named`]);
    for (const [said, time] of [
      ['1s', '1 second'],
      ['61s', '61 seconds'],
      ['60s', '60 seconds'],
      ['119s', '119 seconds'],
      ['120s', '2 minutes'],
      ['1h', '60 minutes'],
      ['121m', '121 minutes'],
      ['2h', '2 hours'],
      ['24h', '24 hours'],
      ['47h', '47 hours'],
      ['48h', '2 days'],
    ] as const) {
      expect(of(said, '')).toEqual([`${key} ${time}`]);
    }
  });
});

test('up to eight of the values of a constant are told where it is asked for', () => {
  const values = Array.from({ length: 9 }, (_, at) => `v${at}`);
  const of = (count: number) =>
    learnParts({
      schema: { properties: { ...KNOWN, branchCode: { enum: values.slice(0, count) } }, required: ['branchCode'] },
    }).questions.find(({ name }) => name === 'constant:branchCode')?.text;
  expect(of(8)).toContain('one of v0, v1, v2, v3, v4, v5, v6, v7');
  expect(of(9)).toContain('v7)');
  expect(of(9)).not.toContain('v8');
});

test('the objects that a body must have are the innermost of the required ones', () => {
  const object = (properties: object, ...required: string[]) => ({ type: 'object', properties, required }) as never;
  const leaf = object({ a: text });
  expect(requiredObjects(object({ x: leaf, y: leaf }, 'x'))).toEqual([['x']]);
  expect(requiredObjects(object({ x: object({ y: leaf, z: leaf }, 'y') }, 'x'))).toEqual([['x', 'y']]);
  expect(requiredObjects(object({ x: object({ y: leaf }) }, 'x'))).toEqual([['x']]);
  expect(requiredObjects(object({ x: text, y: object({}) }, 'x', 'y'))).toEqual([]);
  expect(requiredObjects(object({ x: { ...(leaf as object), readOnly: true } }, 'x'))).toEqual([]);
  expect(requiredObjects(object({ x: { oneOf: [leaf, leaf], properties: { a: text } } }, 'x'))).toEqual([]);
  expect(requiredObjects(leaf)).toEqual([]);
});

describe('A secret of a contract', () => {
  const withSecret = contractWith({
    create: {
      parameters: [parameter('k', { path: ['api_key'], constant: 's3' }), parameter('lang', { constant: 'pt' })],
    },
    token: { extra: { client_password: 's4', scope: 'all' } },
  });
  const withKey: Contract = {
    ...contractWith({}),
    auth: { kind: 'apiKey', in: 'header', name: 'X-Key', prefix: '', value: 's5' },
  };

  test('is not shown, and is known to be there', () => {
    const shown = withoutSecretValues(withSecret);
    expect(shown.create.parameters?.map(({ constant }) => constant)).toEqual(['<secret>', 'pt']);
    expect(shown.token.extra).toEqual({ client_password: '<secret>', scope: 'all' });
    expect(withoutSecretValues(withKey).auth).toMatchObject({ value: '<secret>' });
    expect([withSecret, withKey, contractWith({ token: { extra: { scope: 'all' } } })].map(holdsSecrets)).toEqual([
      true,
      true,
      false,
    ]);
  });

  test('is filled in again where it is given, and asked for where it is not', () => {
    const given = { api_key: 's3', client_password: 's4' };
    expect(withGivenSecrets(withoutSecretValues(withSecret), given)).toEqual({ contract: withSecret, questions: [] });
    expect(withGivenSecrets(withoutSecretValues(withKey), { 'X-Key': 's5' }).contract).toEqual(withKey);
    const { contract, questions } = withGivenSecrets(withoutSecretValues(withSecret), {});
    expect([contract.create.parameters?.[0]?.constant, contract.token.extra]).toEqual([null, { scope: 'all' }]);
    expect(questions.map(({ name, answer }) => [name, answer])).toEqual([
      ['constant:client_password', '--set client_password=@FILE'],
      ['constant:api_key', '--set api_key=@FILE'],
    ]);
  });
});

test.each<[string, object, string]>([
  ['a contract', { version: 1, create: {}, token: {} }, 'contract'],
  ['OpenAPI 3.0', { openapi: '3.0.3' }, 'openapi'],
  ['OpenAPI 3.2', { openapi: '3.2' }, 'openapi'],
  ['Swagger 2.0', { swagger: '2.0' }, 'swagger'],
  ['Swagger 2.0 as a number', { swagger: 2 }, 'swagger'],
  ['a collection by its schema', { item: [], info: { schema: '' } }, 'postman'],
  ['a collection by its name', { item: [], info: { name: '' } }, 'postman'],
  ['a collection by its id', { item: [], info: { _postman_id: '' } }, 'postman'],
])('%s is known by its keys', (_, document, kind) => {
  expect(documentKind('a.json', document as never)).toBe(kind);
});

test.each<[string, object]>([
  ['no description that srq knows', { version: 1, create: {} }],
  ['no description that srq knows', { version: 1, token: {} }],
  ['no description that srq knows', { version: 2, create: {}, token: {} }],
  ['no description that srq knows', { item: [], info: {} }],
  ['no description that srq knows', { _type: 'x' }],
  ['no description that srq knows', { __export_format: 4 }],
  ['no description that srq knows', { requests: [] }],
  ['no description that srq knows', { values: [] }],
  ['an Insomnia export', { _type: 'export', __export_format: 4 }],
  ['an Insomnia export', { type: 'collection.insomnia.rest/5.0' }],
  ['a Bruno collection', { bruno: 1 }],
  ['a Postman collection of version 1', { requests: [], order: [] }],
  ['a Postman environment alone', { values: [], _postman_variable_scope: 'environment' }],
  ['a HAR recording', { log: { entries: [] } }],
  ['a HAR recording', { log: { creator: {} } }],
  ['a GraphQL schema', { data: { __schema: {} } }],
  ['a JSON Schema alone', { properties: {} }],
  ['OpenAPI 3.3, which srq does not read', { openapi: '3.3' }],
])('%s is told of %j', (what, document) => {
  expect(() => documentKind('a.json', document as never)).toThrow(`a.json is ${what}.`);
});

test('a document may have 10 MiB, and not one byte more', () => {
  const parse = (length: number) =>
    parseDocument({ name: 'a', bytes: Buffer.from('{}'.padEnd(length)), read: () => null } as never);
  expect(parse(10 * 1024 * 1024)).toEqual({});
  expect(() => parse(10 * 1024 * 1024 + 1)).toThrow('is larger than 10 MB');
});

test('a body of a collection may have 1 MiB of text, and not one letter more', () => {
  const read = (length: number) =>
    postmanBody({ body: { mode: 'raw', raw: `{"a":"${'x'.repeat(length - 8)}"}` } }, '', createVariables(null, null));
  expect(read(1024 * 1024)).toMatchObject({ mediaType: 'application/json' });
  expect(read(1024 * 1024 + 1)).toBe('a body of more than 1 MB');
});
