import { SrqError } from '../request/errors.ts';
import type { ImportPlan, RowProblem, RowRange } from '../request/import-plan.ts';
import { Ledger } from '../request/ledger.ts';
import type { DeliveryLog } from '../request/ports.ts';
import { type LoggedState, STATUS, type Status, statusOfState } from '../request/status.ts';
import type { Mapping, Row, Table } from '../request/table.ts';
import { likelyPrepared, type Preparation, type Prepared, prepareAgain, prepareRow } from './prepare.ts';
import { knownStatus, type Submission, type SubmitOptions } from './submit.ts';

/** So many problems are kept one by one; the rest is counted. */
const PROBLEMS_LIMIT = 10_000;

/** A file and which of its columns becomes which field. */
export interface MappedTable {
  readonly table: Table;
  readonly mapping: Mapping;
}

/**
 * What to do with each row. One that the log knows as done is not checked anew. `tick` is called after every batch of rows.
 * Throws `SrqError('input')` for a file that cannot be trusted to its end.
 */
export async function planImport(
  { table, mapping }: MappedTable,
  range: RowRange,
  preparation: Preparation,
  log: LogView,
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
    await log.prefetch(ready.flatMap((each) => (each.request && !done.has(each.row) ? [each.key] : [])));
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

type LogView = Pick<DeliveryLog, 'lookup' | 'prefetch'>;
type Finality = Pick<SubmitOptions, 'onDuplicate' | 'again'>;

const NONE: ReadonlyMap<number, Prepared> = new Map();

/** The rows of a batch whose requests an earlier run has brought to an end, which is known without checking them again. */
async function doneBefore(
  batch: readonly Row[],
  mapping: Mapping,
  preparation: Preparation,
  log: LogView,
  options: Finality,
): Promise<ReadonlyMap<number, Prepared>> {
  const likely = batch.flatMap((row) => likelyPrepared(row, mapping, preparation) ?? []);
  await log.prefetch(likely.map(({ key }) => key));
  const done = likely.filter((each) => isDone(statusOf(each, log, options)));
  return new Map(done.map((each) => [each.row, each]));
}

/** Whether nothing is left to do for the row in this run or in a later one. */
function isDone(status: Status): boolean {
  return STATUS[status].left === 'nothing';
}

function statusOf(prepared: Prepared, log: LogView, options: Finality): Status {
  return prepared.request ? (knownStatus(log.lookup(prepared.key), options) ?? 'ready') : 'invalid';
}

/** How the rows of a plan are read once more. */
export interface RereadOptions {
  readonly preparation: Preparation;
  /** Aborted: nothing more is read. */
  readonly halt: AbortController;
}

/** The rows of one status, as {@link rowsAgain}. `held`: what to wait for before the next row. */
export function submissions(
  plan: ImportPlan,
  reading: RereadOptions,
  status: Status,
  held: () => Promise<unknown> | null,
): AsyncGenerator<Submission> {
  return rowsAgain(plan, reading, (row) => plan.ledger.status(row) === status, held);
}

/** Rows of the plan, read from the file again. One that has changed since the plan was made ends the run before it is sent. */
export async function* rowsAgain(
  plan: ImportPlan,
  { preparation, halt }: RereadOptions,
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

/** So many keys are asked about at a time. */
const GROUP_KEYS = 5_000;

/** Gives each row the status in which the log has its request, in place of what an import would do with it. */
export async function planAsLogged(plan: ImportPlan, log: LogView): Promise<void> {
  for await (const [row, state] of loggedStates(plan, log, () => true))
    plan.ledger.setStatus(row, statusOfState(state));
}

/** The same for rows that a run leaves in doubt: another process, which had them in hand, may have ended with them since. */
export async function refreshUnknown(plan: ImportPlan, log: LogView): Promise<void> {
  const { ledger } = plan;
  for await (const [row, state] of loggedStates(plan, log, (each) => ledger.status(each) === 'unknown')) {
    ledger.setStatus(row, state === 'created' ? 'repeated' : statusOfState(state));
  }
}

/** The rows that are wanted and were the first of their content. */
async function* loggedStates(
  { ledger, range }: ImportPlan,
  log: LogView,
  isWanted: (row: number) => boolean,
): AsyncGenerator<[row: number, state: LoggedState]> {
  for (let from = range.skip + 1; ledger.has(from); from += GROUP_KEYS) {
    const keys = new Map<number, string>();
    for (let row = from; row < from + GROUP_KEYS && ledger.has(row); row++) {
      const key = ledger.key(row);
      if (key !== null && ledger.firstRow(row) === row && isWanted(row)) keys.set(row, key);
    }
    if (keys.size > 0) await log.prefetch([...keys.values()]);
    for (const [row, key] of keys) yield [row, log.lookup(key)];
  }
}
