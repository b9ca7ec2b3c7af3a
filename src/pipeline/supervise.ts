import { SrqError } from '../model/errors.ts';
import type { Submitted } from './submit-request.ts';

/** The first rows go one at a time, until so many have given a result that could be read. */
const CANARY_ROWS = 3;
/** The same refusal on 20 of the first 25 rows is a wrong mapping, not 20 bad rows. */
const FIRST_ROWS = 25;
const FIRST_ROWS_REFUSED = 20;
const DENIED_IN_A_ROW = 5;
const UNREADABLE_IN_A_ROW = 2;
/** The breaker: so many doubts in a row, or more than so many among the last results. */
const DOUBTS_IN_A_ROW = 3;
const DOUBT_WINDOW = 200;
const DOUBTS_IN_WINDOW = 4;
const BREAKS_LIMIT = 3;
const FIRST_BREAK_MS = 2_000;

const GO_ON: Advice = { stop: null, pauseMs: 0 };

/** How many refused rows a run may have: a number, or a share of the rows in the plan. */
export interface ErrorBudget {
  readonly count: number;
}

/** What follows from a result: go on, pause and look whether the service is well, or stop. */
export interface Advice {
  readonly stop: SrqError | null;
  /** Milliseconds to hold everything back before validate is asked whether the service is well; 0: no pause. */
  readonly pauseMs: number;
}

/** Watches the results of a run and says when to pause and when to stop. Pure: results in, advice out. */
export class Supervisor {
  readonly #budget: ErrorBudget | null;
  #refused: number;
  #readable = 0;
  #seen = 0;
  #unreadableInARow = 0;
  #deniedInARow = 0;
  #doubtsInARow = 0;
  #breaks = 0;
  /** Numbers of the last doubtful results. */
  #doubts: number[] = [];
  readonly #firstRefusals = new Map<string, number>();

  /** `invalid`: rows that the local checks refused, which count towards the budget. */
  constructor(budget: ErrorBudget | null, invalid: number) {
    this.#budget = budget;
    this.#refused = invalid;
  }

  /** Most rows in flight now. */
  limit(concurrency: number): number {
    return this.#readable < CANARY_ROWS ? 1 : concurrency;
  }

  observe({ result, unreadable, stop }: Submitted): Advice {
    this.#seen += 1;
    if (result.status === 'rejected') this.#refused += 1;
    this.#unreadableInARow = unreadable ? this.#unreadableInARow + 1 : 0;
    this.#deniedInARow = result.http === 403 ? this.#deniedInARow + 1 : 0;
    if (!unreadable && result.status !== 'failed' && result.status !== 'unknown') this.#readable += 1;
    const why =
      stop ?? this.#unreadableStop(unreadable) ?? this.#deniedStop() ?? this.#refusalStop(result) ?? this.budgetStop();
    return why ? { stop: why, pauseMs: 0 } : this.#breaker(result.status === 'unknown');
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

  #deniedStop(): SrqError | null {
    const denied = this.#deniedInARow >= DENIED_IN_A_ROW || (this.#seen === 1 && this.#deniedInARow === 1);
    if (!denied) return null;
    const hint =
      'Ask the marketplace whether this client may create requests in these markets, then run the same command again.';
    return new SrqError('auth', 'The service denies these requests (HTTP 403).', hint);
  }

  #breaker(doubtful: boolean): Advice {
    this.#doubtsInARow = doubtful ? this.#doubtsInARow + 1 : 0;
    if (doubtful) this.#doubts.push(this.#seen);
    this.#doubts = this.#doubts.filter((number) => number > this.#seen - DOUBT_WINDOW);
    if (this.#doubtsInARow < DOUBTS_IN_A_ROW && this.#doubts.length <= DOUBTS_IN_WINDOW) return GO_ON;
    this.#breaks += 1;
    this.#doubtsInARow = 0;
    this.#doubts = [];
    if (this.#breaks < BREAKS_LIMIT) return { stop: null, pauseMs: FIRST_BREAK_MS * 3 ** (this.#breaks - 1) };
    const message = 'Too many requests end in doubt: the service or the line is not well.';
    const hint = 'Run the same command again later: it goes on where it stopped, and sends nothing in doubt again.';
    return { stop: new SrqError('stopped', message, hint), pauseMs: 0 };
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
