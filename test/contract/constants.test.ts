import { expect, test } from 'vitest';
import { holdsSecrets, withGivenSecrets, withoutSecretValues } from '../../src/contract/contract-secrets.ts';
import { withSaid } from '../../src/contract/said-contract.ts';
import type { Contract } from '../../src/request/contract.ts';
import { secretTexts } from '../../src/request/names.ts';
import { KNOWN, learnParts, parameterOf } from './describe-request.ts';

const learnWith = (properties: object, required: readonly string[], constants: Record<string, string> = {}) =>
  learnParts({ schema: { properties: { ...KNOWN, ...properties }, required }, options: { constants } });
const text = { type: 'string' };

test.each(['middleName', 'nome', 'contact_phone', 'request_id', 'X_Correlation_Uuid', 'mensagem'])(
  'no constant is proposed for %s, which is another one in each request',
  (name) => {
    const { questions } = learnWith({ [name]: text }, [name]);
    expect(questions).toMatchObject([{ name: `constant:${name}`, answer: `--set ${name}=` }]);
    expect(questions[0]?.text).toContain('another one in each request');
  },
);

test.each(['partner_id', 'campaignName', 'consent_text', 'source'])('a constant is proposed for %s', (name) => {
  const { questions } = learnWith({ [name]: text }, [name]);
  expect(questions).toMatchObject([{ name: `constant:${name}`, answer: `--set ${name}=VALUE` }]);
});

test('what each row gives stays required, without a constant', () => {
  const proposal = learnWith({ nome: text }, ['nome'], { nome: '' });
  expect(proposal.questions).toEqual([]);
  expect(parameterOf(proposal, 'nome')).toMatchObject({ required: true, constant: null });
  expect(proposal.notes.join()).toContain("--set 'nome={COLUMN}'");
});

test('a header of each request is given by the rows', () => {
  const parameters = [
    { name: 'X-Request-Id', in: 'header', required: true, schema: { type: 'string', format: 'uuid' } },
  ];
  expect(learnParts({ create: { parameters } }).questions).toMatchObject([{ answer: '--set X-Request-Id=' }]);
  const given = learnParts({ create: { parameters }, options: { constants: { 'X-Request-Id': '' } } });
  expect(parameterOf(given, 'X-Request-Id')).toMatchObject({ required: true, constant: null, in: 'header' });
});

test('a required User-Agent is asked for, because srq has none of its own', () => {
  const description = 'Must be of the form VENDOR (EMAIL) and include a valid contact email.';
  const parameters = [{ name: 'User-Agent', in: 'header', required: true, description, schema: { type: 'string' } }];
  expect(learnParts({ create: { parameters } }).questions).toMatchObject([{ answer: '--set User-Agent=VALUE' }]);
  const given = learnParts({
    create: { parameters },
    options: { constants: { 'User-Agent': 'ACME (a@example.com)' } },
  });
  expect(parameterOf(given, 'User-Agent')).toMatchObject({ in: 'header', constant: 'ACME (a@example.com)' });
});

test.each(['{City}', 'Lead from {City}'])('a value that names a column is refused: %s', (value) => {
  expect(() => learnWith({ nome: text }, ['nome'], { nome: value })).toThrow('would be sent as it stands');
});

test.each([
  ['consent', { type: 'boolean' }, 'yes', 'true'],
  ['rooms', { type: 'integer', minimum: 1 }, '007', '7'],
  ['channel', { enum: ['API', 'WEB'] }, 'api', 'API'],
  ['at', { type: 'string', format: 'date-time' }, '2026-11-21T12:00:00Z', '2026-11-21T12:00:00Z'],
])('the value given for %s %j goes as the document says', (name, schema, value, wire) => {
  expect(parameterOf(learnWith({ [name]: schema }, [name], { [name]: value }), name)?.constant).toBe(wire);
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

test('no row gives an object, and one that holds customers is said to be wrong', () => {
  const contacts = { type: 'array', items: { type: 'object', properties: { name: text } } };
  const [question] = learnWith({ contacts }, ['contacts']).questions;
  expect(question).toMatchObject({ answer: '--set contacts=VALUE' });
  expect(question?.text).toContain('what differs from row to row');
  expect(() => learnWith({ contacts }, ['contacts'], { contacts: '' })).toThrow('is not JSON');
});

test('a list is given as JSON', () => {
  const tags = { type: 'array', items: { type: 'integer' } };
  const proposal = learnWith({ tags }, ['tags'], { tags: '[1, "2"]' });
  expect(proposal.questions).toEqual([]);
  expect(parameterOf(proposal, 'tags')).toBeUndefined();
  expect(proposal.contract.create.choices).toEqual([[{ fields: [], constants: [{ path: ['tags'], value: [1, 2] }] }]]);
});

const person = { type: 'object', required: ['phone'], properties: { phone: text } };

test('the question names the whole path where a short name may mean another parameter', () => {
  const open = learnWith({ agent: person }, ['agent', 'phone']);
  expect(open.questions).toMatchObject([{ answer: '--set agent.phone=' }]);
  const given = learnWith({ agent: person }, ['agent', 'phone'], { 'agent.phone': '1' });
  expect(parameterOf(given, 'agent.phone')?.constant).toBe('1');
  expect(parameterOf(given, 'phone')?.constant).toBeNull();
});

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

test('an object that is called like a secret and holds none is no secret', () => {
  const schema = { properties: { ...KNOWN, token: { properties: { kind: {} } } }, required: ['token'] };
  const { contract } = learnParts({ schema });
  expect([holdsSecrets(contract), withoutSecretValues(contract)]).toEqual([false, contract]);
});
