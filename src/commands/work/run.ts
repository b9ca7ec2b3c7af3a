import type { Connection } from '../../account/connection.ts';
import type { Context } from '../../cli/context.ts';
import { codesOfCounts, exitNumber } from '../../cli/exit-codes.ts';
import { RequestSession, recordingsBeside } from '../../cli/session.ts';
import { AccountBreaker } from '../../delivery/breaker.ts';
import { runWorker, type WorkerDeps, type WorkerWatch } from '../../delivery/consume.ts';
import { contractRefusal } from '../../delivery/dispose.ts';
import type { SubmitOptions } from '../../delivery/submit.ts';
import { VisibilityProber, withLogTime } from '../../delivery/visibility-prober.ts';
import type { Metrics, ProcessState, ProcessView } from '../../report/metrics.ts';
import { type Paint, printable } from '../../report/output.ts';
import type { Reporter } from '../../report/reporter.ts';
import { workText } from '../../report/terminal/queue-text.ts';
import { failureOf, type SrqError } from '../../request/errors.ts';
import { operationsOf } from '../../request/operations.ts';
import type { Clock, DeliveryLog } from '../../request/ports.ts';
import type { Lane, TakenRequest } from '../../request/request-queue.ts';
import type { Destination } from '../../request/service-request.ts';
import { noCounts, type Status, statusOfState, type WorkedStatus } from '../../request/status.ts';
import type { VisibilityHistory } from '../../request/visibility.ts';
import type { PostgresQueue } from '../../store/postgres/postgres-queue.ts';
import type { PostgresStore } from '../../store/postgres/postgres-store.ts';
import { RunEvents } from '../bulk/events.ts';
import {
  type Health,
  type HealthOptions,
  keepHealthFile,
  LOG_OPERATIONS,
  serveHealth,
  type WatchedProcess,
} from '../health.ts';

/** The flags of `work`, as commander parses them. */
interface WorkOptions extends Omit<SubmitOptions, 'again'>, HealthOptions {
  readonly concurrency: number;
  readonly rate?: 'auto' | 'max' | number;
  readonly untilEmpty?: boolean;
  readonly inDoubt: 'park' | 'validate';
  /** Age in seconds that a request in doubt must have before validate is asked about it. */
  readonly settle?: number;
  /** Seconds without a sign of life after which a worker's requests are given to others. */
  readonly missing: number;
  readonly healthFile?: string;
  /** File to which the events of the worker are written, or `-` for standard output. */
  readonly events?: string;
}

/** Time after the signal to end in which remaining results are still written to the store. */
const SHUTDOWN_TIMEOUT_MS = 10_000;

/** Interval at which the metrics look at the queue. */
const OLDEST_LOOK_MS = 10_000;

/** Sends queued requests until the worker is told to end, or until the queue is empty if the user wants that. */
export async function work(context: Context, options: WorkOptions): Promise<number> {
  const events = await RunEvents.open(context, options);
  return events.during(context, () => sendQueued(context, options, events));
}

async function sendQueued(context: Context, options: WorkOptions, events: RunEvents): Promise<number> {
  const startedMs = context.clock.monotonicMs();
  const { clock, interruption } = context;
  const reporter = await context.reporter();
  const { halt } = interruption;
  const state = () => (halt.signal.aborted ? 'stopping' : context.isStoreAway ? 'waiting-for-database' : null);
  const account = new WorkerStats(reporter, events, context, state);
  await watchOver(context, options, account);
  interruption.listen(() =>
    reporter.warn('Finishing what is in flight, giving back the rest; once more to leave now.'),
  );
  const deps = await workerDeps(context, options, account);
  const { validate, onDuplicate, concurrency, untilEmpty = false, inDoubt, settle, missing } = options;
  const { prober, connection, name } = deps;
  reporter.note('started', { store: name, concurrency }, () => `Working for ${deps.destination}.`);
  account.opened();
  const stop = await runWorker(deps, {
    ...{ validate, onDuplicate, again: false, concurrency, untilEmpty },
    settles: inDoubt === 'validate',
    settleMs: settle === undefined ? null : settle * 1000,
    missingMs: missing * 1000,
  });
  if (stop === null && !halt.signal.aborted) await account.recount(deps.log);
  await prober.end();
  await connection.keep(prober.evidence).catch(() => {});
  // Nothing of what remains to be done needs the store.
  halt.abort();
  const seconds = Math.round(clock.monotonicMs() - startedMs) / 1000;
  const figures = { ...account.endedCounts, again: account.again, seconds, store: name };
  const stopped = stop ? failureOf(stop, (hint) => hint) : interruption.failure(null);
  const ending = stopped === null ? { stopped } : { stopped, error: stopped };
  const document = { run: context.run, ...figures, ...ending, hint: stop?.hint ?? null };
  const text = (paint: Paint) => workText(document, paint);
  if (options.events === '-') reporter.say(text);
  else await reporter.result('work', document, text);
  if (stop?.code === 'fault') await context.showStack(stop.cause);
  const codes = untilEmpty ? codesOfCounts(account.counts) : [];
  const exitCode = exitNumber([
    ...(interruption.code ? [interruption.code] : []),
    ...(stop ? [stop.code] : []),
    ...codes,
  ]);
  events.end({ exitCode, stopped, summary: figures });
  return exitCode;
}

async function watchOver(context: Context, options: WorkOptions, account: WorkerStats): Promise<void> {
  const { healthFile } = options;
  if (healthFile !== undefined) context.onClose(keepHealthFile(healthFile, () => account.health, context.clock));
  account.metrics = await serveHealth(context, options, account);
}

async function workerDeps(context: Context, options: WorkOptions, watch: WorkerStats) {
  const { clock } = context;
  const { halt } = context.interruption;
  const { signal: stopping } = halt;
  const store = await context.requireStore('work');
  const session = await RequestSession.open(context, {
    audio: recordingsBeside('-'),
    operations: operationsOf(options),
  });
  const { destination, contract, operations } = session.preparation;
  await context.requireKnownFileLog();
  const opened = await store.open('work', false);
  context.onClose(() => opened.close());
  const taking = await openWorkersQueue(context, store, destination, opened.worker.id);
  const { metrics } = watch;
  const log = metrics?.timed(opened, LOG_OPERATIONS) ?? opened;
  const queue = metrics?.timed(taking, { take: 'take', dispose: 'dispose' }) ?? taking;
  if (metrics) void watch.lookAtOldest(taking, stopping);
  const refused = (http: number, pauseMs: number) => watch.refused(http, pauseMs);
  const { rate = 'auto', concurrency } = options;
  const connection = await session.connect({ rate, concurrency, refused });
  const { api, shared, isProxied, isFamiliar } = connection;
  if (!shared) throw new Error('a worker without a store');
  watch.connection = connection;
  const keep = (evidence: VisibilityHistory) => void connection.keep(evidence).catch(() => {});
  const prober = new VisibilityProber(api, withLogTime(log, clock), stopping, connection.evidence, keep);
  const deps: WorkerDeps = {
    ...{ api, log, queue, clock, prober, halt, watch, isProxied, isFamiliar },
    evidence: () => connection.keep(prober.evidence),
    breaker: new AccountBreaker(shared, clock),
    hold: connection.hold,
    refusal: (queued) => contractRefusal(queued, contract, operations, destination),
  };
  return { ...deps, connection, name: store.name, destination: session.destinationText };
}

/**
 * Opens the queue for a worker. After the signal to end it stays open for some time, so that the results of requests in
 * flight can be written.
 */
async function openWorkersQueue(
  context: Context,
  { database }: PostgresStore,
  destination: Destination,
  worker: number,
): Promise<PostgresQueue> {
  const { openQueue } = await import('../../store/postgres/postgres-queue.ts');
  const { signal: stopping } = context.interruption.halt;
  const giveUp = new AbortController();
  const later = () => void context.clock.sleep(SHUTDOWN_TIMEOUT_MS, giveUp.signal).then(() => giveUp.abort());
  stopping.addEventListener('abort', later, { once: true });
  context.onClose(async () => giveUp.abort());
  const queue = await openQueue({ database, destination, worker, stopping, giveUp: giveUp.signal });
  context.onClose(() => queue.close());
  return queue;
}

/** Counts and reports what a worker does. Of the requests it keeps only their keys. */
class WorkerStats implements WorkerWatch, WatchedProcess {
  readonly #reporter: Reporter;
  readonly #events: RunEvents;
  readonly #clock: Clock;
  readonly #version: string;
  readonly #since: string;
  readonly #exception: () => ProcessState | null;
  /** The metrics, or null if they are not served. Refusals and pauses are reported to them. */
  metrics: Metrics | null = null;
  connection: Connection | null = null;
  #oldest: { readonly ages: Readonly<Record<Lane, number>>; readonly seenMs: number } | null = null;
  #reclaimed = 0;
  readonly counts = noCounts();
  /** Number of requests that were put back for later, for other workers or for settling. */
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
    { clock, version }: Context,
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
    const worker = { ended: this.endedCounts, putBack: this.again, reclaimed: this.#reclaimed, inHand: this.#inHand };
    return {
      version: this.#version,
      state: this.#state,
      worker: { ...worker, oldestMs: this.#oldestMs },
      imported: null,
      connection: this.connection?.view() ?? null,
    };
  }

  /** Looks every few seconds how long the oldest rows have been waiting, so that no scrape waits for the store. */
  async lookAtOldest(queue: Pick<PostgresQueue, 'oldest'>, stopping: AbortSignal): Promise<void> {
    while (!stopping.aborted) {
      const ages = await queue.oldest().catch(() => null);
      if (ages) this.#oldest = { ages, seenMs: this.#clock.monotonicMs() };
      await this.#clock.sleep(OLDEST_LOOK_MS, stopping);
    }
  }

  /** Returns the ages of the oldest rows at the last look, with the time since then added. */
  get #oldestMs(): Record<Lane, number> | null {
    if (this.#oldest === null) return null;
    const { ages, seenMs } = this.#oldest;
    const sinceMs = this.#clock.monotonicMs() - seenMs;
    const now = (ageMs: number) => (ageMs > 0 ? ageMs + sinceMs : 0);
    return { requests: now(ages.requests), doubts: now(ages.doubts) };
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

  /** Counts requests as the log has them now that were unknown when they ended: somebody else may know more. */
  async recount(log: Pick<DeliveryLog, 'prefetch' | 'lookup'>): Promise<void> {
    await log.prefetch([...this.#unknown]);
    for (const key of this.#unknown) {
      this.counts.unknown -= 1;
      this.counts[statusOfState(log.lookup(key))] += 1;
    }
    this.#unknown.clear();
  }

  ended(...[taken, { result, isFromLog, unrecorded }, disposal]: Parameters<WorkerWatch['ended']>): void {
    this.#inHand -= 1;
    if (disposal.is === 'done') this.counts[result.status] += 1;
    else this.again += 1;
    if (disposal.is === 'done' && result.status === 'unknown') this.#unknown.add(taken.key);
    // The result and its identifiers are stored nowhere else.
    if (unrecorded) this.#reporter.warn(`Not in the log: ${JSON.stringify(result)}`);
    if (taken.isUnreadable && disposal.is === 'done') this.#reporter.warn(unreadableText(taken, result.status));
    const { status, http } = result;
    const { key, row, lane } = taken;
    const fields = { key, row, lane, status, http, isFromLog, next: disposal.is };
    this.#events.row(null, result);
    this.#reporter.note('request', fields, (paint) => `${paint.dim(key.slice(0, 12))} ${status}${NEXT[disposal.is]}`);
  }

  gaveBack({ key, row, lane }: TakenRequest): void {
    this.#inHand -= 1;
    this.again += 1;
    const text = `${key.slice(0, 12)} given back`;
    this.#reporter.note('given-back', { key, row, lane }, (paint) => paint.dim(text));
  }

  ending({ code, message }: SrqError): void {
    this.#reason = message;
    this.#reporter.note('ending', { code, reason: message }, () => `Ending: ${printable(message)}`);
  }

  reclaimed(count: number): void {
    this.#reclaimed += count;
    this.#reporter.note('reclaimed', { count }, () => `${count} taken back from workers that have ended or stopped.`);
  }

  refused(http: number, pauseMs: number): void {
    this.#events.refused(http, pauseMs);
    this.metrics?.refused(http, pauseMs);
    const pause = pauseMs > 0 ? `; nobody sends for ${Math.ceil(pauseMs / 1000)} s` : '';
    this.#reporter.note(
      'refused',
      { http, pauseMs: Math.round(pauseMs) },
      () => `The service answered ${http}${pause}.`,
    );
  }

  breakerOpened(pauseMs: number): void {
    this.#events.breakerOpened(pauseMs);
    this.metrics?.breakerOpened(pauseMs);
    const seconds = Math.round(pauseMs / 1000);
    this.#reporter.note('breaker', { pauseMs }, () => `Too many doubts: nobody sends for ${seconds} s.`);
  }
}

/** Says of a row that could not be read what became of it, and what a person can do. */
function unreadableText({ key, row }: TakenRequest, status: Status): string {
  const next =
    status === 'unknown'
      ? `It may have been sent: look it up at the service, then: srq resolve ${key} --created [ID] or --not-created`
      : status === 'failed'
        ? 'Queue its file again to send it: srq enqueue FILE'
        : `The log has it as ${status}, so nothing is left to do.`;
  return `What the queue held of row ${row} (key ${key}) cannot be read, and was taken off the queue. ${next}`;
}

const NEXT = { done: '', back: ', given back', later: ', again later', moved: ', on to the next step' } as const;
