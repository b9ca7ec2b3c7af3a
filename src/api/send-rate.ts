import type { Refusal } from './refusal-pause.ts';

const START_PER_SECOND = 2;
const START_GROWTH = 1.5;
const CUT = 0.7;
/** A little below the rate that was cut: a service that takes bursts refuses only some time after its limit is passed. */
const PLATEAU = 0.92;
/** Slower than this would be no sending at all; a quota this small announces itself by Retry-After. */
const SLOWEST_PER_SECOND = 1 / 60;
/** A window in which less than this share of the rate was used shows nothing about a higher one. */
const USED_SHARE = 0.8;
/** From a cut back to the rate that was cut it takes this long, and so many sends that refusals stay rare among them. */
const CLIMB_MS = 10_000;
const CLIMB_SENDS = 100;
/** Each time the limit is found where it was, the next climb is longer, up to so many times. */
const PATIENCE_GROWTH = 1.5;
const MOST_PATIENCE = 3;
const SAME_LIMIT = 0.15;
/** Timers wake late by a millisecond or two; so much may be made up for. Spacing is even up to about 100/s. */
const LATE_MS = 10;
/** A refusal after so many sends that were taken is rare; at a rate as low as this it is then no reason to go lower. */
const RARE_ONE_IN = 20;
const HARMLESS_PER_SECOND = 5;
/** What the service took over so long, pauses included, it has proven to take. */
const PROOF_MS = 30_000;
/** A service that refused for so long counts over a long time: what it took per cycle is then the better measure. */
const LONG_REFUSAL_MS = 5_000;

interface RateStart {
  readonly perSecond: number;
  /** Where the climb flattens; null to grow by windows until the first signal. */
  readonly plateau: number | null;
  readonly cap: number;
}

interface Tally {
  readonly fromMs: number | null;
  readonly taken: number;
}

/** A rate as plain values, null for what JSON cannot say; times by the clock of whoever counts. */
export interface RateState {
  readonly perSecond: number;
  readonly plateau: number | null;
  readonly cap: number | null;
  readonly climbedMs: number;
  readonly patience: number;
  readonly nextMs: number | null;
  readonly window: Tally & { readonly sent: number };
  readonly cycle: Tally;
  readonly span: Tally;
  readonly provenPerSecond: number;
  readonly quickestMs: number | null;
}

/**
 * How many sends a second: grows by half each window until the first signal, then falls to 0.7 at each and climbs back
 * like CUBIC: fast at first, flat around the rate of the last signal, faster again beyond it.
 */
export class SendRate {
  #perSecond: number;
  #plateau: number | null;
  readonly #cap: number;
  #climbedMs = 0;
  #patience = 1;
  #nextMs = Number.NEGATIVE_INFINITY;
  #window = { fromMs: Number.NEGATIVE_INFINITY, sent: 0, taken: 0 };
  #cycle = { fromMs: Number.NEGATIVE_INFINITY, taken: 0 };
  #span = { fromMs: Number.NEGATIVE_INFINITY, taken: 0 };
  #provenPerSecond = 0;
  #quickestMs = Number.POSITIVE_INFINITY;

  private constructor({ perSecond, plateau, cap }: RateStart) {
    this.#cap = cap;
    this.#perSecond = perSecond;
    this.#plateau = plateau;
  }

  /** Where the last run met a limit, as after a cut; where it met none, at half its rate. */
  static adaptive(learned: { readonly ratePerSecond: number; readonly limited: boolean } | null): SendRate {
    if (!learned) return new SendRate({ perSecond: START_PER_SECOND, plateau: null, cap: Infinity });
    const { ratePerSecond, limited } = learned;
    if (limited) return new SendRate({ perSecond: CUT * ratePerSecond, plateau: ratePerSecond, cap: Infinity });
    return new SendRate({ perSecond: Math.max(START_PER_SECOND, ratePerSecond / 2), plateau: null, cap: Infinity });
  }

  /** So many from the start, and never more. */
  static upTo(perSecond: number): SendRate {
    return new SendRate({ perSecond, plateau: perSecond, cap: perSecond });
  }

  static restored(state: RateState): SendRate {
    const rate = new SendRate({ ...state, cap: state.cap ?? Number.POSITIVE_INFINITY });
    rate.#climbedMs = state.climbedMs;
    rate.#patience = state.patience;
    rate.#nextMs = state.nextMs ?? Number.NEGATIVE_INFINITY;
    rate.#window = { ...state.window, fromMs: state.window.fromMs ?? Number.NEGATIVE_INFINITY };
    rate.#cycle = { ...state.cycle, fromMs: state.cycle.fromMs ?? Number.NEGATIVE_INFINITY };
    rate.#span = { ...state.span, fromMs: state.span.fromMs ?? Number.NEGATIVE_INFINITY };
    rate.#provenPerSecond = state.provenPerSecond;
    rate.#quickestMs = state.quickestMs ?? Number.POSITIVE_INFINITY;
    return rate;
  }

  toJSON(): RateState {
    return {
      perSecond: this.#perSecond,
      plateau: this.#plateau,
      cap: this.#cap,
      climbedMs: this.#climbedMs,
      patience: this.#patience,
      nextMs: this.#nextMs,
      window: this.#window,
      cycle: this.#cycle,
      span: this.#span,
      provenPerSecond: this.#provenPerSecond,
      quickestMs: this.#quickestMs,
    };
  }

  get perSecond(): number {
    return this.#perSecond;
  }

  /** The rate of the last signal, around which the truth lies; the rate reached where there was none. */
  get sustainablePerSecond(): number {
    return this.#plateau === null ? this.#perSecond : Math.min(this.#plateau, this.#cap);
  }

  /** Whether a signal has shown where the service's limit lies. */
  get limited(): boolean {
    return this.#plateau !== null;
  }

  waitMs(nowMs: number): number {
    return Math.max(0, this.#nextMs - nowMs);
  }

  sent(nowMs: number): void {
    if (this.#cycle.fromMs === Number.NEGATIVE_INFINITY) this.#startCycle(nowMs);
    this.#nextMs = Math.max(this.#nextMs, nowMs - LATE_MS) + 1000 / this.#perSecond;
    this.#window.sent += 1;
  }

  /** A request sent at `sentMs` was taken. */
  taken(nowMs: number, sentMs: number): void {
    this.#quickestMs = Math.min(this.#quickestMs, nowMs - sentMs);
    this.#cycle.taken += 1;
    this.#prove(nowMs);
    if (sentMs < this.#window.fromMs) return;
    this.#window.taken += 1;
    const windowMs = nowMs - this.#window.fromMs;
    if (this.#window.taken < 2 || windowMs < this.#shortestWindowMs()) return;
    if (this.#window.sent >= Math.floor((USED_SHARE * this.#perSecond * windowMs) / 1000)) this.#grow(windowMs);
    this.#startWindow(nowMs);
  }

  /**
   * A signal. With `spares` it goes no deeper than needed: not below what the service has just proven to take, and not
   * to a crawl where refusals are rare whatever the rate. Without, as where a refusal does harm, always by the full cut.
   */
  cut(spares: boolean): void {
    const before = this.#perSecond;
    const isFirst = this.#plateau === null;
    const isRare = this.#cycle.taken >= RARE_ONE_IN;
    const isSame = this.#plateau !== null && Math.abs(before / this.#plateau - 1) < SAME_LIMIT;
    this.#patience = isSame && isRare ? Math.min(MOST_PATIENCE, this.#patience * PATIENCE_GROWTH) : 1;
    const proven = spares ? Math.min(0.9 * before, this.#provenPerSecond) : 0;
    const harmless = spares && isRare ? HARMLESS_PER_SECOND : 0;
    if (before <= harmless) return;
    this.#settle(Math.max(before * CUT, proven, harmless), isFirst ? before : before * PLATEAU);
  }

  /** Goes on at this share of the rate, as if a signal had come here. */
  slowDown(share: number): void {
    this.#settle(this.#perSecond * share, this.#perSecond * share);
  }

  /** The service takes requests again after refusing from `refusal.fromMs` to, as far as can be told, `refusal.toMs`. */
  recovered(nowMs: number, refusal: Refusal): void {
    const perSecond = (1000 * this.#cycle.taken) / (refusal.toMs - this.#cycle.fromMs);
    const isLong = refusal.toMs - refusal.fromMs >= LONG_REFUSAL_MS;
    if (isLong && perSecond < this.#perSecond) this.#settle(perSecond * 0.95, perSecond);
    this.#nextMs = nowMs + 1000 / this.#perSecond;
    this.#startCycle(nowMs);
  }

  #startCycle(nowMs: number): void {
    this.#cycle = { fromMs: nowMs, taken: 0 };
    this.#startWindow(nowMs);
  }

  #startWindow(nowMs: number): void {
    this.#window = { fromMs: nowMs, sent: 0, taken: 0 };
  }

  #prove(nowMs: number): void {
    this.#span.taken += 1;
    const spanMs = nowMs - this.#span.fromMs;
    if (spanMs < PROOF_MS) return;
    this.#provenPerSecond = (1000 * this.#span.taken) / spanMs;
    this.#span = { fromMs: nowMs, taken: 0 };
  }

  /** Feedback comes sooner from a quick service, and less is in flight while it comes: 2 ms answers bear 100 ms windows. */
  #shortestWindowMs(): number {
    return Math.min(500, Math.max(100, 8 * this.#quickestMs));
  }

  #grow(windowMs: number): void {
    if (this.#plateau === null) {
      this.#perSecond = Math.min(this.#cap, this.#perSecond * START_GROWTH);
      return;
    }
    this.#climbedMs += windowMs;
    const climbMs = this.#patience * Math.max(CLIMB_MS, (1000 * CLIMB_SENDS) / this.#plateau);
    const way = (this.#climbedMs - climbMs) / climbMs;
    const perSecond = this.#plateau * (1 + (1 - CUT) * way ** 3);
    this.#perSecond = Math.min(this.#cap, Math.max(this.#perSecond, perSecond));
  }

  #settle(perSecond: number, plateau: number): void {
    this.#perSecond = Math.max(SLOWEST_PER_SECOND, perSecond);
    this.#plateau = Math.max(SLOWEST_PER_SECOND, plateau);
    this.#climbedMs = 0;
  }
}
