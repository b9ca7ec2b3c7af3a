import type { VerdictRule } from '../../request/contract.ts';
import type { ErrorReason } from '../../request/error-codes.ts';
import { isSuccess } from '../../request/outcome.ts';
import type { Verdict } from '../../request/ports.ts';
import type { Answer, Exchange } from '../network/exchange.ts';
import { failureName, networkFailure } from '../network/network-failure.ts';
import { asksToWait } from '../pacing/retry.ts';
import { readableKind } from './answer-value.ts';
import type { Creation } from './creation.ts';
import { reportsDuplicate, reportsOtherError, ruledVerdict, statedVerdict } from './verdict.ts';

/**
 * The conclusion from an exchange on `create` about the request.
 *
 * - `not-acted`: the service certainly did nothing with it.
 * - `doubt`: the service may have acted. The request is never sent again on the strength of this.
 */
export type ExchangeClass = 'created' | 'duplicate' | 'rejected' | 'not-acted' | 'doubt';

/** The next step: record the class as the row's end, send again (paced), or end the run. */
export type NextStep = 'record' | 'again' | 'stop';

export interface CreateMeaning {
  readonly class: ExchangeClass;
  readonly next: NextStep;
  /** The reason for the class, in one sentence for a person. */
  readonly reason: string;
  /** How the command ends and what the user can do. Set only if `next` is `stop`. */
  readonly stop: { readonly reason: ErrorReason; readonly hint: string } | null;
  /** What an answer of success proves, or null for any other answer. */
  readonly creation: Creation | null;
}

/** Knowledge about the service's answers to `create` that is needed to read one of them. */
export interface KnownOfCreate {
  /** Rules of the service's description by which `create` itself reports a duplicate. */
  readonly duplicate: readonly VerdictRule[];
  /** Whether a 503 with Retry-After certainly means that the service did not act. */
  readonly unavailableIsNotActed: boolean;
  /** Judges an answer of success that does not report a duplicate. */
  readonly judge: (answer: Answer) => Creation;
}

/**
 * Classifies an exchange on `create`, first by whether the request reached the socket, then by the status. The error
 * code alone never decides.
 */
export function classifyCreate(exchange: Exchange, knowledge: KnownOfCreate): CreateMeaning {
  if (exchange.answer) return classifyAnswer(exchange.answer, knowledge);
  if (exchange.written) {
    return doubt(
      `The connection failed after the request was sent (${failureName(exchange.error)}); it may have been taken.`,
    );
  }
  return classifyUnsent(exchange.error);
}

/** Classifies a failure before the first byte was written, after which nothing can have happened at the service. */
function classifyUnsent(error: Error): CreateMeaning {
  const { reason, hint, final } = networkFailure(error);
  if (final) return stop('not-acted', 'service.unreachable', reason, hint);
  return again(reason);
}

function classifyAnswer(answer: Answer, knowledge: KnownOfCreate): CreateMeaning {
  const { status } = answer;
  const { duplicate, unavailableIsNotActed } = knowledge;
  const verdict = status < 500 ? ruledVerdict(answer, duplicate) : null;
  if (isSuccess(status)) return classifySuccess(answer, verdict, knowledge);
  if (verdict === 'duplicate')
    return record('duplicate', `The service says that it has this request already (HTTP ${status}).`);
  if (REJECTING.has(status)) return record('rejected', `The service refused the request (HTTP ${status}).`);
  if (WRONG_ENDPOINT.has(status)) return stop('not-acted', 'service.wrong-address', ...wrongUrl(status));
  if (MOVED.has(status)) return stop('not-acted', 'service.redirects', ...redirected(answer));
  if (status === 302 || status === 303) return stop('doubt', 'service.redirects', ...redirected(answer));
  // The client replaces refused credentials, or gives up, before it asks what the answer means.
  if (status === 401) return record('not-acted', 'The token was refused (HTTP 401).');
  if (status === 403) return record('rejected', 'The service denied this request (HTTP 403).');
  if (status === 429) return again('The service asked to slow down (HTTP 429).');
  if (status === 409) {
    return reportsDuplicate(answer)
      ? record('duplicate', 'The service says that it has this request already (HTTP 409).')
      : doubt('The service reported a conflict (HTTP 409) without saying whether it took the request.');
  }
  if (status === 503 && unavailableIsNotActed && asksToWait(answer))
    return again('The service is not available (HTTP 503).');
  return doubt(`The service answered HTTP ${status}, which a proxy may also answer after the service acted.`);
}

const REJECTING = new Set([400, 411, 413, 414, 415, 422, 431, 451]);
const WRONG_ENDPOINT = new Set([404, 405, 410, 501]);
const MOVED = new Set([301, 307, 308]);

/**
 * Classifies an answer of success, which ends a row only with proof. An answer that reports a duplicate beside an error
 * about something else contradicts itself, and is not taken as a duplicate.
 */
function classifySuccess(answer: Answer, verdict: Verdict | null, { judge }: KnownOfCreate): CreateMeaning {
  const isToldAsDuplicate = (verdict ?? statedVerdict(answer)) === 'duplicate';
  if (isToldAsDuplicate && readableKind(answer) !== null && !reportsOtherError(answer))
    return record('duplicate', 'The service says that it has this request already.');
  const creation = judge(answer);
  if (creation.is === 'taken') return { ...record('created', 'The service took the request.'), creation };
  if (creation.is === 'refused')
    return { ...record('rejected', `The service answered HTTP ${answer.status} and refused the request.`), creation };
  return { ...doubt(unprovenReason(answer, creation)), creation };
}

function unprovenReason({ status }: Answer, { form, isDenied }: Extract<Creation, { is: 'unproven' }>): string {
  if (form === null) return `The service answered HTTP ${status} with a page, or with an answer that cannot be read.`;
  if (isDenied) return `The service answered HTTP ${status}, and that the request was not taken.`;
  return `The service answered HTTP ${status}, but nothing in its answer proves that it took the request.`;
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

function record(of: ExchangeClass, reason: string): CreateMeaning {
  return { class: of, next: 'record', reason, stop: null, creation: null };
}

function again(reason: string): CreateMeaning {
  return { ...record('not-acted', reason), next: 'again' };
}

function doubt(reason: string): CreateMeaning {
  return record('doubt', reason);
}

function stop(of: ExchangeClass, code: ErrorReason, reason: string, hint: string): CreateMeaning {
  return { ...record(of, reason), next: 'stop', stop: { reason: code, hint } };
}
