import { SrqError } from '../model/errors.ts';
import type { Clock, MarketplaceApi } from '../model/ports.ts';
import type { ServiceRequest } from '../model/service-request.ts';
import { type Advice, afterResult, type BreakerCounts, GO_ON, UNBROKEN } from './breaker.ts';
import type { Submitted } from './submit-request.ts';

/** The first rows go one at a time, until so many have given a result that could be read. */
const CANARY_ROWS = 3;
/** The same refusal on 20 of the first 25 rows is a wrong mapping, not 20 bad rows. */
const FIRST_ROWS = 25;
const FIRST_ROWS_REFUSED = 20;
const DENIED_IN_A_ROW = 5;
const UNREADABLE_IN_A_ROW = 2;

/** How many refused rows a run may have: a number, or a share of the rows in the plan. */
export interface ErrorBudget {
  readonly count: number;
}

/** Watches the results of a run and says when to pause and when to stop. Pure: results in, advice out. */
export class Supervisor {
  readonly #budget: ErrorBudget | null;
  #breaker: BreakerCounts | null;
  #refused: number;
  #readable = 0;
  #seen = 0;
  #unreadableInARow = 0;
  #deniedInARow = 0;
  readonly #firstRefusals = new Map<string, number>();

  /**
   * `invalid`: rows that the local checks refused, which count towards the budget. `breaker`: what its counts begin with;
   * null: the doubts are watched elsewhere.
   */
  constructor(budget: ErrorBudget | null, invalid: number, breaker: BreakerCounts | null = UNBROKEN) {
    this.#budget = budget;
    this.#breaker = breaker;
    this.#refused = invalid;
  }

  /** Most rows in flight now. */
  limit(concurrency: number): number {
    return this.#readable < CANARY_ROWS ? 1 : concurrency;
  }

  observe({ result, unreadable, unproven, stop, isFromLog }: Submitted): Advice {
    // What another process sent shows that the service can be read; its doubts are counted where they arose.
    if (isFromLog && !stop) {
      if (result.status !== 'unknown') this.#readable += 1;
      return GO_ON;
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
    if (this.#breaker === null) return GO_ON;
    const { counts, advice } = afterResult(this.#breaker, isDoubtful);
    this.#breaker = counts;
    return advice;
  }

  /** Why the run should not even begin: the invalid rows alone exceed the budget. */
  budgetStop(): SrqError | null {
    if (!this.#budget || this.#refused < this.#budget.count) return null;
    const message = `${this.#refused} rows are invalid or rejected, which is the limit of --max-errors.`;
    return new SrqError(
      'stopped',
      message,
      'Look at the reasons in the results file, correct them, and run the same command again.',
    );
  }

  #unreadableStop(unreadable: boolean): SrqError | null {
    const asking = this.#readable < CANARY_ROWS && unreadable && this.#seen <= CANARY_ROWS;
    if (!asking && this.#unreadableInARow < UNREADABLE_IN_A_ROW) return null;
    return new SrqError(
      'stopped',
      'The service answers in a way that srq cannot read.',
      'Check the base URL (srq status). If validate is what cannot be read, skip it with --no-validate.',
    );
  }

  /** Among the first rows: what such answers mean has to be known before more is sent. Later they count as doubts. */
  #unprovenStop({ row }: Submitted['result'], unproven: Submitted['unproven']): SrqError | null {
    if (unproven === null || this.#readable >= CANARY_ROWS) return null;
    const lookUp = `Look row ${row} up at the service and say what you found: srq resolve.`;
    if (unproven.form === '') {
      const message = 'The service answers with a page, or in another way that srq cannot read.';
      return new SrqError('unknown', message, `Check the base URL (srq status). ${lookUp}`);
    }
    const [means, flag] = unproven.isDenied ? ['a refusal', '--refused-by'] : ['that it was taken', '--taken-by'];
    return new SrqError(
      'unknown',
      `The service answers with success, but in a way that does not prove what became of the request: ${unproven.form}`,
      `${lookUp} If such an answer always means ${means}, say so once: srq contract learn ${flag} status`,
    );
  }

  #deniedStop(): SrqError | null {
    const denied = this.#deniedInARow >= DENIED_IN_A_ROW || (this.#seen === 1 && this.#deniedInARow === 1);
    if (!denied) return null;
    const hint =
      'Ask the marketplace whether this client may create requests in these markets, then run the same command again.';
    return new SrqError('auth', 'The service denies these requests (HTTP 403).', hint);
  }

  #refusalStop({ status, message }: Submitted['result']): SrqError | null {
    if (status !== 'rejected' || this.#seen > FIRST_ROWS) return null;
    const reason = message ?? '';
    const times = (this.#firstRefusals.get(reason) ?? 0) + 1;
    this.#firstRefusals.set(reason, times);
    if (times < FIRST_ROWS_REFUSED) return null;
    return new SrqError(
      'stopped',
      `${times} of the first ${this.#seen} rows were refused alike: ${reason}`,
      'Probably the mapping is wrong: look at the plan with --dry-run, correct it with --map and --set.',
    );
  }
}

/** Share of its rate at which the sending goes on after the breaker. */
const RATE_AFTER_BREAK = 0.5;

/** Waits out a pause of the breaker, and on until validate answers. A service that does not answer shows in what follows. */
export async function recoverFromBreak(
  request: ServiceRequest,
  pauseMs: number,
  { api, clock, stopping }: { readonly api: MarketplaceApi; readonly clock: Clock; readonly stopping: AbortSignal },
): Promise<void> {
  await clock.sleep(pauseMs, stopping);
  if (!stopping.aborted) await api.validate(request).catch(() => {});
  api.slowDown(RATE_AFTER_BREAK);
}
