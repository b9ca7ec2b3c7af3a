import type { SentStatus, Status } from './status.ts';

/** Identifiers by name, exactly as received: 12345678901234567890 is not rounded. */
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
  readonly row: number;
  readonly status: Status;
  readonly ref: string | null;
  readonly key: string | null;
  readonly ids: Identifiers;
  readonly http: number | null;
  readonly message: string | null;
}
