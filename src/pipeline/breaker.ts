import { SrqError } from '../model/errors.ts';

/** So many doubts in a row, or more than so many among the last results. */
const DOUBTS_IN_A_ROW = 3;
const DOUBT_WINDOW = 200;
const DOUBTS_IN_WINDOW = 4;
const BREAKS_LIMIT = 3;
const FIRST_BREAK_MS = 2_000;

/** What follows from a result: go on, pause and look whether the service is well, or stop. */
export interface Advice {
  readonly stop: SrqError | null;
  /** Milliseconds to hold everything back before validate is asked whether the service is well; 0: no pause. */
  readonly pauseMs: number;
}

export const GO_ON: Advice = { stop: null, pauseMs: 0 };

/** A breaker as plain values. */
export interface BreakerState {
  readonly seen: number;
  readonly doubtsInARow: number;
  /** Numbers of the last doubtful results. */
  readonly doubts: readonly number[];
  readonly breaks: number;
}

const UNBROKEN: BreakerState = { seen: 0, doubtsInARow: 0, doubts: [], breaks: 0 };

/** Holds everything back where too many results are doubtful. Pure: results in, advice out. */
export class Breaker {
  #state: BreakerState;

  constructor(state: BreakerState = UNBROKEN) {
    this.#state = state;
  }

  get state(): BreakerState {
    return this.#state;
  }

  observe(isDoubtful: boolean): Advice {
    const seen = this.#state.seen + 1;
    const doubtsInARow = isDoubtful ? this.#state.doubtsInARow + 1 : 0;
    const recent = [...this.#state.doubts, ...(isDoubtful ? [seen] : [])];
    const doubts = recent.filter((number) => number > seen - DOUBT_WINDOW);
    this.#state = { ...this.#state, seen, doubtsInARow, doubts };
    if (doubtsInARow < DOUBTS_IN_A_ROW && doubts.length <= DOUBTS_IN_WINDOW) return GO_ON;
    const breaks = this.#state.breaks + 1;
    this.#state = { seen, doubtsInARow: 0, doubts: [], breaks };
    if (breaks < BREAKS_LIMIT) return { stop: null, pauseMs: FIRST_BREAK_MS * 3 ** (breaks - 1) };
    return { stop: tooManyDoubts(), pauseMs: 0 };
  }
}

export function tooManyDoubts(): SrqError {
  const message = 'Too many requests end in doubt: the service or the line is not well.';
  const hint = 'Run the same command again later: it goes on where it stopped, and sends nothing in doubt again.';
  return new SrqError('stopped', message, hint);
}
