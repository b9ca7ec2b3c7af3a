/** A time before all others, for what has not happened. */
export const NEVER_MS = Number.NEGATIVE_INFINITY;

/** Maximum pause. For a longer one the run stops and can be resumed. */
export const MAX_PAUSE_MS = 15 * 60_000;

/**
 * The first backoff is short, because most services have refilled a bucket by then. The second one is four times as
 * long, because a service that refuses again counts over a longer time.
 */
const FIRST_BACKOFF_MS = 1_000;
const SECOND_BACKOFF_MS = 4_000;
const MAX_BACKOFF_MS = 60_000;
const MIN_JITTER_MS = 100;
const MAX_JITTER_MS = 5_000;

/** A period in which the service refused. */
export interface Refusal {
  readonly fromMs: number;
  readonly toMs: number;
}

/** The state of a backoff in the form stored as JSON. Times are by the clock of the caller. */
export interface BackoffRecord {
  /** Nobody sends before this time. Null means at once. */
  untilMs: number | null;
  /** Set from the first refusal until a probe is taken. */
  refusing: {
    readonly fromMs: number;
    lastMs: number;
    /** True if the service said how long to wait. */
    wasAsked: boolean;
    refusals: number;
    /** The number of the request that is sent first after the pause. */
    probe: number | null;
  } | null;
}

/**
 * Pauses all sending after a refusal. A single request is then sent as a probe, and the others follow only if it is
 * taken, because sixteen at once would be sixteen refusals.
 */
export class ThrottleBackoff {
  readonly #kept: BackoffRecord;
  readonly #random: () => number;

  /** `kept` is updated in place. */
  constructor(kept: BackoffRecord, random: () => number) {
    this.#kept = kept;
    this.#random = random;
  }

  /** True from the first refusal until a probe is taken. */
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

  /**
   * Extends the pause to what the service or the breaker asks for, and a random part more, so that many clients do not
   * come back together. It never shortens a pause.
   */
  hold(nowMs: number, pauseMs: number): void {
    const jitterMs = this.#random() * Math.min(MAX_JITTER_MS, Math.max(MIN_JITTER_MS, pauseMs / 10));
    const spreadMs = pauseMs > MAX_PAUSE_MS ? pauseMs : Math.min(MAX_PAUSE_MS, pauseMs + jitterMs);
    this.#kept.untilMs = Math.max(this.#kept.untilMs ?? NEVER_MS, nowMs + spreadMs);
  }

  /**
   * Records a refusal that is not a consequence of the last one. The pause that the service asks for is used alone the
   * first time; after that, the backoff applies as well.
   */
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
   * Returns the period in which the service refused if this was the probe that ends it, or null. If the service did not
   * say how long to wait, the end is taken as halfway between the last refusal and now.
   */
  taken(nowMs: number, number: number): Refusal | null {
    if (this.#kept.refusing?.probe !== number) return null;
    const { fromMs, lastMs, wasAsked } = this.#kept.refusing;
    this.#kept.refusing = null;
    return { fromMs, toMs: wasAsked ? nowMs : (lastMs + nowMs) / 2 };
  }

  /** Records that the probe gave no result, so that the next request is the probe. */
  untold(number: number): void {
    if (this.#kept.refusing?.probe === number) this.#kept.refusing.probe = null;
  }

  /**
   * Returns the backoff with equal jitter: half of a time that doubles from the second one on, and a random part of the
   * other half. It is 0.5 to 60 s.
   */
  #backoffMs(refusalsBefore: number): number {
    const doubledMs = SECOND_BACKOFF_MS * 2 ** (refusalsBefore - 1);
    const spanMs = refusalsBefore === 0 ? FIRST_BACKOFF_MS : Math.min(MAX_BACKOFF_MS, doubledMs);
    return (spanMs / 2) * (1 + this.#random());
  }
}
