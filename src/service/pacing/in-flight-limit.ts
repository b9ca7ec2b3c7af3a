/** So many answers per place in flight make a mean. */
const ANSWERS_PER_PLACE = 2;
const MIN_ANSWERS = 4;
const SHRINK = 0.8;
/** Refused at least once in so many at this level or above: then the level is what was refused. */
const BLAME_ONE_IN = 12;
/** So few are in flight at many rates: a refusal there says little about which of the two was refused. */
const FEW = 3;
const BLAME_FEW_ONE_IN = 3;
/** After so many refusals blamed on the number in flight the rate is suspected too. */
const LOWERED_AT_MOST = 3;
const FIRST_RAISE_MS = 20_000;
const MAX_RAISE_MS = 600_000;

interface Timing {
  /** The best mean answer time known, milliseconds. */
  bestMs: number;
  count: number;
  sumMs: number;
  alone: boolean;
}

/** A limit as JSON keeps it; times are by the clock of whoever counts. */
export interface InFlightRecord {
  limit: number;
  /** What the service has been seen to refuse, less one; null: as many as there may ever be. */
  ceiling: number | null;
  /** Null: not to be raised. */
  raiseAtMs: number | null;
  raiseAfterMs: number;
  /** Whether the ceiling has been raised since it was last lowered. */
  raised: boolean;
  lowered: number;
  doubling: boolean;
  fullest: number;
  readonly timings: Record<string, Timing>;
  /** How many were taken and refused at each level; a level that JSON has as null, or that is missing, had none. */
  taken: (number | null)[];
  refused: (number | null)[];
}

export function firstInFlight(): InFlightRecord {
  return {
    limit: 1,
    ceiling: null,
    raiseAtMs: null,
    raiseAfterMs: FIRST_RAISE_MS / 2,
    raised: true,
    lowered: 0,
    doubling: true,
    fullest: 0,
    timings: {},
    taken: [],
    refused: [],
  };
}

/**
 * How many requests may be in flight: as many as do not make the answers slow. Answers slower than twice the best and
 * than the best plus 250 ms mean that requests queue up over there, where they only come nearer to a timeout.
 */
export class InFlightLimit {
  readonly #kept: InFlightRecord;
  readonly #most: number;
  readonly #doubleUpTo: number;

  /** `kept` is counted on in place. `most`: never more than this. `doubleUpTo`: the number up to which growth is fast. */
  constructor(kept: InFlightRecord, most: number, doubleUpTo: number) {
    this.#kept = kept;
    this.#most = most;
    this.#doubleUpTo = doubleUpTo;
    this.#setCeiling(this.ceiling);
    kept.limit = Math.min(kept.limit, this.ceiling);
  }

  get places(): number {
    return Math.floor(this.#kept.limit);
  }

  /** Longer than this an answer to this operation is slow; 0 before the first answer. */
  slowMs(operation: string): number {
    const timing = this.#kept.timings[operation];
    return timing ? slowFrom(timing.bestMs) : 0;
  }

  /** The most that has not been refused. */
  get ceiling(): number {
    return Math.min(this.#most, this.#kept.ceiling ?? this.#most);
  }

  /** `level`: requests in flight when it was sent, itself included. */
  sent(level: number): void {
    this.#kept.fullest = Math.max(this.#kept.fullest, level);
  }

  /** A request was taken; `alone`: nothing else was in flight beside it. */
  taken(level: number): void {
    this.#kept.taken[level] = (this.#kept.taken[level] ?? 0) + 1;
  }

  /** An answer whose time is typical of the service's work. */
  timed(nowMs: number, operation: string, tookMs: number, alone: boolean): void {
    const timing = this.#kept.timings[operation] ?? { bestMs: tookMs, count: 0, sumMs: 0, alone: true };
    this.#kept.timings[operation] = timing;
    timing.count += 1;
    timing.sumMs += tookMs;
    timing.alone &&= alone;
    let answers = 0;
    for (const each of Object.values(this.#kept.timings)) answers += each.count;
    if (answers >= Math.max(MIN_ANSWERS, ANSWERS_PER_PLACE * this.places)) this.#judge(nowMs);
  }

  /**
   * Refused at this level: if more than this has hardly ever been taken, the number in flight is what was refused, and
   * is kept below. True if that alone is likely to be the cause; if it happens again and again it is not.
   */
  refused(nowMs: number, level: number, isEcho: boolean): boolean {
    if (!isEcho) this.#fade();
    this.#kept.refused[level] = (this.#kept.refused[level] ?? 0) + 1;
    const oneIn = level > FEW ? BLAME_ONE_IN : BLAME_FEW_ONE_IN;
    const isToBlame = sumFrom(this.#kept.refused, level) * oneIn > sumFrom(this.#kept.taken, level);
    if (level < 2 || !isToBlame || level > this.ceiling) return false;
    this.#lower(nowMs, level - 1);
    return level > FEW && this.#kept.lowered <= LOWERED_AT_MOST;
  }

  #lower(nowMs: number, ceiling: number): void {
    this.#setCeiling(ceiling);
    this.#kept.limit = Math.min(this.#kept.limit, ceiling);
    this.#kept.doubling = false;
    if (this.#kept.raised) this.#kept.raiseAfterMs = Math.min(MAX_RAISE_MS, 2 * this.#kept.raiseAfterMs);
    this.#kept.raised = false;
    this.#kept.lowered += 1;
    this.#kept.raiseAtMs = nowMs + this.#kept.raiseAfterMs;
  }

  #setCeiling(ceiling: number): void {
    this.#kept.ceiling = ceiling < this.#most ? ceiling : null;
  }

  shrink(): void {
    this.#kept.limit = Math.max(1, this.#kept.limit * SHRINK);
    this.#kept.doubling = false;
  }

  /** What was long ago counts less: the service's limit may have fallen. */
  #fade(): void {
    this.#kept.taken = this.#kept.taken.map((count) => (count ?? 0) / 2);
    this.#kept.refused = this.#kept.refused.map((count) => (count ?? 0) / 2);
  }

  #judge(nowMs: number): void {
    let tookMs = 0;
    let bearableMs = 0;
    for (const timing of Object.values(this.#kept.timings)) {
      tookMs += timing.sumMs;
      bearableMs += timing.count * slowFrom(timing.bestMs);
      learn(timing);
    }
    if (tookMs > bearableMs) this.shrink();
    else if (this.#kept.fullest >= this.places) this.#grow(nowMs, bearableMs / tookMs);
    this.#kept.fullest = 0;
  }

  /** `slack`: how many times slower the answers may get; if they queue, so many times more may be in flight. */
  #grow(nowMs: number, slack: number): void {
    if (nowMs >= (this.#kept.raiseAtMs ?? Number.POSITIVE_INFINITY) && this.ceiling < this.#most) {
      this.#setCeiling(this.ceiling + 1);
      this.#kept.raised = true;
      this.#kept.lowered = 0;
      this.#kept.raiseAtMs = nowMs + this.#kept.raiseAfterMs;
    }
    const goal =
      this.#kept.doubling && this.#kept.limit < this.#doubleUpTo ? this.#kept.limit * 2 : this.#kept.limit + 1;
    this.#kept.limit = Math.min(goal, this.#kept.limit * slack, this.ceiling);
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

function sumFrom(counts: readonly (number | null)[], level: number): number {
  let sum = 0;
  for (let each = level; each < counts.length; each += 1) sum += counts[each] ?? 0;
  return sum;
}
