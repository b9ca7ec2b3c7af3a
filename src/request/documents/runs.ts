import * as z from 'zod/mini';
import {
  allCounts,
  count,
  endCounts,
  ending,
  failure,
  findings,
  identifiers,
  nullableText,
  nullableTime,
  plannedCounts,
  problem,
  reasonOfRow,
  rowsByReason,
  seconds,
  sentStatus,
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

/** What the service has said of a request, and why the request was not taken. */
const answered = { ids: identifiers, http: z.nullable(z.int()), reason: reasonOfRow };
const numbered = { row: count, ref: nullableText };
/** One request that was given by itself, with the findings of the local checks if it is invalid. */
const single = {
  ...answered,
  ...{ key: nullableText, message: nullableText, run: text, problems: z.optional(z.array(problem)) },
};
const imported = { ...endCounts, withoutIdentifier: count, reasons: rowsByReason };

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
const row = z.object({ ...of('row'), file: nullableText, ...numbered, key: nullableText, status, ...answered });

/** Sending pauses for `seconds`, because too many requests are in doubt. */
const pause = z.object({ ...of('pause'), seconds });

/** The service answered 429 or 503, and sending pauses for `seconds`. */
const refused = z.object({ ...of('refused'), http: z.int(), seconds });

const { hint: _, ...why } = failure.shape;

/** The counts of an import. */
const importSummary = z.object({ rows: count, seconds, log: nullableText, results: z.array(text), ...imported });

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

const event = z.union([plan, progress, row, pause, refused, end]);

const ended = { ...ending, advice: nullableText, next: nullableText };
/** `log` is null for a rehearsal, whose log ends with it. */
const shared = { rows: count, seconds, log: nullableText, results: nullableText, ...ended };

/** How a file was read and mapped, and what was found in it. */
const planned = z.object({
  run: text,
  ...shared,
  ...plannedCounts,
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
  findings: z.array(findings),
  file: text,
});

const { ready: _ready, ...unqueued } = plannedCounts;

export const RUNS = {
  /** What validate says of one request. */
  validate: z.object({ verdict: z.enum(['clear', 'duplicate', 'unknown']), ...single }),
  /** The result of one request. `run` is as the records of the log have it. */
  create: z.object({ status, ...numbered, ...single }),
  /** The result of an import. */
  bulk: z.object({ run: text, file: text, ...shared, ...imported }),
  'bulk --dry-run': planned,
  events: event,
  /** One request of the log, with its latest outcome. */
  log: z.object({
    key: text,
    at: time,
    run: text,
    ...numbered,
    ...answered,
    ms: z.nullable(z.number()),
    message: nullableText,
    raw: nullableText,
    by: nullableText,
    market: z.optional(text),
    again: z.boolean(),
    status: sentStatus,
  }),
  /** The result of writing a report. */
  report: z.object({
    report: text,
    run: nullableText,
    rows: count,
    ...allCounts,
    reasons: rowsByReason,
    listed: count,
  }),
  /** One row of a file, as it is exported. It has the file's own columns and the outcome. */
  export: z.looseObject({ srq_status: text, srq_id: nullableText, srq_at: nullableTime }),
  /** The file that an export was written to. */
  'export --output': z.object({
    export: text,
    format: z.enum(['csv', 'json', 'xlsx']),
    rows: count,
    ...allCounts,
  }),
  /** The requests whose outcome is unknown. */
  resolve: z.object({
    unknown: z.array(
      z.object({
        ...{ key: text, at: time, run: text, file: nullableText, ...numbered },
        ...{ message: nullableText, reason: reasonOfRow, answer: nullableText },
      }),
    ),
  }),
  /** The requests that a person has settled. */
  'resolve --created': z.object({
    run: text,
    resolved: z.array(z.object({ key: text, ...numbered, status: z.enum(['created', 'failed']) })),
  }),
  'store migrate': z.object({ store: text, migrated: z.array(text) }),
  /**
   * `missing` are the processes that nobody waits for any longer: command, process and machine of each. `doubtful` is the
   * number of queued rows that are unknown now, because one of these processes may have sent them.
   */
  'store resume': z.object({ store: text, missing: z.array(text), doubtful: count }),
  /** What a store has learned from a log in a file. */
  'store import': z.object({ store: text, log: text, requests: count, imported: count, known: count, seconds }),
  'store export --output': z.object({ store: text, output: text, requests: count }),
  /** The result of adding requests to the queue. */
  enqueue: z.object({
    run: text,
    rows: count,
    queued: count,
    alreadyQueued: count,
    notQueued: count,
    ...unqueued,
    seconds,
    store: text,
    ...ended,
  }),
  'enqueue --dry-run': planned,
  /** The result of a worker's run. */
  work: z.object({ run: text, ...workFigures, ...ending, hint: nullableText }),
  /**
   * The queue and the workers of an account. `unknown` is the number of requests of the store whose outcome is
   * unknown, and `isHeld` tells that nothing is sent before a person says so.
   */
  queue: z.object({
    store: text,
    queue: z.object({ total: count, ready: count, waiting: count, inWork: count }),
    oldestSeconds: count,
    unknown: count,
    isHeld: z.boolean(),
    workers: z.array(z.object({ name: text, since: time, seen: time, inHand: count })),
  }),
  /** What a purge of the queue has forgotten, and what is left there. */
  'queue purge': z.object({ store: text, purged: count, left: count, inWork: count }),
} as const;
