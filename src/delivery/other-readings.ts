import type { ImportPlan } from '../request/log/import-plan.ts';
import type { LogView } from '../request/ports.ts';
import { likelyPrepared, type Reading } from './prepare.ts';
import { rowsInRange } from './read-rows.ts';
import { loggedStatus, NEVER_AGAIN } from './sent-before.ts';

/**
 * Counts, for each of several other readings of the same file, the ready rows that were (`taken`) or may have been created under
 * that reading. The log does not know them by their new keys. All rows are looked at in one pass over the file.
 */
export async function knownUnder(readings: readonly Reading[], plan: ImportPlan, log: LogView) {
  const { table, range, ledger } = plan;
  const known = readings.map(() => ({ taken: 0, unknown: 0 }));
  for await (const batch of rowsInRange(table, range)) {
    const ready = batch.filter(({ number }) => ledger.status(number) === 'ready');
    const keys = readings.map((reading) => ready.flatMap((row) => likelyPrepared(row, reading)?.key ?? []));
    await log.prefetch(keys.flat());
    for (const [at, rows] of known.entries()) {
      for (const key of keys[at] ?? []) {
        const status = loggedStatus(log.lookup(key), NEVER_AGAIN);
        if (status !== null) rows[status === 'unknown' ? 'unknown' : 'taken'] += 1;
      }
    }
  }
  return known;
}
