import { SrqError } from '../model/errors.ts';
import type { ImportPlan } from '../model/import-plan.ts';
import type { Clock, DeliveryLog, MarketplaceApi } from '../model/ports.ts';
import { ControlRounds, knownCreated } from './controls.ts';
import { doubtsAmongOthers } from './doubts-among-others.ts';
import type { Preparation } from './prepare-row.ts';
import { submissions } from './rows-again.ts';
import { runConcurrently } from './run-concurrently.ts';
import { type Believing, type Settling, settleDoubt } from './settle-doubt.ts';
import { type Submission, type SubmitOptions, type Submitted, submitRequest } from './submit-request.ts';
import { type ErrorBudget, Supervisor } from './supervise.ts';
import type { Witness } from './witness.ts';

/** Share of its rate at which a run goes on after the breaker. */
const RATE_AFTER_BREAK = 0.5;
/** More than a request can take; a process that is stopped keeps its own for longer. */
const OTHERS_MS = 5 * 60_000;
const LOOK_MS = 500;
const ROWS_AHEAD = 200;
const SETTLING_PLACES = 8;

export interface ImportOptions extends SubmitOptions {
  readonly concurrency: number;
  readonly budget: ErrorBudget | null;
}

export interface ImportDeps {
  readonly api: MarketplaceApi;
  readonly log: DeliveryLog;
  readonly clock: Clock;
  readonly witness: Witness;
  readonly preparation: Preparation;
  /** Aborted by the user, or here: nothing new is started, what is in flight is finished. */
  readonly halt: AbortController;
  /** Told when the breaker holds everything back. */
  readonly broke?: (pauseMs: number) => void;
}

/**
 * Sends the rows that the plan found ready and yields what became of each once it is recorded; the plan's ledger is kept up
 * to date. Returns why it stopped early, or null. Rows that were not tried are still `ready` in the ledger then.
 */
export async function* runImport(
  plan: ImportPlan,
  deps: ImportDeps,
  options: ImportOptions,
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
        pause = recover(submission, advice.pauseMs, deps);
      }
      yield submitted;
    }
  } catch (error) {
    if (!(error instanceof SrqError)) throw error;
    return error;
  }
  return stop;
}

/** How the rows in doubt are settled. */
export interface ImportSettling extends Pick<Settling, 'resend'> {
  readonly concurrency: number;
  /** Null: validate is not asked. */
  readonly believing: Omit<Believing, 'rounds' | 'waits'> | null;
}

/**
 * Settles the rows in doubt, those of earlier runs and of this one, as far as that can be known, and yields what became of
 * each.
 */
export async function* settleImport(
  plan: ImportPlan,
  deps: Omit<ImportDeps, 'witness'>,
  { concurrency, believing, resend }: ImportSettling,
): AsyncGenerator<Submitted, SrqError | null> {
  const { api, log, clock, halt } = deps;
  const stopping = halt.signal;
  const rounds = new ControlRounds(api, stopping);
  const settling = { api, log, clock, stopping, resend, believing: believing && { ...believing, rounds, waits: true } };
  const results = runConcurrently(
    doubtsAmongOthers(plan, deps),
    // Settling is mostly waiting, and how many calls are under way at once is the rate limiter's matter.
    () => SETTLING_PLACES * concurrency,
    ({ doubt, near }) => orHalt(settleDoubt(doubt, { ...settling, known: () => knownCreated(near, log) }), halt),
  );
  return yield* untilStop(results, plan, halt);
}

/**
 * Rows that another process had under way when their turn came: waits until it has ended with each, and sends what it has not.
 * Yields what became of them; those that are in doubt all the same stay so.
 */
export async function* runAfterOthers(
  plan: ImportPlan,
  deps: Omit<ImportDeps, 'witness'>,
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
async function* untilStop(
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
async function orHalt<T>(work: Promise<T>, halt: AbortController): Promise<T> {
  try {
    return await work;
  } catch (error) {
    halt.abort();
    throw error;
  }
}

/** Holds the run back, and on until validate answers again. A service that does not answer shows in the rows that follow. */
async function recover({ request }: Submission, pauseMs: number, { api, clock, halt }: ImportDeps): Promise<void> {
  await clock.sleep(pauseMs, halt.signal);
  if (!halt.signal.aborted) await api.validate(request).catch(() => {});
  api.slowDown(RATE_AFTER_BREAK);
}

/** Asks a log that is asked in round trips about many rows in one, right before their turn. */
async function* knownAhead(
  rows: AsyncGenerator<Submission>,
  { ledger }: ImportPlan,
  log: Pick<DeliveryLog, 'know'>,
): AsyncGenerator<Submission> {
  let end = 0;
  for await (const submission of rows) {
    if (submission.row >= end) {
      const keys: string[] = [];
      for (end = submission.row; ledger.has(end) && keys.length < ROWS_AHEAD; end++) {
        const key = ledger.status(end) === 'ready' ? ledger.key(end) : null;
        if (key !== null) keys.push(key);
      }
      await log.know(keys);
    }
    yield submission;
  }
}
