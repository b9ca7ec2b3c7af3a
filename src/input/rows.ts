import { type EarlierOutcome, keyInCell, RESULT_COLUMNS, type Row, resultPlaces } from '../request/lead/table.ts';
import { STATUSES, type Status } from '../request/log/status.ts';
import { unescapeFormulas } from '../request/words/csv-text.ts';
import { SrqError } from '../request/words/errors.ts';
import type { CsvRecord } from './csv-records.ts';
import { type TextEncoding, undecodable } from './decode.ts';
import { isBlank, type RowFit } from './row-fit.ts';

const BATCH_ROWS = 256;

const UNDECODED = /\uFFFD|\p{Surrogate}/u;

/** Maximum number of rows of a report's footer, which holds totals, a confidentiality line or a copyright. */
const MAX_FOOTER_ROWS = 20;

/** Matches what stands before a sum below a list. */
const TOTALS =
  /^\s*(?:grand total|total|sub-?total|sum|count|summe|gesamt|anzahl|suma|somme|totale|totaux|soma|cantidad|nombre)\b/i;

/**
 * Reads the names of the columns and trims them. `encoding` is null if cells are not decoded from bytes. Throws
 * `SrqError('input')` if there is no header.
 */
export async function headerOf(records: AsyncIterable<CsvRecord[]>, encoding: TextEncoding | null): Promise<string[]> {
  for await (const batch of records) {
    const header = batch[0];
    if (!header) continue;
    if (encoding && unexplainedCell(header.cells, encoding) >= 0) {
      throw undecodable(`The header (line ${header.line})`, encoding.label);
    }
    return header.cells.map((name) => name.trim());
  }
  throw new SrqError('file.no-header', 'The file has no header.', 'The first line has to name the columns.');
}

/**
 * Yields the data rows of a file in batches, given its records from the header on. It leaves out blank rows and a report's
 * footer. A row that does not fit the columns has a problem. `say` is given notes about what only reading shows. The same
 * note twice is harmless.
 */
export async function* rowsOf(
  records: AsyncIterable<CsvRecord[]>,
  columns: readonly string[],
  fit: RowFit,
  encoding: TextEncoding | null,
  say: (note: string) => void,
): AsyncGenerator<Row[]> {
  let [atHeader, afterBlank, number] = [true, false, 0];
  // Records that may be a footer, until a later row shows that they are not.
  let held: CsvRecord[] = [];
  const rowOf = ({ cells, line, suspicion }: CsvRecord): Row => {
    const whole = fit.whole(cells);
    const problem = encodingProblem(cells, columns, encoding) ?? suspicion ?? (whole ? null : fit.misfit(cells));
    return { number: ++number, line, cells: whole ?? cells, problem };
  };
  for await (const batch of records) {
    for (let from = atHeader ? 1 : 0; from < batch.length; from += BATCH_ROWS) {
      const rows: Row[] = [];
      for (const record of batch.slice(from, from + BATCH_ROWS)) {
        const isEmpty = isBlank(record.cells);
        afterBlank ||= isEmpty || record.afterEmptyLine;
        if (isEmpty) continue;
        if (afterBlank && held.length < MAX_FOOTER_ROWS && mayBeFooter(record, columns)) {
          held.push(record);
          continue;
        }
        for (const each of held) rows.push(rowOf(each));
        held = [];
        afterBlank = false;
        rows.push(rowOf(record));
      }
      if (rows.length > 0) yield rows;
    }
    atHeader = false;
  }
  const [first, last] = [held[0], held.at(-1)];
  if (!first || !last) return;
  const lines = first === last ? `line ${first.line}` : `lines ${first.line}–${last.line}`;
  say(`Set aside as the report's footer: ${lines}.`);
}

function mayBeFooter({ cells }: CsvRecord, columns: readonly string[]): boolean {
  if (columns.length < 3) return false;
  const filled = cells.filter((cell) => cell.trim() !== '');
  return filled.length === 1 || (filled.length <= 3 && TOTALS.test(filled[0] ?? ''));
}

/** Returns the index of the first cell that the encoding does not explain, or -1. */
function unexplainedCell(cells: readonly string[], { unexplained }: TextEncoding): number {
  return unexplained ? cells.findIndex((cell) => unexplained.test(cell)) : -1;
}

/** Returns the problem of a row that contains a text which its encoding does not explain, or null. */
export function encodingProblem(
  cells: readonly string[],
  columns: readonly string[],
  encoding: TextEncoding | null,
): string | null {
  const at = encoding === null ? -1 : unexplainedCell(cells, encoding);
  if (encoding === null || at < 0) return null;
  const what = UNDECODED.test(cells[at] ?? '') ? `bytes that are not ${encoding.label}` : 'text that looks like UTF-8';
  const where = columns[at] ? ` in ${columns[at]}` : '';
  return `holds ${what}${where}, unlike the rest of the file; write the letters anew`;
}

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
    const at = RESULT_COLUMNS.map((name, nth) => (isMisplaced ? behind + nth : (places.get(name) ?? -1)));
    const earlier = outcome(at.map((index) => cells[index]?.trim() ?? ''));
    const misplaced = 'had too few or too many cells when it was first read; move them to their columns';
    return { ...row, cells, earlier, problem: row.problem ?? (isMisplaced ? misplaced : null) };
  };
}

function outcome([status = '', id = '', message = '', row = '', key = '']: readonly string[]): EarlierOutcome {
  const number = /^\d{1,15}$/.test(row) ? Number(row) : null;
  return { status: statusOf(status), id, message, row: number, key: keyInCell(key) };
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
  const end = cells.findLastIndex((cell) => cell.trim() !== '');
  // Only a row that was sent has a key behind its number.
  const last = keyInCell((cells[end] ?? '').trim()) === null ? end : end - 1;
  const at = last - RESULT_COLUMNS.indexOf('srq_row');
  if (at < 0 || !/^\d+$/.test((cells[last] ?? '').trim())) return null;
  return statusOf(cells[at] ?? '') === null ? null : at;
}
