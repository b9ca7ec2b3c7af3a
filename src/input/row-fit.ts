import { aliasOf } from '../request/lead/field-aliases.ts';
import { parseMarket } from '../request/lead/markets.ts';
import { RESULT_COLUMNS, resultPlaces } from '../request/lead/table.ts';
import { usualLength } from './dialect.ts';

/** Share of the rows that counts as nearly all of them. */
const NEARLY_ALL = 0.9;
/** Minimum number of rows that must agree before a width other than the header's is trusted. */
const MIN_ROWS = 3;

type Cells = readonly string[];

const NAMES: Readonly<Record<string, string>> = { ',': 'comma', ';': 'semicolon', '\t': 'TAB', '|': 'bar' };

/**
 * Decides which rows of a file fit its header. A row with another number of cells may have its cells in the wrong
 * columns, so it is not padded or cut, with one exception. That is a number of cells that nearly all rows of the file
 * have, if the cells beyond the header are empty and the content contradicts nothing. A single row of another width
 * might contain an unquoted delimiter and an empty last cell by chance.
 */
export interface RowFit {
  /** A note for the plan that rows with another width than the header's are read, or null. */
  readonly note: string | null;
  /** Returns the cells, padded or cut to the width of the header, or null if the row does not fit. */
  whole(cells: Cells): Cells | null;
  /** Describes why a row does not fit: how many cells it has, or that they are in the wrong columns. */
  misfit(cells: Cells): string;
}

/** Returns how rows fit the columns of a header. `sample` holds rows from the beginning of the file. */
export function rowFit(columns: Cells, delimiter: string, sample: readonly Cells[]): RowFit {
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
    note: leftOut.length > 0 ? `Read as empty, because nearly all rows leave them out: ${leftOut.join(', ')}.` : null,
    whole(cells) {
      if (cells.length === length && width === length && !isLoose) return cells;
      return isInPlace(cells) ? padded(cells, length) : null;
    },
    misfit(cells) {
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
export function isBlank(cells: Cells): boolean {
  for (const cell of cells) if (cell !== '' && cell.trim() !== '') return false;
  return true;
}
