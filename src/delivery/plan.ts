import { SrqError } from '../request/errors.ts';
import { finding } from '../request/finding.ts';
import type { ImportPlan, RowRange } from '../request/import-plan.ts';
import { Ledger, PlannedFiles } from '../request/ledger.ts';
import type { LogView } from '../request/ports.ts';
import { type LoggedState, STATUS, type Status, statusOfState } from '../request/status.ts';
import { type Mapping, type Row, statesOutcomes, type Table } from '../request/table.ts';
import { FindingGroups } from './findings.ts';
import { LineBreaks } from './line-breaks.ts';
import { likelyPrepared, type Preparation, type Prepared, prepareRow } from './prepare.ts';
import { mapRows, rowsInRange } from './read-rows.ts';
import { earlierKey, ReturnedRows } from './returned.ts';
import { type Finality, loggedStatus } from './submit.ts';

/** A table and the mapping of its columns to fields. */
export interface MappedTable {
  readonly table: Table;
  readonly mapping: Mapping;
}

/**
 * Plans what to do with each row of a table. Rows whose requests the log knows as done are not checked again, and
 * neither are rows of a results file that state so themselves. `tick` is called after every batch with the number of
 * rows read so far.
 *
 * Throws `SrqError('input')` if the file cannot be read completely, or has no rows in the range.
 */
export async function planImport(
  { table, mapping }: MappedTable,
  range: RowRange,
  preparation: Preparation,
  log: LogView,
  options: PlanRules,
  tick: (rows: number) => void,
): Promise<ImportPlan> {
  const breaks = new LineBreaks(table, mapping, preparation, log);
  const returned = statesOutcomes(table) ? new ReturnedRows(log, options) : null;
  const planner = new Planner(mapping, log, options, returned);
  let mostAreDone = true;
  for await (const read of rowsInRange(table, range)) {
    const batch = await breaks.restore(read);
    const isLikely = returned !== null || mostAreDone;
    const likely = batch.map((row) => (isLikely ? likelyPrepared(row, mapping, preparation) : null));
    const earlier = returned ? batch.flatMap((row) => earlierKey(row) ?? []) : [];
    await log.prefetch([...likely.flatMap((each) => each?.key ?? []), ...earlier]);
    const decided = batch.map((row, at) => returned?.statusOf(row, likely[at]?.key ?? null) ?? null);
    const checked: string[] = [];
    const ready: Prepared[] = [];
    for (const [at, row] of batch.entries()) {
      const known = likely[at] ?? null;
      // What was finished before, or says so, is not checked again.
      const status = decided[at] ?? (known && statusOf(known, log, options));
      const isFinished = status !== null && isDone(status);
      const pending = isFinished ? (known ?? asItIs(row)) : prepareRow(row, mapping, preparation);
      // Most rows are prepared synchronously. Awaiting them as well would cost one turn of the event loop each.
      const prepared = pending instanceof Promise ? await pending : pending;
      ready.push(prepared);
      if (prepared.request && !isFinished) checked.push(prepared.key);
    }
    await log.prefetch(checked);
    let doneInBatch = 0;
    for (const [at, prepared] of ready.entries()) {
      const row = batch[at];
      if (row && isDone(planner.add(row, prepared, decided[at] ?? null))) doneInBatch += 1;
    }
    mostAreDone = doneInBatch > batch.length / 2;
    tick(planner.ledger.rows);
  }
  const { ledger, first, findings } = planner;
  const refs = { sample: planner.refs.texts, count: planner.refs.count };
  if (ledger.rows === 0) {
    throw new SrqError(
      'file.no-rows',
      `${table.path} has no rows to import${range.skip > 0 ? ' after those skipped' : ''}.`,
    );
  }
  const { files = new PlannedFiles() } = options;
  const additions = returned && { notes: () => returned.notes, strangers: () => returned.strangers };
  const read = additions ? mapRows(breaks.table, (batch) => batch, additions) : breaks.table;
  const planned = { table: read, mapping, range, files, rows: ledger.rows };
  return { ...planned, counts: ledger.counts(), first, refs, ...findings.of(ledger.rows), ledger };
}

/**
 * Maximum number of references of ready rows that a plan keeps. The log is asked whether it knows them with other
 * content.
 */
const MAX_REFS = 1_000;

/**
 * Keeps a sample of texts in bounded memory, spread evenly over all texts that were added. When it is full, it drops
 * every second text, and from then on takes only half as many.
 */
class EvenSample {
  readonly texts: string[] = [];
  count = 0;
  #every = 1;

  add(text: string): void {
    const isNext = this.count % this.#every === 0;
    this.count += 1;
    if (!isNext) return;
    this.texts.push(text);
    if (this.texts.length < MAX_REFS) return;
    this.texts.splice(0, MAX_REFS, ...this.texts.filter((_, at) => at % 2 === 0));
    this.#every *= 2;
  }
}

/** Collects the rows of a plan in their order. */
class Planner {
  readonly ledger = new Ledger();
  readonly findings: FindingGroups;
  /**
   * References of the rows that are ready. They are a sample of the whole file, because new leads are often all at its
   * beginning or its end.
   */
  readonly refs = new EvenSample();
  first: ImportPlan['first'] = null;
  readonly #log: LogView;
  readonly #options: PlanRules;
  readonly #returned: ReturnedRows | null;

  constructor(mapping: Mapping, log: LogView, options: PlanRules, returned: ReturnedRows | null) {
    this.findings = new FindingGroups(mapping);
    this.#log = log;
    this.#options = options;
    this.#returned = returned;
  }

  /** Adds a row and returns its status. `decided` is the status that the row's own statement or key gives it, or null. */
  add(read: Row, prepared: Prepared, decided: Status | null): Status {
    const { row, problems } = prepared;
    this.findings.look(read);
    const key = prepared.request ? prepared.key : null;
    const status = decided ?? this.#statusOf(prepared);
    const isOther = isDone(status) && read.problem === null && this.#returned?.isOther(read, key) === true;
    if (isOther) this.findings.add(read, [OTHER_CONTENT]);
    if (problems.length > 0) this.findings.add(read, problems);
    if (!prepared.request || isOther || (status === 'unknown' && this.#log.lookup(prepared.key) === 'none')) {
      this.ledger.addWithoutKey(row, status);
      if (status === 'unknown') this.findings.add(read, [ALTERED_DOUBT]);
      return status;
    }
    this.ledger.add(row, prepared.key, status);
    if (this.ledger.status(row) !== 'ready') return status;
    this.first ??= prepared;
    const { ref } = prepared.request;
    if (ref !== null) this.refs.add(ref);
    return status;
  }

  #statusOf(prepared: Prepared): Status {
    if (!prepared.request) return 'invalid';
    // An earlier file of the run has the same content. The row repeats it, whatever becomes of the first one, as within
    // a file.
    if (this.#isInAnotherFile(prepared.key)) return 'repeated';
    return loggedStatus(this.#log.lookup(prepared.key), this.#options) ?? 'ready';
  }

  #isInAnotherFile(key: string): boolean {
    return Boolean(this.#options.files?.find(key, { except: this.ledger }));
  }
}

/** The finding on a row that states `unknown` and whose content the log does not know. */
const ALTERED_DOUBT = { ...finding('row.altered-doubt', '', {}), column: null };

/** The finding on a row that states that it was taken, although the log does not know that of its content. */
const OTHER_CONTENT = { ...finding('row.other-content', '', {}), column: null };

/** A row that is settled by its own statement, and whose content cannot be known without checks. */
function asItIs({ number }: Row): Prepared {
  return { row: number, request: null, ref: null, problems: [] };
}

/** The rules for the rows of a plan. */
export interface PlanRules extends Finality {
  /** The files of the same run that come before this one. Requests that they have are sent with them, once. */
  readonly files?: PlannedFiles;
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
 * Sets the status of each row to the logged status of its request, instead of the status that an import would give it.
 */
export async function planAsLogged(plan: ImportPlan, log: LogView): Promise<void> {
  for await (const [row, state] of loggedStates(plan, log, () => true)) {
    if (state !== 'none') plan.ledger.setStatus(row, statusOfState(state));
  }
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
