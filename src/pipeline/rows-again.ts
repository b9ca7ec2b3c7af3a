import { SrqError } from '../model/errors.ts';
import type { ImportPlan } from '../model/import-plan.ts';
import type { Status } from '../model/status.ts';
import { rowsInRange } from './plan-import.ts';
import { type Preparation, prepareAgain } from './prepare-row.ts';
import type { Submission } from './submit-request.ts';

interface Reading {
  readonly preparation: Preparation;
  /** Aborted: nothing more is read. */
  readonly halt: AbortController;
}

/** The rows of one status, as {@link rowsAgain}. `held`: what to wait for before the next row. */
export function submissions(
  plan: ImportPlan,
  reading: Reading,
  status: Status,
  held: () => Promise<unknown> | null,
): AsyncGenerator<Submission> {
  return rowsAgain(plan, reading, (row) => plan.ledger.status(row) === status, held);
}

/** Rows of the plan, read from the file again. One that has changed since the plan was made ends the run before it is sent. */
export async function* rowsAgain(
  plan: ImportPlan,
  { preparation, halt }: Reading,
  isWanted: (row: number) => boolean,
  held: () => Promise<unknown> | null = () => null,
): AsyncGenerator<Submission> {
  if (halt.signal.aborted) return;
  for await (const batch of rowsInRange(plan.table, plan.range)) {
    for (const row of batch) {
      if (!isWanted(row.number)) continue;
      const pause = held();
      if (pause) await pause;
      if (halt.signal.aborted) return;
      const key = plan.ledger.key(row.number);
      const pending = prepareAgain(row, key, plan.mapping, preparation);
      // As in the plan: most rows are prepared at once.
      const prepared = pending instanceof Promise ? await pending : pending;
      if (!prepared.request || prepared.key !== key) {
        const message = `Row ${row.number} of ${plan.table.path} changed while it was being imported.`;
        throw new SrqError('input', message, 'Run the same command again on the finished file: nothing is sent twice.');
      }
      yield prepared;
    }
  }
}
