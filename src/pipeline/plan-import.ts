import { SrqError } from '../model/errors.ts';
import type { ImportPlan, RowProblem, RowRange } from '../model/import-plan.ts';
import { Ledger } from '../model/ledger.ts';
import type { DeliveryLog } from '../model/ports.ts';
import { STATUS, type Status } from '../model/status.ts';
import type { Mapping, Row, Table } from '../model/table.ts';
import { likelyPrepared, type Preparation, type Prepared, prepareRow } from './prepare-row.ts';
import { knownStatus, type SubmitOptions } from './submit-request.ts';

/** So many problems are kept one by one; the rest is counted. */
const PROBLEMS_LIMIT = 10_000;

/**
 * What to do with each row. One that the log knows as done is not checked anew. `tick` is called after every batch of rows.
 * Throws `SrqError('input')` for a file that cannot be trusted to its end.
 */
export async function planImport(
  table: Table,
  mapping: Mapping,
  range: RowRange,
  preparation: Preparation,
  log: Known,
  options: Finality,
  tick: (rows: number) => void,
): Promise<ImportPlan> {
  const ledger = new Ledger();
  const problems: RowProblem[] = [];
  let problemCount = 0;
  let first: ImportPlan['first'] = null;
  let mostAreDone = true;
  for await (const batch of rowsInRange(table, range)) {
    const done = mostAreDone ? await doneBefore(batch, mapping, preparation, log, options) : NONE;
    const ready: Prepared[] = [];
    for (const row of batch) {
      const pending = done.get(row.number) ?? prepareRow(row, mapping, preparation);
      // Most rows are prepared at once: awaiting those too would cost a turn of the event loop each.
      ready.push(pending instanceof Promise ? await pending : pending);
    }
    await log.know(ready.flatMap((each) => (each.request && !done.has(each.row) ? [each.key] : [])));
    let doneInBatch = 0;
    for (const prepared of ready) {
      const { row } = prepared;
      problemCount += prepared.problems.length;
      for (const problem of prepared.problems) {
        if (problems.length < PROBLEMS_LIMIT) problems.push({ row, ...problem });
      }
      const status = statusOf(prepared, log, options);
      if (isDone(status)) doneInBatch += 1;
      if (prepared.request) ledger.add(row, prepared.key, status);
      else ledger.addInvalid(row);
      if (prepared.request && !first && ledger.status(row) === 'ready') first = prepared;
    }
    mostAreDone = doneInBatch > batch.length / 2;
    tick(ledger.rows);
  }
  if (ledger.rows === 0) {
    throw new SrqError('input', `${table.path} has no rows to import${range.skip > 0 ? ' after those skipped' : ''}.`);
  }
  const counts = ledger.counts();
  return { table, mapping, range, rows: ledger.rows, counts, first, problems, problemCount, ledger };
}

/** The table's rows within the range, batch by batch. */
export async function* rowsInRange(table: Table, { skip, limit }: RowRange): AsyncGenerator<readonly Row[]> {
  const last = limit === null ? Number.POSITIVE_INFINITY : skip + limit;
  for await (const batch of table.rows()) {
    const wanted = batch.filter(({ number }) => number > skip && number <= last);
    if (wanted.length > 0) yield wanted;
    if ((batch.at(-1)?.number ?? 0) >= last) return;
  }
}

type Known = Pick<DeliveryLog, 'lookup' | 'know'>;
type Finality = Pick<SubmitOptions, 'onDuplicate' | 'again'>;

const NONE: ReadonlyMap<number, Prepared> = new Map();

/** The rows of a batch whose requests an earlier run has brought to an end, which is known without checking them again. */
async function doneBefore(
  batch: readonly Row[],
  mapping: Mapping,
  preparation: Preparation,
  log: Known,
  options: Finality,
): Promise<ReadonlyMap<number, Prepared>> {
  const likely = batch.flatMap((row) => likelyPrepared(row, mapping, preparation) ?? []);
  await log.know(likely.map(({ key }) => key));
  const done = likely.filter((each) => isDone(statusOf(each, log, options)));
  return new Map(done.map((each) => [each.row, each]));
}

/** Whether nothing is left to do for the row in this run or in a later one. */
function isDone(status: Status): boolean {
  return STATUS[status].left === 'nothing';
}

function statusOf(prepared: Prepared, log: Known, options: Finality): Status {
  return prepared.request ? (knownStatus(log.lookup(prepared.key), options) ?? 'ready') : 'invalid';
}
