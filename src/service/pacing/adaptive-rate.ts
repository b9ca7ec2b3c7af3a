import { firstInFlight, InFlightLimit, type InFlightRecord } from './in-flight-limit.ts';
import type { Headroom } from './rate-headers.ts';
import { adaptiveRate, rateUpTo, SendRate, type SendRateRecord } from './send-rate.ts';
import { type BackoffRecord, MAX_PAUSE_MS, ThrottleBackoff } from './throttle-backoff.ts';

/** Minimum time after which an unanswered request is a sign of overload, not of a broken connection. */
const OVERLOAD_MS = 5_000;
/** Number of requests in flight at the start if the last run met no limit. */
const KNOWN_PLACES = 3;
/**
 * Number of first calls that are not spaced while no limit is known: validate, create, and one more. If they were
 * spaced, each `srq create` would wait 70 ms.
 */
const UNSPACED = 3;

/**
 * The rate chosen by the user: adaptive, unlimited except for pauses that the service asks for, or a maximum per
 * second, evenly spaced.
 */
export type ChosenRate = 'auto' | 'max' | number;

export interface AdaptiveRateOptions {
  readonly rate: ChosenRate;
  /** Maximum number of requests in flight. */
  readonly concurrency: number;
  /** Returns a random number from 0 (inclusive) to 1 (exclusive). */
  readonly random: () => number;
  readonly learned?: LearnedRate | null;
}

/** What a run has learned, as the starting point of the next one. */
export interface LearnedRate {
  readonly ratePerSecond: number;
  /** Maximum number of requests in flight that the service has not refused. */
  readonly concurrency: number;
  /** True if the service has shown where its limit is. */
  readonly limited: boolean;
}

/** The latest quota that the service has announced, in the form stored as JSON. */
interface QuotaRecord {
  readonly remaining: number;
  /** The number of the request whose answer announced it. */
  readonly afterNumber: number;
  readonly untilMs: number;
}

/** The state of an adaptive rate in the form stored as JSON, from which another process can continue. */
export interface AdaptiveRateRecord {
  /** Both are null if no limit applies. */
  readonly rate: SendRateRecord | null;
  readonly limit: InFlightRecord | null;
  readonly pause: BackoffRecord;
  headroom: QuotaRecord | null;
  inFlight: number;
  lastNumber: number;
  /** Requests up to this number were sent before the last cut, so their refusals do not count again. */
  cutNumber: number;
}

/** Tells whether a request may be sent now. */
export type Admission =
  | { readonly is: 'now' }
  /** The caller asks again after this time, or after the next answer if that comes first. */
  | { readonly is: 'later'; readonly waitMs: number }
  /** The caller asks again after the next answer. At least one request is in flight. */
  | { readonly is: 'after-answer' }
  /** The service asks for a pause of over 15 minutes, so the run stops and can be resumed. */
  | { readonly is: 'too-late'; readonly waitMs: number };

/** The pace at one moment, for display. */
export interface Pace {
  /** The allowed requests per second, or null if no limit applies. */
  readonly ratePerSecond: number | null;
  /** The rate that the user has set, or near which the service has refused. Null if neither is known. */
  readonly boundPerSecond: number | null;
  /** Milliseconds for which all sending is still paused. */
  readonly pausedMs: number;
}

/** A request that was sent, or may be sent. */
export interface Permit {
  readonly number: number;
  readonly operation: string;
  readonly sentMs: number;
  /** Number of requests in flight when it was sent, including itself. */
  readonly level: number;
}

/** What an answer means for the rate. */
export interface RateAnswer {
  /**
   * `ok` means that the work was done, `throttled` 429, `overloaded` 503, and `unanswered` no status. `declined` is any
   * other status: the service may answer so before it does the work, so that its time is not measured. `unsent` says nothing
   * of the service: srq did not send the request, since it had waited too long for its log or its token, or another process
   * was faster.
   */
  readonly kind: 'ok' | 'declined' | 'throttled' | 'overloaded' | 'unanswered' | 'unsent';
  readonly pauseMs: number | null;
  readonly headroom: Headroom | null;
}

/**
 * Controls how fast the calls of one account may go, validate among them. Only requests for tokens do not pass here. It
 * has no timer and no clock; `nowMs` is a monotonic time in milliseconds. For each request call `ask` until it returns
 * `now`, `sent` in the same turn of the event loop, and `answered` with the permit exactly once. Its whole state is in
 * a record, from which another process can continue.
 */
export class AdaptiveRate {
  readonly record: AdaptiveRateRecord;
  readonly #concurrency: number;
  readonly #learns: boolean;
  readonly #backoff: ThrottleBackoff;
  readonly #sendRate: SendRate | null;
  readonly #limit: InFlightLimit | null;

  /** `from` is the state of another process with the same `rate`. It is updated in place. */
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
    const waitMs = Math.max(holdMs, this.#isOpening ? 0 : (this.#sendRate?.waitMs(nowMs) ?? 0));
    return waitMs > 0 ? { is: 'later', waitMs } : { is: 'now' };
  }

  /** Records that a request is sent. */
  sent(nowMs: number, operation: string): Permit {
    this.record.inFlight += 1;
    this.record.lastNumber += 1;
    this.#sendRate?.sent(nowMs);
    this.#limit?.sent(this.record.inFlight);
    this.#backoff.sent(this.record.lastNumber);
    return { number: this.record.lastNumber, operation, sentMs: nowMs, level: this.record.inFlight };
  }

  /** Records that a request was answered, or never will be. */
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

  /** Reduces the rate by this factor, for the caller's breaker. */
  slowDown(share: number): void {
    this.#sendRate?.slowDown(share);
    this.record.cutNumber = this.record.lastNumber;
  }

  /** Pauses all sending for this many milliseconds, for the caller's breaker. */
  hold(nowMs: number, pauseMs: number): void {
    this.#backoff.hold(nowMs, pauseMs);
  }

  /** Returns how much longer all sending is paused, or 0. */
  pausedMs(nowMs: number): number {
    return this.#backoff.leftMs(nowMs);
  }

  /** The allowed number of requests per second, or Infinity without a limit. */
  get ratePerSecond(): number {
    return this.#sendRate?.perSecond ?? Number.POSITIVE_INFINITY;
  }

  pace(nowMs: number): Pace {
    const isBound = this.#sendRate?.limited === true;
    return {
      ratePerSecond: this.#sendRate?.perSecond ?? null,
      boundPerSecond: isBound ? (this.#sendRate?.sustainablePerSecond ?? null) : null,
      pausedMs: this.pausedMs(nowMs),
    };
  }

  /** Returns what was learned, for the next run, or null if the user chose the rate, so that nothing was learned. */
  learned(): LearnedRate | null {
    if (!this.#learns || !this.#sendRate || !this.#limit) return null;
    const { sustainablePerSecond, limited } = this.#sendRate;
    return { ratePerSecond: sustainablePerSecond, concurrency: this.#limit.ceiling, limited };
  }

  get #isOpening(): boolean {
    return this.#learns && this.#sendRate?.limited === false && this.record.lastNumber < UNSPACED;
  }

  get #places(): number {
    return this.#limit?.places ?? this.#concurrency;
  }

  /** Answers may overtake each other, so the quota announced to the latest request counts. */
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
    if (!this.#backoff.isRefusing && !tooManyAtOnce) this.#sendRate?.cut(nowMs, 'refused');
    this.#backoff.refused(nowMs, pauseMs);
    this.record.cutNumber = this.record.lastNumber;
  }

  #overloaded(permit: Permit, nowMs: number): void {
    const isEcho = this.#isEcho(permit);
    const tooManyAtOnce = this.#limit?.refused(nowMs, permit.level, isEcho) ?? false;
    if (isEcho) return;
    if (!tooManyAtOnce) this.#sendRate?.cut(nowMs, 'overloaded');
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
    limit: rate === 'max' ? null : firstInFlight(firstPlaces(learned)),
    pause: { untilMs: null, refusing: null },
    headroom: null,
    inFlight: 0,
    lastNumber: 0,
    cutNumber: 0,
  };
}

/** Returns the number in flight at the start: a few where the last run met no limit, for the service may be slower now. */
function firstPlaces(learned: LearnedRate | null): number {
  return learned === null || learned.limited ? 1 : Math.min(KNOWN_PLACES, learned.concurrency);
}

/**
 * Returns the time until the service resets its quota if the quota is used up, or 0. The service counts in the order of
 * sending, so requests sent after the one whose answer announced the quota are not yet included in it.
 */
function quotaWaitMs({ headroom, lastNumber }: AdaptiveRateRecord, nowMs: number): number {
  if (headroom === null || lastNumber - headroom.afterNumber < headroom.remaining) return 0;
  return Math.max(0, headroom.untilMs - nowMs);
}
