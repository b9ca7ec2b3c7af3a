import type { ImportPlan } from '../model/import-plan.ts';
import type { Ledger } from '../model/ledger.ts';
import type { Preparation } from './prepare-row.ts';
import { rowsAgain } from './rows-again.ts';
import type { Submission } from './submit-request.ts';

/** So many created rows before a doubt, and as many after it, are looked through for controls. */
const NEAR_ROWS = 100;

/** A row in doubt with the created rows around it. */
export interface DoubtAmongOthers {
  readonly doubt: Submission;
  /** Not read yet of the file where the doubt is near its end. */
  readonly near: readonly Submission[];
}

/** The rows in doubt, each as soon as the rows after it are read; in one pass over the file, of which little is kept. */
export async function* doubtsAmongOthers(
  plan: ImportPlan,
  reading: { readonly preparation: Preparation; readonly halt: AbortController },
): AsyncGenerator<DoubtAmongOthers> {
  const { wanted, doubtful } = wantedRows(plan);
  const before: Submission[] = [];
  let waiting: { readonly doubt: Submission; readonly near: Submission[]; missing: number }[] = [];
  for await (const submission of rowsAgain(plan, reading, (row) => wanted.has(row))) {
    if (doubtful.has(submission.row)) {
      waiting.push({ doubt: submission, near: [...before], missing: NEAR_ROWS });
      continue;
    }
    keepLast(before, submission);
    for (const each of waiting) {
      each.near.push(submission);
      each.missing -= 1;
    }
    yield* waiting.filter(({ missing }) => missing === 0);
    waiting = waiting.filter(({ missing }) => missing > 0);
  }
  yield* waiting;
}

/** The rows in doubt, and the created rows around each. */
function wantedRows({ ledger, range }: Pick<ImportPlan, 'ledger' | 'range'>) {
  const wanted = new Set<number>();
  const doubtful = new Set<number>();
  let before: number[] = [];
  let missing = 0;
  for (let row = range.skip + 1; ledger.has(row); row++) {
    if (ledger.status(row) === 'unknown') {
      doubtful.add(row);
      for (const each of [row, ...before]) wanted.add(each);
      before = [];
      missing = NEAR_ROWS;
    } else if (isCreated(ledger, row)) {
      if (missing > 0) wanted.add(row);
      else keepLast(before, row);
      missing = Math.max(0, missing - 1);
    }
  }
  return { wanted, doubtful };
}

function keepLast<Item>(items: Item[], item: Item): void {
  items.push(item);
  if (items.length > NEAR_ROWS) items.shift();
}

/** In this run or in an earlier one, which the log has to bear out; not what only repeats another row. */
function isCreated(ledger: Ledger, row: number): boolean {
  const status = ledger.status(row);
  return (status === 'created' || status === 'repeated') && ledger.firstRow(row) === row && ledger.key(row) !== null;
}
