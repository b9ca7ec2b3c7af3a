import type { TokenOperation } from '../../request/contract/contract.ts';
import { DOCUMENTED_CONTRACT } from '../../request/contract/public-api.ts';
import { isSuccess } from '../../request/log/outcome.ts';
import type { CachedToken } from '../../request/ports.ts';
import type { ErrorReason } from '../../request/words/error-codes.ts';
import { SrqError } from '../../request/words/errors.ts';
import { type AnswerValue, answerValue, isHtml, textAt } from '../answers/answer-value.ts';
import { readErrorText } from '../answers/error-text.ts';
import type { Answer, Exchange } from '../network/exchange.ts';
import { clientCertificateFailure, failureName, networkFailure } from '../network/network-failure.ts';
import type { Redactor } from '../redaction/redactor.ts';

/** The part of the contract that documents the answer with the token. */
type DocumentedToken = Pick<TokenOperation, 'answer'>;

/**
 * Reads the token of an answer, from its documented place or in any usual shape, and how long it holds: by `expires_in`
 * (RFC 6749, section 5.1). `askedAtMs` is the wall clock before the
 * request. Throws `SrqError('service')` if there is no token.
 */
export function readToken(
  answer: Answer,
  askedAtMs: number,
  { answer: place }: DocumentedToken = DOCUMENTED_CONTRACT.token,
): CachedToken {
  const value = answerValue(answer);
  const found = textsIn(value);
  const [named] = TOKEN_NAMES.flatMap((name) => found.get(name) ?? []);
  const documented = place === null ? undefined : textAt(value, place);
  const accessToken = documented ?? named ?? bareToken(answer, value);
  // A text that cannot be a header value is not a token.
  if (accessToken === null || !/^[\x21-\x7e]+$/.test(accessToken)) {
    throw new SrqError(
      'token.unusable-answer',
      `The token endpoint answered HTTP ${answer.status} without a token${isHtml(answer) ? ' (a web page)' : ''}.`,
      CHECK_BASE_URL,
    );
  }
  // Some services send a lifetime of zero if they give none.
  const lifeMs = (seconds(found.get('expiresin')) ?? 0) * 1000;
  return { accessToken, obtainedAtMs: askedAtMs, expiresAtMs: lifeMs > 0 ? askedAtMs + lifeMs : null };
}

/** Usual names of the token, without case and signs. */
const TOKEN_NAMES = ['accesstoken', 'token', 'bearertoken', 'bearer'];
const MAX_DEPTH = 4;

/** Returns the texts of an answer by their names without case and signs, the outermost of each name. */
function textsIn(value: AnswerValue | undefined): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  let level = [value];
  for (let depth = 0; depth < MAX_DEPTH; depth++) {
    const members = level.flatMap((each) => (typeof each === 'object' && each !== null ? Object.entries(each) : []));
    for (const [name, text] of members) {
      const joined = name.toLowerCase().replace(/[^a-z\d]/g, '');
      if (typeof text === 'string' && text !== '' && !found.has(joined)) found.set(joined, text);
    }
    level = members.map(([, inner]) => inner);
  }
  return found;
}

function bareToken(answer: Answer, value: AnswerValue | undefined): string | null {
  const text = typeof value === 'string' ? value : value === undefined ? answer.body.trim() : '';
  return /^[\w.~+/=-]{16,4096}$/.test(text) ? text : null;
}

const seconds = (text: string | undefined): number | null =>
  text !== undefined && /^\d+(\.\d+)?$/.test(text) ? Number(text) : null;

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

/** Explains why there is no token. */
export function tokenError(exchange: Exchange, sent: Redactor): SrqError {
  const { answer } = exchange;
  if (!answer) {
    const { reason, hint, final } = networkFailure(exchange.error);
    const lost = `The service gave no answer to the token request (${failureName(exchange.error)}).`;
    const message = exchange.written && !final ? lost : reason;
    return new SrqError('service.unreachable', message, `${hint} See where it fails: srq doctor`, exchange.error);
  }
  const certificate = clientCertificateFailure(answer);
  if (certificate) return new SrqError('service.unreachable', certificate.reason, certificate.hint);
  const { status, headers } = answer;
  const [, code, says, hint] = REFUSALS.find(([is]) => is.test(String(status))) ?? WRONG_ADDRESS;
  const said = isSuccess(status) ? null : readErrorText(answer, sent);
  const target = headers['location'] ?? '';
  const parts: Readonly<Record<string, string>> = {
    status: `HTTP ${status}`,
    // The words may be a sentence. Its full stop is removed, because the message continues after it.
    words: said === null ? '' : `: ${said.replace(/\.\s*$/, '')}`,
    to: URL.canParse(target) ? ` to ${new URL(target).host}` : '',
  };
  return new SrqError(
    code,
    says.replace(/\{(\w+)\}/g, (_, part) => parts[part] ?? ''),
    hint,
  );
}

const CHECK_BASE_URL = 'Check the base URL with: srq status. Change it with: srq login --base-url URL';
const NO_REDIRECT =
  'srq never follows redirects, and sends the secret nowhere else. If the service has moved, log in with its new base URL: srq login --base-url URL';
const BROKEN_OFF = 'The answer of the token endpoint broke off ({status}).';
const REFUSED = 'The service refused the credentials ({status}){words}.';
const ANSWERED = 'The token endpoint answered {status}{words}.';
const UNUSABLE = 'token.unusable-answer';

type Refusal = readonly [status: RegExp, code: ErrorReason, says: string, hint: string];

/** What an answer of the token endpoint means that brings no token. RFC 6749, section 5.2, has 400 and 401. */
const REFUSALS: readonly Refusal[] = [
  [/^2/, UNUSABLE, BROKEN_OFF, 'Try again later. See where it fails: srq doctor'],
  [/^3/, UNUSABLE, 'The token endpoint redirects{to} ({status}).', NO_REDIRECT],
  [
    /^40[013]/,
    'auth.refused',
    REFUSED,
    'Check client id and secret; srq status says where they come from. If from the profile, log in again: srq login',
  ],
  [/^(?:408|429|5)/, UNUSABLE, ANSWERED, 'The service has a problem; try again later.'],
];
const WRONG_ADDRESS: Refusal = [
  /^/,
  UNUSABLE,
  ANSWERED,
  'This does not look like the token endpoint. Check the base URL with: srq status',
];
/** Statuses after which asking again may help. */
const TRANSIENT = /^(?:2|408|429|5)/;

/** Creates the error for credentials that go with each request, and that the service refuses. */
export function credentialsRefused(status: number): SrqError {
  return new SrqError(
    'auth.refused',
    `The service refused the credentials (HTTP ${status}).`,
    'Check them with the marketplace, then log in again: srq login    What is sent, and where: srq status',
  );
}

/** Creates the error for a new token that is refused at once. */
export function tokenRefused(): SrqError {
  return new SrqError(
    'auth.token-refused',
    'The service refused a token it had just issued (HTTP 401).',
    'Ask the marketplace whether this client may use the request API, then log in again: srq login',
  );
}
