import { SrqError } from '../request/errors.ts';
import type { ImportPlan } from '../request/import-plan.ts';
import type { Clock, DeliveryLog, MarketplaceApi } from '../request/ports.ts';
import { submissions } from './plan.ts';
import type { Preparation } from './prepare.ts';
import { runConcurrently } from './run-concurrently.ts';
import { type Submission, type SubmitOptions, type Submitted, submitRequest } from './submit.ts';
import { type ErrorBudget, recoverFromBreak, Supervisor } from './supervise.ts';
import type { VisibilityProber } from './visibility-prober.ts';

/** More than a request can take; a process that is stopped keeps its own for longer. */
const OTHERS_MS = 5 * 60_000;
const LOOK_MS = 500;
const ROWS_AHEAD = 200;

export interface SendOptions extends SubmitOptions {
  readonly concurrency: number;
  readonly budget: ErrorBudget | null;
}

/** What a pass over the rows of a plan works with. */
export interface PassPorts {
  readonly api: MarketplaceApi;
  readonly log: DeliveryLog;
  readonly clock: Clock;
  readonly preparation: Preparation;
  /** Aborted by the user, or here: nothing new is started, what is in flight is finished. */
  readonly halt: AbortController;
}

export interface SendPorts extends PassPorts {
  readonly witness: VisibilityProber;
  /** Told when the breaker holds everything back. */
  readonly broke?: (pauseMs: number) => void;
}

/**
 * Sends the rows that the plan found ready and yields what became of each once it is recorded; the plan's ledger is kept up
 * to date. Returns why it stopped early, or null. Rows that were not tried are still `ready` in the ledger then.
 */
export async function* sendRows(
  plan: ImportPlan,
  deps: SendPorts,
  options: SendOptions,
): AsyncGenerator<Submitted, SrqError | null> {
  const { api, log, witness, halt } = deps;
  const supervisor = new Supervisor(options.budget, plan.counts.invalid);
  let stop = supervisor.budgetStop();
  let pause: Promise<unknown> | null = null;
  if (stop) halt.abort();
  const results = runConcurrently(
    knownAhead(
      submissions(plan, deps, 'ready', () => pause),
      plan,
      log,
    ),
    () => supervisor.limit(options.concurrency),
    // A request that was created needs no connection while that is recorded, and gives no reason to stop.
    async (submission, makeRoom) => ({
      submission,
      submitted: await orHalt(submitRequest(submission, api, log, options, makeRoom), halt),
    }),
  );
  try {
    for await (const { submission, submitted } of results) {
      const { result, wasClear } = submitted;
      plan.ledger.setStatus(result.row, result.status);
      if (wasClear && result.status === 'created') witness.created(submission);
      const advice = supervisor.observe(submitted);
      stop ??= advice.stop;
      if (stop) halt.abort();
      if (advice.pauseMs > 0) {
        deps.broke?.(advice.pauseMs);
        pause = recoverFromBreak(submission.request, advice.pauseMs, { ...deps, stopping: halt.signal });
      }
      yield submitted;
    }
  } catch (error) {
    if (!(error instanceof SrqError)) throw error;
    return error;
  }
  return stop;
}

/**
 * Rows that another process had under way when their turn came: waits until it has ended with each, and sends what it has not.
 * Yields what became of them; those that are in doubt all the same stay so.
 */
export async function* sendAfterOthers(
  plan: ImportPlan,
  deps: PassPorts,
  options: SubmitOptions & { readonly concurrency: number },
): AsyncGenerator<Submitted, SrqError | null> {
  const { api, log, clock, halt } = deps;
  const untilMs = clock.monotonicMs() + OTHERS_MS;
  const results = runConcurrently(
    submissions(plan, deps, 'unknown', () => null),
    () => options.concurrency,
    async (submission) => {
      while ((await log.mayBeUnderWay(submission.key)) && clock.monotonicMs() < untilMs && !halt.signal.aborted) {
        await clock.sleep(LOOK_MS, halt.signal);
      }
      return orHalt(submitRequest(submission, api, log, options), halt);
    },
  );
  return yield* untilStop(results, plan, halt);
}

/** Keeps the ledger up to date, ends the run at the first reason to stop, and returns that. */
export async function* untilStop(
  results: AsyncGenerator<Submitted>,
  plan: ImportPlan,
  halt: AbortController,
): AsyncGenerator<Submitted, SrqError | null> {
  let stop: SrqError | null = null;
  try {
    for await (const submitted of results) {
      plan.ledger.setStatus(submitted.result.row, submitted.result.status);
      stop ??= submitted.stop;
      if (stop) halt.abort();
      yield submitted;
    }
  } catch (error) {
    if (!(error instanceof SrqError)) throw error;
    return error;
  }
  return stop;
}

/** What ends the run ends the waiting of the others for their turn, too. */
export async function orHalt<T>(work: Promise<T>, halt: AbortController): Promise<T> {
  try {
    return await work;
  } catch (error) {
    halt.abort();
    throw error;
  }
}

/** Asks a log that is asked in round trips about many rows in one, right before their turn. */
async function* knownAhead(
  rows: AsyncGenerator<Submission>,
  { ledger }: ImportPlan,
  log: Pick<DeliveryLog, 'prefetch'>,
): AsyncGenerator<Submission> {
  let end = 0;
  for await (const submission of rows) {
    if (submission.row >= end) {
      const keys: string[] = [];
      for (end = submission.row; ledger.has(end) && keys.length < ROWS_AHEAD; end++) {
        const key = ledger.status(end) === 'ready' ? ledger.key(end) : null;
        if (key !== null) keys.push(key);
      }
      await log.prefetch(keys);
    }
    yield submission;
  }
}
