import { undefuse } from '../model/spreadsheet-cell.ts';
import { STATUSES } from '../model/status.ts';
import { RESULT_COLUMNS, type Row } from '../model/table.ts';

/** Whether these are the columns of a results file that srq wrote. */
export function isResultsFile(columns: readonly string[]): boolean {
  return RESULT_COLUMNS.every((name) => columns.includes(name));
}

/** A row of a results file as it was in the input: defused cells are themselves again. */
export function rowReadBack(row: Row, columns: readonly string[]): Row {
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
 * A ragged row is written ragged, its outcome right behind its cells. A spreadsheet evens all rows out when it saves the file,
 * and the outcome would be read as data: a last status and row number that do not stand in their columns give it away.
 */
function isMisplaced(cells: readonly string[], statusAt: number): boolean {
  const last = cells.findLastIndex((cell) => cell.trim() !== '');
  const at = last - RESULT_COLUMNS.length + 1;
  return (
    at >= 0 && at !== statusAt && /^\d+$/.test(cells[last] ?? '') && STATUSES.some((status) => status === cells[at])
  );
}
