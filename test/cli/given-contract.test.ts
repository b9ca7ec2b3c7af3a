import { expect, test } from 'vitest';
import { type Answers, givenProposal, propose } from '../../src/commands/contract/contract-documents.ts';
import { SECRET } from '../../src/request/names.ts';
import { contractWith, parameter } from '../sandbox/contract-client.ts';

const NOTHING: Answers = { constants: {}, operations: {} };
const RUNS_AWAY = '(.*)(.*)(.*)z';

test('patterns that run away are left to the service, in parameters and in schemas, and that is noted', async () => {
  const schema = {
    properties: { a: { pattern: RUNS_AWAY }, b: { anyOf: [{ pattern: '^b' }] } },
    patternProperties: {},
  };
  const parameters = [parameter('fullname', { pattern: RUNS_AWAY }), parameter('phone', { pattern: '^\\+' })];
  const { contract, notes } = await givenProposal(contractWith({ create: { parameters, schema } }), NOTHING);
  expect(contract.create.parameters?.map(({ pattern }) => pattern)).toEqual([null, '^\\+']);
  expect(contract.create.schema).toEqual({ properties: { a: {}, b: { anyOf: [{ pattern: '^b' }] } } });
  expect(notes).toEqual([expect.stringContaining('The pattern of fullname is left to the service')]);
});

test('a schema of any depth is no danger', async () => {
  const deep = JSON.parse(`${'{"not":'.repeat(50_000)}{}${'}'.repeat(50_000)}`);
  const { contract } = await givenProposal(contractWith({ validate: { schema: deep } }), NOTHING);
  expect(contract.validate.schema).toBeNull();
});

test('a secret that the file was written without is asked for', async () => {
  const key = parameter('X-Api-Key', { in: 'header', path: ['X-Api-Key'], constant: SECRET });
  const given = contractWith({ create: { parameters: [key, parameter('consent')] } });
  const { questions } = await givenProposal(given, NOTHING);
  expect(questions.map(({ answer }) => answer)).toEqual(['--set X-Api-Key=@FILE']);
  const filled = await givenProposal(given, { ...NOTHING, constants: { 'X-Api-Key': 'k' } });
  expect([filled.questions, filled.contract.create.parameters?.[0]?.constant]).toEqual([[], 'k']);
});

const finding = (setting: string, value: string) => ({
  ...{ setting, value, where: '/x', confidence: 'likely' as const, why: '' },
});
const inside = (field: string, ...path: string[]) => parameter(field, { path });
const GIVEN = {
  ...contractWith({
    create: {
      parameters: [
        parameter('partner_id', { type: 'integer', constant: '42', maximum: 99 }),
        ...[inside('a.ref', 'a', 'ref'), inside('b.ref', 'b', 'ref')],
      ],
    },
    validate: { parameters: [parameter('partner_id', { type: 'integer', constant: '42', maximum: 99 })] },
    token: { extra: { scope: 'all' } },
  }),
  auth: { kind: 'apiKey', in: 'header', name: 'X-Api-Key', prefix: '', value: 'k' } as const,
  findings: [
    finding('partner_id', 'partner_id, required, integer, always 42'),
    ...[finding('validate.path', 'POST /v1/x'), finding('validate.verdict', 'searched for')],
  ],
};

const proposed = (bytes: Buffer, answers: Partial<Answers> = {}) =>
  propose({ documents: [{ name: 'contract.json', bytes }], environment: null }, { ...NOTHING, ...answers }, null, 0);
const given = (answers: Partial<Answers>) => proposed(Buffer.from(JSON.stringify(GIVEN)), answers);

test('what a person says of a given contract holds: values of its parameters, and that there is no validate', async () => {
  const constants = { partner_id: '43', scope: 'leads', 'X-Api-Key': 'other', 'a.ref': 'x' };
  const { contract } = await given({ constants });
  expect([contract.create, contract.validate].map(({ parameters }) => parameters?.[0]?.constant)).toEqual(['43', '43']);
  expect(contract.create.parameters?.map(({ constant }) => constant)).toEqual(['43', 'x', null]);
  expect([contract.token.extra, contract.auth]).toMatchObject([{ scope: 'leads' }, { value: 'other' }]);
  expect(contract.findings[0]).toMatchObject({ value: 'partner_id, always 43', why: 'you said so' });

  const without = (await given({ operations: { validate: 'none', token: 'none' } })).contract;
  expect(without).toMatchObject({ hasValidate: false, validate: { parameters: null } });
  expect(without.findings.map(({ setting, value }) => [setting, value]).slice(1)).toEqual([['validate.path', 'none']]);
  const { path } = GIVEN.create;
  for (const create of [path, `post ${path}`]) expect(await given({ operations: { create } })).toMatchObject({});
});

test('that an environment of a collection is of no use to a given contract is noted', async () => {
  const file = (name: string, text: string) => ({ name, bytes: Buffer.from(text) });
  const set = { documents: [file('contract.json', JSON.stringify(GIVEN))], environment: file('env.json', '{}') };
  const { notes } = await propose(set, NOTHING, null, 0);
  expect(notes).toEqual(['An environment is of use for a Postman collection alone.']);
});

test.each([
  [{ partner: '43' }, {}, 'The contract has no parameter "partner"'],
  [{ ref: 'x' }, {}, '"ref" may be any of these: a.ref, b.ref'],
  [{ partner_id: '100' }, {}, 'The value given for "partner_id" is more than 99'],
  [{ partner_id: 'x' }, {}, 'The value given for "partner_id" is none that is allowed'],
  [{ partner_id: '' }, {}, 'A learned contract takes values alone'],
  [{ 'a.ref': '{Nr}' }, {}, 'A learned contract takes values alone'],
  [{}, { create: 'POST /leads' }, 'its create is POST /'],
  [{}, { create: 'none' }, 'its create is POST /'],
  [{}, { token: 'POST /oauth/token' }, 'its token is none'],
])('what a given contract cannot follow is refused: %j %j', async (constants, operations, message) => {
  await expect(given({ constants: { ...constants }, operations })).rejects.toThrow(message);
});

const TEXT = JSON.stringify(GIVEN);
const UTF16 = Buffer.from(`\ufeff${TEXT}`, 'utf16le');

test.each([
  ['UTF-8 with a mark', Buffer.from(`\ufeff${TEXT}`)],
  ['UTF-16, as PowerShell writes it', UTF16],
  ['UTF-16 with the high byte first', Buffer.from(UTF16).swap16()],
])('a contract file in %s is read as such', async (_, bytes) => {
  expect((await proposed(bytes)).contract.create).toMatchObject({ parameters: [{ constant: '42' }, {}, {}] });
});

test('a contract that is given in another form is told the form that it has to have', async () => {
  const yaml = Buffer.from(`# mine\n${TEXT}`);
  await expect(proposed(yaml)).rejects.toMatchObject({ hint: expect.stringContaining('as srq contract show --json') });
});
