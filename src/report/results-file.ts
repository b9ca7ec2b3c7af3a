import { keyCell, RESULT_COLUMNS, resultColumnOf } from '../request/lead/table.ts';
import type { RowReport } from '../request/log/import-plan.ts';
import { mainIdentifier } from '../request/log/outcome.ts';
import { tableChunks } from './table-file.ts';

/** The rows for a results file, and the columns of their input. */
export interface Results {
  readonly columns: readonly string[];
  readonly delimiter: string;
  readonly rows: AsyncIterable<RowReport>;
}

/** Formats the input's columns and the outcome of each row, in the format that the ending of the file names. */
export function resultsChunks(path: string, { columns, delimiter, rows }: Results): AsyncIterable<string | Uint8Array> {
  const own = ownColumns(columns);
  const header = [...columns.filter((_, at) => !own.has(at)), ...RESULT_COLUMNS];
  return tableChunks(path, { header, rows: resultRows(rows, columns.length, own), delimiter, isForSpreadsheets: true });
}

async function* resultRows(rows: Results['rows'], width: number, own: ReadonlySet<number>) {
  for await (const report of rows) yield [...inputCells(report.row.cells, width, own), ...outcomeCells(report)];
}

/** Returns the outcome columns if the input is an earlier results file. The new outcome replaces them. */
function ownColumns(columns: readonly string[]): ReadonlySet<number> {
  return new Set(columns.flatMap((name, at) => (resultColumnOf(name) === null ? [] : [at])));
}

/**
 * Returns a row's cells without an earlier outcome. A ragged row stays ragged: if it were filled to the full length, it
 * would be sent when this file is imported.
 */
function inputCells(cells: readonly string[], width: number, own: ReadonlySet<number>): readonly string[] {
  if (own.size === 0) return cells;
  return cells.length === width ? cells.filter((_, at) => !own.has(at)) : cells.slice(0, -own.size);
}

/**
 * Returns the outcome of a row. What an earlier results file states is kept for rows about which this run has nothing
 * new to say: those outside its range, and those that state that they are done.
 */
function outcomeCells({ row, status, ids, message, reason, isKept, record }: RowReport): readonly string[] {
  const { number, earlier } = row;
  const cells = (status: string, id: string, message: string, key: string | null) => [
    ...[status, id, message, String(number)],
    keyCell(key),
  ];
  const before = earlier?.key ?? null;
  const key = record?.key ?? (isKept || status === 'unknown' ? before : null);
  if (isKept) {
    const said = reason === 'row.other-content' ? message : earlier?.message;
    return cells(earlier?.status ?? '', mainIdentifier(ids) || (earlier?.id ?? ''), said ?? '', key);
  }
  // A row that is still unknown keeps the identifier that it came with.
  const id = mainIdentifier(ids) || (status === 'unknown' ? (earlier?.id ?? '') : '');
  return cells(status, id, message ?? '', key);
}
