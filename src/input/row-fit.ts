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
  private readonly shapes: CellShapes;

  /** `sample` holds rows from the beginning of the file. */
  constructor(columns: Cells, delimiter: string, sample: readonly Cells[]) {
    this.columns = columns;
    this.delimiter = delimiter;
    this.named = columns.findLastIndex((name) => name !== '') + 1;
    const rows = sample.filter((cells) => filledCells(cells) > Math.min(1, columns.length - 1));
    const full = rows.filter(({ length }) => length === columns.length);
    this.width = usualWidth(rows, columns, this.named, delimiter);
    const usual = rows.filter(({ length }) => length === this.width);
    const short = rows.filter(({ length }) => length < columns.length);
    this.isLoose =
      this.width < this.named || (this.width === columns.length && short.length > rows.length * (1 - NEARLY_ALL));
    const known = this.isLoose ? [...short, ...full] : this.width === columns.length ? full : [...usual, ...full];
    this.shapes = new CellShapes(columns.length, known);
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

  /** Describes why a row does not fit: how many cells it has, and from which column on they do not fit. */
  misfit(cells: Cells): string {
    const { length } = this.columns;
    const expected = this.width === length ? `the header has ${length}` : `nearly all rows have ${this.width}`;
    const counted = `has ${cells.length} ${cells.length === 1 ? 'cell' : 'cells'} where ${expected}`;
    if (cells.length === this.width || cells.length === length)
      return `${counted}, and they fit other columns better${this.cause(cells)}`;
    return `${counted}${this.cause(cells)}`;
  }

  private cause(cells: Cells): string {
    const sign = NAMES[this.delimiter] ?? `"${this.delimiter}"`;
    const inColumns = Math.min(this.width, this.columns.length);
    if (cells.length > inColumns) {
      const { at, gain } = this.shapes.merged(cells, inColumns, this.delimiter);
      const name = this.columns[at];
      if (gain > LIKELY_GAIN && name) return `; is a ${sign} in ${name} not quoted?`;
      return `; check for a ${sign} that is not quoted, or one too many`;
    }
    const { at } = this.shapes.missing(cells, inColumns);
    const name = this.columns[at];
    if (at === cells.length || !name) return '; is a line break in it not quoted, or are its last cells missing?';
    return `; from ${name} on they do not fit: is a cell missing there?`;
  }

  private isInPlace(cells: Cells): boolean {
    const { length } = this.columns;
    if (cells.length !== this.width && cells.length !== length) return false;
    if (!isBlank(cells.slice(length))) return false;
    if (this.width < this.named) return this.fitsShort(cells);
    if (this.width < length) return cells.length === this.width;
    // If many rows are short, a row that was split at a delimiter may be as wide as the header.
    if (this.width === length) return this.shapes.merged(cells, length - 1, this.delimiter).gain <= CLEAR_GAIN;
    // The row may lack only the delimiter at its end. That is so if its last cell is filled. Otherwise it may have lost
    // a cell.
    if (cells.length === length) return (cells[length - 1] ?? '').trim() !== '';
    return this.shapes.merged(cells, length, this.delimiter).gain <= CLEAR_GAIN;
  }

  private fitsShort(cells: Cells): boolean {
    if (cells.length === this.width) return this.shapes.missing(cells, this.columns.length).gain <= CLEAR_GAIN;
    return this.shapes.merged(cells, this.width, this.delimiter).gain <= 0;
  }
}

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

/** Maximum number of rows that are examined, and maximum number of characters of each cell. */
const MAX_ROWS = 200;
const MAX_LETTERS = 200;

/** Patterns for the form of a cell, the most specific first. The last one matches every text. */
const SHAPES: readonly RegExp[] = [
  /^\s*$/,
  /^\s*\S+@\S+\s*$/,
  /^\s*(?:https?:|www\.)/i,
  /^\s*\d{1,4}[-./]\d{1,2}[-./]\d{1,4}(?!\d)/,
  /^(?:\D{0,2})\+\d/,
  /^[\d\s()./-]*$(?<=(?:\d\D*){9,})/,
  /^[\d\s()./-]*$/,
  /^\s*[A-Za-z]{1,3}\s*$/,
  /^\s*\d/,
  /^\s*(?:\S+\s+){4}/,
  /\d/,
  /^/,
];

/**
 * Number of kinds of cells. A cell that begins with a blank counts as another kind, because a text that was split at a
 * comma continues with a blank.
 */
const KINDS = SHAPES.length * 2;

function shapeOf(cell: string): number {
  const text = cell.length > MAX_LETTERS ? cell.slice(0, MAX_LETTERS) : cell;
  const shape = SHAPES.findIndex((pattern) => pattern.test(text));
  return shape * 2 + (shape > 0 && text.startsWith(' ') ? 1 : 0);
}

/**
 * The position in a row from which its cells fit other columns better than their own. `gain` is the logarithm of how
 * many times likelier that is.
 */
interface Shift {
  readonly at: number;
  readonly gain: number;
}

/** The count, in rows, for a kind of cell that has not occurred in a column yet. */
const UNSEEN = 0.2;

/** Gain from which a person is asked: three times likelier. */
const LIKELY_GAIN = Math.log(3);
/** Gain that is not a coincidence: twenty times likelier. */
const CLEAR_GAIN = Math.log(20);

/** The usual forms of the cells in each column, learned from rows whose cells are in their places. */
class CellShapes {
  private readonly counts: readonly Float64Array[];
  private readonly rows: number;

  constructor(columns: number, rows: readonly Cells[]) {
    const seen = rows.slice(0, MAX_ROWS);
    this.rows = seen.length;
    this.counts = Array.from({ length: columns }, (_, column) => {
      const counts = new Float64Array(KINDS);
      for (const cells of seen) {
        const kind = shapeOf(cells[column] ?? '');
        counts[kind] = (counts[kind] ?? 0) + 1;
      }
      return counts;
    });
  }

  /**
   * Finds where a row with more than `width` cells was split within a text. If the pieces are joined there, the row
   * fits the first `width` columns best.
   */
  merged(cells: Cells, width: number, delimiter: string): Shift {
    const surplus = cells.length - width;
    if (surplus <= 0 || width <= 0) return { at: 0, gain: Number.NEGATIVE_INFINITY };
    let before = 0;
    let after = 0;
    for (let column = 1; column < width; column++) after += this.fit(column, cells[column + surplus] ?? '');
    let best = { at: 0, score: Number.NEGATIVE_INFINITY };
    for (let at = 0; at < width; at++) {
      const score = before + this.fit(at, cells.slice(at, at + surplus + 1).join(delimiter)) + after;
      if (score > best.score) best = { at, score };
      before += this.fit(at, cells[at] ?? '');
      after -= at + 1 < width ? this.fit(at + 1, cells[at + 1 + surplus] ?? '') : 0;
    }
    let asItIs = 0;
    for (const [column, cell] of cells.entries()) asItIs += this.fit(column, cell);
    for (let column = width; column < this.counts.length; column++) best.score += this.fit(column, '');
    return { at: best.at, gain: best.score - asItIs };
  }

  /**
   * Finds where a row with fewer than `width` cells has lost cells. If the others are shifted there, they fit the
   * `width` columns best.
   */
  missing(cells: Cells, width: number): Shift {
    const lost = width - cells.length;
    let score = 0;
    for (let column = cells.length - 1; column >= 0; column--) score += this.fit(column + lost, cells[column] ?? '');
    let best = { at: 0, score };
    for (let at = 1; at <= cells.length; at++) {
      const cell = cells[at - 1] ?? '';
      score += this.fit(at - 1, cell) - this.fit(at - 1 + lost, cell);
      if (score >= best.score) best = { at, score };
    }
    return { at: best.at, gain: best.score - score };
  }

  private fit(column: number, cell: string): number {
    const counts = this.counts[column];
    return counts ? Math.log(((counts[shapeOf(cell)] ?? 0) + UNSEEN) / (this.rows + UNSEEN * KINDS)) : 0;
  }
}
