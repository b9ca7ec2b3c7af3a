import { keyCell, RESULT_COLUMNS, resultColumnOf } from '../request/lead/table.ts';
import type { RowReport } from '../request/log/import-plan.ts';
import { mainIdentifier } from '../request/log/outcome.ts';
import { csvLine, escapeFormulas, unescapeFormulas } from '../request/words/csv-text.ts';
import { inChunks } from './output.ts';
import { workbookChunks } from './workbook-writer.ts';

/** The byte order mark at the beginning of the file. Without it Excel does not recognise UTF-8. */
const BYTE_ORDER_MARK = '\ufeff';
/** The rows for a results file, and its form. */
export interface Results {
  readonly columns: readonly string[];
  readonly delimiter: string;
  readonly rows: AsyncIterable<RowReport>;
}

/**
 * Formats the input's columns and the outcome of each row, as a workbook if the name of the file ends in `.xlsx`, else as
 * CSV. Both are safe to open in a spreadsheet, and srq can read them back.
 */
export function resultsChunks(path: string, results: Results): AsyncIterable<string | Uint8Array> {
  const own = ownColumns(results.columns);
  if (/\.xlsx$/i.test(path)) {
    return workbookChunks(guardedRows(results, own), results.columns.length - own.size + RESULT_COLUMNS.length);
  }
  let mark = BYTE_ORDER_MARK;
  return inChunks(resultRows(results, own), (cells) => {
    const line = mark + csvLine(cells, results.delimiter);
    mark = '';
    return line;
  });
}

/**
 * Yields the rows of the workbook. Text cells of a workbook need no escaping of formulas, except where reading the file
 * would remove something that looks like it.
 */
async function* guardedRows(results: Results, own: ReadonlySet<number>): AsyncGenerator<readonly string[]> {
  const guarded = (text: string) => (unescapeFormulas(text) === text ? text : escapeFormulas(text));
  for await (const cells of resultRows(results, own)) yield cells.map(guarded);
}

async function* resultRows({ columns, rows }: Results, own: ReadonlySet<number>): AsyncGenerator<readonly string[]> {
  yield [...columns.filter((_, at) => !own.has(at)), ...RESULT_COLUMNS];
  for await (const report of rows) {
    yield [...inputCells(report.row.cells, columns.length, own), ...outcomeCells(report)];
  }
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
