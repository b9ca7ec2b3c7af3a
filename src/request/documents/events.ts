import * as z from 'zod/mini';
import {
  count,
  endCounts,
  failure,
  identifiers,
  nullableText,
  plannedCounts,
  reasonOfRow,
  rowsByReason,
  seconds,
  status,
  text,
  time,
  workFigures,
} from './shapes.ts';

/*
 * These are the events of a run, which are printed one per line. They name rows by number, reference, key and
 * identifiers, and contain no other value of a lead. Hints and commands are left out, because they may repeat a value
 * of --set.
 */

const of = <Name extends string>(name: Name) => ({ event: z.literal(name), at: time, run: text });

/** What was found in a file, before anything is confirmed or sent. */
const plan = z.object({
  ...of('plan'),
  file: text,
  rows: count,
  ...plannedCounts,
});

/** The progress of a pass over a file. The event comes at most once a second, and at the end. */
const progress = z.object({
  ...of('progress'),
  file: text,
  pass: z.enum(['sending', 'settling']),
  done: count,
  total: count,
  ...endCounts,
});

/**
 * The outcome of a row. The last event of a row counts, because a request in doubt may be settled later. The file of a
 * queued request is not known, so its key identifies it.
 */
const row = z.object({
  ...of('row'),
  file: nullableText,
  row: count,
  ref: nullableText,
  key: nullableText,
  status,
  ids: identifiers,
  http: z.nullable(z.int()),
  reason: reasonOfRow,
});

/** Sending pauses for `seconds`, because too many requests are in doubt. */
const pause = z.object({ ...of('pause'), seconds });

/** The service answered 429 or 503, and sending pauses for `seconds`. */
const refused = z.object({ ...of('refused'), http: z.int(), seconds });

const { hint: _, ...why } = failure.shape;

/** The counts of an import. */
const importSummary = z.object({
  rows: count,
  seconds,
  log: text,
  results: z.array(text),
  ...endCounts,
  withoutIdentifier: count,
  reasons: rowsByReason,
});

/**
 * The end of the run. `summary` is null if the run ended before all rows were accounted for. `error` says why it ended
 * early.
 */
const end = z.object({
  ...of('end'),
  exitCode: count,
  error: z.nullable(z.object(why)),
  summary: z.nullable(z.union([importSummary, z.object(workFigures)])),
});

export const event = z.union([plan, progress, row, pause, refused, end]);
