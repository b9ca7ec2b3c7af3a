import type { ServiceRequest } from '../../src/request/lead/service-request.ts';
import type { Outcome } from '../../src/request/log/outcome.ts';
import type {
  AnswerForm,
  CreateResult,
  Look,
  MarketplaceApi,
  UnprovenAnswer,
  ValidateResult,
  Verdict,
} from '../../src/request/ports.ts';

const formOf = (text: string): AnswerForm => ({ text: () => text });

/** Returns an answer of validate. All answers with one verdict have the same form. */
export function validated(verdict: Verdict, changes: Partial<ValidateResult> = {}): ValidateResult {
  return {
    ...{ verdict, form: formOf(verdict), ids: {}, http: 200, message: null, refused: null, raw: null },
    ...changes,
  };
}

/** Returns the result of a create. Unless it is given, the answer has no identifier, no status and no message. */
export function answered(
  outcome: Pick<Outcome, 'status'> & Partial<Outcome>,
  changes: Partial<CreateResult> = {},
): CreateResult {
  return {
    outcome: { ids: {}, http: null, message: null, raw: null, ms: 1, ...outcome },
    ...{ stop: null, unproven: null, sameAs: null },
    ...changes,
  };
}

/** Returns an answer to create that proves nothing. */
export function unprovenAnswer(changes: Partial<UnprovenAnswer> = {}): UnprovenAnswer {
  return { text: '200 {"ok":true}', form: formOf('200 ok'), http: 200, ids: {}, isBelieved: false, ...changes };
}

/**
 * Returns a service of which a test gives only what matters to it. By default validate calls every request clear, create
 * sends and answers 201 with an identifier of its own, and what cannot exist has another text.
 */
export function fakeApi(given: Partial<MarketplaceApi> = {}): MarketplaceApi {
  let creates = 0;
  const validate = given.validate ?? (async () => validated('clear'));
  return {
    validate,
    create: async (_, intend) => {
      if (!(await intend())) return null;
      return answered({ status: 'created', ids: { id: String(++creates) }, http: 201 });
    },
    prove: async (request, _, { http, ids }) =>
      (await validate(request)).verdict === 'duplicate' ? answered({ status: 'created', http, ids }) : null,
    look: async (request) => {
      const { verdict, form } = await validate(request);
      return { verdict, form };
    },
    invented: (request, { customer, text }) => renamed(request, `Nobody ${customer} ${text}`),
    tellApart: (clear, duplicate) => {
      const areAll = (looks: readonly Look[], verdict: Verdict) => looks.every((look) => look.verdict === verdict);
      return areAll(clear, 'clear') && areAll(duplicate, 'duplicate') ? ({ verdict }) => verdict : null;
    },
    ...{ idempotencyWindowMs: null, wireForm: null, slowDown: () => {}, noteSent: () => {} },
    ...given,
  };
}

function renamed(request: ServiceRequest, prefix: string): ServiceRequest {
  return { ...request, params: { ...request.params, request_text: `${prefix} ${request.params['request_text']}` } };
}
