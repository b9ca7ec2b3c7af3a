import type { ServiceRequest } from '../lead/service-request.ts';
import type { Mapping, Row, Table } from '../lead/table.ts';
import type { LogRecord } from '../ports.ts';
import type { Problem } from '../words/finding.ts';
import type { Ledger } from './ledger.ts';
import type { TakenBefore } from './log-store.ts';
import type { RowResult } from './outcome.ts';
import type { Counts } from './status.ts';

/** The rows of the file that an import covers. */
export interface RowRange {
  readonly skip: number;
  /** Maximum number of rows, or null for all. */
  readonly limit: number | null;
}

/** One row of a group of problems, with the text that is wrong there. */
export interface ProblemExample {
  readonly row: number;
  readonly value: string | null;
}

/** Problems of one kind in one column. */
export interface ProblemGroup extends Pick<Problem, 'code' | 'severity' | 'field' | 'column' | 'message'> {
  /** Number of rows that have the problem. */
  readonly rows: number;
  /** The first rows that have it, or none if it is one of the whole plan. */
  readonly examples: readonly ProblemExample[];
  /** Whether no column gives the field, so that the problem is one of the whole plan. */
  readonly isOfPlan: boolean;
  /** What to add to the command to solve the problem, or null if the cells have to be corrected. */
  readonly mend: string | null;
}

/** The plan of an import, found by reading the whole file before anything is sent. */
export interface ImportPlan {
  readonly table: Table;
  /** Sentences for people: those of the table, and what its rows state of themselves. */
  readonly notes: readonly string[];
  readonly mapping: Mapping;
  readonly range: RowRange;
  readonly rows: number;
  readonly counts: Counts;
  /** The first request as it will be sent. */
  readonly first: { readonly row: number; readonly request: ServiceRequest } | null;
  /** The problems of the rows in groups, those that make rows invalid first. */
  readonly problemGroups: readonly ProblemGroup[];
  /** Rows that are not sent because of the request that had their reference before. */
  readonly held?: ReadonlyMap<number, TakenBefore>;
  /** Number of rows of a results file that state that they were taken, if the log knows none of them. */
  readonly strangers?: number;
  /** Number of rows that only their own srq_status calls unknown: this log cannot settle them. */
  readonly unknownElsewhere?: number;
  /** Rows of a results file that are not sent although their cells are not those of the request that they were. */
  readonly altered?: ReadonlySet<number>;
  readonly ledger: Ledger;
  /** Why rows whose outcome is unknown could not be settled. */
  readonly unsettled: Map<number, string>;
}

/** One row of the input with its result, for the results file and the export. */
export interface RowReport extends Pick<RowResult, 'status' | 'ids' | 'message' | 'reason'> {
  readonly row: Row;
  /** The last record of the row's request. */
  readonly record: LogRecord | null;
  /** The reasons why the row is invalid. */
  readonly problems: readonly Problem[];
  /**
   * Whether the row's own statement counts, as rows of a results file have one: the row was skipped because of it, or it is
   * outside the range of the import and the log knows no more.
   */
  readonly isKept: boolean;
}
