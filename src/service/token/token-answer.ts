import type { TokenOperation } from '../../request/contract/contract.ts';
import { DOCUMENTED_CONTRACT } from '../../request/contract/public-api.ts';
import { isSuccess } from '../../request/log/outcome.ts';
import type { CachedToken } from '../../request/ports.ts';
import { SrqError } from '../../request/words/errors.ts';
import { type AnswerValue, answerValue, isHtml, scalarsAt } from '../answers/answer-value.ts';
import { readErrorText } from '../answers/error-text.ts';
import type { Answer, Exchange } from '../network/exchange.ts';
import { clientCertificateFailure, failureName, networkFailure } from '../network/network-failure.ts';
import type { Redactor } from '../redaction/redactor.ts';

/** The part of the contract that documents the answer with the token. */
export type DocumentedToken = Pick<TokenOperation, 'tokenPointer' | 'lifetimePointer' | 'lifetimeSeconds'>;

/**
 * Reads the token of an answer, from its documented place or in any usual shape, and the time at which it expires.
 * `askedAtMs` is the wall clock before the request. Throws `SrqError('service')` if there is no token.
 */
export function readToken(
  answer: Answer,
  askedAtMs: number,
  { tokenPointer, lifetimePointer, lifetimeSeconds }: DocumentedToken = DOCUMENTED_CONTRACT.token,
): CachedToken {
  const value = answerValue(answer);
  const found = textsIn(value);
  const textOf = (...names: string[]) =>
    names.map((name) => found.get(name)).find((text) => text !== undefined) ?? null;
  const at = (pointer: string | null) => (pointer === null ? null : (scalarsAt(value, pointer)[0] ?? null));
  const accessToken =
    at(tokenPointer) ?? textOf('accesstoken', 'token', 'bearertoken', 'bearer') ?? bareToken(answer, value);
  // A text that cannot be a header value is not a token.
  if (accessToken === null || !/^[\x21-\x7e]+$/.test(accessToken)) {
    throw new SrqError(
      'token.unusable-answer',
      `The token endpoint answered HTTP ${answer.status} without a token${isHtml(answer) ? ' (a web page)' : ''}.`,
      'Check the base URL with: srq status. Change it with: srq login --base-url URL',
    );
  }
  const documentedMs = secondsMs(at(lifetimePointer));
  const toldMs =
    documentedMs ??
    secondsMs(textOf('expiresin')) ??
    msUntil(textOf('expiresat', 'expiration', 'expires') ?? jwtEnd(accessToken), answer, askedAtMs);
  // Some services send a lifetime of zero if they give none, and a token that is said to have expired may still be
  // valid.
  const lifeMs = toldMs === null || toldMs <= 0 ? lifetimeSeconds && lifetimeSeconds * 1000 : toldMs;
  const expiresAtMs = lifeMs ? askedAtMs + lifeMs : null;
  return { accessToken, obtainedAtMs: askedAtMs, expiresAtMs };
}

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

const secondsMs = (text: string | null): number | null =>
  text !== null && /^\d+(\.\d+)?$/.test(text) ? Number(text) * 1000 : null;

/**
 * Returns the time left until a moment given as a Unix time (seconds or milliseconds) or a date. It is measured by the
 * clock of the service, because the local one may be wrong.
 */
function msUntil(at: string | null, answer: Answer, askedAtMs: number): number | null {
  if (at === null) return null;
  const epoch = /^\d+$/.test(at) ? Number(at) : null;
  const atMs = epoch === null ? Date.parse(at) : epoch > 1e11 ? epoch : epoch * 1000;
  const serviceNowMs = Date.parse(answer.headers['date'] ?? '');
  const leftMs = atMs - (Number.isNaN(serviceNowMs) ? askedAtMs : serviceNowMs);
  return Number.isNaN(leftMs) ? null : leftMs;
}

/**
 * Returns the claim `exp` of a JWT (RFC 7519, section 4.1.4). It is not verified, because it only tells when to ask for
 * the next token.
 */
function jwtEnd(token: string): string | null {
  const payload = /^[\w-]+\.([\w-]+)\.[\w-]*$/.exec(token)?.[1];
  if (payload === undefined) return null;
  return /"exp"\s*:\s*(\d+)/.exec(Buffer.from(payload, 'base64url').toString('utf8'))?.[1] ?? null;
}

/**
 * Tells whether the answer may lack the end of the token. JSON that can be read has its end, whatever a service says of
 * the length.
 */
export function isCut(answer: Answer): boolean {
  return !answer.complete && typeof answerValue(answer) !== 'object';
}

/** Explains why there is no token. `isTransient` means that asking again may help. */
export function tokenError(exchange: Exchange, sent: Redactor): { error: SrqError; isTransient: boolean } {
  if (!exchange.answer) {
    const { reason, hint, final } = networkFailure(exchange.error);
    const lost = `The service gave no answer to the token request (${failureName(exchange.error)}).`;
    const message = exchange.written && !final ? lost : reason;
    const next = `${hint} See where it fails: srq doctor`;
    return { error: new SrqError('service.unreachable', message, next, exchange.error), isTransient: !final };
  }
  const certificate = clientCertificateFailure(exchange.answer);
  if (certificate) {
    return { error: new SrqError('service.unreachable', certificate.reason, certificate.hint), isTransient: false };
  }
  const { status } = exchange.answer;
  if (isSuccess(status)) {
    const message = `The answer of the token endpoint broke off (HTTP ${status}).`;
    const hint = 'Try again later. See where it fails: srq doctor';
    return { error: new SrqError('token.unusable-answer', message, hint), isTransient: true };
  }
  const said = readErrorText(exchange.answer, sent);
  // The words may be a sentence. Its full stop is removed, because the message continues after it.
  const words = said === null ? '' : `: ${said.replace(/\.\s*$/, '')}`;
  if (status === 400 || status === 401 || status === 403) {
    const hint = 'Check client id and secret, then log in again: srq login';
    return {
      error: new SrqError('auth.refused', `The service refused the credentials (HTTP ${status})${words}.`, hint),
      isTransient: false,
    };
  }
  if (status >= 300 && status <= 399) {
    const target = exchange.answer.headers['location'] ?? '';
    const host = URL.canParse(target) ? ` to ${new URL(target).host}` : '';
    const hint =
      'srq never follows redirects, and sends the secret nowhere else. If the service has moved, log in with its new base URL: srq login --base-url URL';
    return {
      error: new SrqError('token.unusable-answer', `The token endpoint redirects${host} (HTTP ${status}).`, hint),
      isTransient: false,
    };
  }
  const isTransient = status === 408 || status === 429 || status >= 500;
  const hint = isTransient
    ? 'The service has a problem; try again later.'
    : 'This does not look like the token endpoint. Check the base URL with: srq status';
  return {
    error: new SrqError('token.unusable-answer', `The token endpoint answered HTTP ${status}${words}.`, hint),
    isTransient,
  };
}

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
