import { SrqError } from '../request/errors.ts';
import type { ImportPlan, RowRange } from '../request/import-plan.ts';
import { Ledger } from '../request/ledger.ts';
import type { DeliveryLog } from '../request/ports.ts';
import { type LoggedState, STATUS, type Status, statusOfState } from '../request/status.ts';
import type { Mapping, Row, Table } from '../request/table.ts';
import { Findings } from './findings.ts';
import { likelyPrepared, type Preparation, type Prepared, prepareRow } from './prepare.ts';
import { rowsInRange } from './reread.ts';
import { knownStatus, type SubmitOptions } from './submit.ts';

/** A table and the mapping of its columns to fields. */
export interface MappedTable {
  readonly table: Table;
  readonly mapping: Mapping;
}

/**
 * Plans what to do with each row of a table. Rows whose requests the log knows as done are not checked again. `tick` is
 * called after every batch with the number of rows read so far.
 *
 * Throws `SrqError('input')` if the file cannot be read to its end, or has no rows in the range.
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
  const findings = new Findings(mapping);
  let first: ImportPlan['first'] = null;
  let mostAreDone = true;
  for await (const batch of rowsInRange(table, range)) {
    const done = mostAreDone ? await doneBefore(batch, mapping, preparation, log, options) : NONE;
    const ready: Prepared[] = [];
    for (const row of batch) {
      const pending = done.get(row.number) ?? prepareRow(row, mapping, preparation);
      // Most rows are prepared synchronously. Awaiting them as well would cost one turn of the event loop each.
      ready.push(pending instanceof Promise ? await pending : pending);
    }
    await log.prefetch(ready.flatMap((each) => (each.request && !done.has(each.row) ? [each.key] : [])));
    let doneInBatch = 0;
    for (const [at, prepared] of ready.entries()) {
      const { row, problems } = prepared;
      const read = batch[at];
      if (problems.length > 0 && read !== undefined) findings.add(read, problems);
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
  return { table, mapping, range, rows: ledger.rows, counts, first, ...findings.of(ledger.rows), ledger };
}

type LogView = Pick<DeliveryLog, 'lookup' | 'prefetch'>;
type Finality = Pick<SubmitOptions, 'onDuplicate' | 'again'>;

const NONE: ReadonlyMap<number, Prepared> = new Map();

/**
 * Finds the rows of a batch whose requests were finished by an earlier run. They are found by their keys, without
 * checking the rows again.
 */
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

/** Tells whether there is nothing left to do for a row of this status, in this run or in a later one. */
function isDone(status: Status): boolean {
  return STATUS[status].left === 'nothing';
}

function statusOf(prepared: Prepared, log: LogView, options: Finality): Status {
  return prepared.request ? (knownStatus(log.lookup(prepared.key), options) ?? 'ready') : 'invalid';
}

/** Maximum number of keys that are looked up in the log at once. */
const LOOKUP_KEYS = 5_000;

/** Sets the status of each row to the logged status of its request, instead of what an import would do with it. */
export async function planAsLogged(plan: ImportPlan, log: LogView): Promise<void> {
  for await (const [row, state] of loggedStates(plan, log, () => true))
    plan.ledger.setStatus(row, statusOfState(state));
}

/**
 * Updates the rows in doubt from the log, because another process that was sending them may have finished them in the
 * meantime.
 */
export async function refreshUnknown(plan: ImportPlan, log: LogView): Promise<void> {
  const { ledger } = plan;
  for await (const [row, state] of loggedStates(plan, log, (each) => ledger.status(each) === 'unknown')) {
    ledger.setStatus(row, state === 'created' ? 'repeated' : statusOfState(state));
  }
}

/** Looks up the logged states of the wanted rows. Rows that repeat the content of an earlier row are left out. */
async function* loggedStates(
  { ledger, range }: ImportPlan,
  log: LogView,
  isWanted: (row: number) => boolean,
): AsyncGenerator<[row: number, state: LoggedState]> {
  for (let from = range.skip + 1; ledger.has(from); from += LOOKUP_KEYS) {
    const keys = new Map<number, string>();
    for (let row = from; row < from + LOOKUP_KEYS && ledger.has(row); row++) {
      const key = ledger.key(row);
      if (key !== null && ledger.firstRow(row) === row && isWanted(row)) keys.set(row, key);
    }
    if (keys.size > 0) await log.prefetch([...keys.values()]);
    for (const [row, key] of keys) yield [row, log.lookup(key)];
  }
}
