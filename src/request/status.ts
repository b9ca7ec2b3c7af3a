import type { ErrorCode } from './errors.ts';

/** All that depends on a status alone. */
interface StatusFacts {
  /** What it says of rows, at the end of an import. */
  readonly meaning: string;
  /** The same in a few words, on the report's page. */
  readonly brief: string;
  /** What the report's page calls it. */
  readonly label: string;
  readonly colour: 'green' | 'cyan' | 'yellow' | 'red';
  /** Its place among what a person should look at: 0 first. */
  readonly rank: 0 | 1 | 2 | 3;
  /** Whether a request that was handed to the API can end so. */
  readonly isSent: boolean;
  /** What is left to do with such a row: the same command again, correcting it, or settling its doubt before all else. */
  readonly left: 'nothing' | 'send' | 'correct' | 'settle';
  /** What a report advises about a reason why rows ended so; null: there is none to show. */
  readonly advice: string | null;
  /** How `create` ends with such a request. */
  readonly endsCreate: ErrorCode | 'ok';
  /** How an import ends with such rows among others. */
  readonly endsImport: ErrorCode | 'ok';
}

/** How a row can end, as a user meets it: a row each, in the order in which they are shown. `ready` is for dry runs alone. */
export const STATUS = {
  created: {
    meaning: 'the service took them',
    brief: 'taken by the service',
    label: 'created',
    colour: 'green',
    rank: 3,
    isSent: true,
    left: 'nothing',
    advice: null,
    endsCreate: 'ok',
    endsImport: 'ok',
  },
  duplicate: {
    meaning: 'the service knows them already',
    brief: 'known to the service',
    label: 'duplicate',
    colour: 'cyan',
    rank: 2,
    isSent: true,
    left: 'nothing',
    advice: null,
    endsCreate: 'duplicate',
    endsImport: 'ok',
  },
  repeated: {
    meaning: 'the same content came earlier, in this file or in the log',
    brief: 'same content came before',
    label: 'repeated',
    colour: 'cyan',
    rank: 2,
    isSent: false,
    left: 'nothing',
    advice: null,
    endsCreate: 'duplicate',
    endsImport: 'ok',
  },
  invalid: {
    meaning: 'cannot be sent as they are',
    brief: 'cannot be sent as it is',
    label: 'invalid',
    colour: 'red',
    rank: 1,
    isSent: false,
    left: 'correct',
    advice: 'Correct these rows in the file, or export it again.',
    endsCreate: 'rejected',
    endsImport: 'rejected',
  },
  rejected: {
    meaning: 'refused by the service',
    brief: 'refused by the service',
    label: 'rejected',
    colour: 'red',
    rank: 1,
    isSent: true,
    left: 'correct',
    advice: 'Correct these rows in the results file and import that: only they are sent.',
    endsCreate: 'rejected',
    endsImport: 'rejected',
  },
  failed: {
    meaning: 'certainly not taken; the next run sends them',
    brief: 'certainly not taken',
    label: 'failed',
    colour: 'red',
    rank: 1,
    isSent: true,
    left: 'send',
    advice: 'Run the same command again: it sends these, and nothing twice.',
    endsCreate: 'service',
    endsImport: 'service',
  },
  unknown: {
    meaning: 'may have been taken; not sent again before that is settled',
    brief: 'may have been taken',
    label: 'unknown',
    colour: 'yellow',
    rank: 0,
    isSent: true,
    left: 'settle',
    advice: 'Look each one up at the service; then srq resolve KEY --created [ID] or --not-created.',
    endsCreate: 'unknown',
    endsImport: 'unknown',
  },
  ready: {
    meaning: 'would be sent',
    brief: 'not sent yet',
    label: 'not sent',
    colour: 'green',
    rank: 2,
    isSent: false,
    left: 'send',
    advice: null,
    endsCreate: 'ok',
    endsImport: 'ok',
  },
} as const satisfies Readonly<Record<string, StatusFacts>>;

export type Status = keyof typeof STATUS;
/** The ways a request that was handed to the API can end. */
export type SentStatus = { [S in Status]: (typeof STATUS)[S]['isSent'] extends true ? S : never }[Status];

export const STATUSES = Object.keys(STATUS) as readonly Status[];
export const SENT_STATUSES = STATUSES.filter((status): status is SentStatus => STATUS[status].isSent);

/** Number of rows by status. */
export type Counts = Record<Status, number>;
export type SentCounts = Record<SentStatus, number>;

const zeros = <S extends Status>(statuses: readonly S[]) =>
  Object.fromEntries(statuses.map((status) => [status, 0])) as Record<S, number>;
export const noCounts = (): Counts => zeros(STATUSES);
export const noSentCounts = (): SentCounts => zeros(SENT_STATUSES);

/** How many rows are left for whom. */
export function countsLeft(counts: Counts): Record<StatusFacts['left'], number> {
  const left = { nothing: 0, send: 0, correct: 0, settle: 0 };
  for (const status of STATUSES) left[STATUS[status].left] += counts[status];
  return left;
}

/** What a line of the log can say. */
export type LogEvent = 'sending' | SentStatus | 'licence';
export const LOG_EVENTS: readonly LogEvent[] = ['sending', 'licence', ...SENT_STATUSES];

/** Who settled a doubt. */
export type SettledBy = 'validate' | 'person';

/** Every state that a log can know a key in, and how a request stands then; both kinds of log keep them by this order. */
const STATUS_OF_STATE = {
  none: 'ready',
  /** A request was or may have been written and no outcome is recorded. */
  sending: 'unknown',
  created: 'created',
  duplicate: 'duplicate',
  rejected: 'rejected',
  failed: 'failed',
  unknown: 'unknown',
  /** It was in doubt, and validate or a person said that it was not taken: it may be sent once more. */
  licensed: 'failed',
  /**
   * It was sent on a licence, or again under its idempotency key, and is in doubt; from now on only a person can settle it.
   */
  parked: 'unknown',
} as const satisfies Readonly<Record<SentStatus | 'none' | 'sending' | 'licensed' | 'parked', Status>>;

/** What the log knows of a key. */
export type LoggedState = keyof typeof STATUS_OF_STATE;
export const LOGGED_STATES = Object.keys(STATUS_OF_STATE) as readonly LoggedState[];

/** A licence is used up by the next send; what is in doubt after it, or after validate contradicted itself, stays so. */
export function nextState(
  before: LoggedState,
  event: LogEvent,
  by: SettledBy | 'idempotency' | null,
): Exclude<LoggedState, 'none'> {
  if (event === 'licence') return 'licensed';
  if (event === 'sending' && by === 'idempotency') return 'parked';
  const licenceUsed = before === 'licensed' || before === 'parked';
  if (licenceUsed && (event === 'sending' || event === 'unknown')) return 'parked';
  // Certainly not taken: the licence is as good as before, and still the only one.
  if (licenceUsed && (event === 'failed' || event === 'rejected')) return 'licensed';
  return event === 'unknown' && by === 'validate' ? 'parked' : event;
}

/** How a request stands that the log knows in this state. */
export function statusOfState<State extends LoggedState>(state: State): (typeof STATUS_OF_STATE)[State] {
  return STATUS_OF_STATE[state];
}

/** How a request stands whose last record is this one; without a recorded outcome it is unknown. */
export function statusOfEvent(event: LogEvent): SentStatus {
  return statusOfState(nextState('none', event, null));
}
