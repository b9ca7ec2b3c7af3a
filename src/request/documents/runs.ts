import * as z from 'zod/mini';
import { FIELDS, type Field } from '../lead/fields.ts';
import type { PlannedStatus, WorkedStatus } from '../log/status.ts';
import {
  allCounts,
  count,
  ending,
  identifiers,
  nullableText,
  nullableTime,
  problem,
  reasonOfRow,
  rowProblem,
  rowsByReason,
  seconds,
  sentCounts,
  sentStatus,
  status,
  text,
  time,
} from './shapes.ts';

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

const shared = {
  rows: count,
  seconds,
  log: text,
  results: nullableText,
  ...ending,
  advice: nullableText,
  next: nullableText,
};

/** The result of one request, as `srq create` prints it. */
export const created = z.object({
  status,
  ids: identifiers,
  row: count,
  ref: nullableText,
  key: nullableText,
  http: z.nullable(z.int()),
  message: nullableText,
  reason: reasonOfRow,
  /** The id of the run, as the records of the log have it. */
  run: text,
  /** The findings of the local checks on a request that is invalid. */
  problems: z.optional(z.array(problem)),
});

/** What validate says of one request, as `srq validate` prints it. */
export const validated = z.object({
  verdict: z.enum(['clear', 'duplicate', 'unknown']),
  http: z.nullable(z.int()),
  ids: identifiers,
  key: nullableText,
  message: nullableText,
  reason: reasonOfRow,
  run: text,
  problems: z.optional(z.array(problem)),
});

const value = z.union([text, z.number(), z.boolean(), z.null()]);

const fields = Object.fromEntries(FIELDS.map((field) => [field, z.optional(value)])) as Record<
  Field,
  z.ZodMiniOptional<typeof value>
>;

/** A request in the file of `--file`. Further members are sent under their own names. */
export const request = z.looseObject(fields);

/** The result of an import. */
export const imported = z.object({
  run: text,
  file: text,
  ...shared,
  ...endCounts,
  withoutIdentifier: count,
  reasons: rowsByReason,
});

/** How a file was read and mapped, and what was found in it. */
const filePlan = {
  encoding: nullableText,
  delimiter: nullableText,
  /** The mapping in the form that `--mapping` reads. */
  mapping: z.object({ map: z.record(text, text), set: z.record(text, text) }),
  columns: z.array(
    z.object({ field: text, columns: z.array(text), because: text, level: z.enum(['certain', 'likely']) }),
  ),
  undecided: z.array(z.object({ column: text, field: text })),
  remembered: z.nullable(
    z.object({ on: text, changes: z.nullable(z.object({ added: z.array(text), gone: z.array(text) })) }),
  ),
  ignored: z.array(text),
  problems: z.array(rowProblem),
  problemCount: count,
  problemsLeftOut: count,
  file: text,
};

export const planned = z.object({ run: text, ...shared, ...plannedCounts, ...filePlan });

const { ready: _ready, ...unqueued } = plannedCounts;

/** The result of adding requests to the queue. */
export const enqueued = z.object({
  run: text,
  rows: count,
  queued: count,
  alreadyQueued: count,
  notQueued: count,
  ...unqueued,
  seconds,
  store: text,
  ...ending,
  advice: nullableText,
  next: nullableText,
});

const workedCounts = { ...sentCounts, repeated: count } satisfies Record<WorkedStatus, typeof count>;

/** The counts of a worker. `again` is the number of requests that it gave back or put back until later. */
export const workFigures = { ...workedCounts, again: count, seconds, store: text };

/** The result of a worker's run. */
export const worked = z.object({
  run: text,
  ...workFigures,
  ...ending,
  hint: nullableText,
});

/** What was not counted, because that would have taken too long, is null. */
const depth = z.object({ total: count, ready: z.nullable(count), waiting: z.nullable(count), inWork: count });

/**
 * The queue, the rate and the workers of an account. `unknown` is the number of requests of the store whose outcome is unknown,
 * and `isHeld` tells that nothing is sent before a person says so.
 */
export const queue = z.object({
  store: text,
  queue: depth,
  oldestSeconds: count,
  unknown: count,
  isHeld: z.boolean(),
  rate: z.nullable(z.object({ perSecond: z.nullable(z.number()), inFlight: count, pausedSeconds: seconds })),
  workers: z.array(z.object({ name: text, since: time, seen: time, inHand: count })),
});

/** What a purge of the queue has forgotten, and what is left there. */
export const purged = z.object({ store: text, purged: count, left: count, inWork: count });

/** One request of the log, with its latest outcome. */
export const logged = z.object({
  key: text,
  at: time,
  run: text,
  row: count,
  ref: nullableText,
  ids: z.record(text, text),
  http: z.nullable(z.int()),
  ms: z.nullable(z.number()),
  message: nullableText,
  raw: nullableText,
  by: nullableText,
  market: z.optional(text),
  again: z.boolean(),
  status: sentStatus,
  reason: reasonOfRow,
});

/** The result of writing a report. */
export const reported = z.object({
  report: text,
  run: nullableText,
  rows: count,
  ...allCounts,
  reasons: rowsByReason,
  listed: count,
});

/** One row of a file, as it is exported. It has the file's own columns and the outcome. */
export const exportedRow = z.looseObject({ srq_status: text, srq_id: nullableText, srq_at: nullableTime });

const { repeated: _, ...exportCounts } = allCounts;

/** The file that an export was written to. */
export const exportWritten = z.object({
  export: text,
  format: z.enum(['csv', 'json', 'xlsx']),
  rows: count,
  ...exportCounts,
});

/** The requests whose outcome is unknown. */
export const doubts = z.object({
  unknown: z.array(
    z.object({ key: text, at: time, row: count, ref: nullableText, message: nullableText, reason: reasonOfRow }),
  ),
});

/** The requests that a person has settled. */
export const settled = z.object({
  run: text,
  resolved: z.array(z.object({ key: text, row: count, ref: nullableText, status: z.enum(['created', 'failed']) })),
});
