import { SrqError } from '../model/errors.ts';
import type { Clock, SharedAccountState } from '../model/ports.ts';

/** So many doubts in a row, or more than so many among the last results. */
const DOUBTS_IN_A_ROW = 3;
const DOUBT_WINDOW = 200;
const DOUBTS_IN_WINDOW = 4;
const BREAKS_LIMIT = 3;
const FIRST_BREAK_MS = 2_000;
/** Good results are told so much later at most; they count for the doubts of other workers. */
const TELL_MS = 1_000;
/** What was long ago does not count towards the end of a run that has no end. */
const FORGET_MS = 60 * 60_000;
const KEPT_AS = 'breaker';

/** What follows from a result: go on, pause and look whether the service is well, or stop. */
export interface Advice {
  readonly stop: SrqError | null;
  /** Milliseconds to hold everything back before validate is asked whether the service is well; 0: no pause. */
  readonly pauseMs: number;
}

export const GO_ON: Advice = { stop: null, pauseMs: 0 };

/** What the breaker counts, as JSON keeps it. */
export interface BreakerCounts {
  readonly seen: number;
  readonly doubtsInARow: number;
  /** Numbers of the last doubtful results. */
  readonly doubts: readonly number[];
  readonly breaks: number;
}

export const UNBROKEN: BreakerCounts = { seen: 0, doubtsInARow: 0, doubts: [], breaks: 0 };

/** Counts one more result, and holds everything back where too many are doubtful. Pure. */
export function afterResult(counts: BreakerCounts, isDoubtful: boolean): { counts: BreakerCounts; advice: Advice } {
  const seen = counts.seen + 1;
  const doubtsInARow = isDoubtful ? counts.doubtsInARow + 1 : 0;
  const recent = isDoubtful ? [...counts.doubts, seen] : counts.doubts;
  const doubts = recent.filter((number) => number > seen - DOUBT_WINDOW);
  if (doubtsInARow < DOUBTS_IN_A_ROW && doubts.length <= DOUBTS_IN_WINDOW) {
    return { counts: { seen, doubtsInARow, doubts, breaks: counts.breaks }, advice: GO_ON };
  }
  const breaks = counts.breaks + 1;
  const pause = { stop: null, pauseMs: FIRST_BREAK_MS * 3 ** (breaks - 1) };
  const advice = breaks < BREAKS_LIMIT ? pause : stopped();
  return { counts: { seen, doubtsInARow: 0, doubts: [], breaks }, advice };
}

/** The breaker of an account between two changes by its workers. */
interface BreakerRecord {
  readonly breaker: BreakerCounts;
  /** When it broke last, and when it broke for good; by the clock of the state. */
  readonly brokeMs: number | null;
  readonly stoppedMs: number | null;
}

/** The breaker of an account: what all its workers see counts, and holds for all. */
export class AccountBreaker {
  readonly #state: SharedAccountState;
  readonly #clock: Clock;
  #results: boolean[] = [];
  #telling: Promise<Advice> | null = null;
  #toldMs: number;
  /** By the clock of the state; a stop of before is over, now that somebody has started a worker again. */
  #beganMs: number | null = null;

  constructor(state: SharedAccountState, clock: Clock) {
    this.#state = state;
    this.#clock = clock;
    this.#toldMs = clock.monotonicMs();
  }

  /** What follows from one more result, and from those of the others. */
  async observe(isDoubtful: boolean): Promise<Advice> {
    this.#results.push(isDoubtful);
    const isDue = isDoubtful || this.#clock.monotonicMs() - this.#toldMs >= TELL_MS;
    if (!isDue || this.#telling) return GO_ON;
    this.#telling = this.#tell().finally(() => {
      this.#telling = null;
    });
    return this.#telling;
  }

  async #tell(): Promise<Advice> {
    const results = this.#results.splice(0);
    this.#toldMs = this.#clock.monotonicMs();
    return this.#state.change(KEPT_AS, (kept, nowMs) => {
      this.#beganMs ??= nowMs;
      return afterResults(kept as BreakerRecord | null, results, nowMs, this.#beganMs);
    });
  }
}

/** Counts results of a worker that began at `beganMs` among those of the others. Pure. */
function afterResults(before: BreakerRecord | null, results: readonly boolean[], nowMs: number, beganMs: number) {
  const stoppedMs = before?.stoppedMs ?? null;
  if (before !== null && stoppedMs !== null && stoppedMs >= beganMs) return { keep: before, result: stopped() };
  const isOver =
    before === null || stoppedMs !== null || (before.brokeMs !== null && nowMs - before.brokeMs > FORGET_MS);
  let counts = isOver ? UNBROKEN : before.breaker;
  let advice = GO_ON;
  for (const isDoubtful of results) {
    const after = afterResult(counts, isDoubtful);
    counts = after.counts;
    advice = graver(advice, after.advice);
  }
  const keep: BreakerRecord = {
    breaker: counts,
    brokeMs: advice.pauseMs > 0 ? nowMs : isOver ? null : before.brokeMs,
    stoppedMs: advice.stop ? nowMs : null,
  };
  return { keep, result: advice };
}

function graver(one: Advice, other: Advice): Advice {
  if (one.stop || other.stop) return one.stop ? one : other;
  return one.pauseMs >= other.pauseMs ? one : other;
}

function stopped(): Advice {
  const message = 'Too many requests end in doubt: the service or the line is not well.';
  const hint = 'Run the same command again later: it goes on where it stopped, and sends nothing in doubt again.';
  return { stop: new SrqError('stopped', message, hint), pauseMs: 0 };
}
