import { SrqError } from '../model/errors.ts';
import type { ImportPlan } from '../model/import-plan.ts';
import type { RowResult } from '../model/outcome.ts';
import type { DeliveryLog, MarketplaceApi } from '../model/ports.ts';
import { rowsInRange } from './plan-import.ts';
import { type Preparation, prepareRow } from './prepare-row.ts';
import { runConcurrently } from './run-concurrently.ts';
import { type Submission, type SubmitOptions, submitRequest } from './submit-request.ts';
import { type ErrorBudget, Supervisor } from './supervise.ts';

export interface ImportOptions extends SubmitOptions {
  readonly concurrency: number;
  readonly budget: ErrorBudget | null;
}

export interface ImportDeps {
  readonly api: MarketplaceApi;
  readonly log: DeliveryLog;
  readonly preparation: Preparation;
  /** Aborted by the user, or here: nothing new is started, what is in flight is finished. */
  readonly halt: AbortController;
}

/**
 * Sends the rows that the plan found ready and yields each one's result once it is recorded; the plan's ledger is kept up
 * to date. Returns why it stopped early, or null. Rows that were not tried are still `ready` in the ledger then.
 */
export async function* runImport(
  plan: ImportPlan,
  deps: ImportDeps,
  options: ImportOptions,
): AsyncGenerator<RowResult, SrqError | null> {
  const supervisor = new Supervisor(options.budget, plan.counts.invalid);
  let stop = supervisor.budgetStop();
  if (stop) deps.halt.abort();
  const submissions = readySubmissions(plan, deps, () => deps.halt.signal.aborted);
  const results = runConcurrently(
    submissions,
    () => supervisor.limit(options.concurrency),
    (submission) => submitRequest(submission, deps.api, deps.log, options),
  );
  try {
    for await (const submitted of results) {
      const { result } = submitted;
      plan.ledger.setStatus(result.row, result.status);
      stop ??= supervisor.observe(submitted);
      if (stop) deps.halt.abort();
      yield result;
    }
  } catch (error) {
    if (!(error instanceof SrqError)) throw error;
    return error;
  }
  return stop;
}

/** Reads the file a second time. A row that has changed since the plan was made ends the run before it is sent. */
async function* readySubmissions(
  plan: ImportPlan,
  { preparation }: ImportDeps,
  ended: () => boolean,
): AsyncGenerator<Submission> {
  if (ended()) return;
  for await (const batch of rowsInRange(plan.table, plan.range)) {
    for (const row of batch) {
      if (plan.ledger.status(row.number) !== 'ready') continue;
      if (ended()) return;
      const prepared = await prepareRow(row, plan.mapping, preparation);
      if (!prepared.request || prepared.key !== plan.ledger.key(row.number)) {
        throw new SrqError(
          'input',
          `Row ${row.number} of ${plan.table.path} changed while it was being imported.`,
          'Run the same command again on the finished file: nothing is sent twice.',
        );
      }
      yield prepared;
    }
  }
}
