import type { ErrorReason } from '../words/error-codes.ts';
import type { FindingCode } from '../words/finding.ts';
import type { SentStatus, Status } from './status.ts';

/** Identifiers by name, exactly as received. They are text, so 12345678901234567890 is not rounded. */
export type Identifiers = Readonly<Record<string, string>>;

/** Returns the identifier that the service names first, or an empty text. All identifiers are in the log. */
export function mainIdentifier(ids: Identifiers): string {
  return Object.values(ids)[0] ?? '';
}

/** The outcome of sending one request. */
export interface Outcome {
  readonly status: SentStatus;
  readonly ids: Identifiers;
  /** HTTP status, or null if the API did not answer. */
  readonly http: number | null;
  /** One sentence for a person that gives the reason and says what to do. It contains no personal data. */
  readonly message: string | null;
  /**
   * The answer itself, only if no identifier could be read from it. Sent values are redacted, and it has at most 2 KiB.
   */
  readonly raw: string | null;
  /** Time until the API's answer, in milliseconds. */
  readonly ms: number | null;
}

/** Builds an outcome. What is not given is not known. */
export function outcomeOf<S extends SentStatus>(status: S, message: string | null, more: Partial<Outcome> = {}) {
  return { ids: {}, http: null, raw: null, ms: null, ...more, status, message };
}

/** The stable code of why a row is invalid, rejected, failed or unknown: that of a finding, or of an error. */
export type RowReason = ErrorReason | FindingCode;

/**
 * Returns why a request that was handed to the service was not taken, or may not have been. It follows from the status
 * and the answer alone, so that logs of all ages and kinds tell the same. Null if nothing is wrong with the request.
 */
export function reasonOf({ status, http }: Pick<RowResult, 'status' | 'http'>): ErrorReason | null {
  if (status === 'rejected')
    return http === null ? 'request.refused-here' : http === 403 ? 'request.denied' : 'request.rejected';
  if (status === 'unknown') return isSuccess(http) ? 'answer.unproven' : 'request.in-doubt';
  if (status !== 'failed') return null;
  if (http === null) return 'request.not-sent';
  return isSuccess(http) ? 'service.no-verdict' : (FAILED[http] ?? 'service.failed');
}

const FAILED: Readonly<Record<number, ErrorReason>> = {
  ...{ 301: 'service.redirects', 307: 'service.redirects', 308: 'service.redirects' },
  ...{ 401: 'auth.token-refused', 403: 'auth.denied' },
  ...{ 404: 'service.wrong-address', 405: 'service.wrong-address', 410: 'service.wrong-address' },
  ...{ 429: 'service.busy', 501: 'service.wrong-address', 503: 'service.busy' },
};

/** Tells whether an HTTP status is one of success. */
export function isSuccess(http: number | null): boolean {
  return http !== null && http >= 200 && http <= 299;
}

/** Numbers of rows by the code of their reason. */
export type ReasonCounts = { [Reason in RowReason]?: number };

/** Counts a row. One that has no reason is not counted. */
export function countReason(counts: ReasonCounts, reason: RowReason | null): void {
  if (reason !== null) counts[reason] = (counts[reason] ?? 0) + 1;
}

/** The final result of one row. */
export interface RowResult {
  /** The number of the row, from 1 on. */
  readonly row: number;
  /** The outcome of the row: `created`, `duplicate`, `repeated`, `invalid`, `rejected`, `failed` or `unknown`. */
  readonly status: Status;
  /** The caller's own reference. */
  readonly ref: string | null;
  /** The key under which the log knows the request, or null if the row is invalid. */
  readonly key: string | null;
  /** The identifiers that the service gave, as text. */
  readonly ids: Identifiers;
  /** HTTP status of the answer, or null if no answer was received in this run. */
  readonly http: number | null;
  /** One sentence for a person that gives the reason, or null. */
  readonly message: string | null;
  /** The stable code of the reason if the row is `invalid`, `rejected`, `failed` or `unknown`, else null. */
  readonly reason: RowReason | null;
}

/** The message of a row that was taken by an answer without an identifier. */
export const UNNAMED = 'Taken; the answer names no identifier.';
