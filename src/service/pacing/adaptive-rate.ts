import { firstInFlight, InFlightLimit, type InFlightRecord } from './in-flight-limit.ts';
import type { Headroom } from './rate-headers.ts';
import {
  adaptiveRate,
  type BackoffRecord,
  MAX_PAUSE_MS,
  rateUpTo,
  SendRate,
  type SendRateRecord,
  ThrottleBackoff,
} from './send-rate.ts';

/** An unanswered request that was given so long speaks of load, not of a cut line. */
const OVERLOAD_MS = 5_000;

/** Adaptive, no pacing but for the pauses the service asks for, or at most so many a second, evenly. */
export type ChosenRate = 'auto' | 'max' | number;

export interface AdaptiveRateOptions {
  readonly rate: ChosenRate;
  /** Most requests in flight, ever. */
  readonly concurrency: number;
  /** 0 (included) to 1 (excluded). */
  readonly random: () => number;
  readonly learned?: LearnedRate | null;
}

/** What a run found out, for the next one to begin with. */
export interface LearnedRate {
  readonly ratePerSecond: number;
  /** The most requests in flight that the service has not refused. */
  readonly concurrency: number;
  /** Whether the service has shown where its limit lies. */
  readonly limited: boolean;
}

/** What the service said last that it would still take, as JSON keeps it. */
interface QuotaRecord {
  readonly remaining: number;
  /** The number of the request whose answer said so. */
  readonly afterNumber: number;
  readonly untilMs: number;
}

/** An adaptive rate as JSON keeps it, for another process to go on from. */
export interface AdaptiveRateRecord {
  /** Both null where nothing is paced. */
  readonly rate: SendRateRecord | null;
  readonly limit: InFlightRecord | null;
  readonly pause: BackoffRecord;
  headroom: QuotaRecord | null;
  inFlight: number;
  lastNumber: number;
  /** Requests up to this number were sent before the last cut: their refusals are its echo. */
  cutNumber: number;
}

/** Whether a request may be sent now. */
export type Admission =
  | { readonly is: 'now' }
  /** Ask again after this time, or after the next answer. */
  | { readonly is: 'later'; readonly waitMs: number }
  /** Ask again after the next answer; one is outstanding. */
  | { readonly is: 'after-answer' }
  /** The service asks for a pause of over 15 minutes: stop, resumable. */
  | { readonly is: 'too-late'; readonly waitMs: number };

/** One request that was sent, or may be. */
export interface Permit {
  readonly number: number;
  readonly operation: string;
  readonly sentMs: number;
  /** Requests in flight when it was sent, itself included. */
  readonly level: number;
}

export interface RateAnswer {
  /**
   * `ok`: did its work. `declined`: answered about the content (4xx), too soon to tell a working time. `throttled`: 429.
   * `overloaded`: 503. `unanswered`: no status.
   */
  readonly kind: 'ok' | 'declined' | 'throttled' | 'overloaded' | 'unanswered';
  readonly pauseMs: number | null;
  readonly headroom: Headroom | null;
}

/**
 * How fast requests to one account may go; all of them, token and validate too, draw on the same one. Holds no timer
 * and no clock: `nowMs` is a monotonic time in milliseconds. Per request: `ask` until it says `now`, `sent` in the same
 * turn of the event loop, `answered` with the permit exactly once. All it knows is in a record that another process can go on from.
 */
export class AdaptiveRate {
  readonly record: AdaptiveRateRecord;
  readonly #concurrency: number;
  readonly #learns: boolean;
  readonly #backoff: ThrottleBackoff;
  readonly #sendRate: SendRate | null;
  readonly #limit: InFlightLimit | null;

  /** `from`: where another process left off that had the same `rate`; counted on in place. */
  constructor(options: AdaptiveRateOptions, from: AdaptiveRateRecord = firstRecord(options)) {
    const { rate, concurrency, random, learned } = options;
    this.record = from;
    this.#concurrency = concurrency;
    this.#learns = rate === 'auto';
    this.#backoff = new ThrottleBackoff(from.pause, random);
    this.#sendRate = from.rate && new SendRate(from.rate);
    this.#limit = from.limit && new InFlightLimit(from.limit, concurrency, learned?.concurrency ?? concurrency);
  }

  ask(nowMs: number): Admission {
    const pauseMs = this.#backoff.leftMs(nowMs);
    const holdMs = Math.max(pauseMs, quotaWaitMs(this.record, nowMs));
    if (holdMs > MAX_PAUSE_MS) return { is: 'too-late', waitMs: holdMs };
    if (pauseMs > 0) return { is: 'later', waitMs: pauseMs };
    if (this.#backoff.isProbing || this.record.inFlight >= this.#places) return { is: 'after-answer' };
    const waitMs = Math.max(holdMs, this.#sendRate?.waitMs(nowMs) ?? 0);
    return waitMs > 0 ? { is: 'later', waitMs } : { is: 'now' };
  }

  /** A request leaves. */
  sent(nowMs: number, operation: string): Permit {
    this.record.inFlight += 1;
    this.record.lastNumber += 1;
    this.#sendRate?.sent(nowMs);
    this.#limit?.sent(this.record.inFlight);
    this.#backoff.sent(this.record.lastNumber);
    return { number: this.record.lastNumber, operation, sentMs: nowMs, level: this.record.inFlight };
  }

  /** Its answer is there, or never will be. */
  answered(permit: Permit, nowMs: number, answer: RateAnswer): void {
    this.record.inFlight -= 1;
    if (answer.headroom && this.#sendRate) this.#noteQuota(nowMs, permit.number, answer.headroom);
    if (answer.kind === 'throttled') this.#throttled(permit, nowMs, answer.pauseMs);
    else if (answer.pauseMs !== null) this.#backoff.hold(nowMs, answer.pauseMs);
    if (answer.kind === 'ok' || answer.kind === 'declined') this.#taken(permit, nowMs, answer.kind === 'ok');
    else if (answer.kind !== 'throttled') this.#backoff.untold(permit.number);
    const gaveUpMs = Math.max(OVERLOAD_MS, this.#limit?.slowMs(permit.operation) ?? 0);
    const tookTooLong = answer.kind === 'unanswered' && nowMs - permit.sentMs >= gaveUpMs;
    if (answer.kind === 'overloaded' || tookTooLong) this.#overloaded(permit, nowMs);
  }

  /** For the caller's breaker: go on at this share of the rate. */
  slowDown(share: number): void {
    this.#sendRate?.slowDown(share);
    this.record.cutNumber = this.record.lastNumber;
  }

  /** For the caller's breaker: nobody sends for so long. */
  hold(nowMs: number, pauseMs: number): void {
    this.#backoff.hold(nowMs, pauseMs);
  }

  /** For how much longer everybody waits, 0 if nobody does. */
  pausedMs(nowMs: number): number {
    return this.#backoff.leftMs(nowMs);
  }

  /** Requests a second that are allowed now; Infinity where nothing is paced. */
  get ratePerSecond(): number {
    return this.#sendRate?.perSecond ?? Number.POSITIVE_INFINITY;
  }

  /** To be kept for the next run; null where somebody chose the rate, so that nothing was learned. */
  learned(): LearnedRate | null {
    if (!this.#learns || !this.#sendRate || !this.#limit) return null;
    const { sustainablePerSecond, limited } = this.#sendRate;
    return { ratePerSecond: sustainablePerSecond, concurrency: this.#limit.ceiling, limited };
  }

  get #places(): number {
    return this.#limit?.places ?? this.#concurrency;
  }

  /** Answers may overtake each other; what the latest request was told counts. */
  #noteQuota(nowMs: number, number: number, { remaining, resetMs }: Headroom): void {
    const { headroom } = this.record;
    const isOvertaken = headroom !== null && nowMs < headroom.untilMs && number < headroom.afterNumber;
    if (!isOvertaken) this.record.headroom = { remaining, afterNumber: number, untilMs: nowMs + resetMs };
  }

  #taken(permit: Permit, nowMs: number, didItsWork: boolean): void {
    this.#sendRate?.taken(nowMs, permit.sentMs);
    this.#limit?.taken(permit.level);
    const alone = permit.level === 1 && permit.number === this.record.lastNumber;
    if (didItsWork) this.#limit?.timed(nowMs, permit.operation, nowMs - permit.sentMs, alone);
    const refusal = this.#backoff.taken(nowMs, permit.number);
    if (refusal) this.#sendRate?.recovered(nowMs, refusal);
  }

  #throttled(permit: Permit, nowMs: number, pauseMs: number | null): void {
    const isEcho = this.#isEcho(permit);
    const tooManyAtOnce = this.#limit?.refused(nowMs, permit.level, isEcho) ?? false;
    if (isEcho) {
      if (pauseMs !== null) this.#backoff.hold(nowMs, pauseMs);
      return;
    }
    if (!this.#backoff.isRefusing && !tooManyAtOnce) this.#sendRate?.cut(true);
    this.#backoff.refused(nowMs, pauseMs);
    this.record.cutNumber = this.record.lastNumber;
  }

  #overloaded(permit: Permit, nowMs: number): void {
    const isEcho = this.#isEcho(permit);
    const tooManyAtOnce = this.#limit?.refused(nowMs, permit.level, isEcho) ?? false;
    if (isEcho) return;
    this.#sendRate?.cut(tooManyAtOnce);
    this.#limit?.shrink();
    this.record.cutNumber = this.record.lastNumber;
  }

  #isEcho(permit: Permit): boolean {
    return permit.number <= this.record.cutNumber;
  }
}

function firstRecord({ rate, learned = null }: AdaptiveRateOptions): AdaptiveRateRecord {
  return {
    rate: rate === 'max' ? null : rate === 'auto' ? adaptiveRate(learned) : rateUpTo(rate),
    limit: rate === 'max' ? null : firstInFlight(),
    pause: { untilMs: null, refusing: null },
    headroom: null,
    inFlight: 0,
    lastNumber: 0,
    cutNumber: 0,
  };
}

/**
 * How long until the service counts anew, if everything that it would still take has been sent; else 0. It counts in the
 * order of sending, so whatever was sent after the request whose answer told the quota is not yet in it.
 */
function quotaWaitMs({ headroom, lastNumber }: AdaptiveRateRecord, nowMs: number): number {
  if (headroom === null || lastNumber - headroom.afterNumber < headroom.remaining) return 0;
  return Math.max(0, headroom.untilMs - nowMs);
}
