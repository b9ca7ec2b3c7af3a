import { undefuse } from '../model/spreadsheet-cell.ts';
import { STATUSES } from '../model/status.ts';
import { RESULT_COLUMNS, type Row } from '../model/table.ts';

/** Returns true if these are the columns of a results file that srq wrote. */
export function isResultsFile(columns: readonly string[]): boolean {
  return RESULT_COLUMNS.every((name) => columns.includes(name));
}

/**
 * Returns a row of a results file as it was in the input, with the marks against spreadsheet formulas taken off its
 * cells.
 */
export function restoredRow(row: Row, columns: readonly string[]): Row {
  const misplaced = isMisplaced(row.cells, columns.indexOf(RESULT_COLUMNS[0]));
  return {
    ...row,
    cells: row.cells.map(undefuse),
    problem:
      row.problem ??
      (misplaced ? 'had too few or too many cells when it was first read; move them to their columns' : null),
  };
}

/**
 * Returns true if the outcome of a row does not stand in the outcome columns. srq writes a ragged row ragged, with its
 * outcome right behind its cells. A spreadsheet program fills all rows to the same length when it saves the file, and
 * then the outcome would be read as data. Such a row ends with a status and a row number in the wrong columns.
 */
function isMisplaced(cells: readonly string[], statusAt: number): boolean {
  const last = cells.findLastIndex((cell) => cell.trim() !== '');
  const at = last - RESULT_COLUMNS.length + 1;
  return (
    at >= 0 && at !== statusAt && /^\d+$/.test(cells[last] ?? '') && STATUSES.some((status) => status === cells[at])
  );
}
