import { outcomeOf } from '../request/log/outcome.ts';
import type { NextStep, RequestQueue, TakenRequest } from '../request/log/request-queue.ts';
import { STATUS } from '../request/log/status.ts';
import { SrqError } from '../request/words/errors.ts';
import type { ServiceConnection } from './import.ts';
import { runConcurrently } from './run-concurrently.ts';
import type { PassDeps } from './send-rows.ts';
import { loggedStatus, NEVER_AGAIN } from './sent-before.ts';
import { submitOne } from './settle-by-key.ts';
import { fromLog, refuseUnsent, type Sent, type SubmitOptions, subjectOf } from './submit.ts';
import { recoverFromBreak, Supervisor } from './supervise.ts';
import { ageOfSend } from './withdraw.ts';

/** Interval at which an empty queue is checked. */
const POLL_MS = 1_000;

export interface QueueWorkerOptions extends SubmitOptions {
  readonly concurrency: number;
  /** Whether the worker ends when the queue is empty. */
  readonly untilEmpty: boolean;
}

/** Dependencies of a queue worker. */
export interface WorkerDeps extends Omit<PassDeps, 'preparation'>, Pick<ServiceConnection, 'isFamiliar'> {
  readonly queue: RequestQueue;
  readonly watch: WorkerWatch;
}

/** Receives the events of a worker. */
export interface WorkerWatch {
  began(taken: TakenRequest): void;
  ended(taken: TakenRequest, sent: Sent, next: NextStep): void;
  /** Called when a request was started but given back to the queue without a result. */
  gaveBack(taken: TakenRequest): void;
  /** Called when the worker ends by itself. */
  ending(reason: SrqError): void;
  /** Called when the breaker has paused all sending. */
  breakerOpened(pauseMs: number): void;
}

/**
 * Runs a worker: takes requests off the queue and sends them. The log's record of an outcome takes a request off the queue.
 * One whose outcome is unknown leaves it, too: an import of its file, or a person, settles it. The worker runs until it is
 * halted, or until the queue is empty if `untilEmpty` is set.
 *
 * Returns the reason why it ended early, or null. A fault in srq also ends the worker and is returned as the reason,
 * because a worker of which one half has failed would look alive.
 */
export async function runWorker(deps: WorkerDeps, options: QueueWorkerOptions): Promise<SrqError | null> {
  const { queue, log, api, clock, halt, watch, isFamiliar } = deps;
  const { concurrency, untilEmpty } = options;
  const supervisor = new Supervisor(null, 0, { isFamiliar });
  /** The keys of what was taken, as long as the queue has not been told what became of it. */
  const hand = new Set<string>();
  let inFlight = 0;
  let stopped: SrqError | null = null;

  /** Yields requests one by one until the worker ends. */
  async function* requests(): AsyncGenerator<TakenRequest> {
    while (!halt.signal.aborted) {
      const taken = (await orEnd(queue.take(concurrency, [...hand]))) ?? [];
      for (const { key } of taken) hand.add(key);
      for (const each of taken) {
        if (halt.signal.aborted) return;
        yield each;
      }
      if (taken.length > 0) continue;
      if (untilEmpty && (await orEnd(queue.isEmpty()))) return;
      await clock.sleep(POLL_MS, halt.signal);
    }
  }

  /** Delivers a request, and gives it back if that fails. The error ends the worker. */
  async function deliver(taken: TakenRequest): Promise<void> {
    const { key } = taken;
    try {
      watch.began(taken);
      inFlight += 1;
      const sent = await sentOf(taken);
      if (sent.stop) end(sent.stop);
      const next = await nextStep(taken, sent);
      watch.ended(taken, sent, next);
      inFlight -= 1;
      // One that has waited too long says nothing about the service.
      if (!taken.isOver) observe(taken, sent);
      await orEnd(tell(key, sent, next));
    } catch (error) {
      end(error);
      await orEnd(queue.giveBack([key], !(error instanceof SrqError)));
      watch.gaveBack(taken);
    }
    hand.delete(key);
  }

  /** Sends a request as far as that is allowed, and returns what became of it. */
  async function sentOf(taken: TakenRequest): Promise<Sent> {
    const unsent = taken.isOver ? outcomeOf('failed', OVER) : taken.isSpoilt ? outcomeOf('rejected', SPOILT) : null;
    const sent = unsent ? await refuseUnsent(taken, log, unsent) : await submitOne(taken, deps, options);
    const isLeft = sent.status === 'unknown' && sent.isFromLog && !(await log.mayBeUnderWay(taken.key));
    return isLeft ? ofSenderGone(taken, sent) : sent;
  }

  /**
   * If the process that sent a request is gone, its outcome is recorded as unknown, which takes it off the queue.
   * Somebody else may have recorded more meanwhile.
   */
  async function ofSenderGone(taken: TakenRequest, sent: Sent): Promise<Sent> {
    const { key } = taken;
    const record = log.lookup(key) === 'sending' ? await log.read(key) : null;
    if (record) {
      const { again, wireForm = null, wasClear = false } = record;
      const outcome = outcomeOf('unknown', SENDER_GONE, { ms: ageOfSend(record, log) });
      await log.outcome(subjectOf(taken), outcome, { seen: 'sending', again, wireForm, wasClear });
    }
    const known = await fromLog(taken, log);
    return known.status === 'unknown' ? sent : { ...known, stop: sent.stop };
  }

  async function nextStep({ key, isOver }: TakenRequest, sent: Sent): Promise<NextStep> {
    const { status, stop, unrecorded, isFromLog } = sent;
    if (unrecorded) return 'back';
    // What is given back is the first that the next worker takes, and a fault in srq would end that one, too.
    if (STATUS[status].left === 'send' && !isOver)
      return stop?.code !== 'fault' && (stop || halt.signal.aborted) ? 'back' : 'later';
    if (status !== 'unknown' || !isFromLog) return 'done';
    if (await log.mayBeUnderWay(key)) return 'later';
    // The process that had it under way may have found out that it was not taken.
    await log.prefetch([key]);
    return loggedStatus(log.lookup(key), NEVER_AGAIN) === null ? 'later' : 'done';
  }

  /** Tells the queue what its record in the log has not told it: an outcome takes it off, or puts it back until later. */
  async function tell(key: string, { status, stop, isFromLog }: Sent, next: NextStep): Promise<void> {
    const isRecordedAsFailed = next === 'later' && status === 'failed' && stop === null;
    if (next !== 'done' && !isRecordedAsFailed) await queue.giveBack([key], next === 'later');
    if (next === 'done' && isFromLog) await queue.drop([key]);
  }

  /** Ends the worker or pauses its sending, if the results advise that. */
  function observe({ request }: TakenRequest, sent: Sent): void {
    const { stop, pauseMs } = supervisor.observe(sent, inFlight);
    if (stop) end(stop);
    if (stop || pauseMs === 0) return;
    watch.breakerOpened(pauseMs);
    void orEnd(recoverFromBreak(request, pauseMs, { api, clock, stopping: halt.signal }));
  }

  /** Resolves to null if the work fails. The error ends the worker at once, not only after all that is in flight. */
  async function orEnd<Result>(work: Promise<Result>): Promise<Result | null> {
    return work.catch((error: unknown) => {
      end(error);
      return null;
    });
  }

  function end(error: unknown): void {
    const reason = error instanceof SrqError ? error : faultOf(error);
    // If the user is already ending the worker, an unavailable store is not reported as a reason. A fault always is.
    const isNews = reason.code === 'fault' ? stopped?.code !== 'fault' : !halt.signal.aborted;
    halt.abort();
    if (!isNews) return;
    stopped = reason;
    watch.ending(reason);
  }

  try {
    for await (const _ of runConcurrently(requests(), () => supervisor.limit(concurrency), deliver));
  } catch (error) {
    end(error);
  }
  if (hand.size > 0) await orEnd(queue.giveBack([...hand], false));
  return stopped;
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

const OVER =
  'It was not sent: it was tried too often, or expired after 30 days in the queue. Queue it again to send it.';

const SPOILT =
  'What the queue holds is not what was queued, so it was not sent. Queue its file again: srq enqueue FILE';

const SENDER_GONE = 'The worker that sent it ended before its outcome was recorded.';
