import type { Json, Pointer } from '../../request/contract/contract.ts';
import { isSuccess } from '../../request/log/outcome.ts';
import type { CachedToken } from '../../request/ports.ts';
import { SrqError, shellWord } from '../../request/words/errors.ts';
import { answerValue, isHtml, textAt } from '../answers/answer-value.ts';
import { hostOf } from '../answers/classify.ts';
import { readErrorText } from '../answers/error-text.ts';
import type { Answer, Exchange } from '../network/exchange.ts';
import { CHECK_BASE_URL, failureName, networkFailure } from '../network/network-failure.ts';
import type { Redactor } from '../redaction/redactor.ts';

/**
 * Reads the token of an answer, from its documented place if there is one or in any usual shape, and how long it holds: by
 * `expires_in` (RFC 6749, section 5.1). `askedAtMs` is the wall clock before the request. Throws `SrqError('service')` if there
 * is no token.
 */
export function readToken(answer: Answer, askedAtMs: number, place: Pointer | null): CachedToken {
  const value = answerValue(answer);
  // The outermost text of each name comes last, and so remains.
  const found = new Map(textsIn(value).toReversed());
  const [named] = TOKEN_NAMES.flatMap((name) => found.get(name) ?? []);
  const documented = place === null ? null : textAt(value, place);
  const accessToken = documented ?? named ?? bareToken(answer, value);
  // A text that cannot be a header value is not a token.
  if (accessToken === null || !/^[\x21-\x7e]+$/.test(accessToken)) {
    throw new SrqError(
      'token.unusable-answer',
      `The token endpoint answered HTTP ${answer.status} without a token${isHtml(answer) ? ' (a web page)' : ''}.`,
      CHECK_BASE_URL,
    );
  }
  // Some services send a lifetime of zero if they give none, or one beyond all dates for a token that does not end.
  const life = found.get('expiresin') ?? '';
  const lifeMs = /^\d+(\.\d+)?$/.test(life) ? Number(life) * 1000 : 0;
  const isLife = lifeMs > 0 && lifeMs < MAX_LIFE_MS;
  return { accessToken, obtainedAtMs: askedAtMs, expiresAtMs: isLife ? askedAtMs + lifeMs : null };
}

/** Ten thousand years. No date is later than 275760-09-13. */
const MAX_LIFE_MS = 10_000 * 365 * 86_400_000;

/** Usual names of the token, without case and signs. */
const TOKEN_NAMES = ['accesstoken', 'token', 'bearertoken', 'bearer'];

const MAX_DEPTH = 4;

/** Lists the texts of an answer by their names without case and signs, the outermost first. */
function textsIn(value: Json | undefined, depth = MAX_DEPTH): (readonly [name: string, text: string])[] {
  if (typeof value !== 'object' || value === null || depth === 0) return [];
  const texts = Object.entries(value).flatMap(([name, each]) =>
    typeof each === 'string' && each !== '' ? [[name.toLowerCase().replace(/[^a-z\d]/g, ''), each] as const] : [],
  );
  return [...texts, ...Object.values(value).flatMap((each) => textsIn(each, depth - 1))];
}

function bareToken(answer: Answer, value: Json | undefined): string | null {
  const text = typeof value === 'string' ? value : value === undefined ? answer.body.trim() : '';
  return /^[\w.~+/=-]{16,4096}$/.test(text) ? text : null;
}

/**
 * Tells whether the answer may lack the end of the token. JSON that can be read has its end, whatever a service says of
 * the length.
 */
export function isCut(answer: Answer): boolean {
  return !answer.complete && typeof answerValue(answer) !== 'object';
}

/** Tells whether asking again may help. It words no message, because only the last answer is reported. */
export function mayComeLater({ answer, error }: Exchange): boolean {
  return answer ? TRANSIENT.test(String(answer.status)) : !networkFailure(error).final;
}

/** Explains why there is no token. `servers` are those that may be meant in place of the one that was asked. */
export function tokenError(exchange: Exchange, sent: Redactor, servers: readonly string[] = []): SrqError {
  const { answer } = exchange;
  if (!answer) {
    const { reason, hint, final } = networkFailure(exchange.error);
    const lost = `The service gave no answer to the token request (${failureName(exchange.error)}).`;
    const message = exchange.written && !final ? lost : reason;
    return new SrqError('service.unreachable', message, `${hint} See where it fails: srq doctor`, exchange.error);
  }
  const unusable = (message: string, hint: string) => new SrqError('token.unusable-answer', message, hint);
  const { status, headers } = answer;
  const at = `HTTP ${status}`;
  if (isSuccess(status))
    return unusable(
      `The answer of the token endpoint broke off (${at}).`,
      'Try again later. See where it fails: srq doctor',
    );
  if (status < 400) return unusable(`The token endpoint redirects${hostOf(headers['location'])} (${at}).`, NO_REDIRECT);
  // The words may be a sentence. Its full stop is removed, because the message continues after it.
  const said = readErrorText(answer, sent)?.replace(/\.\s*$/, '');
  const words = said === undefined ? '' : `: ${said}`;
  // RFC 6749, section 5.2, has 400 for wrong credentials and for whatever else the token request lacks.
  if (status === 400)
    return new SrqError('auth.refused', `The service refused the token request (${at})${words}.`, LEARN_TOKEN);
  if (status === 401 || status === 403)
    return new SrqError('auth.refused', `The service refused the credentials (${at})${words}.`, CHECK_CREDENTIALS);
  const noEndpoint = servers.length > 0 ? otherServer(servers) : NO_ENDPOINT;
  const hint = TRANSIENT.test(String(status)) ? 'The service has a problem; try again later.' : noEndpoint;
  return unusable(`The token endpoint answered ${at}${words}.`, hint);
}

const NO_REDIRECT =
  'srq never follows redirects, and sends the secret nowhere else. If the service has moved, log in with its new base URL: srq login --base-url URL';
const CHECK_CREDENTIALS =
  'Check client id and secret. srq status says where they come from; if from the profile, log in again: srq login';
const LEARN_TOKEN =
  'Check client id and secret. If they are right, the token request may lack what this service wants: a scope, an audience, or the credentials in another way. srq learns that from the API description of the service, or from "token:" on the page of it: srq contract learn FILE    Then log in again: srq login';
const NO_ENDPOINT =
  'This does not look like the token endpoint. Check the base URL. If tokens come from another address, srq learns it from the API description of the service: srq contract learn FILE';
const otherServer = (servers: readonly string[]): string =>
  `This does not look like the token endpoint. The API description names another base URL: ${servers.slice(0, 3).join(' or ')}. If it is yours: srq login --base-url ${shellWord(servers[0] ?? 'URL')}`;
/** Statuses after which asking again may help. */
const TRANSIENT = /^(?:2|408|429|5)/;

/** Creates the error for a new token that is refused at once. */
export function tokenRefused(): SrqError {
  return new SrqError(
    'auth.token-refused',
    'The service refused a token it had just issued (HTTP 401).',
    'Ask the marketplace whether this client may use the request API, then log in again: srq login',
  );
}
