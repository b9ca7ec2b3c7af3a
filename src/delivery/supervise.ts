import { SrqError } from '../request/words/errors.ts';
import { type Advice, Breaker, CONTINUE } from './breaker.ts';
import type { Sent } from './submit.ts';

/**
 * A run is careful until this many rows have a readable result: it has one row in flight, or this many at a familiar service
 * (decision 52).
 */
const CANARY_ROWS = 3;
/** The same refusal on 20 of the first 25 rows means that the mapping is wrong, not the rows. */
const FIRST_ROWS = 25;
const FIRST_ROWS_REFUSED = 20;
const DENIED_IN_A_ROW = 5;
/** The first rows of a file may all be duplicates of a service of which nothing is known yet. */
const UNREADABLE_IN_A_ROW = 10;

/** Watches the results of a run, or of a worker, and advises when to pause and when to stop. It has no side effects. */
export class Supervisor {
  readonly #maxRefused: number | null;
  readonly #canaries: number;
  readonly #breaker = new Breaker();
  #refused: number;
  #readable = 0;
  #seen = 0;
  #unreadableInARow = 0;
  #deniedInARow = 0;
  readonly #firstRefusals = new Map<string, number>();

  /**
   * `maxRefused` is the number of refused rows at which the run stops, or null if there is none. `invalid` rows, which the
   * local checks refused, count towards it. `isFamiliar` tells whether earlier runs have shown how the service answers when it
   * has taken a request.
   */
  constructor(maxRefused: number | null, invalid: number, { isFamiliar = false } = {}) {
    this.#maxRefused = maxRefused;
    this.#canaries = isFamiliar ? CANARY_ROWS : 1;
    this.#refused = invalid;
  }

  /** Starts to count the first rows again, because every file has a mapping of its own. Counts of all rows continue. */
  beginFile(): void {
    this.#readable = 0;
    this.#seen = 0;
    this.#firstRefusals.clear();
  }

  /** Whether these are the first rows, by which the answers of the service are learned. */
  get isAtFirst(): boolean {
    return this.#readable < CANARY_ROWS;
  }

  /** Returns the maximum number of rows in flight. */
  limit(concurrency: number): number {
    return this.isAtFirst ? Math.min(this.#canaries, concurrency) : concurrency;
  }

  /** Counts one result and returns the advice that follows from it. */
  observe(sent: Sent): Advice {
    const { status, http, unreadable, stop, isFromLog } = sent;
    // A result from another process shows that the answers of the service can be read. That process has already counted
    // its requests in doubt.
    if (isFromLog && !stop) {
      if (status !== 'unknown') this.#readable += 1;
      return CONTINUE;
    }
    this.#seen += 1;
    if (status === 'rejected') this.#refused += 1;
    this.#unreadableInARow = unreadable ? this.#unreadableInARow + 1 : 0;
    this.#deniedInARow = http === 403 ? this.#deniedInARow + 1 : 0;
    if (!unreadable && status !== 'failed' && status !== 'unknown') this.#readable += 1;
    const why =
      stop ??
      this.#unreadableStop() ??
      this.#unprovenStop(sent) ??
      this.#deniedStop() ??
      this.#refusalStop(sent) ??
      this.budgetStop();
    return why ? { stop: why, pauseMs: 0 } : this.#breaker.observe(status === 'unknown');
  }

  /** Returns a reason not to begin the run at all if the invalid rows alone exceed the budget. */
  budgetStop(): SrqError | null {
    if (this.#maxRefused === null || this.#refused < this.#maxRefused) return null;
    const rows = this.#refused === 1 ? '1 row is' : `${this.#refused} rows are`;
    const message = `${rows} invalid or rejected, which is the limit of --max-errors.`;
    return new SrqError(
      'rows.error-budget',
      message,
      'Look at the reasons in the results file, correct them, and run the same command again.',
    );
  }

  #unreadableStop(): SrqError | null {
    if (this.#unreadableInARow < UNREADABLE_IN_A_ROW) return null;
    return new SrqError(
      'answer.unreadable',
      'Nothing shows what the service answers to validate.',
      'Check the base URL with: srq status. At a new service, srq learns that from the first request that it creates: import a new one first, or skip validate with --no-validate.',
    );
  }

  /**
   * Returns a reason to stop if one of the first rows gets an answer that proves nothing. Its meaning must be known before
   * more is sent. Later ones count as unknown outcomes.
   */
  #unprovenStop({ row, unproven }: Sent): SrqError | null {
    if (unproven === null || !this.isAtFirst) return null;
    const { text, ids } = unproven;
    const lookUp = `Look row ${row} up at the service and record what you found: srq resolve`;
    if (text === '') {
      const message = 'The service answers with a page, or in another way that srq cannot read.';
      return new SrqError('answer.unproven', message, `Check the base URL (srq status). ${lookUp}`);
    }
    const way = Object.keys(ids).length > 0 ? 'id' : 'form';
    return new SrqError(
      'answer.unproven',
      `The service answered ${text}. Nothing shows whether that means that the request was taken.`,
      `${lookUp}. If such an answer always means that it was taken, say so once: srq contract learn --taken-by ${way}. If it means a refusal: srq contract learn --refused-by form`,
    );
  }

  #deniedStop(): SrqError | null {
    const denied = this.#deniedInARow >= DENIED_IN_A_ROW || (this.#seen === 1 && this.#deniedInARow === 1);
    if (!denied) return null;
    const hint =
      'Ask the marketplace whether this client may create requests in these markets, then run the same command again.';
    return new SrqError('auth.denied', 'The service denies these requests (HTTP 403).', hint);
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
      'The mapping is probably wrong: look at the plan with --dry-run, and correct it with --map and --set.',
    );
  }
}
