import type { Ledger } from './ledger.ts';
import type { Identifiers, Problem } from './outcome.ts';
import type { LogRecord } from './ports.ts';
import type { ServiceRequest } from './service-request.ts';
import type { Counts, Status } from './status.ts';
import type { Mapping, Row, Table } from './table.ts';

export interface RowRange {
  readonly skip: number;
  /** Null: all. */
  readonly limit: number | null;
}

export interface RowProblem extends Problem {
  readonly row: number;
}

/** What an import would do, found by reading the whole file before anything is sent. */
export interface ImportPlan {
  readonly table: Table;
  readonly mapping: Mapping;
  readonly range: RowRange;
  readonly rows: number;
  readonly counts: Counts;
  /** The first request as it will be sent. */
  readonly first: { readonly row: number; readonly request: ServiceRequest } | null;
  readonly problems: readonly RowProblem[];
  /** All problems, also those that are not kept in `problems`. */
  readonly problemCount: number;
  readonly ledger: Ledger;
}

/** One row of the input with what became of it, for the results file and the report. */
export interface RowReport {
  readonly row: Row;
  readonly status: Status;
  readonly ids: Identifiers;
  readonly message: string | null;
  /** The last record of its request. */
  readonly record: LogRecord | null;
  /** Why it is invalid. */
  readonly problems: readonly Problem[];
}

/** The end of an import, for people and scripts. */
export interface ImportSummary {
  readonly rows: number;
  readonly counts: Counts;
  /** Rows among the failed that were never tried, because the run stopped. */
  readonly notTried: number;
  /** Among the created: those without an identifier, and those with a remark of the service. Null: nothing was sent. */
  readonly asides: { readonly withoutIdentifier: number; readonly withRemark: number } | null;
  readonly seconds: number;
  readonly log: string;
  readonly results: string | null;
  readonly stopped: string | null;
  /** What a person has to do before `next`. */
  readonly advice: string | null;
  /** The literal next command, if there is something left to do. */
  readonly next: string | null;
}
