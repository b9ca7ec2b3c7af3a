import type { Row } from '../request/lead/table.ts';
import type { ImportPlan, RowRange, RowReport } from '../request/log/import-plan.ts';
import { recordMessage, recordReason } from '../request/log/log-store.ts';
import { reasonOf } from '../request/log/outcome.ts';
import { type Status, statusOfEvent } from '../request/log/status.ts';
import type { DeliveryLog, LogRecord, LogView } from '../request/ports.ts';
import { expected, type SrqError } from '../request/words/errors.ts';
import { FINDING, whyInvalid } from '../request/words/finding.ts';
import { likelyPrepared, type Preparation, type Prepared, prepareRow, type Reading } from './prepare.ts';
import { prepareBatch, rowsInRange } from './read-rows.ts';
import type { PassDeps } from './send-rows.ts';
import { earlierKey, heldBack, isKept, saysItIsSettled } from './sent-before.ts';
import { IN_DOUBT } from './submit.ts';

/**
 * Reports every row of the input with its result, read back from the log. `untried` is the message for rows that were
 * not sent. `untriedStatus` is `ready` as long as they may still be sent.
 */
export async function* reportRows(
  plan: ImportPlan,
  log: Pick<DeliveryLog, 'read'>,
  preparation: Preparation,
  untried: string,
  untriedStatus: 'failed' | 'ready' = 'failed',
): AsyncGenerator<RowReport> {
  const { table, range, ledger } = plan;
  const reason = untriedStatus === 'failed' ? 'request.not-tried' : null;
  const keyOf = (row: Row) => {
    const status = ledger.status(row.number);
    if (status === 'ready') return null;
    const own = plan.held?.get(row.number)?.key ?? ledger.key(row.number);
    return own ?? (status === 'invalid' ? null : earlierKey(row));
  };
  for await (const batch of rowsInRange(table, range)) {
    const records = await lastRecords(batch.map(keyOf), log);
    for (const [at, row] of batch.entries()) {
      const status = ledger.status(row.number);
      const isAltered = status === 'unknown' && !ledger.hasKey(row.number) && !plan.held?.has(row.number);
      let told: Partial<RowReport>;
      if (status === 'ready') told = { status: untriedStatus, message: untried, reason };
      else if (status === 'invalid') told = await invalidRow(row, plan, preparation);
      else if (isAltered) told = { message: FINDING[ALTERED].says, reason: ALTERED };
      else told = knownRow(row, status, plan, records[at] ?? null);
      yield { ...NOT_SENT, row, status, ...told };
    }
  }
}

/** Reads the records of a whole batch at once, to save round trips to a remote log. */
const lastRecords = (keys: readonly (string | null)[], log: Pick<DeliveryLog, 'read'>) =>
  Promise.all(keys.map((key) => (key === null ? null : log.read(key))));

const ALTERED = 'row.altered-doubt';
const OTHER = 'row.other-content';
const NOT_SENT = { ids: {}, message: null, reason: null, record: null, problems: [], isKept: false };

/** Reports a row whose request is in the log, or that need not be sent. */
function knownRow(row: Row, status: Status, plan: ImportPlan, record: LogRecord | null): Partial<RowReport> {
  const { ledger, held, altered } = plan;
  const before = held?.get(row.number);
  if (before) return { record, ...heldBack(before, record), isKept: isKept(row, status) };
  // The last record of a request may be about another time that it was sent.
  const isAbout = record !== null && statusOfEvent(record.event) === status;
  const isAltered = altered?.has(row.number) === true;
  const known = isAbout ? recordReason(record) : reasonOf({ status, http: null });
  const first = ledger.firstRow(row.number);
  let message = isAbout || status === 'repeated' ? messageOf(record, status === 'repeated') : null;
  const unsettled = status === 'unknown' ? plan.unsettled.get(row.number) : undefined;
  if (unsettled) message = message === null ? unsettled : `${message.replace(/(?<![.!?])$/, '.')} ${unsettled}`;
  if (isAltered) message = FINDING[OTHER].says;
  else if (first !== row.number) message = `It has the same content as row ${first}.`;
  const reason = isAltered ? OTHER : known;
  return { ids: record?.ids ?? {}, message, reason, record, isKept: isKept(row, status) };
}

/**
 * Adds the rows outside the range to the reports, in the order of the file, with what is known of each. A row's own
 * statement is kept if it settles the row, or if the log does not know more. An import of the first rows has not read the
 * file completely. If that is not possible now, `onUnread` is called and the remaining rows are left out.
 */
export async function* withRowsOutside(
  plan: ImportPlan,
  reports: AsyncIterable<RowReport>,
  { log, preparation }: Pick<PassDeps, 'preparation'> & { readonly log: LogView },
  onUnread: (error: SrqError) => void,
): AsyncGenerator<RowReport> {
  const { skip, limit } = plan.range;
  async function* outside(range: RowRange): AsyncGenerator<RowReport> {
    for await (const report of loggedRows(plan, preparation, log, range)) {
      const { row, record, status } = report;
      if (record !== null && !saysItIsSettled(row)) yield report;
      else if (record === null && status === 'invalid' && !row.earlier?.status)
        yield { ...NOT_SENT, row, status, ...(await invalidRow(row, plan, preparation)) };
      else yield { ...NOT_SENT, row, status: 'ready', isKept: true };
    }
  }
  if (skip > 0) yield* outside({ skip: 0, limit: skip });
  yield* reports;
  if (limit === null) return;
  try {
    yield* outside({ skip: skip + limit, limit: null });
  } catch (error) {
    onUnread(expected(error));
  }
}

async function invalidRow(row: Row, { mapping }: ImportPlan, preparation: Preparation): Promise<Partial<RowReport>> {
  const { problems } = await prepareRow(row, { mapping, preparation });
  return whyInvalid(problems);
}

function messageOf(record: LogRecord | null, repeated: boolean): string | null {
  if (repeated)
    return record ? `Already created on ${record.at}, according to the log.` : 'The row itself says that it was taken.';
  if (record?.event === 'sending') return IN_DOUBT;
  return record && recordMessage(record);
}

/**
 * Reads a table, or a range of its rows, and yields every row with the last record of its request, which is found by
 * its key. A row that the log does not know is looked up under the `earlier` readings of its file. If it is held back, the
 * request that had its reference stands for it. Else it is `ready`, or `invalid` if it cannot be sent. Rows with the same
 * content share a request. The table is read once, in constant memory, and only rows that the log does not know are checked.
 *
 * Throws `SrqError('input')` if the file cannot be read completely.
 */
export async function* loggedRows(
  { table, mapping, held }: Pick<ImportPlan, 'table' | 'mapping' | 'held'>,
  preparation: Preparation,
  log: LogView,
  range: RowRange = { skip: 0, limit: null },
  earlier: readonly Reading[] = [],
): AsyncGenerator<RowReport> {
  for await (const batch of rowsInRange(table, range)) {
    const isKnown = (_: Row, likely: Prepared | null) => likely?.key != null && log.lookup(likely.key) !== 'none';
    const prepared = await prepareBatch(batch, { mapping, preparation }, log, isKnown);
    const keys = await knownKeys(batch, prepared, log, earlier);
    const known = batch.map((row, at) => keys[at] ?? held?.get(row.number)?.key ?? null);
    const records = await lastRecords(known, log);
    for (const [at, row] of batch.entries()) {
      const record = records[at] ?? null;
      const told = { message: messageOf(record, false), reason: record && recordReason(record) };
      const before = keys[at] === null ? held?.get(row.number) : undefined;
      if (before) yield { ...NOT_SENT, row, record, ...heldBack(before, record) };
      else if (record)
        yield { ...NOT_SENT, ...told, row, status: statusOfEvent(record.event), ids: record.ids, record };
      else yield { ...NOT_SENT, row, status: prepared[at]?.request ? 'ready' : 'invalid' };
    }
  }
}

/**
 * Returns the keys by which the log knows rows, or null: of their content, of what they were before their cells were changed,
 * or of their content under another of the readings.
 */
async function knownKeys(
  rows: readonly Row[],
  prepared: readonly Prepared[],
  log: LogView,
  readings: readonly Reading[],
): Promise<readonly (string | null)[]> {
  const isKnown = (key: string | null | undefined) => key != null && log.lookup(key) !== 'none';
  const own = rows.map((row, at) => [prepared[at]?.key, earlierKey(row)].find(isKnown) ?? null);
  if (readings.length === 0) return own;
  const others = rows.map((row, at) =>
    own[at] === null ? readings.flatMap((reading) => likelyPrepared(row, reading)?.key ?? []) : [],
  );
  await log.prefetch(others.flat());
  return own.map((key, at) => key ?? others[at]?.find(isKnown) ?? null);
}
