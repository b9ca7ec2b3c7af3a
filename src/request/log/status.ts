import type { ErrorCode } from '../words/errors.ts';

interface StatusFacts {
  /** Meaning for rows, at the end of an import. */
  readonly meaning: string;
  readonly colour: 'green' | 'cyan' | 'yellow' | 'red';
  /** Rank among what a person should look at, 0 first. */
  readonly rank: 0 | 1 | 2 | 3;
  /**
   * The next step for such a row: run the same command again, correct the row, or first find out whether its request
   * was taken.
   */
  readonly left: 'nothing' | 'send' | 'correct' | 'settle';
  /** Advice of a report for such rows with a common reason, or null if the report shows no reasons for them. */
  readonly advice: string | null;
  /** The result of `create` for such a request, and of an import that has something left to do for such rows. */
  readonly ends: ErrorCode | 'ok';
}

function facts(
  meaning: string,
  colour: StatusFacts['colour'],
  rank: StatusFacts['rank'],
  left: StatusFacts['left'],
  ends: StatusFacts['ends'],
  advice: string | null = null,
): StatusFacts {
  return { meaning, colour, rank, left, ends, advice };
}

const CORRECT = 'Correct these rows in the file, or export it again.';
const CORRECT_RESULTS = 'Correct these rows in the results file and import it: only they are sent.';
const RUN_AGAIN = 'Run the same command again: it sends these rows, and nothing twice.';
const SETTLE = 'Look each one up at the service; then: srq resolve KEY --created [ID] or --not-created';

/** The statuses of rows as users see them, in the order in which they are shown. `ready` occurs only in dry runs. */
export const STATUS = {
  created: facts('taken by the service', 'green', 3, 'nothing', 'ok'),
  duplicate: facts('already known to the service', 'cyan', 2, 'nothing', 'duplicate'),
  repeated: facts('already sent, or the same row twice in the file', 'cyan', 2, 'nothing', 'duplicate'),
  invalid: facts('to be corrected before it can be sent', 'red', 1, 'correct', 'rejected', CORRECT),
  rejected: facts('refused by the service', 'red', 1, 'correct', 'rejected', CORRECT_RESULTS),
  failed: facts('not delivered; to be sent by the next run', 'red', 1, 'send', 'service', RUN_AGAIN),
  unknown: facts('may have been taken; not sent again until that is settled', 'yellow', 0, 'settle', 'unknown', SETTLE),
  ready: facts('would be sent', 'green', 2, 'send', 'ok'),
};

export type Status = keyof typeof STATUS;
export const STATUSES = Object.keys(STATUS) as readonly Status[];

/** The possible statuses of a request with which a worker is done. */
export const WORKED_STATUSES = STATUSES.filter((status) => status !== 'invalid' && status !== 'ready');
export type WorkedStatus = (typeof WORKED_STATUSES)[number];

/** The possible outcomes of a request that was handed to the API. */
export const SENT_STATUSES = WORKED_STATUSES.filter((status) => status !== 'repeated');
export type SentStatus = (typeof SENT_STATUSES)[number];

/** The possible statuses of a row in a plan. What shows a plan has a place for each of them, which the compiler demands. */
export type PlannedStatus = Exclude<Status, 'created' | 'rejected' | 'failed'>;

/** Returns a status as the report's page names it, where `ready` is what the run has not sent. */
export const labelOf = (status: Status): string => (status === 'ready' ? 'not sent' : status);

/** Number of rows by status. */
export type Counts = Record<Status, number>;

export const noCounts = () => Object.fromEntries(STATUSES.map((status) => [status, 0])) as Counts;

/** Counts rows that were ready and never tried as failed: they were certainly not taken. */
export function withUntriedAsFailed(counts: Counts): Counts {
  return { ...counts, failed: counts.failed + counts.ready, ready: 0 };
}

/** Counts the rows by what is left to do with them. */
export function countsLeft(counts: Counts): Record<StatusFacts['left'], number> {
  const left = { nothing: 0, send: 0, correct: 0, settle: 0 };
  for (const status of STATUSES) left[STATUS[status].left] += counts[status];
  return left;
}

export type LogEvent = 'sending' | SentStatus | 'licence';
export const LOG_EVENTS: readonly LogEvent[] = ['sending', 'licence', ...SENT_STATUSES];

/** Who settled a request with an unknown outcome. */
export type SettledBy = 'validate' | 'person';

/**
 * The states in which a log can know a key, with the status of the request in each. Both kinds of log store the states
 * by their order here.
 */
const STATUS_OF_STATE = {
  none: 'ready',
  /** A request was or may have been written, and no outcome is recorded. */
  sending: 'unknown',
  created: 'created',
  duplicate: 'duplicate',
  rejected: 'rejected',
  failed: 'failed',
  unknown: 'unknown',
  /**
   * The request was in doubt, and validate or a person said that it was not taken, so that it may be sent once more.
   */
  licensed: 'failed',
  /**
   * The request was sent on a licence, or again under its idempotency key, and is in doubt. From now on only a person
   * can settle it.
   */
  parked: 'unknown',
} as const satisfies Readonly<Record<SentStatus | 'none' | 'sending' | 'licensed' | 'parked', Status>>;

/** The state of a key in the log. */
export type LoggedState = keyof typeof STATUS_OF_STATE;
export const LOGGED_STATES = Object.keys(STATUS_OF_STATE) as readonly LoggedState[];

/**
 * Returns the state of a key after an event. A licence is used up by the next send. A request that is in doubt after
 * that, or after validate contradicted itself, stays in doubt.
 */
export function nextState(
  before: LoggedState,
  event: LogEvent,
  by: SettledBy | 'idempotency' | null,
): Exclude<LoggedState, 'none'> {
  if (event === 'licence') return 'licensed';
  if (event === 'sending' && by === 'idempotency') return 'parked';
  const licenceUsed = before === 'licensed' || before === 'parked';
  if (licenceUsed && (event === 'sending' || event === 'unknown')) return 'parked';
  // The request was certainly not taken, so the licence is still valid, and still the only one.
  if (licenceUsed && (event === 'failed' || event === 'rejected')) return 'licensed';
  return event === 'unknown' && by === 'validate' ? 'parked' : event;
}

/** Tells whether the service has the request, by its outcome or by its state in the log. */
export const isTaken = (known: SentStatus | LoggedState): boolean => known === 'created' || known === 'duplicate';

export function statusOfState<State extends LoggedState>(state: State): (typeof STATUS_OF_STATE)[State] {
  return STATUS_OF_STATE[state];
}

/** Returns the status of a request with this last record. Without a recorded outcome it is unknown. */
export function statusOfEvent(event: LogEvent): SentStatus {
  return statusOfState(nextState('none', event, null));
}
