import * as z from 'zod/mini';
import { FINDING, type FindingCode } from '../finding.ts';
import { SENT_STATUSES, type SentStatus, STATUSES, type Status } from '../status.ts';

/*
 * The shapes that several documents share. Loading this folder loads zod, so the program imports only types from it;
 * `srq schema` and the tests load it.
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

/** One count for each status of a request that was handed to the service. */
export const sentCounts = Object.fromEntries(SENT_STATUSES.map((name) => [name, count])) as Record<
  SentStatus,
  typeof count
>;

/** One count for each status. */
export const allCounts = Object.fromEntries(STATUSES.map((name) => [name, count])) as Record<Status, typeof count>;

export const status = z.enum(STATUSES as [Status, ...Status[]]);
export const sentStatus = z.enum(SENT_STATUSES as [SentStatus, ...SentStatus[]]);

/** The code of a finding, with its home in `finding.ts`. */
const findingCode = z.enum(Object.keys(FINDING) as [FindingCode, ...FindingCode[]]);

/** A finding of the local checks on one request. */
export const problem = z.object({
  code: findingCode,
  severity: z.enum(['error', 'warning']),
  field: text,
  column: nullableText,
  message: text,
  value: nullableText,
});

/** A finding on a row of a file, or on all rows if no column gives the field. */
export const rowProblem = z.object({
  ...problem.shape,
  row: z.nullable(count),
  rows: count,
  advice: text,
});
