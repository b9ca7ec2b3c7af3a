import { HeadroomCount, type HeadroomState } from './headroom-count.ts';
import { InFlightLimit, type LimitState } from './in-flight-limit.ts';
import type { Headroom } from './rate-headers.ts';
import { LONGEST_PAUSE_MS, type PauseState, RefusalPause } from './refusal-pause.ts';
import { type RateState, SendRate } from './send-rate.ts';

/** An unanswered request that was given so long speaks of load, not of a cut line. */
const OVERLOAD_MS = 5_000;

export interface PaceOptions {
  /** Adaptive, no pacing but for the pauses the service asks for, or at most so many a second, evenly. */
  readonly rate: 'auto' | 'max' | number;
  /** Most requests in flight, ever. */
  readonly concurrency: number;
  /** 0 (included) to 1 (excluded). */
  readonly random: () => number;
  readonly learned?: LearnedPace | null;
}

/** What a run found out, for the next one to begin with. */
export interface LearnedPace {
  readonly ratePerSecond: number;
  /** The most requests in flight that the service has not refused. */
  readonly concurrency: number;
  /** Whether the service has shown where its limit lies. */
  readonly limited: boolean;
}

/** A pace as plain values, for another process to go on from. */
export interface PaceState {
  readonly rate: RateState | null;
  readonly limit: LimitState | null;
  readonly pause: PauseState;
  readonly headroom: HeadroomState;
  readonly inFlight: number;
  readonly lastNumber: number;
  readonly cutNumber: number;
}

/** Whether a request may be sent now. */
export type Turn =
  | { readonly is: 'now' }
  /** Ask again after this time, or after the next answer. */
  | { readonly is: 'later'; readonly waitMs: number }
  /** Ask again after the next answer; one is outstanding. */
  | { readonly is: 'after-answer' }
  /** The service asks for a pause of over 15 minutes: stop, resumable. */
  | { readonly is: 'too-late'; readonly waitMs: number };

/** One request that was sent. */
export interface Ticket {
  readonly number: number;
  readonly operation: string;
  readonly sentMs: number;
  /** Requests in flight when it was sent, itself included. */
  readonly level: number;
}

export interface PaceAnswer {
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
 * turn of the event loop, `answered` with the ticket exactly once.
 */
export class Pace {
  readonly #concurrency: number;
  readonly #pause: RefusalPause;
  readonly #learns: boolean;
  readonly #headroom: HeadroomCount;
  /** Both null where nothing is paced. */
  readonly #rate: SendRate | null;
  readonly #limit: InFlightLimit | null;
  #inFlight = 0;
  #lastNumber = 0;
  /** Requests up to this number were sent before the last cut: their refusals are its echo. */
  #cutNumber = 0;

  /** `from`: where another process left off that had the same `rate`. */
  constructor({ rate, concurrency, random, learned = null }: PaceOptions, from: PaceState | null = null) {
    this.#concurrency = concurrency;
    this.#learns = rate === 'auto';
    const doubleUpTo = learned?.concurrency ?? concurrency;
    if (from) {
      this.#pause = RefusalPause.restored(from.pause, random);
      this.#headroom = HeadroomCount.restored(from.headroom);
      this.#rate = from.rate && SendRate.restored(from.rate);
      this.#limit = from.limit && InFlightLimit.restored(from.limit, concurrency, doubleUpTo);
      this.#inFlight = from.inFlight;
      this.#lastNumber = from.lastNumber;
      this.#cutNumber = from.cutNumber;
      return;
    }
    this.#pause = new RefusalPause(random);
    this.#headroom = new HeadroomCount();
    this.#rate = rate === 'max' ? null : rate === 'auto' ? SendRate.adaptive(learned) : SendRate.upTo(rate);
    this.#limit = rate === 'max' ? null : new InFlightLimit(concurrency, doubleUpTo);
  }

  toJSON(): PaceState {
    return {
      rate: this.#rate?.toJSON() ?? null,
      limit: this.#limit?.toJSON() ?? null,
      pause: this.#pause.toJSON(),
      headroom: this.#headroom.toJSON(),
      inFlight: this.#inFlight,
      lastNumber: this.#lastNumber,
      cutNumber: this.#cutNumber,
    };
  }

  ask(nowMs: number): Turn {
    const holdMs = Math.max(this.#pause.leftMs(nowMs), this.#headroom.waitMs(nowMs, this.#lastNumber));
    if (holdMs > LONGEST_PAUSE_MS) return { is: 'too-late', waitMs: holdMs };
    if (this.#pause.leftMs(nowMs) > 0) return { is: 'later', waitMs: this.#pause.leftMs(nowMs) };
    if (this.#pause.isProbing || this.#inFlight >= this.#places) return { is: 'after-answer' };
    const waitMs = Math.max(holdMs, this.#rate?.waitMs(nowMs) ?? 0);
    return waitMs > 0 ? { is: 'later', waitMs } : { is: 'now' };
  }

  /** A request leaves. */
  sent(nowMs: number, operation: string): Ticket {
    this.#inFlight += 1;
    this.#lastNumber += 1;
    this.#rate?.sent(nowMs);
    this.#limit?.sent(this.#inFlight);
    this.#pause.sent(this.#lastNumber);
    return { number: this.#lastNumber, operation, sentMs: nowMs, level: this.#inFlight };
  }

  /** Its answer is there, or never will be. */
  answered(ticket: Ticket, nowMs: number, answer: PaceAnswer): void {
    this.#inFlight -= 1;
    if (answer.headroom && this.#rate) this.#headroom.said(nowMs, ticket.number, answer.headroom);
    if (answer.kind === 'throttled') this.#throttled(ticket, nowMs, answer.pauseMs);
    else if (answer.pauseMs !== null) this.#pause.hold(nowMs, answer.pauseMs);
    if (answer.kind === 'ok' || answer.kind === 'declined') this.#taken(ticket, nowMs, answer.kind === 'ok');
    else if (answer.kind !== 'throttled') this.#pause.untold(ticket.number);
    const gaveUpMs = Math.max(OVERLOAD_MS, this.#limit?.slowMs(ticket.operation) ?? 0);
    const tookTooLong = answer.kind === 'unanswered' && nowMs - ticket.sentMs >= gaveUpMs;
    if (answer.kind === 'overloaded' || tookTooLong) this.#overloaded(ticket, nowMs);
  }

  /** For the caller's breaker: go on at this share of the rate. */
  slowDown(share: number): void {
    this.#rate?.slowDown(share);
    this.#cutNumber = this.#lastNumber;
  }

  /** For the caller's breaker: nobody sends for so long. */
  hold(nowMs: number, pauseMs: number): void {
    this.#pause.hold(nowMs, pauseMs);
  }

  /** For how much longer everybody waits, 0 if nobody does. */
  pausedMs(nowMs: number): number {
    return this.#pause.leftMs(nowMs);
  }

  /** Requests a second that are allowed now; Infinity where nothing is paced. */
  get ratePerSecond(): number {
    return this.#rate?.perSecond ?? Number.POSITIVE_INFINITY;
  }

  /** To be kept for the next run; null where somebody chose the rate, so that nothing was learned. */
  learned(): LearnedPace | null {
    if (!this.#learns || !this.#rate || !this.#limit) return null;
    const { sustainablePerSecond, limited } = this.#rate;
    return { ratePerSecond: sustainablePerSecond, concurrency: this.#limit.ceiling, limited };
  }

  get #places(): number {
    return this.#limit?.places ?? this.#concurrency;
  }

  #taken(ticket: Ticket, nowMs: number, didItsWork: boolean): void {
    this.#rate?.taken(nowMs, ticket.sentMs);
    this.#limit?.taken(ticket.level);
    const alone = ticket.level === 1 && ticket.number === this.#lastNumber;
    if (didItsWork) this.#limit?.timed(nowMs, ticket.operation, nowMs - ticket.sentMs, alone);
    const refusal = this.#pause.taken(nowMs, ticket.number);
    if (refusal) this.#rate?.recovered(nowMs, refusal);
  }

  #throttled(ticket: Ticket, nowMs: number, pauseMs: number | null): void {
    const isEcho = this.#isEcho(ticket);
    const tooManyAtOnce = this.#limit?.refused(nowMs, ticket.level, isEcho) ?? false;
    if (isEcho) {
      if (pauseMs !== null) this.#pause.hold(nowMs, pauseMs);
      return;
    }
    if (!this.#pause.isRefusing && !tooManyAtOnce) this.#rate?.cut(true);
    this.#pause.refused(nowMs, pauseMs);
    this.#cutNumber = this.#lastNumber;
  }

  #overloaded(ticket: Ticket, nowMs: number): void {
    const isEcho = this.#isEcho(ticket);
    const tooManyAtOnce = this.#limit?.refused(nowMs, ticket.level, isEcho) ?? false;
    if (isEcho) return;
    this.#rate?.cut(tooManyAtOnce);
    this.#limit?.shrink();
    this.#cutNumber = this.#lastNumber;
  }

  #isEcho(ticket: Ticket): boolean {
    return ticket.number <= this.#cutNumber;
  }
}
