import type { ServiceRequest } from '../request/lead/service-request.ts';
import type { Clock, MarketplaceApi } from '../request/ports.ts';
import { SrqError } from '../request/words/errors.ts';

/** The breaker opens at this many unknown outcomes in a row, or at more than `UNKNOWN_IN_WINDOW` among the last `WINDOW`. */
const UNKNOWN_IN_A_ROW = 3;
const UNKNOWN_IN_WINDOW = 4;
const WINDOW = 200;
const MAX_BREAKS = 3;
const FIRST_BREAK_MS = 2_000;
/** Number of known outcomes in a row after which earlier breaks are forgotten, because a worker may run without end. */
const FORGET_RESULTS = 1_000;

/** The advice after a result: continue, pause and check the service, or stop. */
export interface Advice {
  readonly stop: SrqError | null;
  /** Time in milliseconds to pause before validate is asked whether the service works again. 0 means no pause. */
  readonly pauseMs: number;
}

/** The advice to continue without a pause. */
export const CONTINUE: Advice = { stop: null, pauseMs: 0 };

/** Advises to pause if too many outcomes of a process are unknown, and to stop if that has happened too often. */
export class Breaker {
  #seen = 0;
  #inARow = 0;
  #lastUnknown = 0;
  /** The numbers of the latest results that were unknown. */
  #unknown: number[] = [];
  #breaks = 0;

  observe(isUnknown: boolean): Advice {
    this.#seen += 1;
    if (!isUnknown) {
      this.#inARow = 0;
      return CONTINUE;
    }
    if (this.#seen - this.#lastUnknown > FORGET_RESULTS) this.#breaks = 0;
    this.#lastUnknown = this.#seen;
    this.#inARow += 1;
    this.#unknown = [...this.#unknown, this.#seen].filter((each) => each > this.#seen - WINDOW);
    if (this.#inARow < UNKNOWN_IN_A_ROW && this.#unknown.length <= UNKNOWN_IN_WINDOW) return CONTINUE;
    this.#inARow = 0;
    this.#unknown = [];
    this.#breaks += 1;
    if (this.#breaks < MAX_BREAKS) return { stop: null, pauseMs: FIRST_BREAK_MS * 3 ** (this.#breaks - 1) };
    const message = 'Too many requests end with an unknown outcome: the service or the connection has a problem.';
    const hint =
      'Run the same command again later: it goes on where it stopped, and does not resend rows with an unknown outcome.';
    return { stop: new SrqError('rows.too-many-doubts', message, hint), pauseMs: 0 };
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
