import type { Clock } from '../../request/ports.ts';
import { SrqError } from '../../request/words/errors.ts';
import type { Exchange } from '../network/exchange.ts';
import type { AdaptiveRate, Admission, Pace, Permit, RateAnswer } from './adaptive-rate.ts';
import { readRateHeaders } from './rate-headers.ts';

interface QueuedSend {
  readonly operation: string;
  /** The request waits no longer once this signal fires. */
  readonly stopping: AbortSignal;
  readonly resolve: (permit: Permit | null) => void;
  readonly reject: (error: unknown) => void;
  /** Ends the wait when `stopping` fires. */
  readonly stop: () => void;
}

/** Called for each answer 429 or 503 with the status and the time for which nobody sends. */
export type Refused = (http: number, pauseMs: number) => void;

/** The answer of a permit source for the request that has waited longest. */
export type PermitAnswer =
  | { readonly is: 'now'; readonly permit: Permit }
  | Exclude<Admission, { readonly is: 'now' }>
  /** The source cannot give permits any more. */
  | { readonly is: 'failed'; readonly error: unknown };

/** A source of permits: the rate of this process ({@link OwnPermits}), or that of an account kept in a store. */
export interface PermitSource {
  /**
   * Connects the source to the limiter. `waiting` returns the number of waiting requests. The source calls `changed`
   * when it may admit more than it has said.
   */
  attach(waiting: () => number, changed: () => void): void;
  admit(operation: string): PermitAnswer;
  /** Records an answer. `http` is its status, or 0 without an answer. */
  answered(permit: Permit, answer: RateAnswer, http: number): void;
  /** Reduces the rate by this factor. */
  slowDown(share: number): void;
  /** Returns the pace at this moment, or null if it is not known yet. */
  pace(): Pace | null;
  /**
   * Returns the time after which the limiter asks again. By itself it would wait for `waitMs`. Infinity means until
   * `changed`.
   */
  askAgainMs(waitMs: number): number;
}

/** The requests of a limiter at one moment, for display. */
export interface LimiterView {
  readonly inFlight: number;
  /** Number of requests that wait for their turn. */
  readonly waiting: number;
  readonly pace: Pace | null;
}

/**
 * Admits requests one by one as its source of permits allows. This is the only place where requests wait for their
 * turn.
 */
export class RateLimiter {
  readonly #permits: PermitSource;
  readonly #clock: Clock;
  readonly #stopping: AbortSignal;
  #queue: QueuedSend[] = [];
  #sleeping: AbortController | null = null;
  #inFlight = 0;

  constructor(permits: PermitSource, clock: Clock, stopping: AbortSignal) {
    this.#permits = permits;
    this.#clock = clock;
    this.#stopping = stopping;
    permits.attach(
      () => this.#queue.length,
      () => this.#pump(),
    );
    stopping.addEventListener('abort', () => this.#dropStopped(), { once: true });
  }

  /**
   * Waits until the request may be sent. Resolves to the permit, which must be returned by {@link release}, or to null
   * if `stopping` fires. Throws `SrqError('service')` if the service asks for too long a pause, and `SrqError('log')`
   * once the store that keeps the account's rate is given up.
   */
  acquire(operation: string, stopping = this.#stopping): Promise<Permit | null> {
    if (stopping.aborted) return Promise.resolve(null);
    return new Promise((resolve, reject) => {
      const queued: QueuedSend = { operation, stopping, resolve, reject, stop: () => this.#dropStopped() };
      this.#queue.push(queued);
      this.#pump();
      // The signal may outlive this request by far, so it has a listener only while the request waits. The limiter's own
      // signal always has one.
      const isWaiting = this.#queue.at(-1) === queued;
      if (isWaiting && stopping !== this.#stopping) stopping.addEventListener('abort', queued.stop);
    });
  }

  /** Returns a permit with the result of the exchange, or with null if srq itself did not send the request. */
  release(permit: Permit, exchange: Exchange | null): void {
    this.#inFlight -= 1;
    const answer = rateAnswer(exchange, this.#clock.nowMs());
    this.#permits.answered(permit, answer, exchange?.answer?.status ?? 0);
    this.#pump();
  }

  slowDown(share: number): void {
    this.#permits.slowDown(share);
    this.#pump();
  }

  view(): LimiterView {
    return { inFlight: this.#inFlight, waiting: this.#queue.length, pace: this.#permits.pace() };
  }

  #dropStopped(): void {
    const stopped = this.#queue.filter(({ stopping }) => stopping.aborted);
    this.#queue = this.#queue.filter(({ stopping }) => !stopping.aborted);
    for (const queued of stopped) {
      leave(queued);
      queued.resolve(null);
    }
    this.#pump();
  }

  #pump(): void {
    this.#sleeping?.abort();
    this.#sleeping = null;
    const waitMs = this.#permits.askAgainMs(this.#admitAll());
    if (waitMs < Number.POSITIVE_INFINITY) this.#pumpIn(waitMs);
  }

  /**
   * Admits waiting requests. Returns how long the next one has to wait as far as the source knows, or Infinity if none
   * is waiting.
   */
  #admitAll(): number {
    for (let next = this.#queue[0]; next; next = this.#queue[0]) {
      const answer = this.#permits.admit(next.operation);
      if (answer.is === 'after-answer') break;
      if (answer.is === 'later') return answer.waitMs;
      if (answer.is === 'now') {
        this.#inFlight += 1;
        next.resolve(answer.permit);
      } else next.reject(answer.is === 'failed' ? answer.error : tooLate(answer.waitMs, this.#clock.nowMs()));
      leave(next);
      this.#queue.shift();
    }
    return Number.POSITIVE_INFINITY;
  }

  #pumpIn(waitMs: number): void {
    const sleeping = new AbortController();
    this.#sleeping = sleeping;
    this.#clock.sleep(waitMs, sleeping.signal).then(() => {
      if (!sleeping.signal.aborted) this.#pump();
    });
  }
}

/** Removes the listener of a request that waits no longer. */
function leave({ stopping, stop }: QueuedSend): void {
  stopping.removeEventListener('abort', stop);
}

/** Gives permits by the rate of a process that has its account for itself. It answers at once, without promises. */
export class OwnPermits implements PermitSource {
  readonly #rate: AdaptiveRate;
  readonly #clock: Clock;
  readonly #refused: Refused | null;

  constructor(rate: AdaptiveRate, clock: Clock, refused: Refused | null = null) {
    this.#rate = rate;
    this.#clock = clock;
    this.#refused = refused;
  }

  /** Only requests and their answers change what this process may do, so there is nothing to connect. */
  attach(): void {}

  admit(operation: string): PermitAnswer {
    const nowMs = this.#clock.monotonicMs();
    const admission = this.#rate.ask(nowMs);
    return admission.is === 'now' ? { is: 'now', permit: this.#rate.sent(nowMs, operation) } : admission;
  }

  answered(permit: Permit, answer: RateAnswer, http: number): void {
    const nowMs = this.#clock.monotonicMs();
    this.#rate.answered(permit, nowMs, answer);
    if (isRefusal(answer)) this.#refused?.(http, this.#rate.pausedMs(nowMs));
  }

  slowDown(share: number): void {
    this.#rate.slowDown(share);
  }

  pace(): Pace {
    return this.#rate.pace(this.#clock.monotonicMs());
  }

  askAgainMs(waitMs: number): number {
    return waitMs;
  }
}

/** Creates the error for a pause that is too long to wait for. */
export function tooLate(waitMs: number, nowMs: number): SrqError {
  const until = new Date(nowMs + waitMs).toISOString();
  return new SrqError(
    'service.closed',
    `The service accepts no requests before ${until}.`,
    'Run the same command again after that time: it goes on where it stopped.',
  );
}

/** Tells whether the service refused because of the rate (429) or its load (503). */
export function isRefusal({ kind }: RateAnswer): boolean {
  return kind === 'throttled' || kind === 'overloaded';
}

/** Tells whether an answer with this status asks for a lower rate. The limiter then pauses, even without Retry-After. */
export function isThrottled(status: number): boolean {
  return status === 429;
}

/** Converts an exchange for the rate. `wallMs` is the current time in milliseconds since 1970. */
function rateAnswer(exchange: Exchange | null, wallMs: number): RateAnswer {
  const answer = exchange?.answer;
  if (!answer) return { kind: exchange ? 'unanswered' : 'unsent', pauseMs: null, headroom: null };
  const { status } = answer;
  const kind = isThrottled(status) ? 'throttled' : status === 503 ? 'overloaded' : status < 400 ? 'ok' : 'declined';
  return { kind, ...readRateHeaders(answer.headers, wallMs) };
}
