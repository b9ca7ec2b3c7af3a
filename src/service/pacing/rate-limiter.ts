import type { Clock } from '../../request/ports.ts';
import { SrqError } from '../../request/words/errors.ts';
import type { Exchange } from '../network/exchange.ts';
import type { PaceView, Permit, PermitSource, RateAnswer } from './permits.ts';
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

/** The requests of a limiter at one moment, for display. */
export interface LimiterView {
  readonly inFlight: number;
  /** Number of requests that wait for their turn. */
  readonly waiting: number;
  readonly pace: PaceView | null;
}

/**
 * Admits requests one by one as its source of permits allows. This is the only place where requests wait for their
 * turn.
 */
export class RateLimiter {
  readonly #permits: PermitSource;
  readonly #clock: Clock;
  readonly #stopping: AbortSignal;
  readonly #refused: Refused | null;
  #queue: QueuedSend[] = [];
  #sleeping: AbortController | null = null;
  #inFlight = 0;
  /** Statuses of refusals whose pause is not known yet. */
  #refusals: number[] = [];

  constructor(permits: PermitSource, clock: Clock, stopping: AbortSignal, refused: Refused | null = null) {
    this.#permits = permits;
    this.#clock = clock;
    this.#stopping = stopping;
    this.#refused = refused;
    permits.attach?.(
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
    this.#permits.answered(permit, this.#clock.monotonicMs(), answer);
    if (answer.kind === 'throttled') this.#refusals.push(429);
    if (answer.kind === 'overloaded') this.#refusals.push(503);
    this.#pump();
  }

  slowDown(share: number): void {
    this.#permits.slowDown(share);
    this.#pump();
  }

  view(): LimiterView {
    const pace = this.#permits.pace(this.#clock.monotonicMs());
    return { inFlight: this.#inFlight, waiting: this.#queue.length, pace };
  }

  #dropStopped(): void {
    const stopped = this.#queue.filter(({ stopping }) => stopping.aborted);
    this.#queue = this.#queue.filter(({ stopping }) => !stopping.aborted);
    for (const queued of stopped) leave(queued).resolve(null);
    this.#pump();
  }

  #pump(): void {
    // A reason of its own: to make the usual one takes a tenth of the time of a whole import.
    this.#sleeping?.abort(PUMPED);
    this.#sleeping = null;
    const pace = this.#refusals.length > 0 ? this.#permits.pace(this.#clock.monotonicMs()) : null;
    if (pace) for (const http of this.#refusals.splice(0)) this.#refused?.(http, pace.pausedMs);
    const admitMs = this.#admitAll();
    const waitMs = this.#permits.askAgainMs?.(admitMs) ?? admitMs;
    if (waitMs === Number.POSITIVE_INFINITY) return;
    const sleeping = new AbortController();
    this.#sleeping = sleeping;
    this.#clock.sleep(waitMs, sleeping.signal).then(() => {
      if (!sleeping.signal.aborted) this.#pump();
    });
  }

  /**
   * Admits waiting requests. Returns how long the next one has to wait as far as the source knows, or Infinity if none
   * is waiting.
   */
  #admitAll(): number {
    for (let next = this.#queue[0]; next; next = this.#queue[0]) {
      const nowMs = this.#clock.monotonicMs();
      const answer = this.#permits.ask(nowMs);
      if (answer.is === 'after-answer') break;
      if (answer.is === 'later') return answer.waitMs;
      this.#queue.shift();
      leave(next);
      if (answer.is === 'now') {
        this.#inFlight += 1;
        next.resolve(this.#permits.sent(nowMs, next.operation));
      } else next.reject(answer.is === 'failed' ? answer.error : tooLate(answer.waitMs, this.#clock.nowMs()));
    }
    return Number.POSITIVE_INFINITY;
  }
}

const PUMPED = 'asked again';

/** Removes the listener of a request that waits no longer. */
function leave(queued: QueuedSend): QueuedSend {
  queued.stopping.removeEventListener('abort', queued.stop);
  return queued;
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
