import type { Connection } from '../../account/connection.ts';
import type { Context } from '../../cli/context.ts';
import type { WorkerWatch } from '../../delivery/consume.ts';
import { shown } from '../../delivery/submit.ts';
import type { Metrics, ProcessState, ProcessView } from '../../report/metrics.ts';
import { printable } from '../../report/output.ts';
import type { Reporter } from '../../report/terminal/reporter.ts';
import type { RowResult } from '../../request/log/outcome.ts';
import type { QueueDepth, TakenRequest } from '../../request/log/request-queue.ts';
import { noCounts, type Status, statusOfState, type WorkedStatus } from '../../request/log/status.ts';
import type { Clock, DeliveryLog } from '../../request/ports.ts';
import type { SrqError } from '../../request/words/errors.ts';
import type { RunEvents } from '../../run/events.ts';
import type { Standing } from '../../store/postgres/figures.ts';
import type { PostgresStore } from '../../store/postgres/postgres-store.ts';
import type { PostgresQueue } from '../../store/postgres/queue.ts';
import type { Health, WatchedProcess } from '../health.ts';

/** Interval at which the metrics look at the queue. */
const LOOK_MS = 10_000;

/** Counts and reports what a worker does. Of the requests it keeps only their keys. */
export class WorkerStats implements WorkerWatch, WatchedProcess {
  readonly #reporter: Reporter;
  readonly #events: RunEvents;
  readonly #clock: Clock;
  readonly #version: string;
  readonly #since: string;
  readonly #exception: () => ProcessState | null;
  /** The metrics, or null if they are not served. Refusals and pauses are reported to them. */
  metrics: Metrics | null = null;
  connection: Connection | null = null;
  #oldest: { readonly ageMs: number; readonly seenMs: number } | null = null;
  #depth: QueueDepth | null = null;
  #standing: Standing | null = null;
  readonly counts = noCounts();
  /** Number of requests that were put back for later or for other workers. */
  again = 0;
  /** The keys of the requests that were counted as unknown. */
  readonly #unknown = new Set<string>();
  /** Number of requests that were begun and have neither ended nor been given back. */
  #inHand = 0;
  #reason: string | null = null;
  #hasBegun = false;

  /** `exception` returns a state that applies regardless of the requests in flight, or null. */
  constructor(
    reporter: Reporter,
    events: RunEvents,
    { clock, version }: Pick<Context, 'clock' | 'version'>,
    exception: () => ProcessState | null,
  ) {
    this.#reporter = reporter;
    this.#events = events;
    this.#clock = clock;
    this.#version = version;
    this.#exception = exception;
    this.#since = new Date(clock.nowMs()).toISOString();
  }

  /** Number of requests that have left the queue, by their status. */
  get endedCounts(): Readonly<Record<WorkedStatus, number>> {
    const { ready: _, invalid: __, ...ended } = this.counts;
    return ended;
  }

  get health(): Health {
    return {
      state: this.#state,
      at: new Date(this.#clock.nowMs()).toISOString(),
      since: this.#since,
      inFlight: this.#inHand,
      reason: this.#reason,
    };
  }

  get view(): ProcessView {
    const worker = { ended: this.endedCounts, putBack: this.again, inHand: this.#inHand };
    const queue = { depth: this.#depth?.total ?? null, ...this.#standing };
    return {
      version: this.#version,
      state: this.#state,
      worker: { ...worker, queue, oldestMs: this.#oldestMs },
      connection: this.connection?.view() ?? null,
    };
  }

  /** Looks every few seconds at the queue and the store, so that no scrape waits for them. */
  async lookAtQueue(
    queue: Pick<PostgresQueue, 'oldest' | 'depth'>,
    store: Pick<PostgresStore, 'standing'>,
    stopping: AbortSignal,
  ): Promise<void> {
    while (!stopping.aborted) {
      try {
        this.#oldest = { ageMs: await queue.oldest(), seenMs: this.#clock.monotonicMs() };
        this.#depth = await queue.depth();
        this.#standing = await store.standing();
      } catch {
        // The last look stands.
      }
      await this.#clock.sleep(LOOK_MS, stopping);
    }
  }

  /** Returns the age of the oldest row at the last look, with the time since then added. */
  get #oldestMs(): number | null {
    if (this.#oldest === null) return null;
    const { ageMs, seenMs } = this.#oldest;
    return ageMs > 0 ? ageMs + this.#clock.monotonicMs() - seenMs : 0;
  }

  get #state(): ProcessState {
    if (!this.#hasBegun) return 'starting';
    return this.#exception() ?? (this.#inHand > 0 ? 'working' : 'idle');
  }

  opened(): void {
    this.#hasBegun = true;
  }

  began(): void {
    this.#inHand += 1;
  }

  /**
   * Counts the requests that ended as unknown by what the log says of them now. Somebody else may have settled them.
   */
  async recount(log: Pick<DeliveryLog, 'prefetch' | 'lookup'>): Promise<void> {
    await log.prefetch([...this.#unknown]);
    for (const key of this.#unknown) {
      this.counts.unknown -= 1;
      this.counts[statusOfState(log.lookup(key))] += 1;
    }
    this.#unknown.clear();
  }

  ended(...[taken, sent, next]: Parameters<WorkerWatch['ended']>): void {
    const { status, alsoUnknown, unrecorded } = sent;
    const result = shown(sent);
    this.#inHand -= 1;
    if (next === 'done') this.counts[status] += 1;
    else this.again += 1;
    if (next === 'done' && status === 'unknown') this.#unknown.add(taken.key);
    // The result and its identifiers are stored nowhere else.
    if (unrecorded) this.#reporter.warn(`Not in the log: ${JSON.stringify(result)}`);
    if (taken.isUnreadable && next === 'done') this.#reporter.warn(unreadableText(taken, status));
    const { key } = taken;
    this.#events.row(null, result);
    if (alsoUnknown) this.#withdraw(alsoUnknown);
    this.#reporter.say((paint) => `${paint.dim(key.slice(0, 12))} ${status}${NEXT[next]}`);
  }

  /** Tells of a request that was told as created, perhaps by another worker, and is unknown now. */
  #withdraw(result: RowResult): void {
    this.#events.row(null, result);
    this.#reporter.warn(`Row ${result.row} (key ${result.key}) is unknown now. ${result.message ?? ''}`);
  }

  gaveBack({ key }: TakenRequest): void {
    this.#inHand -= 1;
    this.again += 1;
    const text = `${key.slice(0, 12)} given back`;
    this.#reporter.say((paint) => paint.dim(text));
  }

  ending({ message }: SrqError): void {
    this.#reason = message;
    this.#reporter.say(() => `Ending: ${printable(message)}`);
  }

  refused(http: number, pauseMs: number): void {
    this.#events.refused(http, pauseMs);
    this.metrics?.refused(http, pauseMs);
    const pause = pauseMs > 0 ? `; nobody sends for ${Math.ceil(pauseMs / 1000)} s` : '';
    this.#reporter.say(() => `The service answered ${http}${pause}.`);
  }

  breakerOpened(pauseMs: number): void {
    this.#events.breakerOpened(pauseMs);
    this.metrics?.breakerOpened(pauseMs);
    const seconds = Math.round(pauseMs / 1000);
    this.#reporter.say(() => `Too many unknown outcomes: nobody sends for ${seconds} s.`);
  }
}

/** Says of a row that could not be read what became of it, and what a person can do. */
function unreadableText({ key, row }: TakenRequest, status: Status): string {
  const next =
    status === 'unknown'
      ? `It may have been sent. Look it up at the service, then: srq resolve ${key} --created [ID] or --not-created`
      : status === 'failed'
        ? 'Queue its file again to send it: srq enqueue FILE'
        : `The log has it as ${status}, so nothing is left to do.`;
  return `What the queue held of row ${row} (key ${key}) cannot be read, and was taken off the queue. ${next}`;
}

const NEXT = { done: '', back: ', given back', later: ', again later' } as const;
