import type { Connection } from '../../account/connection.ts';
import type { Context } from '../../cli/context.ts';
import type { WorkerWatch } from '../../delivery/consume.ts';
import { shown } from '../../delivery/submit.ts';
import { printable } from '../../report/output.ts';
import type { QueueDepth, RequestQueue, TakenRequest } from '../../request/log/request-queue.ts';
import { noCounts, type WorkedStatus } from '../../request/log/status.ts';
import type { SrqError } from '../../request/words/errors.ts';
import type { RunEvents } from '../../run/events.ts';
import type { Standing } from '../../store/postgres/figures.ts';
import type { PostgresStore } from '../../store/postgres/postgres-store.ts';

/** Interval at which the metrics look at the queue. */
const LOOK_MS = 10_000;

/** The states of a worker, for monitoring. */
export const STATES = ['starting', 'working', 'idle', 'waiting-for-database', 'stopping'] as const;

/** Counts what a worker does, and tells it to people, to `--events` and to monitoring. */
export class WorkerStats implements WorkerWatch {
  readonly #context: Context;
  readonly #events: RunEvents;
  connection: Connection | null = null;
  /** The depth of the queue, with the age of its oldest row, at the last look. */
  depth: QueueDepth | null = null;
  standing: Standing | null = null;
  readonly counts = noCounts();
  /** Number of requests that were put back for later or for other workers. */
  again = 0;
  /** Number of requests that were begun and have neither ended nor been given back. */
  inHand = 0;
  /** Why the worker ends by itself. */
  reason: string | null = null;
  /** Answers that refused a call, by their status. Each series begins with 0: `rate()` does not see its first event. */
  readonly refusals: Record<string, number> = { 429: 0, 503: 0 };
  /** Number of pauses after many unknown outcomes. */
  breakerPauses = 0;

  constructor(context: Context, events: RunEvents) {
    this.#context = context;
    this.#events = events;
  }

  /** Number of requests that have left the queue, by their status. */
  get endedCounts(): Readonly<Record<WorkedStatus, number>> {
    const { ready: _, invalid: __, ...ended } = this.counts;
    return ended;
  }

  get version(): string {
    return this.#context.version;
  }

  get pace() {
    return this.connection?.pace() ?? null;
  }

  get state(): (typeof STATES)[number] {
    const { halt, log } = this.#context;
    if (this.connection === null) return 'starting';
    if (halt.signal.aborted) return 'stopping';
    if (log.isStoreAway) return 'waiting-for-database';
    return this.inHand > 0 ? 'working' : 'idle';
  }

  /** Looks every few seconds at the queue and the store, so that no scrape waits for them. */
  async lookAtQueue(queue: Pick<RequestQueue, 'depth'>, store: Pick<PostgresStore, 'standing'>): Promise<void> {
    const { clock, halt } = this.#context;
    while (!halt.signal.aborted) {
      try {
        this.depth = await queue.depth();
        this.standing = await store.standing();
      } catch {
        // The last look stands.
      }
      await clock.sleep(LOOK_MS, halt.signal);
    }
  }

  began(): void {
    this.inHand += 1;
  }

  ended(...[taken, sent, next]: Parameters<WorkerWatch['ended']>): void {
    const { key } = taken;
    const { status, message: said, alsoUnknown, unrecorded } = sent;
    const result = shown(sent);
    this.inHand -= 1;
    if (next === 'done') this.counts[status] += 1;
    else this.again += 1;
    // The result and its identifiers are stored nowhere else.
    if (unrecorded) this.#context.reporter.warn(`Not in the log: ${JSON.stringify(result)}`);
    this.#events.row(null, result);
    if (alsoUnknown) {
      // It was told as created, perhaps by another worker.
      this.#events.row(null, alsoUnknown);
      const { row, key, message } = alsoUnknown;
      this.#context.reporter.warn(`Row ${row} (key ${key}) is unknown now. ${message ?? ''}`);
    }
    const why = (status === 'failed' || status === 'rejected') && said !== null ? `: ${printable(said)}` : '';
    this.#context.reporter.say((paint) => `${paint.dim(key.slice(0, 12))} ${status}${NEXT[next]}${why}`);
  }

  gaveBack({ key }: TakenRequest): void {
    this.inHand -= 1;
    this.again += 1;
    this.#context.reporter.say((paint) => paint.dim(`${key.slice(0, 12)} given back`));
  }

  ending({ message }: SrqError): void {
    this.reason = message;
    this.#context.reporter.say(() => `Ending: ${printable(message)}`);
  }

  refused(http: number, pauseMs: number): void {
    this.#events.noted({ event: 'refused', http, count: 1, pauseMs });
    this.refusals[http] = (this.refusals[http] ?? 0) + 1;
    const pause = pauseMs > 0 ? `; nobody sends for ${Math.ceil(pauseMs / 1000)} s` : '';
    this.#context.reporter.say(() => `The service answered ${http}${pause}.`);
  }

  breakerOpened(pauseMs: number): void {
    this.#events.noted({ event: 'breaker', pauseMs });
    this.breakerPauses += 1;
    const seconds = Math.round(pauseMs / 1000);
    this.#context.reporter.say(() => `Too many unknown outcomes: nobody sends for ${seconds} s.`);
  }
}

const NEXT = { done: '', back: ', given back', later: ', again later' } as const;
