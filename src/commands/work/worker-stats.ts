import type { WorkerWatch } from '../../delivery/consume.ts';
import { printable } from '../../report/output.ts';
import type { Reporter } from '../../report/reporter.ts';
import type { SrqError } from '../../request/errors.ts';
import type { TakenRequest } from '../../request/request-queue.ts';
import { noCounts } from '../../request/status.ts';
import type { Health, WorkerState } from './health.ts';

/** Counts and reports what a worker does. It keeps nothing of the requests but their keys. */
export class WorkerStats implements WorkerWatch {
  readonly #reporter: Reporter;
  readonly #nowMs: () => number;
  readonly #since: string;
  readonly #exception: () => WorkerState | null;
  readonly counts = noCounts();
  /** Number of requests that were put back for later, for other workers or for settling. */
  again = 0;
  #inFlight = 0;
  #reason: string | null = null;
  #hasBegun = false;

  /** `exception` returns the state that applies regardless of the requests in flight, or null. */
  constructor(reporter: Reporter, nowMs: () => number, exception: () => WorkerState | null) {
    this.#reporter = reporter;
    this.#nowMs = nowMs;
    this.#exception = exception;
    this.#since = new Date(nowMs()).toISOString();
  }

  get health(): Health {
    return {
      state: this.#state,
      at: new Date(this.#nowMs()).toISOString(),
      since: this.#since,
      inFlight: this.#inFlight,
      reason: this.#reason,
    };
  }

  get #state(): WorkerState {
    if (!this.#hasBegun) return 'starting';
    return this.#exception() ?? (this.#inFlight > 0 ? 'working' : 'idle');
  }

  opened(): void {
    this.#hasBegun = true;
  }

  began(): void {
    this.#inFlight += 1;
  }

  ended(...[taken, { result, isFromLog }, disposal]: Parameters<WorkerWatch['ended']>): void {
    this.#inFlight -= 1;
    if (disposal.is === 'done') this.counts[result.status] += 1;
    else this.again += 1;
    const { status, http } = result;
    const { key, row, lane } = taken;
    const fields = { key, row, lane, status, http, isFromLog, next: disposal.is };
    this.#reporter.note('request', fields, (paint) => `${paint.dim(key.slice(0, 12))} ${status}${NEXT[disposal.is]}`);
  }

  gaveBack({ key, row, lane }: TakenRequest): void {
    this.#inFlight -= 1;
    this.again += 1;
    const text = `${key.slice(0, 12)} given back`;
    this.#reporter.note('given-back', { key, row, lane }, (paint) => paint.dim(text));
  }

  ending({ code, message }: SrqError): void {
    this.#reason = message;
    this.#reporter.note('ending', { code, reason: message }, () => `Ending: ${printable(message)}`);
  }

  reclaimed(count: number): void {
    this.#reporter.note('reclaimed', { count }, () => `${count} taken back from workers that have ended or stopped.`);
  }

  refused(http: number, pauseMs: number): void {
    const pause = pauseMs > 0 ? `; nobody sends for ${Math.ceil(pauseMs / 1000)} s` : '';
    this.#reporter.note(
      'refused',
      { http, pauseMs: Math.round(pauseMs) },
      () => `The service answered ${http}${pause}.`,
    );
  }

  breakerOpened(pauseMs: number): void {
    const seconds = Math.round(pauseMs / 1000);
    this.#reporter.note('breaker', { pauseMs }, () => `Too many doubts: nobody sends for ${seconds} s.`);
  }
}

const NEXT = { done: '', back: ', given back', later: ', again later', moved: ', on to the next step' } as const;
