import type { SrqError } from '../request/errors.ts';
import type { ImportPlan } from '../request/import-plan.ts';
import type { Ledger } from '../request/ledger.ts';
import { ControlRounds, knownCreated } from './controls.ts';
import { type RereadOptions, rereadRows } from './read-rows.ts';
import { runConcurrently } from './run-concurrently.ts';
import { haltOnError, type PassDeps, trackResults } from './send-rows.ts';
import { type SettleDeps, settleDoubt, type Validation } from './settle-doubt.ts';
import type { Submission, Submitted } from './submit.ts';

const SETTLING_PLACES = 8;

/** Options for settling rows in doubt. */
export interface SettleOptions extends Pick<SettleDeps, 'resend'> {
  readonly concurrency: number;
  /** How validate is used, or null if it is not asked. */
  readonly validation: Omit<Validation, 'rounds' | 'waits'> | null;
}

/** Settles the rows in doubt, of this run and of earlier ones, as far as possible. Yields the result of each. */
export async function* settleRows(
  plan: ImportPlan,
  deps: PassDeps,
  { concurrency, validation, resend }: SettleOptions,
): AsyncGenerator<Submitted, SrqError | null> {
  const { api, log, clock, halt } = deps;
  const stopping = halt.signal;
  const rounds = new ControlRounds(api, stopping);
  const settling = {
    api,
    log,
    clock,
    stopping,
    resend,
    validation: validation && { ...validation, rounds, waits: true },
  };
  const results = runConcurrently(
    doubtsWithNeighbours(plan, deps),
    // Settling is mostly waiting, and the rate limiter bounds the calls in flight, so many rows are settled at once.
    () => SETTLING_PLACES * concurrency,
    ({ doubt, neighbours }) =>
      haltOnError(settleDoubt(doubt, { ...settling, loadControls: () => knownCreated(neighbours, log) }), halt),
  );
  return yield* trackResults(results, plan, halt);
}

/** Number of created rows before and after a row in doubt that may serve as controls. */
const MAX_NEIGHBOURS = 100;

/** A row in doubt with the created rows around it. */
export interface DoubtWithNeighbours {
  readonly doubt: Submission;
  /** Created rows before and after the row in doubt. There are fewer after it if it is near the end of the file. */
  readonly neighbours: readonly Submission[];
}

/**
 * Reads the rows in doubt in one pass over the file, and yields each as soon as the rows after it are read. Only the
 * rows near one in doubt are kept in memory.
 */
export async function* doubtsWithNeighbours(
  plan: ImportPlan,
  reading: RereadOptions,
): AsyncGenerator<DoubtWithNeighbours> {
  const { wanted, doubtful } = wantedRows(plan);
  const before: Submission[] = [];
  let waiting: { readonly doubt: Submission; readonly neighbours: Submission[]; missing: number }[] = [];
  for await (const submission of rereadRows(plan, reading, (row) => wanted.has(row))) {
    if (doubtful.has(submission.row)) {
      waiting.push({ doubt: submission, neighbours: [...before], missing: MAX_NEIGHBOURS });
      continue;
    }
    keepLast(before, submission);
    for (const each of waiting) {
      each.neighbours.push(submission);
      each.missing -= 1;
    }
    yield* waiting.filter(({ missing }) => missing === 0);
    waiting = waiting.filter(({ missing }) => missing > 0);
  }
  yield* waiting;
}

/**
 * Returns the numbers of the rows in doubt, and those numbers together with the ones of the created rows around them.
 */
function wantedRows({ ledger, range }: Pick<ImportPlan, 'ledger' | 'range'>) {
  const wanted = new Set<number>();
  const doubtful = new Set<number>();
  let before: number[] = [];
  let missing = 0;
  for (let row = range.skip + 1; ledger.has(row); row++) {
    if (ledger.status(row) === 'unknown' && ledger.hasKey(row)) {
      doubtful.add(row);
      for (const each of [row, ...before]) wanted.add(each);
      before = [];
      missing = MAX_NEIGHBOURS;
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
  if (items.length > MAX_NEIGHBOURS) items.shift();
}

/**
 * Tells whether a row was created in this run or an earlier one, which the log has to confirm later. Rows that repeat
 * another row are left out.
 */
function isCreated(ledger: Ledger, row: number): boolean {
  const status = ledger.status(row);
  return (status === 'created' || status === 'repeated') && ledger.firstRow(row) === row && ledger.hasKey(row);
}
