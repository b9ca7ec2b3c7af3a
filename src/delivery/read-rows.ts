import type { Row, Table } from '../request/lead/table.ts';
import type { ImportPlan, RowRange } from '../request/log/import-plan.ts';
import type { Status } from '../request/log/status.ts';
import type { LogView } from '../request/ports.ts';
import { SrqError } from '../request/words/errors.ts';
import {
  inOtherForms,
  invalid,
  likelyPrepared,
  type Preparation,
  type Prepared,
  prepareAgain,
  prepareRow,
  type Reading,
} from './prepare.ts';
import { earlierKey, loggedStatus, NEVER_AGAIN } from './sent-before.ts';
import type { Submission } from './submit.ts';

/** Reads the rows of a table within a range, batch by batch. */
export async function* rowsInRange(table: Table, { skip, limit }: RowRange): AsyncGenerator<readonly Row[]> {
  const last = limit === null ? Number.POSITIVE_INFINITY : skip + limit;
  for await (const batch of table.rows()) {
    const wanted = batch.filter(({ number }) => number > skip && number <= last);
    if (wanted.length > 0) yield wanted;
    if ((batch.at(-1)?.number ?? 0) >= last) return;
  }
}

/**
 * Prepares rows and looks up what the log knows of them. A row that was sent as another program saved it gets that form.
 * A row is not checked if `isKnown` holds of what it most likely
 * becomes, which is null if that cannot be known, or if `isLikely` is false and nobody tries.
 */
export async function prepareBatch(
  read: readonly Row[],
  reading: Reading,
  log: LogView,
  isKnown: (row: Row, likely: Prepared | null) => boolean,
  isLikely = true,
): Promise<readonly Prepared[]> {
  const rows = await inKnownForms(read, reading, log);
  const likely = rows.map((row) => (isLikely ? likelyPrepared(row, reading) : null));
  await log.prefetch([...likely.flatMap((each) => each?.key ?? []), ...rows.flatMap((row) => earlierKey(row) ?? [])]);
  const prepared: Prepared[] = [];
  const checked: string[] = [];
  for (const [at, row] of rows.entries()) {
    const known = likely[at] ?? null;
    if (isKnown(row, known)) {
      prepared.push(known ?? invalid(row.number, null, []));
      continue;
    }
    const pending = prepareRow(row, reading);
    // Most rows are prepared synchronously. Awaiting them as well would cost one turn of the event loop each.
    const each = pending instanceof Promise ? await pending : pending;
    prepared.push(each);
    if (each.request && each.key !== known?.key) checked.push(each.key);
  }
  if (checked.length > 0) await log.prefetch(checked);
  return prepared;
}

/**
 * Gives rows the form in which another program saved them, if their request must not be sent again in that one. A form
 * that was not taken is left, because the cell may have been corrected.
 */
async function inKnownForms(rows: readonly Row[], reading: Reading, log: LogView): Promise<readonly Row[]> {
  const keyed = rows.flatMap((row) => {
    const others = inOtherForms(row, reading.mapping);
    const ways = others.length === 0 ? [] : [row, ...others];
    return ways.map((way) => ({ row, way, key: likelyPrepared(way, reading)?.key ?? null }));
  });
  if (keyed.length === 0) return rows;
  await log.prefetch(keyed.flatMap(({ key }) => key ?? []));
  const known = new Map<Row, Row>();
  for (const { row, way, key } of keyed)
    if (key !== null && !known.has(row) && loggedStatus(log.lookup(key), NEVER_AGAIN) !== null) known.set(row, way);
  return rows.map((row) => known.get(row) ?? row);
}

/** Options for reading the rows of a plan again. */
export interface RereadOptions {
  readonly preparation: Preparation;
  /** Aborted by the user, or by the work itself. Nothing new is read or sent then; requests in flight are finished. */
  readonly halt: AbortController;
}

/** Reads the rows of one status again whose requests are known. See {@link rereadRows}. */
export function submissions(plan: ImportPlan, reading: RereadOptions, status: Status): AsyncGenerator<Submission> {
  const { ledger } = plan;
  return rereadRows(plan, reading, (row) => ledger.status(row) === status && ledger.hasKey(row));
}

/**
 * Reads rows of a plan from the file again.
 *
 * Throws `SrqError('input')` if a row has changed since the plan was made. The row is then not sent.
 */
export async function* rereadRows(
  plan: ImportPlan,
  { preparation, halt }: RereadOptions,
  isWanted: (row: number) => boolean,
): AsyncGenerator<Submission> {
  if (halt.signal.aborted) return;
  const reading = { mapping: plan.mapping, preparation };
  for await (const batch of rowsInRange(plan.table, plan.range)) {
    for (const row of batch) {
      if (!isWanted(row.number)) continue;
      if (halt.signal.aborted) return;
      const key = plan.ledger.key(row.number);
      const pending = prepareAgain(row, key, reading);
      // As in `prepareBatch`, only what takes time is awaited.
      const prepared = pending instanceof Promise ? await pending : pending;
      if (!prepared.request || prepared.key !== key) {
        const message = `Row ${row.number} of ${plan.table.path} changed while it was being imported.`;
        throw new SrqError(
          'file.changed',
          message,
          'Run the same command again on the finished file: nothing is sent twice.',
        );
      }
      yield prepared;
    }
  }
}
