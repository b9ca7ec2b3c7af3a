import type { Contract, CreateOperation, Operation } from '../model/contract.ts';
import { type Answer, refusal } from './answer.ts';
import { refuseParameters } from './check-parameters.ts';
import { contentDecoder } from './contract-content.ts';
import { likenessOf } from './contract-likeness.ts';
import { refuseExtras, tokenAnswer, tokenDecoder } from './contract-token.ts';
import { DOCUMENTED_INTERFACE } from './documented-interface.ts';
import type { Content } from './request-content.ts';
import { createdAnswer, refusalAnswer, verdictAnswer } from './sample-answers.ts';
import type { ServiceInterface } from './service-interface.ts';

const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;

/**
 * The interface that a contract describes; where it says nothing, the documented one. Throws `SrqError('input')` for a
 * schema that nothing can be checked against.
 */
export function contractInterface(contract: Contract): ServiceInterface {
  const { create, validate, hasValidate, token, basePath } = contract;
  const idempotencyHeader = create.idempotency?.header ?? null;
  const decoders = {
    token: tokenDecoder(token),
    create: contentDecoder(create, 'create', idempotencyHeader),
    validate: contentDecoder(validate, 'validate', null),
  };
  return {
    endpoints: [
      { operation: 'token', method: 'POST', path: token.path },
      { operation: 'create', method: create.method, path: create.path },
      // What the document does not have is not here, either: the rehearsal ends as the first live run would.
      ...(hasValidate ? [{ operation: 'validate', method: validate.method, path: validate.path } as const] : []),
    ],
    basePath,
    // A service that says of no repetition that it is recognised is rehearsed as one that recognises none.
    idempotencyHeader: create.idempotency?.windowSeconds === 0 ? null : idempotencyHeader,
    decode: (operation, call) => decoders[operation](call),
    refuse: (operation, content) => {
      if (operation === 'token') return refuseExtras(token, content);
      if (operation === 'validate') return refuseContent(validate, content);
      return refuseIdempotency(create, content) ?? refuseContent(create, content);
    },
    likeness: likenessOf(contract),
    granted: (granted) => tokenAnswer(token, granted),
    created: (fresh) => createdAnswer(create, fresh) ?? DOCUMENTED_INTERFACE.created(fresh),
    refuseKnown: () => verdictAnswer(create, create.duplicate, 'duplicate'),
    validated: (requestId) =>
      verdictAnswer(validate, validate.verdict, requestId === null ? 'clear' : 'duplicate') ??
      DOCUMENTED_INTERFACE.validated(requestId),
  };
}

function refuseContent(operation: Operation, content: Content): Answer | null {
  if (operation.schema === null && operation.parameters === null) return refuseParameters(content);
  return Object.keys(content.problems).length > 0 ? refusalAnswer(operation, content.problems) : null;
}

/** Demanded unless the contract calls it optional: that it was forgotten shall show here, not in a request sent twice. */
function refuseIdempotency({ idempotency, parameters }: CreateOperation, { params }: Content): Answer | null {
  if (!idempotency) return null;
  const { header, format } = idempotency;
  const value = params[header] ?? '';
  const described = parameters?.find(({ in: place, path }) => place === 'header' && path[0] === header);
  if (value === '' && described?.required === false) return null;
  if (value === '') return refusal(400, 'idempotency_missing', `The header ${header} is missing.`);
  return format === 'uuid' && !UUID.test(value)
    ? refusal(400, 'idempotency_invalid', `The header ${header} must be a UUID.`)
    : null;
}
