import { carriesRequest, OPERATION_NAMES, OPERATIONS } from '../../request/contract/operations.ts';
import { AUDIO_PARAMETER } from '../../request/contract/wire.ts';
import { MARKETS } from '../../request/lead/markets.ts';
import { jsonAnswer, rawJson, type SandboxAnswer } from '../messages/answer.ts';
import { decodeContent, type RequestContent } from './request-content.ts';
import type { ServiceInterface } from './service-interface.ts';

/** The interface of the public document. Whatever the document does not show is as usual for such services. */
export const DOCUMENTED_INTERFACE: ServiceInterface = {
  endpoints: OPERATION_NAMES.map((operation) => {
    const { method, path } = OPERATIONS[operation];
    return { operation, method, path };
  }),
  basePath: '',
  idempotencyHeader: null,
  callers: null,
  decode: (operation, { headers, body }) =>
    decodeContent(headers['content-type'], body, OPERATIONS[operation].encodings),
  refuse: (operation, content) => (carriesRequest(operation) ? refuseParameters(content) : null),
  likeness: (_operation, content) => content.key,
  granted: ({ accessToken, expiresInSeconds }) =>
    jsonAnswer(200, { access_token: accessToken, token_type: 'Bearer', expires_in: expiresInSeconds }),
  created: ({ requestId, sequence }) => {
    const reference = `SR-${String(sequence).padStart(8, '0')}`;
    return {
      answer: rawJson(201, `{"request_id":${requestId},"reference":"${reference}","status":"received"}`),
      requestId,
    };
  },
  refuseKnown: () => null,
  validated: (requestId) =>
    rawJson(200, requestId === null ? '{"duplicate":false}' : `{"duplicate":true,"request_id":${requestId}}`),
};

const MARKET_CODES: readonly string[] = MARKETS.map((market) => market.code);
const INTERNATIONAL_PHONE = /^\+[0-9][0-9 ().-]{4,24}$/;
const EMAIL = /^[^\s@]+@[^\s@]+$/;
const LANGUAGE = /^[a-z]{2,3}([-_][a-z0-9]{2,8})*$/i;

/**
 * Returns a 422 with the problems by parameter, or null if there are none. The API's document does not say what is
 * required. The sandbox demands the minimum of a request: a market, what is needed (text or audio), and a way to reach
 * the customer.
 */
export function refuseParameters(content: RequestContent): SandboxAnswer | null {
  const problems = Object.entries({ ...findProblems(content), ...content.problems });
  if (problems.length === 0) return null;
  return jsonAnswer(422, {
    error: 'validation_failed',
    message: 'The request was not accepted. See errors.',
    errors: Object.fromEntries(problems.map(([name, problem]) => [name, [problem]])),
  });
}

function findProblems({ params, audio }: RequestContent): Record<string, string> {
  const given = (name: string): string => params[name]?.trim() ?? '';
  const problems: Record<string, string> = {};
  if (!MARKET_CODES.includes(given('country'))) problems['country'] = `must be one of ${MARKET_CODES.join(', ')}`;
  if (given('lang') && !LANGUAGE.test(given('lang'))) problems['lang'] = 'must be a language code';
  if (!given('email') && !given('phone')) problems['email'] = 'is required unless phone is given';
  if (given('email') && !EMAIL.test(given('email'))) problems['email'] = 'must be an e-mail address';
  if (given('phone') && !INTERNATIONAL_PHONE.test(given('phone'))) {
    problems['phone'] = 'must be in international format with a leading plus';
  }
  if (!given('request_text') && !audio) problems['request_text'] = `is required unless ${AUDIO_PARAMETER} is given`;
  if (given('request_text') && audio) problems[AUDIO_PARAMETER] = 'is sent instead of request_text, not with it';
  return problems;
}
