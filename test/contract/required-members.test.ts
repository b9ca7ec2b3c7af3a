import { expect, test } from 'vitest';
import { validationSchema } from '../../src/contract/schema/validation-schema.ts';
import type { Proposal } from '../../src/request/contract.ts';
import { schemaCheck } from '../../src/sandbox/service/schema-check.ts';
import { makeEncoder } from '../../src/service/wire/encode.ts';
import { KNOWN, learnParts } from './describe-request.ts';

const text = { type: 'string' };
const learnBody = (properties: object, required: readonly string[], constants: Record<string, string> = {}) =>
  learnParts({ schema: { properties: { ...KNOWN, ...properties }, required }, options: { constants } });

test('what is required and described nowhere is asked', () => {
  expect(learnBody({}, ['branchId']).questions).toMatchObject([{ name: 'constant:branchId' }]);
  const inBranches = { oneOf: [{ properties: { kind: text } }], required: ['kind'] };
  expect(learnParts({ schema: { properties: KNOWN, ...inBranches } }).questions).toMatchObject([
    { name: 'constant:kind' },
  ]);
});

const sender =
  ({ contract }: Proposal) =>
  (params: Record<string, string>) =>
    JSON.parse(String(makeEncoder(contract).create({ params, ref: null, audio: null } as never, null).body));

test('a required object that no row fills is sent empty, and what a row gives for it is kept', () => {
  const options = { properties: { note: text, inner: { properties: { depth: text } } }, required: ['inner'] };
  const sent = (params: Record<string, string>) =>
    sender(learnBody({ options }, ['options']))({ fullname: 'Ana', ...params });
  expect(sent({})).toEqual({ fullname: 'Ana', options: { inner: {} } });
  expect(sent({ note: 'x', depth: '7' })).toEqual({ fullname: 'Ana', options: { note: 'x', inner: { depth: '7' } } });
});

test('an object that is required within an optional one is asked for if rows fill that, and sent where they do', () => {
  const consents = { type: 'array', items: { properties: { kind: text }, required: ['kind'] } };
  const required = ['name', 'phone', 'consents', 'channel'];
  const customer = { properties: { name: text, phone: text, consents, channel: { type: 'object' } }, required };
  const schema = { properties: { country: text, location: text, request_text: text, customer } };
  const learn = (constants: Record<string, string> = {}) => learnParts({ schema, options: { constants } });
  expect(learn().questions.map(({ name }) => name)).toEqual(['constant:consents', 'constant:channel']);
  const proposal = learn({ consents: '[{"kind":"terms"}]', 'customer.channel': '{"id":7}' });
  expect(proposal.questions).toEqual([]);
  const given = { consents: [{ kind: 'terms' }], channel: { id: 7 } };
  const sent = sender(proposal);
  expect(sent({ fullname: 'Ana', phone: '+351912345678' })).toEqual({
    customer: { name: 'Ana', phone: '+351912345678', ...given },
  });
  expect(sent({ phone: '+351912345678' })).toMatchObject({ customer: given });
  expect(sent({ country: 'PT' })).toEqual({ country: 'PT' });
  const other = { properties: { consents }, required: ['consents'] };
  expect(learnBody({ other }, []).questions).toEqual([]);
});

test.each([
  [
    { type: 'array', items: { properties: { nature: { type: 'integer' }, b: text }, required: ['nature'] } },
    '[{"nature":1}]',
  ],
  [
    { type: 'object', properties: { a: text, id: { type: 'integer', readOnly: true } }, additionalProperties: {} },
    null,
  ],
  [{ type: 'string', format: 'date' }, '2026-01-31'],
  [{ type: 'string', example: 4711 }, '4711'],
  [{ type: 'string' }, undefined],
])('the question for %j shows how an answer looks', (schema, example) => {
  const { questions } = learnBody({ source: schema }, ['source']);
  if (example === null) return expect(questions).toEqual([]);
  expect(questions[0]?.example).toBe(example);
  if (example !== undefined) expect(questions[0]?.text).toContain(`for example ${example}`);
});

test('no example is shown of what is a key', () => {
  const { questions } = learnBody({ api_key: { type: 'string', example: 'k-1234567' } }, ['api_key']);
  expect(questions).toMatchObject([{ name: 'constant:api_key' }]);
  expect(JSON.stringify(questions)).not.toContain('k-1234567');
});

test('parts that are closed one by one admit the members of all of them, and no others', () => {
  const part = (name: string) => ({ properties: { [name]: text }, required: [name], additionalProperties: false });
  const whole = { additionalProperties: false, allOf: [part('a'), { allOf: [part('b')] }] };
  const check = schemaCheck(validationSchema(whole), { name: 'create', texts: false });
  expect(check({ a: 'x', b: 'y' })).toEqual({});
  expect(check({ a: 'x', b: 'y', c: 'z' })).toEqual({ c: 'is not known' });
  expect(check({ a: 'x' })).toEqual({ b: 'is required' });
});

test('what only the service may set is not demanded by another part of the schema', () => {
  const parts = [{ properties: { id: { type: 'string', readOnly: true }, a: text } }, { required: ['id', 'a'] }];
  const check = schemaCheck(validationSchema({ allOf: parts }), { name: 'create', texts: false });
  expect(check({ a: 'x' })).toEqual({});
});
