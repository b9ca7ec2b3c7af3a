import { expect, test } from 'vitest';
import { holdsSecrets, withGivenSecrets, withoutSecretValues } from '../../src/contract/contract-secrets.ts';
import { withSaid } from '../../src/contract/said-contract.ts';
import type { Contract } from '../../src/contract/version-1/contract.ts';
import { secretTexts } from '../../src/request/words/names.ts';
import { KNOWN, learnParts, parameterOf } from './describe-request.ts';

const learnWith = (properties: object, required: readonly string[], constants: Record<string, string> = {}) =>
  learnParts({ schema: { properties: { ...KNOWN, ...properties }, required }, options: { constants } });
const text = { type: 'string' };

test('what each row gives stays required, without a constant', () => {
  const proposal = learnWith({ nome: text }, ['nome'], { nome: '' });
  expect(proposal.questions).toEqual([]);
  expect(parameterOf(proposal, 'nome')).toMatchObject({ required: true, constant: null });
  expect(proposal.notes.join()).toContain("--set 'nome={COLUMN}'");
});

test.each([
  ['consent', { type: 'boolean' }, 'perhaps', 'is not true or false'],
  ['rooms', { type: 'integer', minimum: 1 }, '0', 'is less than 1'],
  ['channel', { enum: ['API', 'WEB'] }, 'fax', 'is not one of API, WEB'],
  ['at', { type: 'string', format: 'date-time' }, 'gestern', 'is not of the format date-time'],
  ['key', { type: 'string', minLength: 20 }, 'secret', 'at least 20'],
  ['tags', { type: 'array', items: { enum: ['a', 'b'] } }, '["a","c"]', 'is not one of a, b'],
  ['tags', { type: 'array', items: text }, '["a",', 'is not JSON'],
])('a value for %s %j that does not fit is refused, and not repeated: %s', (name, schema, value, message) => {
  const learn = () => learnWith({ [name]: schema }, [name], { [name]: value });
  expect(learn).toThrow(message);
  expect(learn).not.toThrow(value);
});

const person = { type: 'object', required: ['phone'], properties: { phone: text } };

test('a short name that may mean several parameters is refused, unless it is the whole path of one', () => {
  expect(() => learnWith({ agent: person }, ['agent'], { phone: '1' })).toThrow(
    '"phone" may be any of these: phone, agent.phone.',
  );
  const inner = { type: 'object', properties: { source: text } };
  expect(() => learnWith({ utm: inner, ad: inner }, [], { source: 'x' })).toThrow('utm.source, ad.source');
  const proposal = learnWith({ source: text, utm: inner }, [], { source: 'x' });
  expect(parameterOf(proposal, 'source')?.constant).toBe('x');
  expect(parameterOf(proposal, 'utm.source')?.constant).toBeNull();
});

test('a part of the address is one value, and never one of a row', () => {
  const paths = { '/v1/{market}/orders': { post: { requestBody: body(), responses: {} } } };
  const learn = (constants: Record<string, string>) =>
    learnParts({ paths, options: { operations: { create: 'POST /v1/{market}/orders' }, constants } });
  expect(learn({}).questions).toMatchObject([{ name: 'constant:market', answer: '--set market=VALUE' }]);
  expect(learn({ market: '' }).questions).toHaveLength(1);
  expect(() => learn({ market: '{Country}' })).toThrow('would be sent as it stands');
  const { contract, notes } = learn({ market: 'pt' });
  expect(contract.create.path).toBe('/v1/pt/orders');
  expect(notes.join()).toContain('All requests go to the address of market pt');
});

const body = () => ({ content: { 'application/json': { schema: { properties: KNOWN } } } });

test.each(['externalLeadId', 'lead_id', 'clientRequestId'])('%s carries the reference of the row', (name) => {
  const proposal = learnWith({ [name]: text }, [name]);
  expect(proposal.questions).toEqual([]);
  expect(parameterOf(proposal, 'ref')?.path).toEqual([name]);
});

test.each([
  ['credentials', '{"key":"canary-1"}'],
  ['account', '{"login":[{"apiKey":"canary-1"}]}'],
])('a secret in the JSON of %s is kept, and shown nowhere', (name, json) => {
  const schema = {
    properties: { ...KNOWN, [name]: { type: 'object' }, tags: { type: 'object' } },
    required: [name, 'tags'],
  };
  const { contract } = learnParts({ schema, options: { constants: { [name]: json, tags: '{"a":1}' } } });
  const kept = { path: [name], value: JSON.parse(json) };
  const tags = { path: ['tags'], value: { a: 1 } };
  const constantsOf = (each: Contract) =>
    each.create.choices.flatMap((choice) => choice.flatMap(({ constants }) => constants));
  expect(constantsOf(contract)).toEqual([kept, tags]);
  expect(JSON.stringify(contract.findings)).not.toContain('canary');
  expect(holdsSecrets(contract)).toBe(true);
  const shown = withoutSecretValues(contract);
  expect(constantsOf(shown)).toEqual([{ ...kept, value: '<secret>' }, tags]);
  expect(withGivenSecrets(shown, {}).questions).toMatchObject([{ name: `constant:${name}` }]);
  const given = withSaid(shown, { constants: { [name]: json }, operations: {} });
  expect(withGivenSecrets(given, { [name]: json })).toEqual({ contract, questions: [] });
  expect(() => withGivenSecrets(shown, { [name]: 'canary-1' })).toThrow('is not JSON');
  expect(secretTexts(name, kept.value)).toEqual(['canary-1']);
});
