import type { ImportPlan } from '../model/import-plan.ts';
import type { Preparation } from './prepare-row.ts';
import { rowsAgain } from './rows-again.ts';
import type { Witness } from './witness.ts';

/** Goes on with the looks that an earlier run left open, at those of its creations that are rows of this file. */
export async function resumeLooks(
  plan: ImportPlan,
  witness: Pick<Witness, 'leftOpen' | 'resume'>,
  reading: { readonly preparation: Preparation; readonly halt: AbortController },
): Promise<void> {
  const { leftOpen } = witness;
  if (leftOpen.size === 0) return;
  const { ledger, range } = plan;
  const wanted = new Set<number>();
  for (let row = range.skip + 1; ledger.has(row); row++) {
    const key = ledger.status(row) === 'repeated' && ledger.firstRow(row) === row ? ledger.key(row) : null;
    if (key !== null && leftOpen.has(key)) wanted.add(row);
  }
  if (wanted.size === 0) return;
  for await (const submission of rowsAgain(plan, reading, (row) => wanted.has(row))) witness.resume(submission);
}
