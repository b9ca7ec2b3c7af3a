import { aliasOf } from '../request/lead/field-aliases.ts';
import { parseMarket } from '../request/lead/markets.ts';
import {
  type EarlierOutcome,
  keyInCell,
  RESULT_COLUMNS,
  type Row,
  resultColumnOf,
  resultPlaces,
} from '../request/lead/table.ts';
import { STATUSES, type Status } from '../request/log/status.ts';
import { unescapeFormulas } from '../request/words/csv-text.ts';
import { SrqError } from '../request/words/errors.ts';
import type { CsvRecord } from './csv-records.ts';
import { type TextEncoding, UNDECODABLE, undecodable } from './decode.ts';
import { usualLength } from './dialect.ts';
import { isContact } from './header-search.ts';

const BATCH_ROWS = 256;

/** Maximum number of rows of a report's footer, which holds totals, a confidentiality line or a copyright. */
const MAX_FOOTER_ROWS = 20;

/** Matches what stands before a sum below a list. Some of these words are also names of people. */
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
 * note twice is harmless. Throws `SrqError('input')` at the header of another file.
 */
export async function* rowsOf(
  records: AsyncIterable<CsvRecord[]>,
  columns: readonly string[],
  fit: RowFit,
  encoding: TextEncoding | null,
  say: (note: string) => void,
): AsyncGenerator<Row[]> {
  let [atHeader, afterBlank, number] = [true, false, 0];
  const isOtherHeader = otherHeaderTest(columns);
  // Records that may be a footer, until a later row shows that they are not.
  let held: CsvRecord[] = [];
  const rowOf = ({ cells, line, suspicion }: CsvRecord): Row => {
    if (isOtherHeader(cells)) throw joinedFiles(number + 1, line);
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

/**
 * Returns a function that tells whether a row is the header of another file: three quarters of its cells are names of the
 * columns, and one stands where the header has another name. The cells of the rows below it belong to other fields.
 */
function otherHeaderTest(columns: readonly string[]): (cells: readonly string[]) => boolean {
  const longest = Math.max(...columns.map((name) => name.length));
  const nameIn = (cell: string) => {
    const name = cell.trim();
    return name.length > longest ? name : name.toLowerCase();
  };
  const known = new Set(columns.map(nameIn));
  // In a results file, a header that was read as a row stands beside what became of it.
  const names = columns.map((name) => (resultColumnOf(name) === null ? nameIn(name) : ''));
  return (cells) => {
    let [same, others, isMoved] = [0, 0, false];
    // Every row is tested, so the test ends with the first cells that are no names.
    for (let at = 0; at < cells.length; at++) {
      const name = nameIn(cells[at] ?? '');
      if (name === '') continue;
      if (known.has(name)) same++;
      else if (++others * 4 > cells.length) return false;
      isMoved ||= name !== (names[at] || name);
    }
    return isMoved && same > 1 && same >= others * 3;
  };
}

function joinedFiles(row: number, line: number): SrqError {
  return new SrqError(
    'file.damaged',
    `Row ${row} (line ${line}) looks like the header of another file: its columns have other names or another order. Nothing was sent.`,
    'Split the file there, or put the columns of both parts in the same order.',
  );
}

function mayBeFooter({ cells }: CsvRecord, columns: readonly string[]): boolean {
  if (columns.length < 3 || cells.some(isContact)) return false;
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
  const what = UNDECODABLE.test(cells[at] ?? '')
    ? `bytes that are not ${encoding.label}`
    : 'text that looks like UTF-8';
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
    const all = row.cells.map(unescapeFormulas);
    const behind = placeBehindCells(all);
    const isMisplaced = behind !== null && behind !== statusAt;
    const at = RESULT_COLUMNS.map((name, nth) => (isMisplaced ? behind + nth : (places.get(name) ?? -1)));
    const earlier = outcome(at.map((index) => all[index]?.trim() ?? ''));
    if (!isMisplaced) return { ...row, cells: all, earlier };
    const misplaced = 'had too few or too many cells when it was first read; move them to their columns';
    return { ...row, cells: all.slice(0, behind), earlier, problem: row.problem ?? misplaced };
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

/** Share of the rows that counts as nearly all of them. */
const NEARLY_ALL = 0.9;
/** Minimum number of rows that must agree before a width other than the header's is trusted. */
const MIN_ROWS = 3;

type Cells = readonly string[];

const NAMES: Readonly<Record<string, string>> = { ',': 'comma', ';': 'semicolon', '\t': 'TAB', '|': 'bar' };

type RowFit = ReturnType<typeof rowFit>;

/**
 * Decides which rows of a file fit its header. A row with another number of cells may have its cells in the wrong
 * columns, so it is not padded or cut, with one exception. That is a number of cells that nearly all rows of the file
 * have, if the cells beyond the header are empty and the content contradicts nothing. A single row of another width
 * might contain an unquoted delimiter and an empty last cell by chance.
 *
 * `sample` holds rows from the beginning of the file.
 */
export function rowFit(columns: Cells, delimiter: string, sample: readonly Cells[]) {
  const { length } = columns;
  const meanings = columns.map((name) => aliasOf(name)?.meaning);
  // Some programs write further columns only in the header, and give them no names.
  const named = columns.findLastIndex((name) => name !== '') + 1;
  const rows = sample.filter((cells) => cells.filter(isFilled).length > Math.min(1, length - 1));
  const width = usualWidth();
  const areManyShort = rows.filter((row) => row.length < length).length > rows.length * (1 - NEARLY_ALL);
  // If many rows are short, even those as wide as the header may have their cells in the wrong columns.
  const isLoose = width < named || (width === length && areManyShort);
  const leftOut = columns.slice(width).filter((name) => name !== '');
  return {
    /** A note for the plan that rows with another width than the header's are read, or null. */
    note: leftOut.length > 0 ? `Read as empty, because nearly all rows leave them out: ${leftOut.join(', ')}.` : null,
    /** Returns the cells, padded or cut to the width of the header, or null if the row does not fit. */
    whole(cells: Cells): Cells | null {
      if (cells.length === length && width === length && !isLoose) return cells;
      return isInPlace(cells) ? padded(cells, length) : null;
    },
    /** Describes why a row does not fit: how many cells it has, or that they are in the wrong columns. */
    misfit(cells: Cells): string {
      const expected = width === length ? `the header has ${length}` : `nearly all rows have ${width}`;
      const counted = `has ${cells.length} ${cells.length === 1 ? 'cell' : 'cells'} where ${expected}`;
      const inColumns = Math.min(width, length);
      if (cells.length === inColumns) return `${counted}, and they fit other columns better`;
      if (cells.length < inColumns) return `${counted}; is a line break in it not quoted, or is a cell missing?`;
      const sign = NAMES[delimiter] ?? `"${delimiter}"`;
      return `${counted}; check for a ${sign} that is not quoted, or one too many`;
    },
  };

  /**
   * Returns the number of cells of complete rows. It is the header's number, unless nearly all rows agree on another
   * one.
   */
  function usualWidth(): number {
    const { length: usual, share } = usualLength(rows);
    if (usual === length || share < NEARLY_ALL) return length;
    if (usual >= named && usual < length) return usual;
    // If a column without a name is among the others, the header may contain an additional delimiter.
    if (usual < named && columns.slice(0, named).includes('')) return length;
    const alike = rows.filter((row) => row.length === usual);
    // srq writes a row that does not fit with its outcome directly after it, so all rows may have the same wrong width.
    if (alike.length < MIN_ROWS || resultPlaces(columns).size === RESULT_COLUMNS.length) return length;
    const isSplit = usual > length && delimiter === ',' && alike.filter(isSplitAtCommas).length > alike.length / 2;
    const fitting = alike.filter((row) => !isContradicted(row));
    const isEmptyBeyond = alike.every((row) => isBlank(row.slice(length)));
    return isEmptyBeyond && !isSplit && fitting.length >= alike.length * NEARLY_ALL ? usual : length;
  }

  function isInPlace(cells: Cells): boolean {
    if (cells.length !== width && cells.length !== length) return false;
    if (!isBlank(cells.slice(length))) return false;
    if (width < length && width >= named) return cells.length === width;
    // The row may lack only the delimiter at its end. That is so if its last cell is filled. Otherwise it may have lost
    // a cell.
    if (width > length && cells.length === length) return isFilled(cells[length - 1] ?? '');
    return !isContradicted(cells);
  }

  /** Tells whether a cell holds what belongs to another column: an e-mail address, a telephone number, a country. */
  function isContradicted(cells: Cells): boolean {
    const isCountry = (at: number) => parseMarket((cells[at] ?? '').trim()) !== undefined;
    return meanings.some((meaning, at) => {
      const text = (cells[at] ?? '').trim();
      if (meaning === undefined || text === '') return false;
      if (meaning === 'phone') return EMAIL.test(text) || /^\p{L}[\p{L} .'-]*$/u.test(text);
      if (meaning === 'email') return PHONE.test(text);
      if (meaning === 'country') return !isCountry(at) && (isCountry(at - 1) || isCountry(at + 1));
      return EMAIL.test(text) || (NO_NUMBERS.has(meaning) ? PHONE : PHONE_WITH_PLUS).test(text);
    });
  }
}

const EMAIL = /^\S+@\S+$/;
const PHONE = /^\D{0,3}\d(?:[ ()./-]*\d){5,}\D{0,3}$/;
const PHONE_WITH_PLUS = /^\+\d(?:[ ()./-]*\d){6,}$/;

/** Fields whose texts are never only digits. */
const NO_NUMBERS: ReadonlySet<string> = new Set(['fullname', 'first_name', 'last_name', 'street', 'city']);

/** Tells whether one cell begins with the blank that follows a comma in a text, and another one does not. */
function isSplitAtCommas([, ...cells]: Cells): boolean {
  const filled = cells.filter(isFilled);
  return filled.some((cell) => cell.startsWith(' ')) && filled.some((cell) => !cell.startsWith(' '));
}

function padded(cells: Cells, length: number): Cells {
  if (cells.length === length) return cells;
  return cells.length > length ? cells.slice(0, length) : [...cells, ...Array<string>(length - cells.length).fill('')];
}

function isFilled(cell: string): boolean {
  return cell.trim() !== '';
}

/** Returns true if all cells are empty or contain only blanks. */
function isBlank(cells: Cells): boolean {
  for (const cell of cells) if (cell !== '' && cell.trim() !== '') return false;
  return true;
}
