import type { Identifiers, Problem } from './outcome.ts';
import type { Status } from './status.ts';

/** One row or request of a run, as the report shows it. */
export interface RunRow {
  readonly row: number;
  readonly ref: string | null;
  readonly key: string | null;
  /** Code of the market, or null if it is not known. */
  readonly market: string | null;
  readonly status: Status;
  readonly ids: Identifiers;
  readonly http: number | null;
  readonly message: string | null;
  /** When the last record of it was written. */
  readonly at: string | null;
  /** The reasons why the row is invalid. */
  readonly problems: readonly Problem[];
  /** The cells of the input, if they may be shown. */
  readonly cells: readonly string[] | null;
}
