import type { VerdictRule } from '../model/contract.ts';
import type { ErrorCode } from '../model/errors.ts';
import type { Verdict } from '../model/ports.ts';
import { isHtml } from './answer-value.ts';
import type { Answer, Exchange } from './exchange.ts';
import { failureName, networkFailure } from './network-failure.ts';
import { asksToWait } from './retry.ts';
import { errorSaysDuplicate, saidRefused, saidVerdict } from './verdict.ts';
import { ruledVerdict } from './verdict-rules.ts';

/**
 * What an exchange on `create` tells about the request.
 *
 * - `not-acted`: the service certainly did nothing with it.
 * - `doubt`: it may have acted. Never sent again on the strength of this.
 */
export type Class = 'created' | 'duplicate' | 'rejected' | 'not-acted' | 'doubt';

/** What follows: record it as the row's end, send again (paced), get a new token first, or end the run. */
export type Next = 'record' | 'again' | 'new-token' | 'stop';

export interface Meaning {
  readonly class: Class;
  readonly next: Next;
  /** One sentence for a person. */
  readonly reason: string;
  /** With `stop`: how the command ends, and what to do. */
  readonly stop: { readonly code: ErrorCode; readonly hint: string } | null;
}

/** What the service's description says of the answers of create. */
export interface DocumentedAnswers {
  readonly duplicate: readonly VerdictRule[];
  /** 503 with Retry-After certainly means: not acted on. */
  readonly unavailableIsNotActed: boolean;
}

const NOTHING_DOCUMENTED: DocumentedAnswers = { duplicate: [], unavailableIsNotActed: false };

/** Decided by position first (did the request reach the socket?), then by status. Never by error code alone. */
export function classifyCreate(exchange: Exchange, documented: DocumentedAnswers = NOTHING_DOCUMENTED): Meaning {
  if (exchange.answer) return classifyAnswer(exchange.answer, documented);
  if (exchange.written) {
    return doubt(
      `The line failed after the request was written (${failureName(exchange.error)}); it may have been taken.`,
    );
  }
  return classifyUnsent(exchange.error);
}

/** A failure before the first byte was written: nothing can have happened at the service. */
function classifyUnsent(error: Error): Meaning {
  const { reason, hint, final } = networkFailure(error);
  if (final) return stop('not-acted', 'unreachable', reason, hint);
  return { class: 'not-acted', next: 'again', reason, stop: null };
}

function classifyAnswer(answer: Answer, { duplicate, unavailableIsNotActed }: DocumentedAnswers): Meaning {
  const { status } = answer;
  const verdict = status < 500 ? ruledVerdict(answer, duplicate) : null;
  if (verdict === 'duplicate')
    return record('duplicate', `The service says that it has this request already (HTTP ${status}).`);
  if (status >= 200 && status <= 299) return classifySuccess(answer, verdict);
  if (REJECTING.has(status)) return record('rejected', `The service refused the request (HTTP ${status}).`);
  if (WRONG_ENDPOINT.has(status)) return stop('not-acted', 'service', ...wrongUrl(status));
  if (MOVED.has(status)) return stop('not-acted', 'service', ...redirected(answer));
  if (status === 302 || status === 303) return stop('doubt', 'service', ...redirected(answer));
  if (status === 401)
    return { class: 'not-acted', next: 'new-token', reason: 'The token was refused (HTTP 401).', stop: null };
  if (status === 403) return record('rejected', 'The service denied this request (HTTP 403).');
  if (status === 429)
    return { class: 'not-acted', next: 'again', reason: 'The service asked to slow down (HTTP 429).', stop: null };
  if (status === 409) {
    return errorSaysDuplicate(answer)
      ? record('duplicate', 'The service says that it has this request already (HTTP 409).')
      : doubt('The service reported a conflict (HTTP 409) without saying whether it took the request.');
  }
  if (status === 503 && unavailableIsNotActed && asksToWait(answer))
    return { class: 'not-acted', next: 'again', reason: 'The service is not available (HTTP 503).', stop: null };
  return doubt(`The service answered HTTP ${status}, which a proxy may also answer after the service acted.`);
}

const REJECTING = new Set([400, 411, 413, 414, 415, 422, 431, 451]);
const WRONG_ENDPOINT = new Set([404, 405, 410, 501]);
const MOVED = new Set([301, 307, 308]);

function classifySuccess(answer: Answer, verdict: Verdict | null): Meaning {
  if (isHtml(answer))
    return record('created', 'The service answered with a web page instead of data: check the base URL.');
  if ((verdict ?? saidVerdict(answer)) === 'duplicate')
    return record('duplicate', 'The service says that it has this request already.');
  if (saidRefused(answer))
    return record('rejected', `The service answered HTTP ${answer.status} and refused the request.`);
  return record('created', 'The service took the request.');
}

function wrongUrl(status: number): [string, string] {
  const hint = 'Check the base URL with: srq status. Change it with: srq login --base-url URL';
  return [`The service does not know this address (HTTP ${status}).`, hint];
}

function redirected(answer: Answer): [string, string] {
  const target = answer.headers['location'];
  const host = target && URL.canParse(target) ? ` to ${new URL(target).host}` : '';
  const hint =
    'srq never follows redirects. If the service has moved, log in with its new address: srq login --base-url URL';
  return [`The service redirects (HTTP ${answer.status})${host}.`, hint];
}

function record(of: Class, reason: string): Meaning {
  return { class: of, next: 'record', reason, stop: null };
}

function doubt(reason: string): Meaning {
  return record('doubt', reason);
}

function stop(of: Class, code: ErrorCode, reason: string, hint: string): Meaning {
  return { class: of, next: 'stop', reason, stop: { code, hint } };
}
