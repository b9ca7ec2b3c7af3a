import { NEVER_MS, type Refusal } from './throttle-backoff.ts';

const START_PER_SECOND = 10;
const START_GROWTH = 2;
/** Range of the window after which the rate doubles, and its length in times of the fastest answer. */
const MIN_WINDOW_MS = 50;
const MAX_WINDOW_MS = 500;
const ANSWERS_PER_WINDOW = 4;
const CUT = 0.7;
/**
 * Cuts while the limit is looked for: at the first refusal, and at a refusal within `SEARCH_MS` of the last one. A rate
 * that has doubled until it was refused may be many times too high, and each small cut would cost one more pause.
 */
const FIRST_CUT = 0.2;
const SEARCH_CUT = 0.4;
const SEARCH_MS = 3_000;
/** The plateau after such a cut is this much higher than the rate, as a share of the rate that was cut. */
const SEARCH_PLATEAU = 0.2;
/**
 * Plateau as a share of the rate that was cut. It is a little lower, because a service that allows bursts refuses only
 * some time after its limit is exceeded.
 */
const PLATEAU = 0.92;
/** Minimum rate. A slower one would be no sending at all, and a quota this small is announced by Retry-After. */
const MIN_PER_SECOND = 1 / 60;
/** Minimum share of the rate that must be used in a window. Otherwise the window says nothing about a higher rate. */
const USED_SHARE = 0.8;
/** Minimum time and number of sends from a cut back to the rate that was cut, so that refusals stay rare. */
const CLIMB_MS = 10_000;
const CLIMB_SENDS = 100;
/** Each time the limit is found at the same rate, the next climb takes longer by this factor, up to `MAX_PATIENCE`. */
const PATIENCE_GROWTH = 1.5;
const MAX_PATIENCE = 3;
const SAME_LIMIT = 0.15;
/** Maximum delay that may be caught up. Timers wake a millisecond or two late. Spacing is even up to about 100/s. */
const LATE_MS = 10;
/**
 * After this many taken requests a refusal is rare. At the harmless rate or below it is then no reason to go slower.
 */
const RARE_ONE_IN = 20;
const HARMLESS_PER_SECOND = 5;
/** Time over which the rate that the service takes is measured, pauses included. */
const PROOF_MS = 30_000;
/**
 * A service that refuses for this long counts over a long time, so the rate it took per cycle is the better measure.
 */
const LONG_REFUSAL_MS = 5_000;

/** A count of requests since a time. `fromMs` is null if it counts from the start. */
interface Tally {
  fromMs: number | null;
  taken: number;
}

/** The state of a send rate in the form stored as JSON. Times are by the clock of the caller. */
export interface SendRateRecord {
  perSecond: number;
  /** The rate at which the climb flattens, or null before the first signal, when the rate grows by windows. */
  plateau: number | null;
  /** Maximum rate, or null. */
  readonly cap: number | null;
  climbedMs: number;
  patience: number;
  /** Earliest time of the next send. Null means at once. */
  nextMs: number | null;
  window: Tally & { sent: number };
  cycle: Tally;
  span: Tally;
  provenPerSecond: number;
  /** Duration of the fastest answer, or null before the first. */
  quickestMs: number | null;
}

type RateStart = Pick<SendRateRecord, 'perSecond' | 'plateau' | 'cap'>;

function beginning(start: RateStart): SendRateRecord {
  return {
    ...start,
    climbedMs: 0,
    patience: 1,
    nextMs: null,
    window: { fromMs: null, sent: 0, taken: 0 },
    cycle: { fromMs: null, taken: 0 },
    span: { fromMs: null, taken: 0 },
    provenPerSecond: 0,
    quickestMs: null,
  };
}

/**
 * Returns the initial state of an adaptive rate. If the last run met a limit, it starts as after a cut; if not, at its
 * rate, because the number in flight holds it back at first.
 */
export function adaptiveRate(learned: { readonly ratePerSecond: number; readonly limited: boolean } | null) {
  if (!learned) return beginning({ perSecond: START_PER_SECOND, plateau: null, cap: null });
  const { ratePerSecond, limited } = learned;
  if (limited) return beginning({ perSecond: CUT * ratePerSecond, plateau: ratePerSecond, cap: null });
  return beginning({ perSecond: Math.max(START_PER_SECOND, ratePerSecond), plateau: null, cap: null });
}

/** Returns the initial state of a fixed maximum rate, which is used from the start. */
export function rateUpTo(perSecond: number): SendRateRecord {
  return beginning({ perSecond, plateau: perSecond, cap: perSecond });
}

/**
 * Controls the number of sends per second. It doubles in each window until the first refusal, falls quickly to what the
 * service takes, and from then on climbs after each signal like CUBIC (RFC 9438): fast at first, flat around the rate
 * of the last signal, and faster again beyond it.
 */
export class SendRate {
  readonly #kept: SendRateRecord;

  /** `kept` is updated in place. */
  constructor(kept: SendRateRecord) {
    this.#kept = kept;
  }

  get #cap(): number {
    return this.#kept.cap ?? Number.POSITIVE_INFINITY;
  }

  get perSecond(): number {
    return this.#kept.perSecond;
  }

  /** The rate of the last signal, which is close to the limit, or the current rate if there was none. */
  get sustainablePerSecond(): number {
    const { plateau, perSecond } = this.#kept;
    return plateau === null ? perSecond : Math.min(plateau, this.#cap);
  }

  /** Tells whether a signal has shown where the service's limit is. */
  get limited(): boolean {
    return this.#kept.plateau !== null;
  }

  waitMs(nowMs: number): number {
    return Math.max(0, (this.#kept.nextMs ?? NEVER_MS) - nowMs);
  }

  sent(nowMs: number): void {
    if (this.#kept.cycle.fromMs === null) this.#startCycle(nowMs);
    this.#kept.nextMs = Math.max(this.#kept.nextMs ?? NEVER_MS, nowMs - LATE_MS) + 1000 / this.#kept.perSecond;
    this.#kept.window.sent += 1;
  }

  /** Records that a request was taken that was sent at `sentMs`. */
  taken(nowMs: number, sentMs: number): void {
    this.#kept.quickestMs = Math.min(this.#kept.quickestMs ?? Number.POSITIVE_INFINITY, nowMs - sentMs);
    this.#kept.cycle.taken += 1;
    this.#prove(nowMs);
    const { window } = this.#kept;
    if (sentMs < (window.fromMs ?? NEVER_MS)) return;
    window.taken += 1;
    const windowMs = nowMs - (window.fromMs ?? NEVER_MS);
    if (window.taken < 2 || windowMs < this.#minWindowMs()) return;
    if (window.sent >= Math.floor((USED_SHARE * this.#kept.perSecond * windowMs) / 1000)) this.#grow(windowMs);
    this.#startWindow(nowMs);
  }

  /**
   * Reduces the rate after a signal. Where a request was `refused`, the cut is no deeper than needed: not below what
   * the service has just proven to take, and not below a harmless rate if refusals are rare. Where the service is
   * `overloaded`, refusals do harm and the cut is always full.
   */
  cut(nowMs: number, cause: 'refused' | 'overloaded'): void {
    const { perSecond: before, plateau, cap, cycle, provenPerSecond } = this.#kept;
    const isRare = cycle.taken >= RARE_ONE_IN;
    const isSame = plateau !== null && Math.abs(before / plateau - 1) < SAME_LIMIT;
    this.#kept.patience = isSame && isRare ? Math.min(MAX_PATIENCE, this.#kept.patience * PATIENCE_GROWTH) : 1;
    const spares = cause !== 'overloaded';
    const harmless = spares && isRare ? HARMLESS_PER_SECOND : 0;
    if (before <= harmless) return;
    const isSearching = cap === null && provenPerSecond === 0 && nowMs - (cycle.fromMs ?? NEVER_MS) < SEARCH_MS;
    if (spares && (plateau === null || isSearching)) {
      const share = plateau === null ? FIRST_CUT : SEARCH_CUT;
      this.#settle(Math.max(before * share, harmless), before * (share + SEARCH_PLATEAU));
      return;
    }
    const proven = spares ? Math.min(0.9 * before, provenPerSecond) : 0;
    this.#settle(Math.max(before * CUT, proven, harmless), plateau === null ? before : before * PLATEAU);
  }

  /** Reduces the rate by this factor, as if a signal had come. */
  slowDown(share: number): void {
    this.#settle(this.#kept.perSecond * share, this.#kept.perSecond * share);
  }

  /**
   * Records that the service takes requests again after refusing from `refusal.fromMs` until, as far as known,
   * `refusal.toMs`.
   */
  recovered(nowMs: number, refusal: Refusal): void {
    const perSecond = (1000 * this.#kept.cycle.taken) / (refusal.toMs - (this.#kept.cycle.fromMs ?? NEVER_MS));
    const isLong = refusal.toMs - refusal.fromMs >= LONG_REFUSAL_MS;
    if (isLong && perSecond < this.#kept.perSecond) this.#settle(perSecond * 0.95, perSecond);
    this.#kept.nextMs = nowMs + 1000 / this.#kept.perSecond;
    this.#startCycle(nowMs);
  }

  #startCycle(nowMs: number): void {
    this.#kept.cycle = { fromMs: nowMs, taken: 0 };
    this.#startWindow(nowMs);
  }

  #startWindow(nowMs: number): void {
    this.#kept.window = { fromMs: nowMs, sent: 0, taken: 0 };
  }

  #prove(nowMs: number): void {
    this.#kept.span.taken += 1;
    const spanMs = nowMs - (this.#kept.span.fromMs ?? NEVER_MS);
    if (spanMs < PROOF_MS) return;
    this.#kept.provenPerSecond = (1000 * this.#kept.span.taken) / spanMs;
    this.#kept.span = { fromMs: nowMs, taken: 0 };
  }

  /** A fast service gives feedback sooner, with fewer requests in flight meanwhile. */
  #minWindowMs(): number {
    const answersMs = ANSWERS_PER_WINDOW * (this.#kept.quickestMs ?? Number.POSITIVE_INFINITY);
    return Math.min(MAX_WINDOW_MS, Math.max(MIN_WINDOW_MS, answersMs));
  }

  #grow(windowMs: number): void {
    if (this.#kept.plateau === null) {
      this.#kept.perSecond = Math.min(this.#cap, this.#kept.perSecond * START_GROWTH);
      return;
    }
    this.#kept.climbedMs += windowMs;
    const climbMs = this.#kept.patience * Math.max(CLIMB_MS, (1000 * CLIMB_SENDS) / this.#kept.plateau);
    const way = (this.#kept.climbedMs - climbMs) / climbMs;
    const perSecond = this.#kept.plateau * (1 + (1 - CUT) * way ** 3);
    this.#kept.perSecond = Math.min(this.#cap, Math.max(this.#kept.perSecond, perSecond));
  }

  #settle(perSecond: number, plateau: number): void {
    this.#kept.perSecond = Math.max(MIN_PER_SECOND, perSecond);
    this.#kept.plateau = Math.max(MIN_PER_SECOND, plateau);
    this.#kept.climbedMs = 0;
  }
}
