import type { SrqError } from '../model/errors.ts';
import type { Clock, SharedAccount } from '../model/ports.ts';
import { type Advice, Breaker, type BreakerState, GO_ON, tooManyDoubts } from './breaker.ts';

/** Good results are told so much later at most; they count for the doubts of other workers. */
const TELL_MS = 1_000;
/** What was long ago does not count towards the end of a run that has no end. */
const FORGET_MS = 60 * 60_000;
const KEPT_AS = 'breaker';

interface Kept {
  readonly breaker: BreakerState;
  /** When it broke last, and when it broke for good; by the store's clock. */
  readonly brokeMs: number | null;
  readonly stoppedMs: number | null;
}

/** The breaker of an account: what all its workers see counts, and holds for all. */
export class SharedBreaker {
  readonly #account: SharedAccount;
  readonly #clock: Clock;
  #results: boolean[] = [];
  #telling: Promise<Advice> | null = null;
  #toldMs: number;
  /** By the store's clock; a stop of before is over, now that somebody has started a worker again. */
  #beganMs: number | null = null;

  constructor(account: SharedAccount, clock: Clock) {
    this.#account = account;
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
    return this.#account.change(KEPT_AS, (kept, nowMs) => {
      this.#beganMs ??= nowMs;
      const told = tell(kept as Kept | null, results, nowMs, this.#beganMs);
      return { keep: told.kept, result: told.advice };
    });
  }
}

/** Pure. */
function tell(before: Kept | null, results: readonly boolean[], nowMs: number, beganMs: number) {
  const stoppedMs = before?.stoppedMs ?? null;
  if (before !== null && stoppedMs !== null && stoppedMs >= beganMs) {
    return { kept: before, advice: { stop: tooManyDoubts(), pauseMs: 0 } };
  }
  const isOver =
    before === null || stoppedMs !== null || (before.brokeMs !== null && nowMs - before.brokeMs > FORGET_MS);
  const breaker = isOver ? new Breaker() : new Breaker(before.breaker);
  let stop: SrqError | null = null;
  let pauseMs = 0;
  for (const isDoubtful of results) {
    const advice = breaker.observe(isDoubtful);
    stop ??= advice.stop;
    pauseMs = Math.max(pauseMs, advice.pauseMs);
  }
  const kept: Kept = {
    breaker: breaker.state,
    brokeMs: pauseMs > 0 ? nowMs : isOver ? null : before.brokeMs,
    stoppedMs: stop ? nowMs : null,
  };
  return { kept, advice: stop ? { stop, pauseMs: 0 } : { stop: null, pauseMs } };
}
