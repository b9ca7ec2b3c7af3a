/** Number of answers per place that are averaged. */
const ANSWERS_PER_PLACE = 2;
const MIN_ANSWERS = 4;
const SHRINK = 0.8;
/** A level is blamed for refusals if at least one in this many requests was refused at it or above. */
const BLAME_ONE_IN = 12;
/** Up to this number in flight, a refusal says little about whether the rate or the number was refused. */
const FEW_IN_FLIGHT = 3;
const BLAME_FEW_ONE_IN = 3;
/** Number of refusals blamed on the number in flight after which the rate is suspected as well. */
const MAX_LOWERED = 3;
const FIRST_RAISE_MS = 20_000;
const MAX_RAISE_MS = 600_000;

interface Timing {
  /** The best known mean answer time in milliseconds. */
  bestMs: number;
  count: number;
  sumMs: number;
  alone: boolean;
}

/** The state of a limit in the form stored as JSON. Times are by the clock of the caller. */
export interface InFlightRecord {
  limit: number;
  /** One less than the number that the service was seen to refuse. Null means no limit except the maximum. */
  ceiling: number | null;
  /** Time at which the ceiling is raised, or null if it is not. */
  raiseAtMs: number | null;
  raiseAfterMs: number;
  /** True if the ceiling was raised since it was last lowered. */
  raised: boolean;
  lowered: number;
  doubling: boolean;
  fullest: number;
  readonly timings: Record<string, Timing>;
  /** Number of requests taken and refused at each level. Missing levels, and those that are null in JSON, had none. */
  taken: (number | null)[];
  refused: (number | null)[];
}

/** Returns the initial state, with this many places. */
export function firstInFlight(places: number): InFlightRecord {
  return {
    limit: places,
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
 * Limits the number of requests in flight to as many as do not slow the answers down. If answers are slower than twice
 * the best time, and than the best time plus 250 ms, requests queue up at the service, where they only come closer to a
 * timeout.
 */
export class InFlightLimit {
  readonly #kept: InFlightRecord;
  readonly #max: number;
  readonly #doubleUpTo: number;

  /** `kept` is updated in place. `max` is the maximum, and `doubleUpTo` the number up to which growth is fast. */
  constructor(kept: InFlightRecord, max: number, doubleUpTo: number) {
    this.#kept = kept;
    this.#max = max;
    this.#doubleUpTo = doubleUpTo;
    this.#setCeiling(this.ceiling);
    kept.limit = Math.min(kept.limit, this.ceiling);
  }

  get places(): number {
    return Math.floor(this.#kept.limit);
  }

  /** Returns the time from which an answer to this operation counts as slow, or 0 before the first answer. */
  slowMs(operation: string): number {
    const timing = this.#kept.timings[operation];
    return timing ? slowFrom(timing.bestMs) : 0;
  }

  /** The maximum that has not been refused. */
  get ceiling(): number {
    return Math.min(this.#max, this.#kept.ceiling ?? this.#max);
  }

  /** Records that a request was sent. `level` is the number in flight, including itself. */
  sent(level: number): void {
    this.#kept.fullest = Math.max(this.#kept.fullest, level);
  }

  /** Records that a request was taken that was sent at this level. */
  taken(level: number): void {
    this.#kept.taken[level] = (this.#kept.taken[level] ?? 0) + 1;
  }

  /**
   * Records an answer whose duration is typical of the service's work. `alone` means that nothing else was in flight.
   */
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
   * Records a refusal at this level. If hardly any request was ever taken at this level or above, the number in flight
   * is blamed and kept below it. Returns true if that alone is the likely cause; if it happens repeatedly, it is not.
   */
  refused(nowMs: number, level: number, isEcho: boolean): boolean {
    if (!isEcho) this.#fade();
    this.#kept.refused[level] = (this.#kept.refused[level] ?? 0) + 1;
    const oneIn = level > FEW_IN_FLIGHT ? BLAME_ONE_IN : BLAME_FEW_ONE_IN;
    const isToBlame = sumFrom(this.#kept.refused, level) * oneIn > sumFrom(this.#kept.taken, level);
    if (level < 2 || !isToBlame || level > this.ceiling) return false;
    this.#lower(nowMs, level - 1);
    return level > FEW_IN_FLIGHT && this.#kept.lowered <= MAX_LOWERED;
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
    this.#kept.ceiling = ceiling < this.#max ? ceiling : null;
  }

  shrink(): void {
    this.#kept.limit = Math.max(1, this.#kept.limit * SHRINK);
    this.#kept.doubling = false;
  }

  /** Halves the old counts, because the service's limit may have fallen. */
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

  /**
   * Raises the limit if the answers allow it. `slack` is the factor by which answers may become slower. If requests
   * queue at the service, the number in flight may grow by the same factor.
   */
  #grow(nowMs: number, slack: number): void {
    if (nowMs >= (this.#kept.raiseAtMs ?? Number.POSITIVE_INFINITY) && this.ceiling < this.#max) {
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
 * Updates the best time. It moves a quarter of the way towards a lower mean, because a single mean may be luck. With
 * nothing else in flight it moves halfway towards any mean, so that a service that has become slower for good is not
 * throttled for ever.
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
