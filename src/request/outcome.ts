import type { SentStatus, Status } from './status.ts';

/** Identifiers by name, exactly as received: 12345678901234567890 stays that. */
export type Identifiers = Readonly<Record<string, string>>;

/** What became of one request. */
export interface Outcome {
  readonly status: SentStatus;
  readonly ids: Identifiers;
  /** HTTP status, if the API answered. */
  readonly http: number | null;
  /** One sentence for a person: why it ended so, what to do. Holds no personal data. */
  readonly message: string | null;
  /** The answer itself, only where no identifier could be read from it; sent values masked, at most 2 KiB. */
  readonly raw: string | null;
  /** Time the API took, milliseconds. */
  readonly ms: number | null;
}

/** One finding of the local checks. An `error` makes the row invalid, a `warning` does not (unless --strict). */
export interface Problem {
  readonly severity: 'error' | 'warning';
  readonly field: string;
  /** The column of the file it came from, if it came from one. */
  readonly column: string | null;
  /** What is wrong, and what to do. Shows no personal data beyond what is needed to find the cell. */
  readonly message: string;
}

/** One row at its end. */
export interface RowResult {
  readonly row: number;
  readonly status: Status;
  readonly ref: string | null;
  readonly key: string | null;
  readonly ids: Identifiers;
  readonly http: number | null;
  readonly message: string | null;
}
