import { SrqError } from '../model/errors.ts';
import type { ImportPlan, RowProblem, RowRange } from '../model/import-plan.ts';
import { Ledger } from '../model/ledger.ts';
import type { DeliveryLog } from '../model/ports.ts';
import type { Mapping, Row, Table } from '../model/table.ts';
import { type Preparation, type Prepared, prepareRow } from './prepare-row.ts';
import { knownStatus, type SubmitOptions } from './submit-request.ts';

/** So many problems are kept one by one; the rest is counted. */
const PROBLEMS_LIMIT = 10_000;

/** `tick` is called after every batch of rows. Throws `SrqError('input')` for a file that cannot be trusted to its end. */
export async function planImport(
  table: Table,
  mapping: Mapping,
  range: RowRange,
  preparation: Preparation,
  log: Pick<DeliveryLog, 'lookup' | 'know'>,
  options: Pick<SubmitOptions, 'onDuplicate' | 'again'>,
  tick: (rows: number) => void,
): Promise<ImportPlan> {
  const ledger = new Ledger();
  const problems: RowProblem[] = [];
  let problemCount = 0;
  let first: ImportPlan['first'] = null;
  for await (const batch of rowsInRange(table, range)) {
    const ready: Prepared[] = [];
    for (const row of batch) {
      const pending = prepareRow(row, mapping, preparation);
      // Most rows are prepared at once: awaiting those too would cost a turn of the event loop each.
      ready.push(pending instanceof Promise ? await pending : pending);
    }
    await log.know(ready.flatMap((each) => (each.request ? [each.key] : [])));
    for (const prepared of ready) {
      const { row } = prepared;
      problemCount += prepared.problems.length;
      for (const problem of prepared.problems) {
        if (problems.length < PROBLEMS_LIMIT) problems.push({ row, ...problem });
      }
      note(ledger, prepared, log, options);
      if (prepared.request && !first && ledger.status(row) === 'ready') first = prepared;
    }
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

function note(
  ledger: Ledger,
  prepared: Prepared,
  log: Pick<DeliveryLog, 'lookup'>,
  options: Pick<SubmitOptions, 'onDuplicate' | 'again'>,
): void {
  if (!prepared.request) ledger.addInvalid(prepared.row);
  else ledger.add(prepared.row, prepared.key, knownStatus(log.lookup(prepared.key), options) ?? 'ready');
}
