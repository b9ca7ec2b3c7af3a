import type { Clock, MarketplaceApi, SharedAccountState } from '../request/ports.ts';
import type { ServiceRequest } from '../request/service-request.ts';
import { type Advice, afterResults, type BreakerRecord, CONTINUE } from './breaker-rules.ts';

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
