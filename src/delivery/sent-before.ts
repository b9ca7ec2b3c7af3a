import type { ImportPlan } from '../request/import-plan.ts';
import type { LogView } from '../request/ports.ts';
import type { Mapping } from '../request/table.ts';
import { likelyPrepared, type Preparation } from './prepare.ts';
import { rowsInRange } from './reread.ts';
import { knownStatus } from './submit.ts';

/** Number of ready rows that are looked at. A mapping that was changed changes the first rows as well. */
const MAX_ROWS = 2_000;

/**
 * Counts rows of a plan that are ready, though under another mapping of the same file they were created before, or may have
 * been: their content was another one then, so the log does not know them by their new keys. Only the first rows are looked at.
 */
export async function createdUnder(
  mapping: Mapping,
  { table, range, ledger }: Pick<ImportPlan, 'table' | 'range' | 'ledger'>,
  preparation: Preparation,
  log: Pick<LogView, 'lookup' | 'prefetch'>,
): Promise<number> {
  let [created, seen] = [0, 0];
  for await (const batch of rowsInRange(table, range)) {
    const ready = batch.filter(({ number }) => ledger.status(number) === 'ready');
    const keys = ready.flatMap((row) => likelyPrepared(row, mapping, preparation)?.key ?? []);
    await log.prefetch(keys);
    created += keys.filter(
      (key) => knownStatus(log.lookup(key), { onDuplicate: 'skip', again: false }) !== null,
    ).length;
    seen += ready.length;
    if (seen >= MAX_ROWS) break;
  }
  return created;
}
