import type { Row, Table } from '../../request/lead/table.ts';
import { SrqError } from '../../request/words/errors.ts';

/** The first cells of each column of a table, row by row: `cells[column][row]`. */
export type ColumnSample = readonly (readonly string[])[];

/** Number of first rows that are kept in any case. */
const FIRST_ROWS = 200;
/**
 * Number of filled cells that are wanted for each column. After the first rows, a row is kept only if it fills a column
 * that has fewer.
 */
const WANTED_CELLS = 20;
const MAX_ROWS = 2_000;
/**
 * Maximum number of cells that are kept, and maximum length of each. A table may have thousands of columns, and a cell
 * may hold a whole book.
 */
const MAX_CELLS = 1_000_000;
const MAX_LETTERS = 1_000;

/**
 * Reads the beginning of a table to see what its columns hold. If a column is rarely filled, more rows are read for it.
 * Damaged rows are left out, and reading ends without an error at damage after which nothing can be trusted, because
 * that is reported where these rows are needed. All other errors of the table are thrown.
 */
export async function sampleOf(table: Pick<Table, 'columns' | 'rows'>): Promise<ColumnSample> {
  const cells: string[][] = table.columns.map(() => []);
  const filled = table.columns.map(() => 0);
  const most = Math.max(WANTED_CELLS, Math.floor(MAX_CELLS / Math.max(1, table.columns.length)));
  let [read, kept] = [0, 0];
  for await (const batch of readable(table)) {
    for (const row of batch) {
      read += 1;
      if (row.problem !== null) continue;
      if (kept >= most) break;
      const isNews = row.cells.some((cell, at) => cell !== '' && (filled[at] ?? 0) < WANTED_CELLS);
      if (kept >= FIRST_ROWS && !isNews) continue;
      kept += 1;
      for (const [at, column] of cells.entries()) {
        const cell = row.cells[at] ?? '';
        column.push(beginning(cell));
        if (cell !== '') filled[at] = (filled[at] ?? 0) + 1;
      }
    }
    if (read >= MAX_ROWS || kept >= most || (kept >= FIRST_ROWS && filled.every((count) => count >= WANTED_CELLS)))
      break;
  }
  return cells;
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
