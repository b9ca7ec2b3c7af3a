import * as z from 'zod/mini';
import { type PlannedStatus, SENT_STATUSES, type SentStatus, STATUSES, type Status } from '../log/status.ts';
import { ERRORS, type ErrorReason } from '../words/error-codes.ts';
import type { ErrorCode } from '../words/errors.ts';
import { FINDING_CODES } from '../words/finding.ts';

/*
 * These shapes are shared by several documents. Loading this folder loads zod, so the program imports only types from
 * it. Only `srq schema` and the tests load it.
 */

export const text = z.string();
export const nullableText = z.nullable(text);
export const count = z.int().check(z.nonnegative());
export const seconds = z.number().check(z.nonnegative());
/** A time in ISO 8601. */
export const time = z.string();
export const nullableTime = z.nullable(time);

/** Identifiers by name, exactly as received. */
export const identifiers = z.record(text, text);

const KINDS = [...new Set(Object.values(ERRORS).map(({ kind }) => kind))] as [ErrorCode, ...ErrorCode[]];

const countOf = <Name extends Status>(names: readonly Name[]) =>
  Object.fromEntries(names.map((name) => [name, count])) as Record<Name, typeof count>;

export const allCounts = countOf(STATUSES);
const { ready, ...others } = allCounts;
/** The counts of rows that a run has ended with. */
export const endCounts = others;
export const plannedCounts = {
  ready,
  repeated: count,
  duplicate: count,
  invalid: count,
  unknown: count,
} satisfies Record<PlannedStatus, typeof count>;

/** The counts of a worker. `again` is the number of requests that it gave back or put back until later. */
export const workFigures = {
  ...countOf(SENT_STATUSES),
  repeated: count,
  ...{ again: count, seconds, store: text },
};

export const status = z.enum(STATUSES as [Status, ...Status[]]);
export const sentStatus = z.enum(SENT_STATUSES as [SentStatus, ...SentStatus[]]);

const REASONS = Object.keys(ERRORS) as [ErrorReason, ...ErrorReason[]];

/** The code of a finding, with its home in `finding.ts`. */
const findingCode = z.enum(FINDING_CODES);

/** The code of an error, with its home in `error-codes.ts`. */
export const errorReason = z.enum(REASONS);

/** The code of why a row is invalid, rejected, failed or unknown. */
const rowReason = z.enum([...REASONS, ...FINDING_CODES]);

/** The same of one row; null for a row of any other status. */
export const reasonOfRow = z.nullable(rowReason);

/** Numbers of rows by the code of why they are invalid, rejected, failed or unknown. Codes without rows are left out. */
export const rowsByReason = z.partialRecord(rowReason, count);

/** Why a command failed or ended early. */
export const failure = z.object({
  /** The kind, which decides the exit code. */
  code: z.enum(KINDS),
  /** The stable code, with its home in `error-codes.ts`. */
  reason: errorReason,
  message: text,
  hint: nullableText,
});

/**
 * The members of a document whose command may end early. `error` is present if it did, in the form that failing
 * commands use.
 */
export const ending = { stopped: z.nullable(failure), error: z.optional(failure) };

/** A finding of the local checks on one request. */
export const problem = z.object({
  code: findingCode,
  severity: z.enum(['error', 'warning']),
  field: text,
  column: nullableText,
  message: text,
  value: nullableText,
});

/** Findings of one kind in one column of a file: in how many rows, and the first of them unless it is about all. */
export const findings = z.object({
  ...z.omit(problem, { value: true }).shape,
  rows: count,
  examples: z.array(z.object({ row: count, value: nullableText })),
  advice: text,
});
