/** A longer pause than this is no pause: the run stops, to be resumed. */
export const LONGEST_PAUSE_MS = 15 * 60_000;

const FIRST_BACKOFF_MS = 2_000;
const LONGEST_BACKOFF_MS = 60_000;
const LEAST_JITTER_MS = 100;
const MOST_JITTER_MS = 5_000;

/** A time in which the service refused. */
export interface Refusal {
  readonly fromMs: number;
  readonly toMs: number;
}

/** A pause as plain values, null for what JSON cannot say; times by the clock of whoever counts. */
export interface PauseState {
  readonly untilMs: number | null;
  readonly refusing: {
    readonly fromMs: number;
    readonly lastMs: number;
    readonly wasAsked: boolean;
    readonly refusals: number;
    readonly probe: number | null;
  } | null;
}

/**
 * The one pause that holds for everybody. After a refusal a single request goes first, as a probe, and only when it is
 * taken do the others follow: sixteen at once would be sixteen refusals.
 */
export class RefusalPause {
  readonly #random: () => number;
  #untilMs = Number.NEGATIVE_INFINITY;
  #refusing: {
    readonly fromMs: number;
    lastMs: number;
    wasAsked: boolean;
    refusals: number;
    probe: number | null;
  } | null = null;

  constructor(random: () => number) {
    this.#random = random;
  }

  static restored({ untilMs, refusing }: PauseState, random: () => number): RefusalPause {
    const pause = new RefusalPause(random);
    pause.#untilMs = untilMs ?? Number.NEGATIVE_INFINITY;
    pause.#refusing = refusing === null ? null : { ...refusing };
    return pause;
  }

  /** From the first refusal until a probe is taken. */
  get isRefusing(): boolean {
    return this.#refusing !== null;
  }

  get isProbing(): boolean {
    return this.#refusing !== null && this.#refusing.probe !== null;
  }

  leftMs(nowMs: number): number {
    return Math.max(0, this.#untilMs - nowMs);
  }

  sent(number: number): void {
    if (this.#refusing) this.#refusing.probe = number;
  }

  /** The service asks to wait. Never shortens a pause. */
  hold(nowMs: number, pauseMs: number): void {
    const jitterMs = this.#random() * Math.min(MOST_JITTER_MS, Math.max(LEAST_JITTER_MS, pauseMs / 10));
    const spreadMs = pauseMs > LONGEST_PAUSE_MS ? pauseMs : Math.min(LONGEST_PAUSE_MS, pauseMs + jitterMs);
    this.#untilMs = Math.max(this.#untilMs, nowMs + spreadMs);
  }

  /** A refusal that is no echo of the last. What the service asks for is believed once, then the own backoff counts too. */
  refused(nowMs: number, askedMs: number | null): void {
    this.#refusing ??= { fromMs: nowMs, lastMs: nowMs, wasAsked: false, refusals: 0, probe: null };
    this.#refusing.lastMs = nowMs;
    this.#refusing.wasAsked = askedMs !== null;
    const own = this.#refusing.refusals - (askedMs === null ? 0 : 1);
    if (askedMs !== null) this.hold(nowMs, askedMs);
    if (own >= 0) this.#untilMs = Math.max(this.#untilMs, nowMs + this.#backoffMs(own));
    this.#refusing.refusals += 1;
    this.#refusing.probe = null;
  }

  /**
   * When the service had been refusing, if this was the probe that ends it; else null. If it did not say for how long,
   * it took requests again somewhere between the last refusal and now.
   */
  taken(nowMs: number, number: number): Refusal | null {
    if (this.#refusing?.probe !== number) return null;
    const { fromMs, lastMs, wasAsked } = this.#refusing;
    this.#refusing = null;
    return { fromMs, toMs: wasAsked ? nowMs : (lastMs + nowMs) / 2 };
  }

  /** The probe told nothing: the next request is one. */
  untold(number: number): void {
    if (this.#refusing?.probe === number) this.#refusing.probe = null;
  }

  toJSON(): PauseState {
    return { untilMs: this.#untilMs, refusing: this.#refusing };
  }

  /** Equal jitter: half of a doubling time for sure, the other half by chance. 1 to 60 s. */
  #backoffMs(refusalsBefore: number): number {
    const spanMs = Math.min(LONGEST_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** refusalsBefore);
    return (spanMs / 2) * (1 + this.#random());
  }
}
