import { unescapeFormulas } from '../request/csv-text.ts';
import { STATUSES, type Status } from '../request/status.ts';
import { type EarlierOutcome, RESULT_COLUMNS, type ResultColumn, type Row, resultPlaces } from '../request/table.ts';

type OutcomePlaces = ReadonlyMap<ResultColumn, number>;

/**
 * Returns a function that restores each row of a results file to what it was in the input. It removes the protection
 * against spreadsheet formulas from the cells, and separates the outcome that the row states.
 */
export function rowRestorer(columns: readonly string[]): (row: Row) => Row {
  const places = resultPlaces(columns);
  const statusAt = places.get('srq_status');
  return (row) => {
    const cells = row.cells.map(unescapeFormulas);
    const behind = placeBehindCells(cells);
    const isMisplaced = behind !== null && behind !== statusAt;
    const earlier = isMisplaced ? outcomeBehindCells(cells, behind) : outcomeInColumns(cells, places);
    const misplaced = 'had too few or too many cells when it was first read; move them to their columns';
    return { ...row, cells, earlier, problem: row.problem ?? (isMisplaced ? misplaced : null) };
  };
}

function outcomeInColumns(cells: readonly string[], places: OutcomePlaces): EarlierOutcome {
  const text = (name: ResultColumn) => cells[places.get(name) ?? -1]?.trim() ?? '';
  return outcome(text('srq_status'), text('srq_id'), text('srq_message'), text('srq_row'));
}

function outcomeBehindCells(cells: readonly string[], at: number): EarlierOutcome {
  const [status = '', id = '', message = '', row = ''] = cells.slice(at).map((cell) => cell.trim());
  return outcome(status, id, message, row);
}

function outcome(status: string, id: string, message: string, row: string): EarlierOutcome {
  return { status: statusOf(status), id, message, row: /^\d{1,15}$/.test(row) ? Number(row) : null };
}

/** Returns the status that a cell names in any case, or null if it names none. */
function statusOf(text: string): Status | null {
  const named = text.trim().toLowerCase();
  return STATUSES.find((status) => status === named) ?? null;
}

/**
 * Returns the index of the outcome if it is at the end of the row instead of in its columns, or null. srq writes a
 * ragged row ragged, with its outcome directly after its cells. When a spreadsheet program saves the file, it fills all
 * rows to the same length, and the outcome would be read as data. Such a row ends with a status and a row number in the
 * wrong columns.
 */
function placeBehindCells(cells: readonly string[]): number | null {
  const last = cells.findLastIndex((cell) => cell.trim() !== '');
  const at = last - RESULT_COLUMNS.length + 1;
  if (at < 0 || !/^\d+$/.test((cells[last] ?? '').trim())) return null;
  return statusOf(cells[at] ?? '') === null ? null : at;
}
