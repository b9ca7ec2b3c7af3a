import { aliasOf } from '../request/lead/field-aliases.ts';
import { parseMarket } from '../request/lead/markets.ts';
import { RESULT_COLUMNS, resultPlaces } from '../request/lead/table.ts';

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
export class RowFit {
  /** A note for the plan that rows with another width than the header's are read, or null. */
  readonly note: string | null;
  private readonly columns: Cells;
  private readonly delimiter: string;
  /** The usual number of cells. */
  private readonly width: number;
  /**
   * Number of columns up to the last one with a name, because some programs write further columns only in the header.
   */
  private readonly named: number;
  /** True if even rows as wide as the header may have their cells in the wrong columns, because many rows are short. */
  private readonly isLoose: boolean;

  /** `sample` holds rows from the beginning of the file. */
  constructor(columns: Cells, delimiter: string, sample: readonly Cells[]) {
    this.columns = columns;
    this.delimiter = delimiter;
    this.named = columns.findLastIndex((name) => name !== '') + 1;
    const rows = sample.filter((cells) => filledCells(cells) > Math.min(1, columns.length - 1));
    this.width = usualWidth(rows, columns, this.named, delimiter);
    const short = rows.filter(({ length }) => length < columns.length);
    this.isLoose =
      this.width < this.named || (this.width === columns.length && short.length > rows.length * (1 - NEARLY_ALL));
    this.note =
      this.width < this.named
        ? `Read as empty, because nearly all rows leave them out: ${columns
            .slice(this.width)
            .filter((name) => name !== '')
            .join(', ')}.`
        : null;
  }

  /** Returns the cells, padded or cut to the width of the header, or null if the row does not fit. */
  whole(cells: Cells): Cells | null {
    const { length } = this.columns;
    if (cells.length === length && this.width === length && !this.isLoose) return cells;
    return this.isInPlace(cells) ? padded(cells, length) : null;
  }

  /** Describes why a row does not fit: how many cells it has, or that they are in the wrong columns. */
  misfit(cells: Cells): string {
    const { length } = this.columns;
    const expected = this.width === length ? `the header has ${length}` : `nearly all rows have ${this.width}`;
    const counted = `has ${cells.length} ${cells.length === 1 ? 'cell' : 'cells'} where ${expected}`;
    const inColumns = Math.min(this.width, length);
    if (cells.length > inColumns) {
      const sign = NAMES[this.delimiter] ?? `"${this.delimiter}"`;
      return `${counted}; check for a ${sign} that is not quoted, or one too many`;
    }
    if (cells.length === inColumns) return `${counted}, and they fit other columns better`;
    return `${counted}; is a line break in it not quoted, or is a cell missing?`;
  }

  private isInPlace(cells: Cells): boolean {
    const { length } = this.columns;
    if (cells.length !== this.width && cells.length !== length) return false;
    if (!isBlank(cells.slice(length))) return false;
    if (this.width < length && this.width >= this.named) return cells.length === this.width;
    // The row may lack only the delimiter at its end. That is so if its last cell is filled. Otherwise it may have lost
    // a cell.
    if (this.width > length && cells.length === length) return (cells[length - 1] ?? '').trim() !== '';
    return this.hasContactsInPlace(cells);
  }

  /** Tells whether no column holds what belongs to another field: an e-mail address, a telephone number, a country. */
  private hasContactsInPlace(cells: Cells): boolean {
    return this.columns.every((name, at) => {
      const text = (cells[at] ?? '').trim();
      const meaning = aliasOf(name)?.meaning;
      if (meaning === undefined) return true;
      if (meaning === 'phone') return !EMAIL.test(text) && !/^\p{L}[\p{L} .'-]*$/u.test(text);
      if (meaning === 'email') return !PHONE.test(text);
      if (meaning === 'country' && isCountryBeside(cells, at)) return false;
      return !BELONGS_ELSEWHERE(text) && !(NO_DIGITS.has(meaning) && PHONE.test(text));
    });
  }
}

/** Tells whether a country stands beside the column for it, which holds something else. */
function isCountryBeside(cells: Cells, at: number): boolean {
  const isCountry = (index: number) => parseMarket((cells[index] ?? '').trim()) !== undefined;
  return (cells[at] ?? '').trim() !== '' && !isCountry(at) && (isCountry(at - 1) || isCountry(at + 1));
}

/** Fields whose texts are never only digits. */
const NO_DIGITS: ReadonlySet<string> = new Set(['fullname', 'first_name', 'last_name', 'street', 'city', 'country']);

/**
 * Returns the number of cells of complete rows. It is the header's number, unless nearly all rows agree on another one.
 */
function usualWidth(rows: readonly Cells[], columns: Cells, named: number, delimiter: string): number {
  const counts = new Map<number, number>();
  for (const { length } of rows) counts.set(length, (counts.get(length) ?? 0) + 1);
  const [width, count] = [...counts].sort((a, b) => b[1] - a[1])[0] ?? [columns.length, 0];
  if (width === columns.length || count < rows.length * NEARLY_ALL) return columns.length;
  if (width >= named && width < columns.length) return width;
  // If a column without a name is among the others, the header may contain an additional delimiter.
  if (width < named && columns.slice(0, named).includes('')) return columns.length;
  // srq writes a row that does not fit with its outcome directly after it, so all rows may have the same wrong width.
  if (count < MIN_ROWS || resultPlaces(columns).size === RESULT_COLUMNS.length) return columns.length;
  const usual = rows.filter(({ length }) => length === width);
  const isEmptyBeyond = usual.every((cells) => isBlank(cells.slice(columns.length)));
  if (!isEmptyBeyond || isContradicted(usual, columns, width - columns.length)) return columns.length;
  return width > columns.length && delimiter === ',' && isSplitAtCommas(usual) ? columns.length : width;
}

const EMAIL = /^\S+@\S+$/;
const PHONE = /^\D{0,3}\d(?:[ ()./-]*\d){5,}\D{0,3}$/;
const PHONE_WITH_PLUS = /^\+\d(?:[ ()./-]*\d){6,}$/;

/** Tests for the fields whose texts differ from all others. */
const FITS: Readonly<Record<string, (text: string) => boolean>> = {
  email: (text) => EMAIL.test(text),
  phone: (text) => PHONE.test(text),
  country: (text) => parseMarket(text) !== undefined,
};

/** Tells whether a text is certainly an e-mail address or a telephone number, so that it belongs to no other field. */
const BELONGS_ELSEWHERE = (text: string) => EMAIL.test(text) || PHONE_WITH_PLUS.test(text);

/**
 * Returns true if e-mail addresses, telephone numbers or countries are more often `shift` columns beside the column of
 * that name than in it, or if addresses and numbers are mostly in the column of another field.
 */
function isContradicted(rows: readonly Cells[], columns: Cells, shift: number): boolean {
  const text = (cells: Cells, at: number) => (cells[at] ?? '').slice(0, 100).trim();
  return columns.some((name, at) => {
    const meaning = aliasOf(name)?.meaning;
    if (meaning === undefined) return false;
    const fits = FITS[meaning];
    if (!fits) return rows.filter((cells) => BELONGS_ELSEWHERE(text(cells, at))).length > rows.length / 2;
    const count = (index: number) => rows.filter((cells) => fits(text(cells, index))).length;
    const beside = Array.from({ length: Math.abs(shift) }, (_, step) => count(at + Math.sign(shift) * (step + 1)));
    return Math.max(...beside) > count(at);
  });
}

/**
 * Returns true if the cells of some columns begin with the blank that follows a comma in a text, and those of others do
 * not.
 */
function isSplitAtCommas(rows: readonly Cells[]): boolean {
  const shares = (rows[0] ?? []).slice(1).flatMap((_, index) => {
    const cells = rows.map((each) => each[index + 1] ?? '').filter((cell) => cell.trim() !== '');
    return cells.length === 0 ? [] : [cells.filter((cell) => cell.startsWith(' ')).length / cells.length];
  });
  return shares.some((share) => share > 0.5) && shares.some((share) => share < 0.1);
}

function padded(cells: Cells, length: number): Cells {
  if (cells.length === length) return cells;
  return cells.length > length ? cells.slice(0, length) : [...cells, ...Array<string>(length - cells.length).fill('')];
}

function filledCells(cells: Cells): number {
  let filled = 0;
  for (const cell of cells) if (cell.trim() !== '') filled++;
  return filled;
}

/** Returns true if all cells are empty or contain only blanks. */
export function isBlank(cells: Cells): boolean {
  for (const cell of cells) if (cell !== '' && cell.trim() !== '') return false;
  return true;
}
