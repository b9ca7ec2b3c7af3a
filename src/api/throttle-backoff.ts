import type { Refusal } from './send-rate.ts';

/** A longer pause than this is no pause: the run stops, to be resumed. */
export const MAX_PAUSE_MS = 15 * 60_000;

const FIRST_BACKOFF_MS = 2_000;
const MAX_BACKOFF_MS = 60_000;
const MIN_JITTER_MS = 100;
const MAX_JITTER_MS = 5_000;
const NEVER_MS = Number.NEGATIVE_INFINITY;

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
