import type { Clock } from '../../request/ports.ts';
import { SrqError } from '../../request/words/errors.ts';
import type { Exchange } from '../network/exchange.ts';
import type { Pace, Permit } from './pace.ts';
import type { RateAnswer } from './permits.ts';
import { retryAfterMs } from './retry-after.ts';

interface QueuedSend {
  readonly operation: string;
  /** The request waits no longer once this signal fires. */
  readonly stopping: AbortSignal;
  readonly resolve: (permit: Permit | null) => void;
  readonly reject: (error: unknown) => void;
}

/** Called for each answer 429 or 503 with the status and the time for which nobody sends. */
export type Refused = (http: number, pauseMs: number) => void;

/** Admits requests one by one as the pace allows. This is the only place where requests wait for their turn. */
export class RateLimiter {
  readonly #pace: Pace;
  readonly #clock: Clock;
  readonly #refused: Refused | null;
  #queue: QueuedSend[] = [];
  #sleeping: AbortController | null = null;

  constructor(pace: Pace, clock: Clock, refused: Refused | null = null) {
    this.#pace = pace;
    this.#clock = clock;
    this.#refused = refused;
  }

  /**
   * Waits until the request may be sent. Resolves to the permit, which must be returned by {@link release}, or to null
   * if `stopping` fires. Throws `SrqError('service')` if the service asks for too long a pause.
   */
  async acquire(operation: string, stopping: AbortSignal): Promise<Permit | null> {
    if (stopping.aborted) return null;
    const turn = new Promise<Permit | null>((resolve, reject) => {
      this.#queue.push({ operation, stopping, resolve, reject });
    });
    this.#pump();
    const drop = () => {
      const stopped = this.#queue.filter((queued) => queued.stopping.aborted);
      this.#queue = this.#queue.filter((queued) => !queued.stopping.aborted);
      for (const queued of stopped) queued.resolve(null);
      this.#pump();
    };
    stopping.addEventListener('abort', drop);
    return turn.finally(() => stopping.removeEventListener('abort', drop));
  }

  /** Returns a permit with the result of the exchange, or with null if srq itself did not send the request. */
  release(permit: Permit, exchange: Exchange | null): void {
    const answer = rateAnswer(exchange, this.#clock.nowMs());
    const nowMs = this.#clock.monotonicMs();
    this.#pace.answered(permit, nowMs, answer);
    const http = exchange?.answer?.status;
    if (http === 429 || http === 503) this.#refused?.(http, this.#pace.pausedMs(nowMs));
    this.#pump();
  }

  slowDown(share: number): void {
    this.#pace.slowDown(share);
    this.#pump();
  }

  /** Returns the pace at this moment, for display. */
  pace() {
    return this.#pace.pace(this.#clock.monotonicMs());
  }

  #pump(): void {
    // A reason of its own: to make the usual one takes a tenth of the time of a whole import.
    this.#sleeping?.abort(PUMPED);
    this.#sleeping = null;
    const waitMs = this.#admitAll();
    if (waitMs === Number.POSITIVE_INFINITY) return;
    const sleeping = new AbortController();
    this.#sleeping = sleeping;
    this.#clock.sleep(waitMs, sleeping.signal).then(() => {
      if (!sleeping.signal.aborted) this.#pump();
    });
  }

  /** Admits waiting requests. Returns the time after which the pace is to be asked again, or Infinity. */
  #admitAll(): number {
    for (;;) {
      const nowMs = this.#clock.monotonicMs();
      const answer = this.#pace.ask(nowMs, this.#queue.length);
      if (answer.is === 'after-answer') return Number.POSITIVE_INFINITY;
      if (answer.is === 'later') return answer.waitMs;
      const next = this.#queue.shift();
      if (next === undefined) return Number.POSITIVE_INFINITY;
      if (answer.is === 'now') {
        next.resolve(this.#pace.sent(nowMs, next.operation));
      } else next.reject(tooLate(answer.waitMs, this.#clock.nowMs()));
    }
  }
}

const PUMPED = 'asked again';

/** Creates the error for a pause that is too long to wait for. */
export function tooLate(waitMs: number, nowMs: number): SrqError {
  const until = new Date(nowMs + waitMs).toISOString();
  return new SrqError(
    'service.closed',
    `The service accepts no requests before ${until}.`,
    'Run the same command again after that time: it goes on where it stopped.',
  );
}

/** Converts an exchange for the rate. `wallMs` is the current time in milliseconds since 1970. */
function rateAnswer(exchange: Exchange | null, wallMs: number): RateAnswer {
  const answer = exchange?.answer;
  if (!answer) return { kind: exchange ? 'unanswered' : 'unsent', pauseMs: null };
  const { status } = answer;
  const kind = status === 429 ? 'throttled' : status === 503 ? 'overloaded' : status < 400 ? 'ok' : 'declined';
  return { kind, pauseMs: retryAfterMs(answer.headers, wallMs) };
}
