/** So many answers per place in flight make a mean. */
const ANSWERS_PER_PLACE = 2;
const FEWEST_ANSWERS = 4;
const SHRINK = 0.8;
/** Refused at least once in so many at this level or above: then the level is what was refused. */
const BLAME_ONE_IN = 12;
/** So few are in flight at many rates: a refusal there says little about which of the two was refused. */
const FEW = 3;
const BLAME_FEW_ONE_IN = 3;
/** After so many refusals blamed on the number in flight the rate is suspected too. */
const LOWERED_AT_MOST = 3;
const FIRST_RAISE_MS = 20_000;
const LONGEST_RAISE_MS = 600_000;

interface Timing {
  /** The best mean answer time known, milliseconds. */
  bestMs: number;
  count: number;
  sumMs: number;
  alone: boolean;
}

/** A limit as plain values, null for what JSON cannot say; times by the clock of whoever counts. */
export interface LimitState {
  readonly limit: number;
  /** Null: as many as there may ever be. */
  readonly ceiling: number | null;
  readonly raiseAtMs: number | null;
  readonly raiseAfterMs: number;
  readonly raised: boolean;
  readonly lowered: number;
  readonly doubling: boolean;
  readonly fullest: number;
  readonly timings: Readonly<Record<string, Timing>>;
  readonly taken: readonly (number | null)[];
  readonly refused: readonly (number | null)[];
}

/**
 * How many requests may be in flight: as many as do not make the answers slow. Answers slower than twice the best and
 * than the best plus 250 ms mean that requests queue up over there, where they only come nearer to a timeout.
 */
export class InFlightLimit {
  readonly #most: number;
  #limit = 1;
  /** What the service has been seen to refuse, less one. */
  #ceiling: number;
  #raiseAtMs = Number.POSITIVE_INFINITY;
  #raiseAfterMs = FIRST_RAISE_MS / 2;
  /** Whether the ceiling has been raised since it was last lowered. */
  #raised = true;
  #lowered = 0;
  #doubling = true;
  readonly #doubleUpTo: number;
  #fullest = 0;
  readonly #timings = new Map<string, Timing>();
  #taken: number[] = [];
  #refused: number[] = [];

  /** `most`: never more than this. `doubleUpTo`: the number up to which growth is fast. */
  constructor(most: number, doubleUpTo: number) {
    this.#most = most;
    this.#ceiling = most;
    this.#doubleUpTo = doubleUpTo;
  }

  /** Under another `most` than before, perhaps. */
  static restored(state: LimitState, most: number, doubleUpTo: number): InFlightLimit {
    const limit = new InFlightLimit(most, doubleUpTo);
    limit.#ceiling = Math.min(most, state.ceiling ?? most);
    limit.#limit = Math.min(state.limit, limit.#ceiling);
    limit.#raiseAtMs = state.raiseAtMs ?? Number.POSITIVE_INFINITY;
    limit.#raiseAfterMs = state.raiseAfterMs;
    limit.#raised = state.raised;
    limit.#lowered = state.lowered;
    limit.#doubling = state.doubling;
    limit.#fullest = state.fullest;
    for (const [operation, timing] of Object.entries(state.timings)) limit.#timings.set(operation, { ...timing });
    limit.#taken = state.taken.map((count) => count ?? 0);
    limit.#refused = state.refused.map((count) => count ?? 0);
    return limit;
  }

  toJSON(): LimitState {
    return {
      limit: this.#limit,
      ceiling: this.#ceiling < this.#most ? this.#ceiling : null,
      raiseAtMs: this.#raiseAtMs,
      raiseAfterMs: this.#raiseAfterMs,
      raised: this.#raised,
      lowered: this.#lowered,
      doubling: this.#doubling,
      fullest: this.#fullest,
      timings: Object.fromEntries(this.#timings),
      taken: this.#taken,
      refused: this.#refused,
    };
  }

  get places(): number {
    return Math.floor(this.#limit);
  }

  /** Longer than this an answer to this operation is slow; 0 before the first answer. */
  slowMs(operation: string): number {
    const timing = this.#timings.get(operation);
    return timing ? slowFrom(timing.bestMs) : 0;
  }

  /** The most that has not been refused. */
  get ceiling(): number {
    return this.#ceiling;
  }

  /** `level`: requests in flight when it was sent, itself included. */
  sent(level: number): void {
    this.#fullest = Math.max(this.#fullest, level);
  }

  /** A request was taken; `alone`: nothing else was in flight beside it. */
  taken(level: number): void {
    this.#taken[level] = (this.#taken[level] ?? 0) + 1;
  }

  /** An answer whose time is typical of the service's work. */
  timed(nowMs: number, operation: string, tookMs: number, alone: boolean): void {
    const timing = this.#timings.get(operation) ?? { bestMs: tookMs, count: 0, sumMs: 0, alone: true };
    this.#timings.set(operation, timing);
    timing.count += 1;
    timing.sumMs += tookMs;
    timing.alone &&= alone;
    let answers = 0;
    for (const each of this.#timings.values()) answers += each.count;
    if (answers >= Math.max(FEWEST_ANSWERS, ANSWERS_PER_PLACE * this.places)) this.#judge(nowMs);
  }

  /**
   * Refused at this level: if more than this has hardly ever been taken, the number in flight is what was refused, and
   * is kept below. True if that alone is likely to be the cause; if it happens again and again it is not.
   */
  refused(nowMs: number, level: number, isEcho: boolean): boolean {
    if (!isEcho) this.#fade();
    this.#refused[level] = (this.#refused[level] ?? 0) + 1;
    const oneIn = level > FEW ? BLAME_ONE_IN : BLAME_FEW_ONE_IN;
    const isToBlame = sumFrom(this.#refused, level) * oneIn > sumFrom(this.#taken, level);
    if (level < 2 || !isToBlame || level > this.#ceiling) return false;
    this.#lower(nowMs, level - 1);
    return level > FEW && this.#lowered <= LOWERED_AT_MOST;
  }

  #lower(nowMs: number, ceiling: number): void {
    this.#ceiling = ceiling;
    this.#limit = Math.min(this.#limit, ceiling);
    this.#doubling = false;
    if (this.#raised) this.#raiseAfterMs = Math.min(LONGEST_RAISE_MS, 2 * this.#raiseAfterMs);
    this.#raised = false;
    this.#lowered += 1;
    this.#raiseAtMs = nowMs + this.#raiseAfterMs;
  }

  shrink(): void {
    this.#limit = Math.max(1, this.#limit * SHRINK);
    this.#doubling = false;
  }

  /** What was long ago counts less: the service's limit may have fallen. */
  #fade(): void {
    this.#taken = this.#taken.map((count) => count / 2);
    this.#refused = this.#refused.map((count) => count / 2);
  }

  #judge(nowMs: number): void {
    let tookMs = 0;
    let bearableMs = 0;
    for (const timing of this.#timings.values()) {
      tookMs += timing.sumMs;
      bearableMs += timing.count * slowFrom(timing.bestMs);
      learn(timing);
    }
    if (tookMs > bearableMs) this.shrink();
    else if (this.#fullest >= this.places) this.#grow(nowMs, bearableMs / tookMs);
    this.#fullest = 0;
  }

  /** `slack`: how many times slower the answers may get; if they queue, so many times more may be in flight. */
  #grow(nowMs: number, slack: number): void {
    if (nowMs >= this.#raiseAtMs && this.#ceiling < this.#most) {
      this.#ceiling += 1;
      this.#raised = true;
      this.#lowered = 0;
      this.#raiseAtMs = nowMs + this.#raiseAfterMs;
    }
    const goal = this.#doubling && this.#limit < this.#doubleUpTo ? this.#limit * 2 : this.#limit + 1;
    this.#limit = Math.min(goal, this.#limit * slack, this.#ceiling);
  }
}

const slowFrom = (bestMs: number): number => Math.max(2 * bestMs, bestMs + 250);

/**
 * The best moves towards a lower mean, a quarter of the way, for one lucky mean is not the rule. With nothing else in
 * flight it moves towards the mean in any case: so a service that has become slower for good is not throttled for ever.
 */
function learn(timing: Timing): void {
  if (timing.count > 0) {
    const meanMs = timing.sumMs / timing.count;
    const weight = timing.alone ? 0.5 : 0.25;
    if (timing.alone || meanMs < timing.bestMs) timing.bestMs += weight * (meanMs - timing.bestMs);
  }
  timing.count = 0;
  timing.sumMs = 0;
  timing.alone = true;
}

function sumFrom(counts: readonly number[], level: number): number {
  let sum = 0;
  for (let each = level; each < counts.length; each += 1) sum += counts[each] ?? 0;
  return sum;
}
