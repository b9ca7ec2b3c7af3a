import { extname } from 'node:path';
import { columnLabel, keyCell, RESULT_COLUMNS, resultColumnOf } from '../request/lead/table.ts';
import type { RowReport } from '../request/log/import-plan.ts';
import { mainIdentifier } from '../request/log/outcome.ts';
import { csvRecordText, escapeFormulas, unescapeFormulas } from '../request/words/csv-text.ts';
import { inChunks, printable, terminalSafeJson } from './output.ts';
import { workbookChunks } from './workbook-writer.ts';

/** A table to write. Its own columns are called `srq_…`. */
export interface WrittenTable {
  readonly header: readonly string[];
  readonly rows: AsyncIterable<readonly string[]>;
  readonly delimiter: string;
  /**
   * Whether a spreadsheet opens it: no cell is a formula then, srq can read each back, and a byte order mark says UTF-8,
   * which Excel does not recognise without it. A program needs the cells unchanged.
   */
  readonly isForSpreadsheets: boolean;
}

const BYTE_ORDER_MARK = '\ufeff';

/** The formats of a table, by the ending of its file. */
export const FORMATS = ['csv', 'xlsx', 'json'] as const;

export function formatOf(path: string): (typeof FORMATS)[number] {
  return FORMATS.find((format) => extname(path).toLowerCase() === `.${format}`) ?? 'csv';
}

/** Formats a table for a file: as a workbook, as one JSON array, or else as CSV. */
export function tableChunks(path: string, table: WrittenTable): AsyncIterable<string | Uint8Array> {
  const format = formatOf(path);
  if (format === 'csv') return csvChunks(table);
  const guarded = withCells(table, guardedText);
  return format === 'xlsx' ? workbookChunks(records(guarded), table.header.length) : jsonArray(table, guarded.rows);
}

export async function* csvChunks(table: WrittenTable): AsyncGenerator<string> {
  if (table.isForSpreadsheets) yield BYTE_ORDER_MARK;
  yield* inChunks(records(withCells(table, escapeFormulas)), (cells) => csvRecordText(cells, table.delimiter));
}

/** A text of a workbook or of JSON is no formula. It is escaped only where reading the file would take something away. */
const guardedText = (text: string) => (unescapeFormulas(text) === text ? text : escapeFormulas(text));

type Rows = Pick<WrittenTable, 'header' | 'rows'>;

/** Returns the header and the rows with cells that are safe in a spreadsheet, if the table is for one. */
function withCells({ header, rows, isForSpreadsheets }: WrittenTable, guarded: (text: string) => string): Rows {
  if (!isForSpreadsheets) return { header, rows };
  async function* guardedRows() {
    for await (const cells of rows) yield cells.map(guarded);
  }
  return { header: header.map(guarded), rows: guardedRows() };
}

async function* records({ header, rows }: Rows) {
  yield header;
  yield* rows;
}

/** Yields one JSON array, a line an item, because that is what a file called `.json` holds. */
async function* jsonArray({ header }: WrittenTable, rows: Rows['rows']): AsyncGenerator<string> {
  let before = '[';
  for await (const object of objectsOf({ header, rows })) {
    yield before + terminalSafeJson(object);
    before = ',\n';
  }
  yield before === '[' ? '[]\n' : ']\n';
}

/**
 * Yields each row as an object. A second column `Email` is called `Email (2)`, and what srq has nothing to say of is null. A
 * row with too few or too many cells is a list of them: as an object it would look whole, and be sent when it is imported.
 */
export async function* objectsOf({ header, rows }: Rows) {
  const keys: string[] = [];
  for (const [at] of header.entries()) {
    const label = columnLabel(header, at);
    let key = label;
    for (let times = 2; keys.includes(key); times++) key = `${label} (${times})`;
    keys.push(key);
  }
  const shown = (key: string, cell = '') => (cell === '' && key.startsWith('srq_') ? null : cell);
  for await (const cells of rows) {
    yield cells.length === keys.length
      ? Object.fromEntries(keys.map((key, at) => [key, shown(key, cells[at])]))
      : cells;
  }
}

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

/**
 * Returns the outcome columns if the input is an earlier results file. The new outcome replaces them. Columns without a name
 * behind them are those of ragged rows, which a spreadsheet has given to all rows.
 */
function ownColumns(columns: readonly string[]): ReadonlySet<number> {
  const first = columns.findIndex((name) => resultColumnOf(name) !== null);
  const isOwn = (name: string, at: number) =>
    resultColumnOf(name) !== null || (name === '' && first >= 0 && at > first);
  return new Set(columns.flatMap((name, at) => (isOwn(name, at) ? [at] : [])));
}

/**
 * Returns a row's cells without an earlier outcome. A ragged row, which has none among its cells, stays ragged: if it were
 * filled to the full length, it would be sent when this file is imported.
 */
function inputCells(cells: readonly string[], width: number, own: ReadonlySet<number>): readonly string[] {
  return cells.length === width ? cells.filter((_, at) => !own.has(at)) : cells;
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
  // Who looks at the file in a terminal runs no code of the service.
  return cells(status, printable(id), printable(message ?? ''), key);
}
