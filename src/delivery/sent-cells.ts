import type { LogView } from '../request/ports.ts';
import type { Mapping, Row } from '../request/table.ts';
import { type CellVariant, cellVariants, isDate } from './cell-variants.ts';

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
