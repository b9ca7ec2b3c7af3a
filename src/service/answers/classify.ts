import { isSuccess } from '../../request/log/outcome.ts';
import type { ErrorReason } from '../../request/words/error-codes.ts';
import { SrqError } from '../../request/words/errors.ts';
import type { Answer, Exchange } from '../network/exchange.ts';
import { CHECK_BASE_URL, failureName, networkFailure } from '../network/network-failure.ts';

/** The conclusion from an exchange on `create` about the request. */
export interface CreateMeaning {
  /** `failed` means that the service did nothing with it. What is `unknown` is never sent again on the strength of this. */
  readonly status: 'created' | 'rejected' | 'failed' | 'unknown';
  /** Record the status as the row's end, send again (paced), send again with a new token, or end the run. */
  readonly next: 'record' | 'again' | 'renew' | 'stop';
  /** The reason for the status, in one sentence for a person. */
  readonly reason: string;
  /** Why further calls are pointless. Set only if `next` is `stop`. */
  readonly stop: SrqError | null;
}

/** What an answer means by comparison with earlier ones, or by a person's word. Null if neither tells. */
export type ComparedMeaning = 'created' | 'rejected' | null;

/** What is known of an answer before its status is read. */
export interface KnownOfAnswer {
  readonly compared: ComparedMeaning;
  /** Whether it names the request, as an answer does that took it. */
  readonly namesRequest: boolean;
  /** Whether the service has taken requests before, so that its address is right. */
  readonly isFamiliar: boolean;
}

/**
 * Classifies an exchange, first by whether the request reached the socket, then by the status. A success, and a 409, mean
 * what the comparison says, and nothing else. A refusal that names the request contradicts itself. With any other 4xx,
 * refused credentials (401, 403) among them, the service has not acted. After 408, 409 and statuses not listed here it may
 * have.
 */
export function classifyCreate(exchange: Exchange, known: KnownOfAnswer): CreateMeaning {
  if (exchange.answer) return classifyAnswer(exchange.answer, known);
  if (exchange.written) {
    return unknown(
      `The connection failed after the request was sent (${failureName(exchange.error)}); it may have been taken.`,
    );
  }
  const { reason, hint, final } = networkFailure(exchange.error);
  return final ? stop('failed', 'service.unreachable', reason, hint) : again(reason);
}

function classifyAnswer(answer: Answer, { compared, namesRequest, isFamiliar }: KnownOfAnswer): CreateMeaning {
  const { status } = answer;
  if (compared === 'created') return record(compared, 'The service took the request.');
  if (compared === 'rejected') return record(compared, `The service answered HTTP ${status} and refused the request.`);
  if (isSuccess(status) && !answer.complete)
    return unknown(`The answer broke off after its status (HTTP ${status}); the request may have been taken.`);
  if (isSuccess(status) || status === 409)
    return unknown(`The service answered HTTP ${status}, and srq does not know yet what that means.`);
  if (namesRequest) return unknown(`The service answered HTTP ${status}, but named the request as if it had taken it.`);
  // "No provider there" may be a 404 as well.
  const isOfRow = REJECTING.has(status) || (isFamiliar && (status === 404 || status === 410));
  if (isOfRow) return record('rejected', `The service refused the request (HTTP ${status}).`);
  const wrong = `The service does not know this address (HTTP ${status}).`;
  if (WRONG_ENDPOINT.has(status)) return stop('failed', 'service.wrong-address', wrong, CHECK_BASE_URL);
  if (MOVED.has(status)) return stop('failed', 'service.redirects', ...redirected(answer));
  // It may be the way to a page of thanks.
  if (status === 302 || status === 303) return stop('unknown', 'answer.unproven', ...redirected(answer, LOOK_UP));
  if (status === 401) return { ...record('failed', 'The token was refused (HTTP 401).'), next: 'renew' };
  if (status === 403 && isFamiliar) return record('rejected', 'The service denied this request (HTTP 403).');
  // A service that has taken nothing yet denies the client, and no data.
  if (status === 403) return stop('failed', 'auth.denied', ...DENIED);
  if (status === 429) return again('The service asked to slow down (HTTP 429).');
  return unknown(`The service answered HTTP ${status}. A proxy may answer that even after the service has acted.`);
}

const REJECTING = new Set([400, 411, 413, 414, 415, 422, 431, 451]);
const WRONG_ENDPOINT = new Set([404, 405, 410, 501]);
const MOVED = new Set([301, 307, 308]);

/** What a service says that refuses the client, and what to do about it. */
const DENIED = [
  'The service denies these requests (HTTP 403).',
  'Check the credentials (srq status), and ask the marketplace whether this client may create requests in these markets. Then run the same command again.',
] as const;

const LOOK_UP = '. First look the request up at the service, and record what you found: srq resolve';

/** Says where a redirect leads, after other words. */
export const hostOf = (target = ''): string => (URL.canParse(target) ? ` to ${new URL(target).host}` : '');

function redirected(answer: Answer, also = ''): [string, string] {
  const hint = `srq never follows redirects. If the service has moved, log in with its new address: srq login --base-url URL${also}`;
  return [`The service redirects (HTTP ${answer.status})${hostOf(answer.headers['location'])}.`, hint];
}

function record(status: CreateMeaning['status'], reason: string): CreateMeaning {
  return { status, next: 'record', reason, stop: null };
}

function again(reason: string): CreateMeaning {
  return { ...record('failed', reason), next: 'again' };
}

function unknown(reason: string): CreateMeaning {
  return record('unknown', reason);
}

function stop(status: CreateMeaning['status'], code: ErrorReason, reason: string, hint: string): CreateMeaning {
  return { ...record(status, reason), next: 'stop', stop: new SrqError(code, reason, hint) };
}
