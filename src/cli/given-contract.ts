import type { Contract, Json, Operation, Parameter, Proposal } from '../model/contract.ts';

/**
 * What a contract comes to that is given as a file, written by `srq contract show --json` or by hand: without patterns that
 * run away, with the secrets that were left out of it, which are asked for.
 */
export async function givenProposal(given: Contract, constants: Readonly<Record<string, string>>): Promise<Proposal> {
  const notes = new Set<string>();
  const { isCheapPattern } = await import('../contract/pattern-cost.ts');
  const cheap = withParameters(given, (parameter) => {
    if (parameter.pattern === null || isCheapPattern(parameter.pattern)) return parameter;
    notes.add(`The pattern of ${parameter.field} is left to the service: it is no pattern, or could take for ever`);
    return { ...parameter, pattern: null };
  });
  const { withGivenSecrets } = await import('../contract/contract-secrets.ts');
  const { contract, questions } = withGivenSecrets(cheap, constants);
  const { create, validate } = contract;
  const schemas = { create: await checkedSchema(create), validate: await checkedSchema(validate) };
  return {
    contract: {
      ...contract,
      create: { ...create, schema: schemas.create },
      validate: { ...validate, schema: schemas.validate },
    },
    questions,
    notes: [...notes],
  };
}

/** The parameters of create and validate, those of both operations changed alike. */
function withParameters(contract: Contract, change: (parameter: Parameter) => Parameter): Contract {
  const changed = ({ parameters }: Operation) => ({ parameters: parameters?.map(change) ?? null });
  const { create, validate } = contract;
  return { ...contract, create: { ...create, ...changed(create) }, validate: { ...validate, ...changed(validate) } };
}

async function checkedSchema({ schema }: Operation): Promise<Json> {
  const { validationSchema } = await import('../contract/validation-schema.ts');
  return typeof schema === 'object' && schema !== null && !isList(schema) ? validationSchema(schema) : null;
}

const isList = (value: Json): value is readonly Json[] => Array.isArray(value);
