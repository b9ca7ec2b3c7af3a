import type { SentStatus, Status } from './status.ts';

/** Identifiers by name, exactly as received. They are text, so 12345678901234567890 is not rounded. */
export type Identifiers = Readonly<Record<string, string>>;

/** The outcome of sending one request. */
export interface Outcome {
  readonly status: SentStatus;
  readonly ids: Identifiers;
  /** HTTP status, or null if the API did not answer. */
  readonly http: number | null;
  /** One sentence for a person that gives the reason and says what to do. It contains no personal data. */
  readonly message: string | null;
  /**
   * The answer itself, only if no identifier could be read from it. Sent values are masked, and it has at most 2 KiB.
   */
  readonly raw: string | null;
  /** Time until the API's answer, in milliseconds. */
  readonly ms: number | null;
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
}
