import {
  type Contract,
  type Json,
  type Operation,
  type Parameter,
  type Proposal,
  withRequestOperations,
} from '../model/contract.ts';
import { REQUEST_OPERATION_NAMES } from '../model/operations.ts';

/**
 * What a contract comes to that is given as a file, written by `srq contract show --json` or by hand: without patterns that
 * run away, with the secrets that were left out of it, which are asked for.
 */
export async function givenProposal(given: Contract, constants: Readonly<Record<string, string>>): Promise<Proposal> {
  const notes = new Set<string>();
  const { isCheapPattern } = await import('../contract/pattern-cost.ts');
  const withCheapPattern = (parameter: Parameter): Parameter => {
    if (parameter.pattern === null || isCheapPattern(parameter.pattern)) return parameter;
    notes.add(`The pattern of ${parameter.field} is left to the service: it is no pattern, or could take for ever`);
    return { ...parameter, pattern: null };
  };
  const cheap = withRequestOperations(given, ({ parameters }) => ({
    parameters: parameters?.map(withCheapPattern) ?? null,
  }));
  const { withGivenSecrets } = await import('../contract/contract-secrets.ts');
  const { contract, questions } = withGivenSecrets(cheap, constants);
  const schemas = new Map<Operation, Json>();
  for (const name of REQUEST_OPERATION_NAMES) schemas.set(contract[name], await checkedSchema(contract[name]));
  return {
    contract: withRequestOperations(contract, (operation) => ({ schema: schemas.get(operation) ?? null })),
    questions,
    notes: [...notes],
  };
}

async function checkedSchema({ schema }: Operation): Promise<Json> {
  const { validationSchema } = await import('../contract/validation-schema.ts');
  return typeof schema === 'object' && schema !== null && !isList(schema) ? validationSchema(schema) : null;
}

const isList = (value: Json): value is readonly Json[] => Array.isArray(value);
