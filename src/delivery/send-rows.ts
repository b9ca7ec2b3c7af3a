import { customersOf } from '../request/lead/service-request.ts';
import type { ImportPlan } from '../request/log/import-plan.ts';
import type { Clock, DeliveryLog, MarketplaceApi } from '../request/ports.ts';
import { type RereadOptions, submissions } from './read-rows.ts';
import { runConcurrently } from './run-concurrently.ts';
import type { TakenRecords } from './sent-before.ts';
import { type Sent, type Submission, type SubmitOptions, submitRequest } from './submit.ts';
import { recoverFromBreak, type Supervisor } from './supervise.ts';

const PREFETCH_ROWS = 200;

export interface SendOptions extends SubmitOptions {
  readonly concurrency: number;
  readonly supervisor: Supervisor;
}

/** Dependencies of a pass over the rows of a plan. */
export interface PassDeps extends RereadOptions {
  readonly api: MarketplaceApi;
  readonly log: DeliveryLog;
  readonly clock: Clock;
  /** Called when the breaker has paused all sending. */
  readonly breakerOpened?: (pauseMs: number) => void;
  /** Yields what was created at this service, or may have been, by whatever command. */
  readonly taken?: (() => TakenRecords) | undefined;
}

/**
 * Sends the rows that are ready and yields the result of each once it is recorded. Rows that were not tried stay `ready`
 * in the ledger.
 */
export async function* sendRows(plan: ImportPlan, deps: PassDeps, options: SendOptions): AsyncGenerator<Sent> {
  const { api, log, halt } = deps;
  const { supervisor } = options;
  const excess = supervisor.budgetStop();
  if (excess) throw excess;
  let pause: Promise<unknown> | null = null;
  let inFlight = 0;
  // A pause that the last rows have caused holds nothing up.
  const ended = new AbortController();
  const stopping = AbortSignal.any([halt.signal, ended.signal]);
  const afterCustomer = inTurns();
  const results = runConcurrently(
    readyRows(plan, deps, () => pause),
    () => supervisor.limit(options.concurrency),
    // A created request gives up its place while its result is recorded, because it needs no connection any more and
    // can give no reason to stop, unless it is one of the first. A failure halts the run, so that requests waiting for their
    // turn do not start.
    async (submission, makeRoom) => {
      inFlight += 1;
      const room = supervisor.isAtFirst ? () => {} : makeRoom;
      const submit = () => submitRequest(submission, api, log, options, room);
      const customers = options.validate ? customersOf(submission.request) : [];
      const sent = await afterCustomer(customers, submit).catch((error: unknown) => {
        halt.abort();
        throw error;
      });
      return { submission, sent };
    },
  );
  // Validate may see another row of the same customer, whose outcome an earlier run did not find out.
  const unknown = plan.counts.unknown > 0 ? submissions(plan, deps, 'unknown') : [];
  for await (const { request } of unknown) api.noteSent(request);
  try {
    for await (const { submission, sent: told } of results) {
      inFlight -= 1;
      // What comes of the rest once the run ends is no fault of the service.
      if (halt.signal.aborted) {
        yield { ...told, unproven: null };
        continue;
      }
      const { stop, pauseMs } = supervisor.observe(told, inFlight);
      if (pauseMs > 0) {
        deps.breakerOpened?.(pauseMs);
        pause = recoverFromBreak(submission.request, pauseMs, { ...deps, stopping });
      }
      yield { ...told, stop };
    }
  } finally {
    ended.abort();
  }
}

/** More rows than this at a time have no customer in common, but the number of an office, or of somebody who tries srq out. */
const MAX_OF_CUSTOMER = 3;

/**
 * Returns a function that does work for a customer after all that was begun for the same one. Validate is asked about a row
 * once the earlier rows of its customer are created: a service may take one of them for a duplicate.
 */
function inTurns() {
  const underWay = new Map<string, readonly Promise<unknown>[]>();
  return async <Result>(customers: readonly string[], work: () => Promise<Result>): Promise<Result> => {
    const before = customers.map((each) => underWay.get(each) ?? []);
    const waits = before.some(({ length }) => length > 0) && before.every(({ length }) => length <= MAX_OF_CUSTOMER);
    const working = waits ? Promise.allSettled(before.flat()).then(work) : work();
    for (const [at, each] of customers.entries()) underWay.set(each, [...(before[at] ?? []), working]);
    try {
      return await working;
    } finally {
      for (const each of customers) {
        const left = underWay.get(each)?.filter((other) => other !== working) ?? [];
        if (left.length > 0) underWay.set(each, left);
        else underWay.delete(each);
      }
    }
  };
}

/**
 * Reads the rows that are ready. Many are looked up in the log at once, right before their turn, to save round trips to a
 * remote log. `held` returns the pause to wait for before the next row, or null.
 */
async function* readyRows(
  plan: ImportPlan,
  deps: PassDeps,
  held: () => Promise<unknown> | null,
): AsyncGenerator<Submission> {
  const { ledger } = plan;
  let end = 0;
  for await (const submission of submissions(plan, deps, 'ready')) {
    const pause = held();
    if (pause) await pause;
    if (deps.halt.signal.aborted) return;
    if (submission.row >= end) {
      const keys: string[] = [];
      for (end = submission.row; ledger.has(end) && keys.length < PREFETCH_ROWS; end++) {
        const key = ledger.status(end) === 'ready' ? ledger.key(end) : null;
        if (key !== null) keys.push(key);
      }
      await deps.log.prefetch(keys);
    }
    yield submission;
  }
}
