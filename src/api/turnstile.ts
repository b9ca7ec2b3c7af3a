import { SrqError } from '../model/errors.ts';
import type { Clock } from '../model/ports.ts';
import type { Exchange } from './exchange.ts';
import type { Pace, PaceAnswer, Ticket } from './pace.ts';
import { readRateHeaders } from './rate-headers.ts';

interface Waiting {
  readonly operation: string;
  readonly resolve: (ticket: Ticket | null) => void;
  readonly reject: (error: SrqError) => void;
}

/** Told of each answer 429 or 503, and for how long nobody sends then. */
export type Refused = (http: number, pauseMs: number) => void;

/** Lets requests through one by one, as {@link Pace} allows: the only place where anything waits for its turn. */
export class Turnstile {
  readonly #pace: Pace;
  readonly #clock: Clock;
  readonly #stopping: AbortSignal;
  readonly #refused: Refused | null;
  #queue: Waiting[] = [];
  #sleeping: AbortController | null = null;

  constructor(pace: Pace, clock: Clock, stopping: AbortSignal, refused: Refused | null = null) {
    this.#pace = pace;
    this.#clock = clock;
    this.#stopping = stopping;
    this.#refused = refused;
    stopping.addEventListener('abort', () => this.#pump(), { once: true });
  }

  /**
   * Resolves when the request may be sent, with the ticket to hand back in {@link leave}; with null when the run is being
   * stopped. Throws `SrqError('service')` when the service asks for a longer pause than is worth waiting.
   */
  enter(operation: string): Promise<Ticket | null> {
    return new Promise((resolve, reject) => {
      this.#queue.push({ operation, resolve, reject });
      this.#pump();
    });
  }

  leave(ticket: Ticket, exchange: Exchange): void {
    const nowMs = this.#clock.monotonicMs();
    const answer = paceAnswer(exchange, this.#clock.nowMs());
    this.#pace.answered(ticket, nowMs, answer);
    const isRefusal = answer.kind === 'throttled' || answer.kind === 'overloaded';
    if (isRefusal) this.#refused?.(exchange.answer?.status ?? 0, this.#pace.pausedMs(nowMs));
    this.#pump();
  }

  slowDown(share: number): void {
    this.#pace.slowDown(share);
  }

  #pump(): void {
    this.#sleeping?.abort();
    this.#sleeping = null;
    for (let next = this.#queue[0]; next; next = this.#queue[0]) {
      if (this.#stopping.aborted) {
        next.resolve(null);
      } else {
        const nowMs = this.#clock.monotonicMs();
        const turn = this.#pace.ask(nowMs);
        if (turn.is === 'after-answer') return;
        if (turn.is === 'later') {
          this.#pumpIn(turn.waitMs);
          return;
        }
        if (turn.is === 'too-late') next.reject(tooLate(turn.waitMs, this.#clock.nowMs()));
        else next.resolve(this.#pace.sent(nowMs, next.operation));
      }
      this.#queue.shift();
    }
  }

  #pumpIn(waitMs: number): void {
    const sleeping = new AbortController();
    this.#sleeping = sleeping;
    this.#clock.sleep(waitMs, sleeping.signal).then(() => {
      if (!sleeping.signal.aborted) this.#pump();
    });
  }
}

/** For a pause that is not worth waiting for. */
export function tooLate(waitMs: number, nowMs: number): SrqError {
  const until = new Date(nowMs + waitMs).toISOString();
  return new SrqError(
    'service',
    `The service takes no requests before ${until}.`,
    'Run the same command again after that time: it goes on where it stopped.',
  );
}

/** What an exchange says to the pace. `wallMs`: now, milliseconds since 1970. */
export function paceAnswer({ answer }: Exchange, wallMs: number): PaceAnswer {
  if (!answer) return { kind: 'unanswered', pauseMs: null, headroom: null };
  const { status } = answer;
  const kind = status === 429 ? 'throttled' : status === 503 ? 'overloaded' : status < 400 ? 'ok' : 'declined';
  return { kind, ...readRateHeaders(answer.headers, wallMs) };
}
