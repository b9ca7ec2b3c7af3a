import { extname } from 'node:path';
import { columnLabel } from '../request/lead/table.ts';
import { csvRecordText, escapeFormulas, unescapeFormulas } from '../request/words/csv-text.ts';
import { inChunks, terminalSafeJson } from './output.ts';
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
