import { findMarket } from '../request/markets.ts';
import type { DeliveryLog } from '../request/ports.ts';
import type { Status } from '../request/status.ts';
import { type EarlierOutcome, type Mapping, RESULT_COLUMNS, type Row, type Table } from '../request/table.ts';
import { type CellVariant, cellVariants, hasLostDigits, isDate } from './cell-variants.ts';
import { likelyPrepared, type Preparation } from './prepare.ts';
import type { SubmitOptions } from './submit.ts';

/** Maximum numbers of keys that are computed to find what a row was: for one row, and for all rows of a file. */
const MAX_KEYS_A_ROW = 1_000;
const MAX_KEYS = 200_000;
/** Number of rows at the beginning of a file that are asked whether a spreadsheet has turned its dates round. */
const MAX_WITNESSES = 10_000;
const MAX_WITNESSES_ASKED = 50;

type LogView = Pick<DeliveryLog, 'lookup' | 'prefetch'>;
type Finality = Pick<SubmitOptions, 'onDuplicate' | 'again'>;

/**
 * Returns the status of a row that is settled by what the row itself says, whatever became of its other cells, or null.
 * Such a row is never sent.
 */
export function settledStatus(
  earlier: EarlierOutcome | undefined,
  { again, onDuplicate }: Finality,
): 'repeated' | 'duplicate' | null {
  if (!earlier || again) return null;
  if (earlier.status === 'created' || earlier.status === 'repeated') return 'repeated';
  return earlier.status === 'duplicate' && onDuplicate === 'skip' ? 'duplicate' : null;
}

/** Tells whether a row with this status in the ledger was left as it said it was. */
export function isKept({ earlier }: Row, status: Status): boolean {
  return (
    (status === 'repeated' || status === 'duplicate') &&
    settledStatus(earlier, { again: false, onDuplicate: 'skip' }) !== null
  );
}

/** What the spreadsheet did to a row: the cells put back, or the reason why the row cannot be sent. */
type Repair = Pick<Row, 'cells'> | Pick<Row, 'problem'>;

/**
 * The rows of a results file that came back. Cells that a spreadsheet has changed are put back as they were sent where the
 * log proves it: it knows the key of the row with those cells. Otherwise a row whose cells have visibly lost something
 * cannot be sent.
 */
export class ReturnedRows {
  /** The table with its cells put back. */
  readonly table: Table;
  readonly #mapping: Mapping;
  readonly #preparation: Preparation;
  readonly #log: LogView;
  readonly #repairs = new Map<number, Repair>();
  /** The columns whose cells a request is made of. */
  readonly #sent: readonly number[];
  /** The change that was undone last in each column. */
  readonly #undone = new Map<number, string>();
  /** The forms, by column, in which a spreadsheet has written dates that were sent otherwise, as rows of the file prove. */
  readonly #turnedDates = new Map<number, Set<string>>();
  #keysLeft = MAX_KEYS;
  #zerosPutBack = 0;
  #settled = 0;
  /** Whether the log knows any of the rows that say that they were taken. */
  #isOfThisLog = false;

  private constructor(table: Table, mapping: Mapping, preparation: Preparation, log: LogView) {
    this.#mapping = mapping;
    this.#preparation = preparation;
    this.#log = log;
    const sent = mapping.sources.filter(({ field }) => field !== 'ref').flatMap(({ columns }) => columns);
    this.#sent = [...new Set(sent)];
    this.table = this.#repaired(table);
  }

  /** Looks at the first rows that say that they were taken: they show what a spreadsheet did to dates. */
  static async of(
    table: Table,
    mapping: Mapping,
    preparation: Preparation,
    log: LogView,
    options: Finality,
  ): Promise<ReturnedRows> {
    const rows = new ReturnedRows(table, mapping, preparation, log);
    await rows.#askWitnesses(table, options);
    return rows;
  }

  /**
   * Puts cells of rows back that are judged by their content. Rows that are settled by what they say stay as they are.
   */
  async restore(batch: readonly Row[], options: Finality): Promise<readonly Row[]> {
    await this.#log.prefetch(batch.flatMap((row) => this.#keyOf(row) ?? []));
    const settled = batch.filter((row) => settledStatus(row.earlier, options) !== null);
    const open = batch.filter((row) => row.problem === null && settledStatus(row.earlier, options) === null);
    this.#settled += settled.length;
    this.#isOfThisLog ||= settled.some((row) => this.#isKnown(this.#keyOf(row)));
    for (const row of open) {
      if (this.#isKnown(this.#keyOf(row))) continue;
      const cells = await this.#provenCells(row);
      const repair = cells ? { cells } : this.#unproven(row);
      if (repair) this.#repairs.set(row.number, repair);
    }
    return batch.map((row) => this.#repair(row));
  }

  #repair(row: Row): Row {
    const repair = this.#repairs.get(row.number);
    return repair ? { ...row, ...repair } : row;
  }

  #repaired(table: Table): Table {
    const { path, format, encoding, delimiter, columns, sizeBytes } = table;
    const rows = (batch: readonly Row[]) => (this.#repairs.size === 0 ? batch : batch.map((row) => this.#repair(row)));
    const notes = () => [...table.notes, ...this.#notes()];
    return {
      ...{ path, format, encoding, delimiter, columns, sizeBytes },
      get notes() {
        return notes();
      },
      async *rows() {
        for await (const batch of table.rows()) yield rows(batch);
      },
      readBytes: () => table.readBytes(),
    };
  }

  #notes(): string[] {
    const proven = [...this.#repairs.values()].filter((repair) => 'cells' in repair).length - this.#zerosPutBack;
    const rows = (count: number) => (count === 1 ? '1 row' : `${count} rows`);
    const strange = this.#settled > 0 && !this.#isOfThisLog;
    return [
      ...(strange
        ? [
            `This log knows none of the rows that say that they were taken (${this.#settled}): they may be of another profile. They are not sent; without the columns ${RESULT_COLUMNS.join(', ')} they would be.`,
          ]
        : []),
      ...(proven > 0 ? [`A spreadsheet changed cells of ${rows(proven)}: put back as they were sent.`] : []),
      ...(this.#zerosPutBack > 0
        ? [`A spreadsheet took the leading zero of the postal code in ${rows(this.#zerosPutBack)}: put back.`]
        : []),
    ];
  }

  #keyOf(row: Row): string | null {
    return likelyPrepared(row, this.#mapping, this.#preparation)?.key ?? null;
  }

  #isKnown(key: string | null): boolean {
    return key !== null && this.#log.lookup(key) !== 'none';
  }

  /** Returns the row's cells as the log proves that they were sent, or null. */
  async #provenCells(row: Row): Promise<readonly string[] | null> {
    const changed = this.#sent.flatMap((column) => {
      const variants = cellVariants(row.cells[column] ?? '');
      return variants.length === 0 ? [] : [{ column, variants: this.#likeliestFirst(column, row, variants) }];
    });
    if (changed.length === 0) return null;
    const tried: { readonly key: string; readonly choice: readonly Chosen[] }[] = [];
    for (const choice of choices(changed, Math.min(MAX_KEYS_A_ROW, this.#keysLeft))) {
      const key = this.#keyOf({ ...row, cells: withChosen(row.cells, choice) });
      if (key !== null) tried.push({ key, choice });
    }
    this.#keysLeft -= tried.length;
    await this.#log.prefetch(tried.map(({ key }) => key));
    const proven = tried.find(({ key, choice }) => this.#isKnown(key) && !this.#mayBeCorrection(row, key, choice));
    if (!proven) return null;
    for (const { column, variant } of proven.choice) {
      this.#undone.set(column, variant.undoes);
      if (variant.undoes !== UNCHANGED && isDate(variant.text)) this.#noteTurned(column, row.cells[column] ?? '');
    }
    return withChosen(row.cells, proven.choice);
  }

  /**
   * Tells whether a person may have changed a date in a refused row on purpose: to put it back would undo the correction.
   * Where other rows show that a spreadsheet has written dates in that form, it was the spreadsheet.
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

  /** Judges a row of which the log knows nothing. */
  #unproven(row: Row): Repair | null {
    const name = (column: number) => this.#mapping.columns[column] ?? '';
    const short = this.#mapping.sources
      .flatMap(({ columns }) => columns)
      .find((at) => hasLostDigits(row.cells[at] ?? ''));
    if (short !== undefined) {
      const problem = `A spreadsheet has replaced the last digits of ${name(short)} by zeros. Write the number again, in a cell formatted as text.`;
      return { problem };
    }
    const turned = [...this.#turnedDates].find(([column, forms]) => forms.has(dateForm(row.cells[column] ?? '')));
    if (turned !== undefined) {
      const problem = `A spreadsheet has changed the dates in ${name(turned[0])}, and nothing proves what this one was. Write it as it was, or as 2026-11-20.`;
      return { problem };
    }
    return this.#withPostalZero(row);
  }

  /**
   * Puts back the zero of a postal code if its market has no code without it. The market's pattern then leaves no other
   * reading of a number that came out of a spreadsheet.
   */
  #withPostalZero(row: Row): Repair | null {
    const column = this.#mapping.postalCodes.find((at) => (row.cells[at] ?? '').trim() !== '');
    const code = column === undefined ? '' : (row.cells[column] ?? '').trim();
    if (column === undefined || !/^\d{3,5}$/.test(code)) return null;
    const country = likelyPrepared(row, this.#mapping, this.#preparation)?.request.params['country'];
    const pattern = findMarket(country ?? '')?.postalCode?.[1];
    if (!pattern || pattern.test(code) || !pattern.test(`0${code}`)) return null;
    this.#zerosPutBack += 1;
    return { cells: row.cells.with(column, `0${code}`) };
  }

  async #askWitnesses(table: Table, options: Finality): Promise<void> {
    let [seen, asked] = [0, 0];
    for await (const batch of table.rows()) {
      for (const row of batch) {
        const hasDate = row.problem === null && this.#sent.some((column) => isDate(row.cells[column] ?? ''));
        if (!hasDate || settledStatus(row.earlier, options) === null) continue;
        const key = this.#keyOf(row);
        if (key !== null) await this.#log.prefetch([key]);
        if (!this.#isKnown(key)) await this.#provenCells(row);
        asked += 1;
      }
      seen += batch.length;
      if (seen >= MAX_WITNESSES || asked >= MAX_WITNESSES_ASKED) return;
    }
  }
}

const UNCHANGED = 'nothing';

/** Returns the form of a date, `99.99.99` for 20.11.26. */
function dateForm(cell: string): string {
  return cell.trim().replace(/\d/g, '9');
}

/** A variant that stands for a cell. */
interface Chosen {
  readonly column: number;
  readonly variant: CellVariant;
}

function withChosen(cells: readonly string[], choice: readonly Chosen[]): readonly string[] {
  const changed = [...cells];
  for (const { column, variant } of choice) changed[column] = variant.text;
  return changed;
}

/** Yields the combinations of the columns' variants, at most so many. The first variants come first. */
function* choices(
  changed: readonly { readonly column: number; readonly variants: readonly CellVariant[] }[],
  most: number,
): Generator<readonly Chosen[]> {
  const combinations = changed.reduce((product, { variants }) => product * variants.length, 1);
  for (let number = 0; number < Math.min(most, combinations); number++) {
    let rest = number;
    yield changed.map(({ column, variants }) => {
      const variant = variants[rest % variants.length] ?? { text: '', undoes: UNCHANGED };
      rest = Math.floor(rest / variants.length);
      return { column, variant };
    });
  }
}
