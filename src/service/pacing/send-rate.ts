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
const MAX_PATIENCE = 3;
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

/** A time in which the service refused. */
interface Refusal {
  readonly fromMs: number;
  readonly toMs: number;
}

/** What was taken since a time; null: since ever. */
interface Tally {
  fromMs: number | null;
  taken: number;
}

/** A send rate as JSON keeps it; times are by the clock of whoever counts. */
export interface SendRateRecord {
  perSecond: number;
  /** Where the climb flattens; null to grow by windows until the first signal. */
  plateau: number | null;
  /** Null: there is none. */
  readonly cap: number | null;
  climbedMs: number;
  patience: number;
  /** Before this nothing goes; null: at once. */
  nextMs: number | null;
  window: Tally & { sent: number };
  cycle: Tally;
  span: Tally;
  provenPerSecond: number;
  /** Null before the first answer. */
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

/** Where the last run met a limit, as after a cut; where it met none, at half its rate. */
export function adaptiveRate(learned: { readonly ratePerSecond: number; readonly limited: boolean } | null) {
  if (!learned) return beginning({ perSecond: START_PER_SECOND, plateau: null, cap: null });
  const { ratePerSecond, limited } = learned;
  if (limited) return beginning({ perSecond: CUT * ratePerSecond, plateau: ratePerSecond, cap: null });
  return beginning({ perSecond: Math.max(START_PER_SECOND, ratePerSecond / 2), plateau: null, cap: null });
}

/** So many from the start, and never more. */
export function rateUpTo(perSecond: number): SendRateRecord {
  return beginning({ perSecond, plateau: perSecond, cap: perSecond });
}

const NEVER_MS = Number.NEGATIVE_INFINITY;

/**
 * How many sends a second: grows by half each window until the first signal, then falls to 0.7 at each and climbs back
 * like CUBIC: fast at first, flat around the rate of the last signal, faster again beyond it.
 */
export class SendRate {
  readonly #kept: SendRateRecord;

  /** `kept` is counted on in place. */
  constructor(kept: SendRateRecord) {
    this.#kept = kept;
  }

  get #cap(): number {
    return this.#kept.cap ?? Number.POSITIVE_INFINITY;
  }

  get perSecond(): number {
    return this.#kept.perSecond;
  }

  /** The rate of the last signal, around which the truth lies; the rate reached where there was none. */
  get sustainablePerSecond(): number {
    const { plateau, perSecond } = this.#kept;
    return plateau === null ? perSecond : Math.min(plateau, this.#cap);
  }

  /** Whether a signal has shown where the service's limit lies. */
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

  /** A request sent at `sentMs` was taken. */
  taken(nowMs: number, sentMs: number): void {
    this.#kept.quickestMs = Math.min(this.#kept.quickestMs ?? Number.POSITIVE_INFINITY, nowMs - sentMs);
    this.#kept.cycle.taken += 1;
    this.#prove(nowMs);
    const { window } = this.#kept;
    if (sentMs < (window.fromMs ?? NEVER_MS)) return;
    window.taken += 1;
    const windowMs = nowMs - (window.fromMs ?? NEVER_MS);
    if (window.taken < 2 || windowMs < this.#shortestWindowMs()) return;
    if (window.sent >= Math.floor((USED_SHARE * this.#kept.perSecond * windowMs) / 1000)) this.#grow(windowMs);
    this.#startWindow(nowMs);
  }

  /**
   * A signal. With `spares` it goes no deeper than needed: not below what the service has just proven to take, and not
   * to a crawl where refusals are rare whatever the rate. Without, as where a refusal does harm, always by the full cut.
   */
  cut(spares: boolean): void {
    const before = this.#kept.perSecond;
    const isFirst = this.#kept.plateau === null;
    const isRare = this.#kept.cycle.taken >= RARE_ONE_IN;
    const isSame = this.#kept.plateau !== null && Math.abs(before / this.#kept.plateau - 1) < SAME_LIMIT;
    this.#kept.patience = isSame && isRare ? Math.min(MAX_PATIENCE, this.#kept.patience * PATIENCE_GROWTH) : 1;
    const proven = spares ? Math.min(0.9 * before, this.#kept.provenPerSecond) : 0;
    const harmless = spares && isRare ? HARMLESS_PER_SECOND : 0;
    if (before <= harmless) return;
    this.#settle(Math.max(before * CUT, proven, harmless), isFirst ? before : before * PLATEAU);
  }

  /** Goes on at this share of the rate, as if a signal had come here. */
  slowDown(share: number): void {
    this.#settle(this.#kept.perSecond * share, this.#kept.perSecond * share);
  }

  /** The service takes requests again after refusing from `refusal.fromMs` to, as far as can be told, `refusal.toMs`. */
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

  /** Feedback comes sooner from a quick service, and less is in flight while it comes: 2 ms answers bear 100 ms windows. */
  #shortestWindowMs(): number {
    return Math.min(500, Math.max(100, 8 * (this.#kept.quickestMs ?? Number.POSITIVE_INFINITY)));
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
    this.#kept.perSecond = Math.max(SLOWEST_PER_SECOND, perSecond);
    this.#kept.plateau = Math.max(SLOWEST_PER_SECOND, plateau);
    this.#kept.climbedMs = 0;
  }
}

/** A longer pause than this is no pause: the run stops, to be resumed. */
export const MAX_PAUSE_MS = 15 * 60_000;

const FIRST_BACKOFF_MS = 2_000;
const MAX_BACKOFF_MS = 60_000;
const MIN_JITTER_MS = 100;
const MAX_JITTER_MS = 5_000;

/** A backoff as JSON keeps it; times are by the clock of whoever counts. */
export interface BackoffRecord {
  /** Nobody sends before this; null: at once. */
  untilMs: number | null;
  /** From the first refusal until a probe is taken. */
  refusing: {
    readonly fromMs: number;
    lastMs: number;
    /** The service said for how long. */
    wasAsked: boolean;
    refusals: number;
    /** The number of the request that goes first after the pause. */
    probe: number | null;
  } | null;
}

/**
 * The one pause that holds for everybody. After a refusal a single request goes first, as a probe, and only when it is
 * taken do the others follow: sixteen at once would be sixteen refusals.
 */
export class ThrottleBackoff {
  readonly #kept: BackoffRecord;
  readonly #random: () => number;

  /** `kept` is counted on in place. */
  constructor(kept: BackoffRecord, random: () => number) {
    this.#kept = kept;
    this.#random = random;
  }

  /** From the first refusal until a probe is taken. */
  get isRefusing(): boolean {
    return this.#kept.refusing !== null;
  }

  get isProbing(): boolean {
    return this.#kept.refusing !== null && this.#kept.refusing.probe !== null;
  }

  leftMs(nowMs: number): number {
    return Math.max(0, (this.#kept.untilMs ?? NEVER_MS) - nowMs);
  }

  sent(number: number): void {
    if (this.#kept.refusing) this.#kept.refusing.probe = number;
  }

  /** The service asks to wait. Never shortens a pause. */
  hold(nowMs: number, pauseMs: number): void {
    const jitterMs = this.#random() * Math.min(MAX_JITTER_MS, Math.max(MIN_JITTER_MS, pauseMs / 10));
    const spreadMs = pauseMs > MAX_PAUSE_MS ? pauseMs : Math.min(MAX_PAUSE_MS, pauseMs + jitterMs);
    this.#kept.untilMs = Math.max(this.#kept.untilMs ?? NEVER_MS, nowMs + spreadMs);
  }

  /** A refusal that is no echo of the last. What the service asks for is believed once, then the own backoff counts too. */
  refused(nowMs: number, askedMs: number | null): void {
    this.#kept.refusing ??= { fromMs: nowMs, lastMs: nowMs, wasAsked: false, refusals: 0, probe: null };
    this.#kept.refusing.lastMs = nowMs;
    this.#kept.refusing.wasAsked = askedMs !== null;
    const own = this.#kept.refusing.refusals - (askedMs === null ? 0 : 1);
    if (askedMs !== null) this.hold(nowMs, askedMs);
    if (own >= 0) this.#kept.untilMs = Math.max(this.#kept.untilMs ?? NEVER_MS, nowMs + this.#backoffMs(own));
    this.#kept.refusing.refusals += 1;
    this.#kept.refusing.probe = null;
  }

  /**
   * When the service had been refusing, if this was the probe that ends it; else null. If it did not say for how long,
   * it took requests again somewhere between the last refusal and now.
   */
  taken(nowMs: number, number: number): Refusal | null {
    if (this.#kept.refusing?.probe !== number) return null;
    const { fromMs, lastMs, wasAsked } = this.#kept.refusing;
    this.#kept.refusing = null;
    return { fromMs, toMs: wasAsked ? nowMs : (lastMs + nowMs) / 2 };
  }

  /** The probe told nothing: the next request is one. */
  untold(number: number): void {
    if (this.#kept.refusing?.probe === number) this.#kept.refusing.probe = null;
  }

  /** Equal jitter: half of a doubling time for sure, the other half by chance. 1 to 60 s. */
  #backoffMs(refusalsBefore: number): number {
    const spanMs = Math.min(MAX_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** refusalsBefore);
    return (spanMs / 2) * (1 + this.#random());
  }
}
