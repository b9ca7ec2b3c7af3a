import { expect, test } from 'vitest';
import { type Answers, givenProposal } from '../../src/commands/contract/contract-documents.ts';
import { SECRET } from '../../src/request/words/names.ts';
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
