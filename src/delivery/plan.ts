import { type Row, statesOutcomes } from '../request/lead/table.ts';
import type { ImportPlan, RowRange } from '../request/log/import-plan.ts';
import { Ledger } from '../request/log/ledger.ts';
import type { TakenBefore } from '../request/log/log-store.ts';
import { STATUS, type Status, statusOfState } from '../request/log/status.ts';
import type { LogView } from '../request/ports.ts';
import { SrqError } from '../request/words/errors.ts';
import { finding } from '../request/words/finding.ts';
import { FindingGroups } from './findings.ts';
import type { Preparation, Prepared } from './prepare.ts';
import { prepareBatch, rowsInRange } from './read-rows.ts';
import { type Finality, loggedStatus, References, ReturnedRows, type TakenRecords } from './sent-before.ts';
import type { Submission } from './submit.ts';

/**
 * Plans what to do with each row of a table. Rows whose requests the log knows as done are not checked again, and
 * neither are rows of a results file that state so themselves. `tick` is called after every batch with the number of
 * rows read so far.
 *
 * Throws `SrqError('input')` if the file cannot be read completely, or has no rows in the range.
 */
export async function planImport(
  { table, mapping }: Pick<ImportPlan, 'table' | 'mapping'>,
  range: RowRange,
  preparation: Preparation,
  log: LogView,
  options: PlanRules,
  tick: (rows: number) => void,
): Promise<ImportPlan> {
  const returned = statesOutcomes(table) ? new ReturnedRows(table.columns, log, options) : null;
  const ledger = new Ledger();
  const findings = new FindingGroups(mapping);
  const refs = new References();
  const altered = new Set<number>();
  /** The first rows that are ready. One of them is shown. */
  const shown: Submission[] = [];

  /** Adds a row and returns its status. `decided` is the status that the row's own statement or key gives it, or null. */
  function add(read: Row, prepared: Prepared, decided: Status | null): Status {
    const { row, key, problems } = prepared;
    const status = decided ?? statusOf(prepared, log, options);
    const isOther = isDone(status) && read.problem === null && returned?.isOther(read, key) === true;
    if (isOther) {
      altered.add(row);
      findings.add(read, [finding('row.other-content', '', {})]);
    }
    if (problems.length > 0) findings.add(read, problems);
    if (!prepared.request || isOther || (status === 'unknown' && log.lookup(prepared.key) === 'none')) {
      ledger.addWithoutKey(row, status);
      if (status === 'unknown') findings.add(read, [finding('row.altered-doubt', '', {})]);
      return status;
    }
    const isFirst = ledger.add(row, prepared.key, status) === row;
    const { ref } = prepared.request;
    // A row of a results file whose status was emptied is sent on a person's word. The same row twice is one request.
    if (isFirst && ref !== null && read.earlier?.status !== null) refs.add(row, ref);
    if (shown.length < MAX_SHOWN && ledger.status(row) === 'ready') shown.push(prepared);
    return status;
  }

  let mostAreDone = true;
  for await (const batch of rowsInRange(table, range)) {
    const decided: (Status | null)[] = [];
    // What was finished before, or says so, is not checked again.
    const isFinished = (row: Row, likely: Prepared | null) => {
      const stated = returned?.statusOf(row, likely?.key ?? null) ?? null;
      decided.push(stated);
      const status = stated ?? (likely && statusOf(likely, log, options));
      return status !== null && isDone(status);
    };
    const isLikely = returned !== null || mostAreDone;
    const ready = await prepareBatch(batch, { mapping, preparation }, log, isFinished, isLikely);
    let doneInBatch = 0;
    for (const [at, prepared] of ready.entries()) {
      const row = batch[at];
      if (row && isDone(add(row, prepared, decided[at] ?? null))) doneInBatch += 1;
    }
    mostAreDone = doneInBatch > batch.length / 2;
    tick(ledger.rows);
  }
  // Rows whose reference was created before under other content, may have been, or waits in the queue are held back. A
  // spreadsheet, another mapping or a person may have changed what they say.
  const { again, taken } = options;
  const mayHold = !again && ledger.counts().ready > 0;
  const held = mayHold && taken ? await refs.takenBefore(taken(), ledger) : new Map<number, TakenBefore>();
  for (const [row, { as }] of held) {
    if (as === 'unknown') ledger.holdAsUnknown(row);
    else ledger.setStatus(row, 'repeated');
    findings.add({ number: row, line: null, cells: [], problem: null }, [BEFORE[as]]);
  }
  if (ledger.rows === 0) {
    throw new SrqError(
      'file.no-rows',
      `${table.path} has no rows to import${range.skip > 0 ? ' after those skipped' : ''}.`,
    );
  }
  const notes = [...table.notes, ...(returned?.notes ?? [])];
  const { strangers = 0, unknownElsewhere = 0 } = returned ?? {};
  const planned = { table, notes, mapping, range, rows: ledger.rows, strangers, unknownElsewhere };
  const first = shown.find(({ row }) => !held.has(row)) ?? null;
  return {
    ...planned,
    counts: ledger.counts(),
    first,
    held,
    altered,
    problemGroups: findings.all(),
    ledger,
    unsettled: new Map(),
  };
}

/** Number of ready rows that are kept, because the first ones may be held back. */
const MAX_SHOWN = 100;

/** The problem of a row whose reference was before, under other content: created, queued or unknown. */
const BEFORE = {
  created: finding('row.created-before', '', {}),
  queued: finding('row.queued-before', '', {}),
  unknown: finding('row.doubtful-before', '', {}),
};

/** The rules for the rows of a plan. */
export interface PlanRules extends Finality {
  /** Yields what was created at this service before, or may have been. If missing, no row is held back for its reference. */
  readonly taken?: () => TakenRecords;
}

/** Tells whether nothing is left to do for a row with this status, in this run or in a later one. */
function isDone(status: Status): boolean {
  return STATUS[status].left === 'nothing';
}

function statusOf(prepared: Prepared, log: LogView, options: Finality): Status {
  return prepared.request ? (loggedStatus(log.lookup(prepared.key), options) ?? 'ready') : 'invalid';
}

/** Maximum number of keys that are looked up in the log at once. */
const LOOKUP_KEYS = 5_000;

/**
 * Updates the rows in doubt from the log, because another process that was sending them may have finished them in the
 * meantime.
 */
export async function refreshUnknown(plan: ImportPlan, log: LogView): Promise<void> {
  const { ledger, range } = plan;
  for (let from = range.skip + 1; ledger.has(from); from += LOOKUP_KEYS) {
    const keys = new Map<number, string>();
    for (let row = from; row < from + LOOKUP_KEYS && ledger.has(row); row++) {
      const key = ledger.status(row) === 'unknown' ? ledger.key(row) : null;
      if (key !== null) keys.set(row, key);
    }
    if (keys.size > 0) await log.prefetch([...keys.values()]);
    for (const [row, key] of keys) {
      const state = log.lookup(key);
      ledger.setStatus(row, state === 'created' ? 'repeated' : statusOfState(state));
    }
  }
}
