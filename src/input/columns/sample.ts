import type { Row, Table } from '../../request/lead/table.ts';
import { SrqError } from '../../request/words/errors.ts';

/** The first cells of each column of a table, row by row: `cells[column][row]`. */
export type ColumnSample = readonly (readonly string[])[];

/** Maximum number of rows that are read. */
const MAX_ROWS = 500;
/**
 * Maximum number of cells that are kept, which take at most a second to examine, and maximum length of each. A table may
 * have thousands of columns, and a cell may hold a whole book.
 */
const MAX_CELLS = 100_000;
const MAX_LETTERS = 1_000;

/**
 * Reads the beginning of a table to see what its columns hold. Damaged rows are left out, and reading ends without an
 * error at damage after which nothing can be trusted, because that is reported where these rows are needed. All other
 * errors of the table are thrown.
 */
export async function sampleOf(table: Pick<Table, 'columns' | 'rows'>): Promise<ColumnSample> {
  const most = Math.min(MAX_ROWS, Math.max(20, Math.floor(MAX_CELLS / Math.max(1, table.columns.length))));
  const rows: string[][] = [];
  for await (const batch of readable(table)) {
    const whole = batch.filter(({ problem }) => problem === null).slice(0, most - rows.length);
    rows.push(...whole.map(({ cells }) => cells.map(beginning)));
    if (rows.length >= most) break;
  }
  return table.columns.map((_, at) => rows.map((cells) => cells[at] ?? ''));
}

/** Yields the rows before the first damage after which nothing can be trusted. */
async function* readable(table: Pick<Table, 'rows'>): AsyncGenerator<readonly Row[]> {
  try {
    yield* table.rows();
  } catch (error) {
    if (!(error instanceof SrqError && error.code === 'input')) throw error;
  }
}

/** Returns the beginning of a cell as a copy, because a slice would keep the whole string in memory. */
function beginning(cell: string): string {
  return cell.length <= MAX_LETTERS ? cell : Buffer.from(cell.slice(0, MAX_LETTERS)).toString();
}
