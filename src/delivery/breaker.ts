import type { ServiceRequest } from '../request/lead/service-request.ts';
import type { Clock, MarketplaceApi, SharedAccountState } from '../request/ports.ts';
import { SrqError } from '../request/words/errors.ts';

/**
 * The breaker opens at `DOUBTS_IN_A_ROW` requests in doubt in a row, or at more than `DOUBTS_IN_WINDOW` among the last
 * `DOUBT_WINDOW` results.
 */
const DOUBTS_IN_A_ROW = 3;
const DOUBT_WINDOW = 200;
const DOUBTS_IN_WINDOW = 4;
const MAX_BREAKS = 3;
const FIRST_BREAK_MS = 2_000;
/** Time after which an earlier break is forgotten, because a worker may run without end. */
const FORGET_MS = 60 * 60_000;

/** The advice after a result: continue, pause and check the service, or stop. */
export interface Advice {
  readonly stop: SrqError | null;
  /** Time in milliseconds to pause before validate is asked whether the service works again. 0 means no pause. */
  readonly pauseMs: number;
}

/** The advice to continue without a pause. */
export const CONTINUE: Advice = { stop: null, pauseMs: 0 };

/** The state of a breaker, in the form stored as JSON. */
export interface BreakerCounts {
  readonly seen: number;
  readonly doubtsInARow: number;
  /** Sequence numbers of the latest doubtful results. */
  readonly doubts: readonly number[];
  readonly breaks: number;
}

export const UNBROKEN: BreakerCounts = { seen: 0, doubtsInARow: 0, doubts: [], breaks: 0 };

/**
 * Counts one more result and returns the advice. It is to pause if too many results are doubtful, and to stop if that
 * has happened too often.
 */
export function afterResult(counts: BreakerCounts, isDoubtful: boolean): { counts: BreakerCounts; advice: Advice } {
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

/**
 * Maximum delay until good results are reported to the account. They matter for judging the requests in doubt of other
 * workers.
 */
const REPORT_INTERVAL_MS = 1_000;
const STATE_NAME = 'breaker';

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
