import { SrqError } from '../request/errors.ts';
import type { Clock, MarketplaceApi, SharedAccountState } from '../request/ports.ts';
import type { ServiceRequest } from '../request/service-request.ts';
import type { Submitted } from './submit.ts';

/**
 * Number of rows that must have a readable result before as many are sent at once as the user wants. Until then it is one at
 * a time, or this number at a familiar service: decision 52.
 */
const CANARY_ROWS = 3;
/** The same refusal on 20 of the first 25 rows means that the mapping is wrong, not the rows. */
const FIRST_ROWS = 25;
const FIRST_ROWS_REFUSED = 20;
const DENIED_IN_A_ROW = 5;
const UNREADABLE_IN_A_ROW = 2;

/** Number of refused rows at which a run stops. */
export interface ErrorBudget {
  readonly count: number;
}

/** What is known about a run before it begins. */
interface Supervision {
  /** Whether earlier runs have shown how the service answers when it has taken a request. Default: false. */
  readonly isFamiliar?: boolean;
  /** Whether requests in doubt are counted here, not elsewhere. Default: true. */
  readonly countsDoubts?: boolean;
}

/** Watches the results of a run and advises when to pause and when to stop. It has no side effects. */
export class Supervisor {
  readonly #budget: ErrorBudget | null;
  readonly #canaries: number;
  #breaker: BreakerCounts | null;
  #refused: number;
  #readable = 0;
  #seen = 0;
  #unreadableInARow = 0;
  #deniedInARow = 0;
  readonly #firstRefusals = new Map<string, number>();

  /** `invalid` is the number of rows that the local checks refused, which count towards the budget. */
  constructor(
    budget: ErrorBudget | null,
    invalid: number,
    { isFamiliar = false, countsDoubts = true }: Supervision = {},
  ) {
    this.#budget = budget;
    this.#canaries = isFamiliar ? CANARY_ROWS : 1;
    this.#breaker = countsDoubts ? UNBROKEN : null;
    this.#refused = invalid;
  }

  /** Starts to count the first rows again, because every file has a mapping of its own. Counts of all rows continue. */
  beginFile(): void {
    this.#readable = 0;
    this.#seen = 0;
    this.#firstRefusals.clear();
  }

  /** Returns the maximum number of rows in flight. */
  limit(concurrency: number): number {
    return this.#readable < CANARY_ROWS ? Math.min(this.#canaries, concurrency) : concurrency;
  }

  /** Counts one result and returns the advice that follows from it. */
  observe({ result, unreadable, unproven, stop, isFromLog }: Submitted): Advice {
    // A result from another process shows that the answers of the service can be read. That process has already counted
    // its requests in doubt.
    if (isFromLog && !stop) {
      if (result.status !== 'unknown') this.#readable += 1;
      return CONTINUE;
    }
    this.#seen += 1;
    if (result.status === 'rejected') this.#refused += 1;
    this.#unreadableInARow = unreadable ? this.#unreadableInARow + 1 : 0;
    this.#deniedInARow = result.http === 403 ? this.#deniedInARow + 1 : 0;
    if (!unreadable && result.status !== 'failed' && result.status !== 'unknown') this.#readable += 1;
    const why =
      stop ??
      this.#unreadableStop(unreadable) ??
      this.#unprovenStop(result, unproven) ??
      this.#deniedStop() ??
      this.#refusalStop(result) ??
      this.budgetStop();
    return why ? { stop: why, pauseMs: 0 } : this.#breakerAdvice(result.status === 'unknown');
  }

  #breakerAdvice(isDoubtful: boolean): Advice {
    if (this.#breaker === null) return CONTINUE;
    const { counts, advice } = afterResult(this.#breaker, isDoubtful);
    this.#breaker = counts;
    return advice;
  }

  /** Returns a reason not to begin the run at all if the invalid rows alone exceed the budget. */
  budgetStop(): SrqError | null {
    if (!this.#budget || this.#refused < this.#budget.count) return null;
    const message = `${this.#refused} rows are invalid or rejected, which is the limit of --max-errors.`;
    return new SrqError(
      'rows.error-budget',
      message,
      'Look at the reasons in the results file, correct them, and run the same command again.',
    );
  }

  #unreadableStop(unreadable: boolean): SrqError | null {
    const asking = this.#readable < CANARY_ROWS && unreadable && this.#seen <= CANARY_ROWS;
    if (!asking && this.#unreadableInARow < UNREADABLE_IN_A_ROW) return null;
    return new SrqError(
      'answer.unreadable',
      'The service answers in a way that srq cannot read.',
      'Check the base URL (srq status). If validate is what cannot be read, skip it with --no-validate.',
    );
  }

  /**
   * Returns a reason to stop if one of the first rows gets a success that proves nothing. The meaning of such answers
   * must be known before more is sent. Later ones count as requests in doubt.
   */
  #unprovenStop({ row }: Submitted['result'], unproven: Submitted['unproven']): SrqError | null {
    if (unproven === null || this.#readable >= CANARY_ROWS) return null;
    const lookUp = `Look row ${row} up at the service and record what you found: srq resolve`;
    if (unproven.form === '') {
      const message = 'The service answers with a page, or in another way that srq cannot read.';
      return new SrqError('answer.unproven', message, `Check the base URL (srq status). ${lookUp}`);
    }
    const [means, flag] = unproven.isDenied ? ['a refusal', '--refused-by'] : ['that it was taken', '--taken-by'];
    return new SrqError(
      'answer.unproven',
      `The service answers with success, but in a way that does not prove what became of the request: ${unproven.form}`,
      `${lookUp} If such an answer always means ${means}, say so once: srq contract learn ${flag} status`,
    );
  }

  #deniedStop(): SrqError | null {
    const denied = this.#deniedInARow >= DENIED_IN_A_ROW || (this.#seen === 1 && this.#deniedInARow === 1);
    if (!denied) return null;
    const hint =
      'Ask the marketplace whether this client may create requests in these markets, then run the same command again.';
    return new SrqError('auth.denied', 'The service denies these requests (HTTP 403).', hint);
  }

  #refusalStop({ status, message }: Submitted['result']): SrqError | null {
    if (status !== 'rejected' || this.#seen > FIRST_ROWS) return null;
    const reason = message ?? '';
    const times = (this.#firstRefusals.get(reason) ?? 0) + 1;
    this.#firstRefusals.set(reason, times);
    if (times < FIRST_ROWS_REFUSED) return null;
    return new SrqError(
      'rows.same-refusal',
      `${times} of the first ${this.#seen} rows were refused for the same reason: ${reason}`,
      'The mapping is probably wrong: look at the plan with --dry-run, and correct it with --map and --set.',
    );
  }
}

/** Factor by which the rate is reduced after the breaker has paused the run. */
const RATE_AFTER_BREAK = 0.5;

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

/**
 * The breaker opens at `DOUBTS_IN_A_ROW` requests in doubt in a row, or at more than `DOUBTS_IN_WINDOW` among the last
 * `DOUBT_WINDOW` results.
 */
const DOUBTS_IN_A_ROW = 3;
const DOUBT_WINDOW = 200;
const DOUBTS_IN_WINDOW = 4;
const MAX_BREAKS = 3;
const FIRST_BREAK_MS = 2_000;
/**
 * Maximum delay until good results are reported to the account. They matter for judging the requests in doubt of other
 * workers.
 */
const REPORT_INTERVAL_MS = 1_000;
/** Time after which an earlier break is forgotten, because a worker may run without end. */
const FORGET_MS = 60 * 60_000;
const STATE_NAME = 'breaker';

/** The advice after a result: continue, pause and check the service, or stop. */
export interface Advice {
  readonly stop: SrqError | null;
  /** Time in milliseconds to pause before validate is asked whether the service works again. 0 means no pause. */
  readonly pauseMs: number;
}

/** The advice to continue without a pause. */
export const CONTINUE: Advice = { stop: null, pauseMs: 0 };

/** The state of a breaker, in the form stored as JSON. */
interface BreakerCounts {
  readonly seen: number;
  readonly doubtsInARow: number;
  /** Sequence numbers of the latest doubtful results. */
  readonly doubts: readonly number[];
  readonly breaks: number;
}

const UNBROKEN: BreakerCounts = { seen: 0, doubtsInARow: 0, doubts: [], breaks: 0 };

/**
 * Counts one more result and returns the advice. It is to pause if too many results are doubtful, and to stop if that
 * has happened too often.
 */
function afterResult(counts: BreakerCounts, isDoubtful: boolean): { counts: BreakerCounts; advice: Advice } {
  const seen = counts.seen + 1;
  const doubtsInARow = isDoubtful ? counts.doubtsInARow + 1 : 0;
  const recent = isDoubtful ? [...counts.doubts, seen] : counts.doubts;
  const doubts = recent.filter((number) => number > seen - DOUBT_WINDOW);
  if (doubtsInARow < DOUBTS_IN_A_ROW && doubts.length <= DOUBTS_IN_WINDOW) {
    return { counts: { seen, doubtsInARow, doubts, breaks: counts.breaks }, advice: CONTINUE };
  }
  const breaks = counts.breaks + 1;
  const pause = { stop: null, pauseMs: FIRST_BREAK_MS * 3 ** (breaks - 1) };
  const advice = breaks < MAX_BREAKS ? pause : stopped();
  return { counts: { seen, doubtsInARow: 0, doubts: [], breaks }, advice };
}

/** The stored state of an account's breaker. */
interface BreakerRecord {
  readonly breaker: BreakerCounts;
  /** Time when it last opened, and time when it stopped the workers, by the clock of the shared state. */
  readonly brokeMs: number | null;
  readonly stoppedMs: number | null;
}

/**
 * The breaker of an account. It counts the results of all workers of the account, and its advice applies to all of
 * them.
 */
export class AccountBreaker {
  readonly #state: SharedAccountState;
  readonly #clock: Clock;
  #results: boolean[] = [];
  #reporting: Promise<Advice> | null = null;
  #reportedMs: number;
  /**
   * Start of this worker by the clock of the shared state. A stop before that no longer applies, because somebody has
   * started a worker again.
   */
  #beganMs: number | null = null;

  constructor(state: SharedAccountState, clock: Clock) {
    this.#state = state;
    this.#clock = clock;
    this.#reportedMs = clock.monotonicMs();
  }

  /** Counts one more result and returns the advice that follows from the results of all workers. */
  async observe(isDoubtful: boolean): Promise<Advice> {
    this.#results.push(isDoubtful);
    const isDue = isDoubtful || this.#clock.monotonicMs() - this.#reportedMs >= REPORT_INTERVAL_MS;
    if (!isDue || this.#reporting) return CONTINUE;
    this.#reporting = this.#report().finally(() => {
      this.#reporting = null;
    });
    return this.#reporting;
  }

  async #report(): Promise<Advice> {
    const results = this.#results.splice(0);
    this.#reportedMs = this.#clock.monotonicMs();
    return this.#state.change(STATE_NAME, (kept, nowMs) => {
      this.#beganMs ??= nowMs;
      return afterResults(kept as BreakerRecord | null, results, nowMs, this.#beganMs);
    });
  }
}

/**
 * Adds the results of a worker that started at `beganMs` to the stored state, and returns the new state and the advice.
 */
function afterResults(before: BreakerRecord | null, results: readonly boolean[], nowMs: number, beganMs: number) {
  const stoppedMs = before?.stoppedMs ?? null;
  if (before !== null && stoppedMs !== null && stoppedMs >= beganMs) return { keep: before, result: stopped() };
  const isOver =
    before === null || stoppedMs !== null || (before.brokeMs !== null && nowMs - before.brokeMs > FORGET_MS);
  let counts = isOver ? UNBROKEN : before.breaker;
  let advice = CONTINUE;
  for (const isDoubtful of results) {
    const after = afterResult(counts, isDoubtful);
    counts = after.counts;
    advice = moreSevere(advice, after.advice);
  }
  const keep: BreakerRecord = {
    breaker: counts,
    brokeMs: advice.pauseMs > 0 ? nowMs : isOver ? null : before.brokeMs,
    stoppedMs: advice.stop ? nowMs : null,
  };
  return { keep, result: advice };
}

function moreSevere(one: Advice, other: Advice): Advice {
  if (one.stop || other.stop) return one.stop ? one : other;
  return one.pauseMs >= other.pauseMs ? one : other;
}

function stopped(): Advice {
  const message = 'Too many requests end with an unknown outcome: the service or the connection has a problem.';
  const hint =
    'Run the same command again later: it goes on where it stopped, and does not resend rows with an unknown outcome.';
  return { stop: new SrqError('rows.too-many-doubts', message, hint), pauseMs: 0 };
}
