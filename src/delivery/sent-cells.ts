import type { LogView } from '../request/ports.ts';
import type { Mapping, Row } from '../request/table.ts';

/** Maximum number of keys that are computed to find out what one row was. */
const MAX_KEYS_A_ROW = 1_000;
/**
 * Number of keys that are computed for every row, whatever is left of the budget. They are enough for most rows,
 * because the change that was undone in the last row is mostly right for the next one, too.
 */
const FIRST_KEYS = 4;

/** The parameters of a search for the cells of rows. */
export interface CellSearch {
  /** Returns the key of a row's content, or null if it has none. */
  readonly keyOf: (row: Row) => string | null | Promise<string | null>;
  /** Tells whether the log proves that a request with this key was sent. */
  readonly isSent: (key: string) => boolean;
  /**
   * The number of keys that may still be computed, in addition to the first ones of each row. Each search reduces it.
   */
  readonly budget: { keysLeft: number };
}

/** The cells of a row as they were sent, and their key. */
interface ProvenCells {
  readonly cells: readonly string[];
  readonly key: string;
}

/**
 * Finds what rows were before a spreadsheet changed their cells. The log proves the result, because it knows the key of
 * the row with those cells.
 */
export class SentCells {
  /** The columns from whose cells requests are made. */
  readonly columns: readonly number[];
  readonly #log: Pick<LogView, 'lookup' | 'prefetch'>;
  /** The change that was undone last in each column. */
  readonly #undone = new Map<number, string>();
  /** The forms in which a spreadsheet has rewritten dates, by column, as other rows of the file prove. */
  readonly #turnedDates = new Map<number, Set<string>>();

  constructor({ sources }: Mapping, log: Pick<LogView, 'lookup' | 'prefetch'>) {
    this.#log = log;
    this.columns = [...new Set(sources.filter(({ field }) => field !== 'ref').flatMap(({ columns }) => columns))];
  }

  /** Returns the row's cells as they were sent, if the log proves that, or null. */
  async find(row: Row, search: CellSearch): Promise<ProvenCells | null> {
    const changed = this.columns.flatMap((column) => {
      const variants = cellVariants(row.cells[column] ?? '');
      return variants.length === 0 ? [] : [{ column, variants: this.#likeliestFirst(column, row, variants) }];
    });
    if (changed.length === 0) return null;
    const most = Math.min(MAX_KEYS_A_ROW, search.budget.keysLeft);
    return (
      (await this.#proven(row, choices(changed, 0, FIRST_KEYS), search)) ??
      (await this.#proven(row, choices(changed, FIRST_KEYS, most), search))
    );
  }

  /** Returns a column whose date has a form in which a spreadsheet has rewritten dates of this file, or null. */
  turnedDate({ cells }: Row): number | null {
    const turned = [...this.#turnedDates].find(([column, forms]) => forms.has(dateForm(cells[column] ?? '')));
    return turned?.[0] ?? null;
  }

  async #proven(row: Row, tries: Iterable<readonly Chosen[]>, search: CellSearch): Promise<ProvenCells | null> {
    const tried: { readonly key: string; readonly choice: readonly Chosen[] }[] = [];
    for (const choice of tries) {
      const pending = search.keyOf({ ...row, cells: withChosen(row.cells, choice) });
      const key = pending instanceof Promise ? await pending : pending;
      search.budget.keysLeft -= 1;
      if (key !== null) tried.push({ key, choice });
    }
    await this.#log.prefetch(tried.map(({ key }) => key));
    const proven = tried.find(({ key, choice }) => search.isSent(key) && !this.#mayBeCorrection(row, key, choice));
    if (!proven) return null;
    for (const { column, variant } of proven.choice) {
      this.#undone.set(column, variant.undoes);
      if (variant.undoes !== UNCHANGED && isDate(variant.text)) this.#noteTurned(column, row.cells[column] ?? '');
    }
    return { cells: withChosen(row.cells, proven.choice), key: proven.key };
  }

  /**
   * Tells whether a person may have changed a date in a refused row on purpose. Restoring it would undo the correction.
   * If other rows show that a spreadsheet has rewritten dates in that form, the spreadsheet has changed this one as
   * well.
   */
  #mayBeCorrection({ cells }: Row, key: string, choice: readonly Chosen[]): boolean {
    if (this.#log.lookup(key) !== 'rejected') return false;
    return choice.some(({ column, variant }) => {
      const form = dateForm(cells[column] ?? '');
      const isChangedDate = variant.undoes !== UNCHANGED && isDate(variant.text);
      return isChangedDate && this.#turnedDates.get(column)?.has(form) !== true;
    });
  }

  #noteTurned(column: number, cell: string): void {
    this.#turnedDates.set(column, (this.#turnedDates.get(column) ?? new Set()).add(dateForm(cell)));
  }

  /** Returns the text itself and its variants. The change that was undone last in this column comes first. */
  #likeliestFirst(column: number, { cells }: Row, variants: readonly CellVariant[]): CellVariant[] {
    const last = this.#undone.get(column);
    const all = [{ text: cells[column] ?? '', undoes: UNCHANGED }, ...variants];
    return [...all.filter(({ undoes }) => undoes === last), ...all.filter(({ undoes }) => undoes !== last)];
  }
}

const UNCHANGED = 'nothing';

/** Returns the form of a date, `99.99.99` for 20.11.26. */
function dateForm(cell: string): string {
  return cell.trim().replace(/\d/g, '9');
}

/** A variant that was chosen for a cell. */
interface Chosen {
  readonly column: number;
  readonly variant: CellVariant;
}

function withChosen(cells: readonly string[], choice: readonly Chosen[]): readonly string[] {
  const changed = [...cells];
  for (const { column, variant } of choice) changed[column] = variant.text;
  return changed;
}

/** Yields the combinations of the columns' variants with these numbers. The first variants come first. */
function* choices(
  changed: readonly { readonly column: number; readonly variants: readonly CellVariant[] }[],
  from: number,
  to: number,
): Generator<readonly Chosen[]> {
  const combinations = changed.reduce((product, { variants }) => product * variants.length, 1);
  for (let number = from; number < Math.min(to, combinations); number++) {
    let rest = number;
    yield changed.map(({ column, variants }) => {
      const variant = variants[rest % variants.length] ?? { text: '', undoes: UNCHANGED };
      rest = Math.floor(rest / variants.length);
      return { column, variant };
    });
  }
}

/** A text that a spreadsheet may have turned into the text of a cell. */
interface CellVariant {
  readonly text: string;
  /** Name of the change that this variant undoes. A spreadsheet changes all cells of a column in the same way. */
  readonly undoes: string;
}

/** Number of digits of a number that a spreadsheet keeps. It replaces further ones by zeros. */
export const KEPT_DIGITS = 15;

/**
 * Returns what a cell may have contained before a spreadsheet read it as a number, a date or a truth value and wrote it
 * in its own form. The unchanged text is not among the results, and most texts have no variants.
 */
export function cellVariants(cell: string): readonly CellVariant[] {
  const text = cell.trim();
  if (text.length > 40) return [];
  if (/^\d/.test(text)) return [...numberVariants(text), ...dateVariants(text)].filter((each) => each.text !== text);
  return truthVariants(text);
}

function numberVariants(text: string): CellVariant[] {
  const digits = wholeDigits(text);
  if (digits === null) return decimalVariants(text);
  const bare = digits === text ? [] : [{ text: digits, undoes: 'form of a number' }];
  return [...bare, ...withLostBeginning(digits)];
}

/**
 * Returns the digits of a whole number in any form that a spreadsheet writes, or null if the text is not one. A text
 * that begins with a zero was not read as a number.
 */
function wholeDigits(text: string): string | null {
  if (/^0\d/.test(text)) return null;
  if (/^\d{1,20}$/.test(text)) return text;
  const [, first = '', rest = '', exponent] = /^(\d)(?:[.,](\d+))?E\+0*(\d{1,2})$/i.exec(text) ?? [];
  if (exponent !== undefined) return rest.length > Number(exponent) ? null : first + rest.padEnd(Number(exponent), '0');
  if (/^\d{1,3}(?:[.,'’\s]\d{3})+$/.test(text)) return text.replace(/\D/g, '');
  return /^(\d+)[.,]0+$/.exec(text)?.[1] ?? null;
}

/** Minimum number of digits of a telephone number, and maximum number of a postal code. */
const MIN_PHONE_DIGITS = 7;
const MAX_CODE_DIGITS = 8;

function withLostBeginning(digits: string): CellVariant[] {
  const zeros = digits.length < MAX_CODE_DIGITS ? ['0', '00', '000'] : ['0', '00'];
  const signs = digits.length < MIN_PHONE_DIGITS ? [] : ['+'];
  return [...signs, ...zeros].map((lost) => ({ text: lost + digits, undoes: `lost ${lost}` }));
}

function decimalVariants(text: string): CellVariant[] {
  const [, whole = '', mark, decimals = ''] = /^(\d+)([.,])(\d+)$/.exec(text) ?? [];
  if (mark === undefined) return [];
  return ['.', ','].flatMap((sign) => [
    { text: `${whole}${sign}${decimals}`, undoes: `decimal ${sign}` },
    { text: `${whole}${sign}${decimals}0`, undoes: `decimal ${sign} and lost 0` },
  ]);
}

const DATE = /^(\d{1,4})([./-])(\d{1,2})\2(\d{1,4})(?:[ T](\d{1,2}:\d{2})(:00)?)?$/;

/** Tells whether a cell is a date in digits, perhaps with a time. */
export function isDate(cell: string): boolean {
  return DATE.test(cell.trim());
}

function dateVariants(text: string): CellVariant[] {
  const [, first = '', , second = '', third = '', time, seconds] = DATE.exec(text) ?? [];
  if (first === '') return [];
  const times = time === undefined ? [''] : [...(seconds ? [` ${time}:00`] : []), ` ${time}`, ` ${time}:00`];
  const readings =
    first.length > 2
      ? [{ year: first, month: second, day: third, as: 'ymd' }]
      : [
          { year: third, month: second, day: first, as: 'dmy' },
          { year: third, month: first, day: second, as: 'mdy' },
        ];
  return readings
    .filter(({ year, month, day }) => /^(?:\d{2}){1,2}$/.test(year) && inRange(month, 12) && inRange(day, 31))
    .flatMap(({ year, month, day, as }) =>
      dateTexts(year.length === 2 ? `20${year}` : year, month, day).flatMap(({ form, date }) =>
        [...new Set(times)].map((each) => ({ text: date + each, undoes: `date ${as} ${form}` })),
      ),
    );
}

function inRange(digits: string, most: number): boolean {
  return Number(digits) >= 1 && Number(digits) <= most;
}

function dateTexts(year: string, month: string, day: string): { form: string; date: string }[] {
  const [m, d] = [String(Number(month)), String(Number(day))];
  const [mm, dd, yy] = [m.padStart(2, '0'), d.padStart(2, '0'), year.slice(2)];
  return [
    { form: 'Y-M-D', date: `${year}-${mm}-${dd}` },
    { form: 'Y/M/D', date: `${year}/${mm}/${dd}` },
    { form: 'DD.MM.Y', date: `${dd}.${mm}.${year}` },
    { form: 'D.M.Y', date: `${d}.${m}.${year}` },
    { form: 'DD.MM.yy', date: `${dd}.${mm}.${yy}` },
    { form: 'DD/MM/Y', date: `${dd}/${mm}/${year}` },
    { form: 'D/M/Y', date: `${d}/${m}/${year}` },
    { form: 'DD/MM/yy', date: `${dd}/${mm}/${yy}` },
    { form: 'MM/DD/Y', date: `${mm}/${dd}/${year}` },
    { form: 'M/D/Y', date: `${m}/${d}/${year}` },
    { form: 'MM/DD/yy', date: `${mm}/${dd}/${yy}` },
    { form: 'DD-MM-Y', date: `${dd}-${mm}-${year}` },
  ];
}

/** The words in which spreadsheets of the markets' languages write truth values. */
const TRUTHS: Readonly<Record<string, readonly string[]>> = {
  true: ['true', 'wahr', 'vrai', 'verdadeiro', 'verdadero', 'vero'],
  false: ['false', 'falsch', 'faux', 'falso'],
};

function truthVariants(text: string): CellVariant[] {
  const named = text.toLowerCase();
  const [value] = Object.entries(TRUTHS).find(([, words]) => words.includes(named)) ?? [];
  if (value === undefined) return [];
  const forms = [value, value.toUpperCase(), value[0]?.toUpperCase() + value.slice(1)];
  return forms.filter((form) => form !== text).map((form) => ({ text: form, undoes: `truth ${form}` }));
}

/** Tells whether a cell is a number whose last digits a spreadsheet has replaced by zeros. */
export function hasLostDigits(cell: string): boolean {
  const text = cell.trim();
  return /^\d+$/.test(text) && text.length > KEPT_DIGITS && /^0+$/.test(text.slice(KEPT_DIGITS));
}
