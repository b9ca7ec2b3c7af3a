import type { ServiceRequest } from '../request/lead/service-request.ts';
import type { Clock, MarketplaceApi } from '../request/ports.ts';
import { filledIn } from '../request/words/characters.ts';
import type { ErrorReason } from '../request/words/error-codes.ts';
import { SrqError, shellWord } from '../request/words/errors.ts';
import type { Sent } from './submit.ts';

/**
 * A run is careful until this many rows have a readable result: it has this many in flight at a familiar service. At any
 * other it has one, and once that is created the rest of them.
 */
const CANARY_ROWS = 3;
/** The same refusal on 20 of the first 25 rows is not about single rows: the mapping may be wrong, or the service refuses all. */
const FIRST_ROWS = 25;
const FIRST_ROWS_REFUSED = 20;
const DENIED_IN_A_ROW = 5;
/** Answers that may be about one row, or about all. A service that has taken requests at this address may have moved. */
const DENIALS: Readonly<Record<number, string>> = { 403: 'denied', 404: 'not found', 410: 'not found' };
/** The first rows of a file may all be duplicates, at a service that srq does not know yet. */
const UNREADABLE_IN_A_ROW = 10;
/** Each of these rows was tried several times. */
const FAILED_IN_A_ROW = 10;
/** The faults with which a run must not go on if so many results in a row have them. */
const FAULTS: Readonly<Record<string, readonly [times: number, code: ErrorReason, says: string, hint: string]>> = {
  unreadable: [
    UNREADABLE_IN_A_ROW,
    'answer.unreadable',
    'srq does not understand what the service answers to validate.',
    'Check the base URL with: srq status. With a new service, srq learns what such answers mean from the first request that it creates. First import a lead that the service does not have. If it has none of these, skip validate with --no-validate.',
  ],
  denied: [
    DENIED_IN_A_ROW,
    'auth.denied',
    'The service denies these requests (HTTP {http}).',
    'Ask the marketplace whether this client may create requests in these markets, then run the same command again.',
  ],
  'not found': [
    DENIED_IN_A_ROW,
    'service.wrong-address',
    `The service does not know this address any more, or refuses ${DENIED_IN_A_ROW} rows in a row (HTTP {http}).`,
    'Read what it says in the results file, and check the base URL with: srq status',
  ],
  failing: [
    FAILED_IN_A_ROW,
    'service.failed',
    `${FAILED_IN_A_ROW} rows in a row have failed. {message}`,
    'They were not taken. Run the same command again later: it goes on where it stopped.',
  ],
};
/** The breaker opens at this many unknown outcomes in a row, or at more than `UNKNOWN_IN_WINDOW` among the last `WINDOW`. */
const UNKNOWN_IN_A_ROW = 3;
const UNKNOWN_IN_WINDOW = 4;
const WINDOW = 200;
const MAX_BREAKS = 3;
const FIRST_BREAK_MS = 2_000;
/** Number of results after which earlier breaks are forgotten, because a worker may run without end. */
const FORGET_RESULTS = 1_000;
/** Factor by which the rate is reduced after a break. */
const RATE_AFTER_BREAK = 0.5;

/** The advice after a result: continue, pause and check the service, or stop. */
export interface Advice {
  readonly stop: SrqError | null;
  /** Time in milliseconds to pause before validate is asked whether the service works again. 0 means no pause. */
  readonly pauseMs: number;
}

const CONTINUE: Advice = { stop: null, pauseMs: 0 };

/** Watches the results of a run, or of a worker, and advises when to pause and when to stop. It has no side effects. */
export class Supervisor {
  readonly #maxRefused: number | null;
  readonly #isFamiliar: boolean;
  #refused: number;
  #readable = 0;
  #hasCreated = false;
  #seen = 0;
  /** The fault that the latest results have in common, and their number. A run must not go on with it. */
  #inARow = { kind: 'other', times: 0 };
  readonly #firstRefusals = new Map<string, number>();
  /** The numbers of the latest results that were unknown. */
  #unknown: number[] = [];
  #lastUnknown = 0;
  #breaks = 0;
  /** Number of rows that were in flight when sending was paused. What becomes of them is no news. */
  #wereInFlight = 0;
  /** Whether nothing was readable since the last pause. */
  #isAfterBreak = false;

  /**
   * `maxRefused` is the number of refused rows at which the run stops, or null if there is none. `invalid` rows, which the
   * local checks refused, count towards it. `isFamiliar` tells whether earlier runs have shown how the service answers when it
   * has taken a request.
   */
  constructor(maxRefused: number | null, invalid: number, { isFamiliar = false } = {}) {
    this.#maxRefused = maxRefused;
    this.#isFamiliar = isFamiliar;
    this.#refused = invalid;
  }

  /** Whether these are the first rows, by which the answers of the service are learned. */
  get isAtFirst(): boolean {
    return this.#readable < CANARY_ROWS;
  }

  /** Returns the maximum number of rows in flight. */
  limit(concurrency: number): number {
    if (!this.isAtFirst) return this.#isAfterBreak ? Math.min(CANARY_ROWS, concurrency) : concurrency;
    const unfamiliar = this.#hasCreated ? CANARY_ROWS - this.#readable : 1;
    return Math.min(this.#isFamiliar ? CANARY_ROWS : unfamiliar, concurrency);
  }

  /** Counts one result and returns the advice that follows from it. `inFlight` is the number of other rows in flight. */
  observe(sent: Sent, inFlight = 0): Advice {
    const { status, http, unreadable, stop, isFromLog } = sent;
    // A result from another process shows that the answers of the service can be read. That process has already counted
    // its requests in doubt.
    if (isFromLog && !stop) {
      if (status !== 'unknown') this.#readable += 1;
      return CONTINUE;
    }
    this.#seen += 1;
    if (status === 'created') this.#hasCreated = true;
    if (status === 'rejected') this.#refused += 1;
    const other = status === 'failed' ? 'failing' : 'other';
    const kind = status === 'unknown' ? status : unreadable ? 'unreadable' : (DENIALS[http ?? 0] ?? other);
    this.#inARow = { kind, times: kind === this.#inARow.kind ? this.#inARow.times + 1 : 1 };
    if (!unreadable && status !== 'failed' && status !== 'unknown') {
      this.#readable += 1;
      this.#isAfterBreak = false;
    }
    const why =
      stop ??
      this.#inARowStop(sent) ??
      // The meaning of an answer to one of the first rows must be known before more is sent. Later ones count as unknown outcomes.
      (this.isAtFirst ? unprovenStop(sent) : null) ??
      this.#refusalStop(sent) ??
      this.budgetStop();
    return why ? { stop: why, pauseMs: 0 } : this.#afterUnknown(sent, inFlight);
  }

  /** Advises to pause if too many outcomes are unknown, and to stop if that has happened too often. */
  #afterUnknown(sent: Sent, inFlight: number): Advice {
    const wasInFlight = this.#wereInFlight > 0;
    if (wasInFlight) this.#wereInFlight -= 1;
    if (sent.status !== 'unknown') return CONTINUE;
    if (wasInFlight) {
      this.#inARow.times = 0;
      return CONTINUE;
    }
    const at = this.#seen;
    if (at - this.#lastUnknown > FORGET_RESULTS) this.#breaks = 0;
    this.#lastUnknown = at;
    this.#unknown = [...this.#unknown.filter((each) => each > at - WINDOW), at];
    if (this.#inARow.times < UNKNOWN_IN_A_ROW && this.#unknown.length <= UNKNOWN_IN_WINDOW) return CONTINUE;
    [this.#unknown, this.#inARow.times] = [[], 0];
    this.#breaks += 1;
    this.#wereInFlight = inFlight;
    this.#isAfterBreak = true;
    if (this.#breaks < MAX_BREAKS) return { stop: null, pauseMs: FIRST_BREAK_MS * 3 ** (this.#breaks - 1) };
    const message = 'Too many requests end with an unknown outcome: the service or the connection has a problem.';
    const hint =
      'Run the same command again later: it goes on where it stopped, and does not resend rows with an unknown outcome.';
    return { stop: unprovenStop(sent) ?? new SrqError('rows.too-many-doubts', message, hint), pauseMs: 0 };
  }

  /** Returns a reason not to begin the run at all if the invalid rows alone exceed the budget. */
  budgetStop(): SrqError | null {
    if (this.#maxRefused === null || this.#refused < this.#maxRefused) return null;
    const rows = this.#refused === 1 ? '1 row is' : `${this.#refused} rows are`;
    const message = `${rows} invalid or rejected, which is the limit of --max-errors.`;
    return new SrqError(
      'rows.error-budget',
      message,
      'Read the reasons in the results file, correct those rows in your file, and run the same command again.',
    );
  }

  /** Returns a reason to stop if the latest results, one after the other, have a fault in common. */
  #inARowStop({ http, message }: Sent): SrqError | null {
    const { kind, times } = this.#inARow;
    const [least, code, says, hint] = FAULTS[kind] ?? [];
    if (!least || !code || !says || times < least) return null;
    return new SrqError(code, filledIn(says, { http: String(http), message: message ?? '' }), hint);
  }

  #refusalStop({ status, message }: Sent): SrqError | null {
    if (status !== 'rejected' || this.#seen > FIRST_ROWS) return null;
    const reason = message ?? '';
    const times = (this.#firstRefusals.get(reason) ?? 0) + 1;
    this.#firstRefusals.set(reason, times);
    if (times < FIRST_ROWS_REFUSED) return null;
    return new SrqError(
      'rows.same-refusal',
      `${times} of the first ${this.#seen} rows were refused for the same reason: ${reason}`,
      'If the reason names a field, correct it with --map or --set (--dry-run shows the plan). Otherwise ask the marketplace.',
    );
  }
}

/** Returns a reason to stop if an answer proves nothing, or null: its meaning has to be found out. */
function unprovenStop({ row, unproven }: Sent): SrqError | null {
  if (unproven === null) return null;
  const { text, ids } = unproven;
  const lookUp = `Look row ${row} up at the service and record what you found: srq resolve`;
  const byIdentifier =
    Object.keys(ids).length === 0
      ? ''
      : '. If only what was taken gets a new identifier, whatever else an answer says: srq contract learn --taken-by id';
  if (text === '') {
    const message = 'The service answers with a page, or in another way that srq cannot read.';
    return new SrqError('answer.unproven', message, `Check the base URL (srq status). ${lookUp}`);
  }
  return new SrqError(
    'answer.unproven',
    `The service answered ${text}. srq does not know whether that means that the request was taken.`,
    `${lookUp}. If such an answer always means that it was taken, say so once: srq contract learn --taken-by ${shellWord(text)}. If it means a refusal: srq contract learn --refused-by ${shellWord(text)}${byIdentifier}`,
  );
}

/**
 * Waits for the pause of the breaker, then asks validate and waits for its answer. If the service does not answer, the
 * following requests will show that.
 */
export async function recoverFromBreak(
  request: ServiceRequest,
  pauseMs: number,
  { api, clock, stopping }: { readonly api: MarketplaceApi; readonly clock: Clock; readonly stopping: AbortSignal },
): Promise<void> {
  await clock.sleep(pauseMs, stopping);
  if (!stopping.aborted) await api.validate(request).catch(() => {});
  api.slowDown(RATE_AFTER_BREAK);
}
