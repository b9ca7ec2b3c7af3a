import type { Outcome } from '../request/log/outcome.ts';
import type { JobDecision, QueuedRequest, RequestQueue, TakenRequest } from '../request/log/request-queue.ts';
import type { Clock, DeliveryLog, MarketplaceApi } from '../request/ports.ts';
import { SrqError } from '../request/words/errors.ts';

import { disposalOf, type WorkerSituation } from './dispose.ts';
import { runConcurrently } from './run-concurrently.ts';
import { settleByKey } from './settle-rows.ts';
import { fromLog, refuseUnsent, type Sent, type SubmitOptions, submitRequest } from './submit.ts';
import { recoverFromBreak, Supervisor } from './supervise.ts';
import { takenRequests } from './take-requests.ts';

const RECLAIM_MS = 5_000;
export interface QueueWorkerOptions extends SubmitOptions {
  readonly concurrency: number;
  /** Whether the worker ends when the queue is empty. */
  readonly untilEmpty: boolean;
  /** Time without a sign of life after which the requests of a worker are given to others. */
  readonly missingMs: number;
}

/** Dependencies of a queue worker. */
export interface WorkerDeps {
  readonly api: MarketplaceApi;
  readonly log: DeliveryLog;
  readonly queue: RequestQueue;
  readonly clock: Clock;
  /** Whether earlier runs have shown how the service answers when it has taken a request. */
  readonly isFamiliar: boolean;
  /** Stops the sending of all processes of the account for this many milliseconds. */
  readonly hold: (pauseMs: number) => void;
  /** Returns the reason why this worker's contract does not allow a request, or null if it does. */
  readonly refusal: (queued: QueuedRequest) => string | null;
  /** Aborted by the user or by the worker itself. No new requests are started then; those in flight are finished. */
  readonly halt: AbortController;
  readonly watch: WorkerWatch;
}

/** Receives the events of a worker. */
export interface WorkerWatch {
  began(taken: TakenRequest): void;
  ended(taken: TakenRequest, sent: Sent, disposal: JobDecision): void;
  /** Called when a request was started but given back to the queue without a result. */
  gaveBack(taken: TakenRequest): void;
  /** Called when the worker ends by itself. */
  ending(reason: SrqError): void;
  /** Called when requests of workers that are gone were put back into the queue. */
  reclaimed(count: number): void;
  /** Called when the breaker has paused all sending. */
  breakerOpened(pauseMs: number): void;
}

/**
 * Runs a worker: takes requests off the queue, sends them, and puts back the requests of workers that are gone. A request
 * whose outcome is unknown leaves the queue: an import of its file, or a person, settles it. It runs until it is halted, or until the queue is empty if `untilEmpty` is set.
 *
 * Returns the reason why it ended early, or null. A fault in srq also ends the worker and is returned as the reason,
 * because a worker of which one half has failed would look alive.
 */
export async function runWorker(deps: WorkerDeps, options: QueueWorkerOptions): Promise<SrqError | null> {
  const worker = new QueueWorker(deps, options);
  return worker.run();
}

class QueueWorker {
  readonly #deps: WorkerDeps;
  readonly #options: QueueWorkerOptions;
  readonly #supervisor: Supervisor;
  readonly #inHand = new Set<TakenRequest>();
  readonly #disposing = new Set<Promise<void>>();
  readonly #ended = new AbortController();
  #stop: SrqError | null = null;

  constructor(deps: WorkerDeps, options: QueueWorkerOptions) {
    this.#deps = deps;
    this.#options = options;
    this.#supervisor = new Supervisor(null, 0, { isFamiliar: deps.isFamiliar });
  }

  async run(): Promise<SrqError | null> {
    const reclaiming = this.#reclaim();
    await this.#deliverAll();
    this.#ended.abort();
    await reclaiming;
    await Promise.all(this.#disposing);
    return this.#stop;
  }

  async #deliverAll(): Promise<void> {
    const { queue, clock, halt } = this.#deps;
    const { untilEmpty, concurrency } = this.#options;
    // An error is reported at once. Otherwise it would become known only after everything in flight has ended.
    const telling = {
      take: (...[count]: Parameters<RequestQueue['take']>) => this.#endOnError(queue.take(count)),
      isEmpty: () => this.#endOnError(queue.isEmpty()),
      dispose: queue.dispose,
    };
    const taken = takenRequests(telling, clock, { batch: concurrency, untilEmpty, halt: halt.signal });
    const limit = () => this.#supervisor.limit(concurrency);
    try {
      for await (const _ of runConcurrently(taken, limit, (each) => this.#giveBackOnError(each)));
    } catch (error) {
      this.#end(error);
    }
  }

  async #deliver(taken: TakenRequest): Promise<void> {
    if (taken.isUnreadable) return this.#setAside(taken, UNREADABLE);
    const { api, log } = this.#deps;
    const unsent = this.#unsentOutcome(taken);
    const tried =
      unsent === null ? await submitRequest(taken, api, log, this.#options) : await refuseUnsent(taken, log, unsent);
    const byKey = tried.status === 'unknown' ? await settleByKey(taken, this.#deps) : null;
    const sent = await this.#asLogged(taken, byKey ?? tried);
    if (sent.stop) this.#end(sent.stop);
    // Nothing is in the log yet of a request that a fault kept from being sent.
    const isFaulty = sent.stop?.code === 'fault' && sent.status === 'failed';
    if (isFaulty && !taken.mayTryAgain) return this.#setAside(taken, FAULTED);
    this.#dispose(taken, sent, disposalOf(taken, sent, await this.#situation(taken, sent)));
    const { stop, pauseMs } = this.#supervisor.observe(sent);
    if (stop) this.#end(stop);
    else if (pauseMs > 0) this.#recover(taken, pauseMs).catch((error: unknown) => this.#end(error));
  }

  /** Somebody else may have recorded that a request was taken whose outcome this process does not know. */
  async #asLogged(taken: TakenRequest, sent: Sent): Promise<Sent> {
    if (sent.status !== 'unknown' || sent.unrecorded) return sent;
    const known = await fromLog(taken, this.#deps.log);
    return known.status === 'unknown' ? sent : { ...known, stop: sent.stop };
  }

  /** Returns the outcome of a request that must not be sent, or null. */
  #unsentOutcome(taken: TakenRequest): Outcome | null {
    if (taken.hasExpired) return unsentOutcome('failed', EXPIRED);
    const refusal = this.#deps.refusal(taken);
    return refusal === null ? null : unsentOutcome('rejected', refusal);
  }

  /**
   * Returns what the log says now. Whether the request is under way is asked first: if it is not, what became of it is in
   * the log.
   */
  async #situation({ key }: TakenRequest, { status }: Sent): Promise<WorkerSituation> {
    const { log, halt } = this.#deps;
    const isEnding = halt.signal.aborted;
    if (status !== 'unknown') return { isUnderWay: false, state: log.lookup(key), isEnding };
    const isUnderWay = await log.mayBeUnderWay(key);
    await log.prefetch([key]);
    return { isUnderWay, state: log.lookup(key), isEnding };
  }

  /**
   * Ends a request that no worker can do anything with. It is recorded as failed unless the log knows that it may have been
   * sent: a doubt stays one, for a person to settle.
   */
  async #setAside(taken: TakenRequest, why: string): Promise<void> {
    const sent = await refuseUnsent(taken, this.#deps.log, unsentOutcome('failed', why));
    if (sent.stop) this.#end(sent.stop);
    this.#dispose(taken, sent, { is: sent.unrecorded ? 'back' : 'done' });
  }

  async #endOnError<Result>(work: Promise<Result>): Promise<Result> {
    try {
      return await work;
    } catch (error) {
      this.#end(error);
      throw error;
    }
  }

  /**
   * Delivers a request and gives it back if that fails, or ends it after the last of several faults. The error ends the worker, so that
   * requests waiting for their turn do not start.
   */
  async #giveBackOnError(taken: TakenRequest): Promise<void> {
    this.#inHand.add(taken);
    try {
      this.#deps.watch.began(taken);
      await this.#deliver(taken);
    } catch (error) {
      this.#end(error);
      const isFault = !(error instanceof SrqError);
      if (isFault && !taken.mayTryAgain && this.#inHand.has(taken)) {
        await this.#setAside(taken, FAULTED).catch((next: unknown) => this.#end(next));
      }
      if (this.#inHand.delete(taken)) this.#giveBack(taken, isFault && taken.mayTryAgain);
    }
  }

  /**
   * Gives a request back. The log knows whether it may have been sent. After a fault it is put back for later, so that
   * it is not the first one that the next worker takes.
   */
  #giveBack(taken: TakenRequest, isForLater: boolean): void {
    const { queue, watch } = this.#deps;
    this.#track(queue.dispose(taken, { is: isForLater ? 'later' : 'back' }));
    watch.gaveBack(taken);
  }

  #dispose(taken: TakenRequest, sent: Sent, disposal: JobDecision): void {
    this.#inHand.delete(taken);
    this.#deps.watch.ended(taken, sent, disposal);
    this.#track(this.#deps.queue.dispose(taken, disposal));
  }

  /**
   * Keeps track of a decision that is being stored. It is awaited only when the worker ends, so that the place is free
   * for the next request.
   */
  #track(disposing: Promise<void>): void {
    const tracked: Promise<void> = disposing
      .catch((error: unknown) => this.#end(error))
      .finally(() => this.#disposing.delete(tracked));
    this.#disposing.add(tracked);
  }

  #end(error: unknown): void {
    const { halt, watch } = this.#deps;
    const reason = error instanceof SrqError ? error : faultOf(error);
    // If the user is already ending the worker, an unavailable store is not reported as a reason. A fault always is.
    const isNews = reason.code === 'fault' ? this.#stop?.code !== 'fault' : !halt.signal.aborted;
    halt.abort();
    if (!isNews) return;
    this.#stop = reason;
    watch.ending(reason);
  }

  /** Stops the sending of the account until validate answers again. */
  async #recover({ request }: TakenRequest, pauseMs: number): Promise<void> {
    const { api, clock, halt, hold, watch } = this.#deps;
    watch.breakerOpened(pauseMs);
    hold(pauseMs);
    await recoverFromBreak(request, pauseMs, { api, clock, stopping: halt.signal });
  }

  async #reclaim(): Promise<void> {
    const { queue, clock, halt, watch } = this.#deps;
    const ending = AbortSignal.any([halt.signal, this.#ended.signal]);
    while (!ending.aborted) {
      try {
        const count = await queue.reclaim(this.#options.missingMs);
        if (count > 0) watch.reclaimed(count);
      } catch (error) {
        this.#end(error);
      }
      await clock.sleep(RECLAIM_MS, ending);
    }
  }
}

/** The error's message is left out, because it may contain personal data. */
function faultOf(error: unknown): SrqError {
  const name = error instanceof Error ? error.name : typeof error;
  return new SrqError(
    'srq.fault',
    `An error in srq (${name}) ended the worker.`,
    'What was not sent goes back to the queue; what may have been sent stays unknown. Run srq work with --verbose to see where it happened, and report it.',
    error,
  );
}

const EXPIRED = 'It expired: nobody sent it in the time that a row is queued for. Queue it again to send it.';

const FAULTED = 'Its last try ended with an error in srq; it was not sent. Queue it again to send it.';

const UNREADABLE = 'What the queue held of it cannot be read, so nobody sends it. Queue it again to send it.';

function unsentOutcome(status: 'failed' | 'rejected', message: string): Outcome {
  return { status, ids: {}, http: null, message, raw: null, ms: null };
}
