import type { RowRange } from '../request/import-plan.ts';
import type { LogRecord, LogView } from '../request/ports.ts';
import { type Status, statusOfEvent } from '../request/status.ts';
import type { Row } from '../request/table.ts';
import type { MappedTable } from './plan.ts';
import { likelyPrepared, type Preparation, type Prepared, prepareRow } from './prepare.ts';
import { rowsInRange } from './reread.ts';

/** A row of a file with what the log knows of its request. */
export interface LoggedRow {
  readonly row: Row;
  /**
   * The status of the request in the log. If the log does not know it, the status is `ready`, or `invalid` if the row
   * cannot be sent.
   */
  readonly status: Extract<Status, 'created' | 'duplicate' | 'rejected' | 'failed' | 'unknown' | 'ready' | 'invalid'>;
  /** The last record of the request, or null if the log does not know it. */
  readonly record: LogRecord | null;
}

const ALL: RowRange = { skip: 0, limit: null };

/**
 * Reads a table, or a range of its rows, and yields every row with the last record of its request, which is found by
 * its key. Rows with the same content share a request. The table is read once, in constant memory, and only rows that
 * the log does not know are checked. Throws `SrqError('input')` if the file cannot be read completely.
 */
export async function* loggedRows(
  { table, mapping }: MappedTable,
  preparation: Preparation,
  log: LogView,
  range: RowRange = ALL,
): AsyncGenerator<LoggedRow> {
  for await (const batch of rowsInRange(table, range)) {
    const likely = batch.map((row) => likelyPrepared(row, mapping, preparation));
    await log.prefetch(likely.flatMap((each) => each?.key ?? []));
    const prepared: Prepared[] = [];
    const checked: string[] = [];
    for (const [at, row] of batch.entries()) {
      const known = likely[at];
      if (known && log.lookup(known.key) !== 'none') {
        prepared.push(known);
        continue;
      }
      const pending = prepareRow(row, mapping, preparation);
      // As in `planImport`, most rows are prepared synchronously, and awaiting them would cost a turn of the event loop
      // each.
      const each = pending instanceof Promise ? await pending : pending;
      prepared.push(each);
      if (each.request && each.key !== known?.key) checked.push(each.key);
    }
    if (checked.length > 0) await log.prefetch(checked);
    // The whole batch is looked up at once, to save round trips to a remote log.
    const records = await Promise.all(prepared.map((each) => recordOf(each, log)));
    for (const [at, row] of batch.entries()) {
      const record = records[at] ?? null;
      const unsent = prepared[at]?.request ? 'ready' : 'invalid';
      yield { row, status: record ? statusOfEvent(record.event) : unsent, record };
    }
  }
}

function recordOf(prepared: Prepared, log: LogView): ReturnType<LogView['read']> {
  return prepared.request && log.lookup(prepared.key) !== 'none' ? log.read(prepared.key) : null;
}
