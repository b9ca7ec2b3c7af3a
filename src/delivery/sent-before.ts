import type { ImportPlan } from '../request/import-plan.ts';
import type { DeliveryLog } from '../request/ports.ts';
import type { Mapping } from '../request/table.ts';
import { likelyPrepared, type Preparation } from './prepare.ts';
import { rowsInRange } from './reread.ts';
import { knownStatus } from './submit.ts';

/**
 * Counts, for each of other mappings of the same file, the rows of a plan that are ready, though under that mapping they
 * were created before, or may have been: their content was another one then, so the log does not know them by their new
 * keys. All rows are looked at, in one pass over the file.
 */
export async function createdUnder(
  mappings: readonly Mapping[],
  { table, range, ledger }: Pick<ImportPlan, 'table' | 'range' | 'ledger'>,
  preparation: Preparation,
  log: Pick<DeliveryLog, 'lookup' | 'prefetch'>,
): Promise<readonly number[]> {
  const created = mappings.map(() => 0);
  const isCreated = (key: string) => knownStatus(log.lookup(key), { onDuplicate: 'skip', again: false }) !== null;
  for await (const batch of rowsInRange(table, range)) {
    const ready = batch.filter(({ number }) => ledger.status(number) === 'ready');
    const keys = mappings.map((mapping) =>
      ready.flatMap((row) => likelyPrepared(row, mapping, preparation)?.key ?? []),
    );
    await log.prefetch(keys.flat());
    for (const [at, each] of keys.entries()) created[at] = (created[at] ?? 0) + each.filter(isCreated).length;
  }
  return created;
}
