import type { output } from 'zod/mini';
import type { RequestOperationName } from '../../../src/request/contract/operations.ts';
import { type BodyEncoding, FORM_CONTENT_TYPE, JSON_CONTENT_TYPE, PATHS } from '../../../src/request/contract/wire.ts';
import type { contractSchema, Json, ReadOnly } from './contract-schema.ts';

export type { Json };

/**
 * srq's description of the service's interface: the public document, and what was learned from the partner's own
 * documents. Everything that maps, validates, encodes or reads uses it. It never changes a request's parameters (which
 * keep srq's names and the texts given), only how they are sent. Learning a contract therefore changes no content key,
 * and nothing that was sent before looks new.
 */
export type Contract = ReadOnly<output<typeof contractSchema>>;

export type CreateOperation = Contract['create'];
export type ValidateOperation = Contract['validate'];
export type TokenOperation = Contract['token'];
/**
 * The members common to all operations that carry a request: where they are, how the request is sent, how they refuse.
 */
export type Operation = Pick<CreateOperation, keyof CreateOperation & keyof ValidateOperation>;
/** The encoding of bodies. `multipart` means multipart/form-data. */
export type ContractEncoding = Operation['encoding'];
export type Parameter = NonNullable<Operation['parameters']>[number];
export type VerdictRule = ValidateOperation['verdict'][number];

/** Builds the public document's description of an operation that carries a request. */
function documentedRequest(name: RequestOperationName, encoding: BodyEncoding = 'form') {
  const contentType = encoding === 'form' ? FORM_CONTENT_TYPE : JSON_CONTENT_TYPE;
  const answers = { schema: null, success: null, refusal: null, errorTexts: [] };
  return {
    ...answers,
    choices: [],
    parameters: null,
    method: 'POST' as const,
    path: PATHS[name],
    encoding,
    contentType,
  };
}

/** The contract that the public document describes. */
export const DOCUMENTED_CONTRACT: Contract = {
  version: 1,
  source: null,
  create: { ...documentedRequest('create'), identifiers: [], duplicate: [], idempotency: null },
  validate: { ...documentedRequest('validate'), verdict: [] },
  hasValidate: true,
  token: {
    path: PATHS.token,
    auth: 'body',
    encoding: 'form',
    extra: {},
    tokenPointer: null,
    lifetimePointer: null,
    lifetimeSeconds: null,
  },
  basePath: '',
  unavailableIsNotActed: false,
  servers: [],
  findings: [],
};
