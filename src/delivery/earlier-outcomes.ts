import type { RowRange } from '../request/import-plan.ts';
import { findMarket } from '../request/markets.ts';
import type { LogView } from '../request/ports.ts';
import type { LoggedState, Status } from '../request/status.ts';
import { type EarlierOutcome, type Mapping, RESULT_COLUMNS, type Row, type Table } from '../request/table.ts';
import { isShortenedNumber } from './check/check-request.ts';
import { isSameIdentifier } from './lost-identifiers.ts';
import { likelyPrepared, mapRow, type Preparation, prepareRow } from './prepare.ts';
import { mapRows, rowsInRange } from './read-rows.ts';
import { type CellSearch, cellVariants, hasLostDigits, isDate, SentCells } from './sent-cells.ts';
import type { Finality } from './submit.ts';

/** Maximum number of keys that are computed for one file to find out what its rows were. */
const MAX_KEYS = 200_000;
/**
 * Number of rows at the beginning of a file in which witnesses are looked for. Witnesses are settled rows, which show
 * whether a spreadsheet has changed the form of dates.
 */
const MAX_WITNESS_ROWS = 10_000;
/** Maximum number of witnesses that are examined. */
const MAX_WITNESSES_ASKED = 50;

/**
 * Returns the status of a row that its own statement settles, whatever happened to its other cells, or null. Such a row
 * is never sent. What the log knows of a row's request is judged by `loggedStatus`.
 */
export function statedStatus(
  earlier: EarlierOutcome | undefined,
  { again, onDuplicate }: Finality,
): 'repeated' | 'duplicate' | null {
  if (!earlier || again) return null;
  if (earlier.status === 'created' || earlier.status === 'repeated') return 'repeated';
  return earlier.status === 'duplicate' && onDuplicate === 'skip' ? 'duplicate' : null;
}

/** Tells whether a row states that it was taken or is a duplicate. */
export function saysItIsSettled({ earlier }: Row): boolean {
  return statedStatus(earlier, { again: false, onDuplicate: 'skip' }) !== null;
}

/** Tells whether a row with this status in the ledger was skipped because of its own statement. */
export function isKept(row: Row, status: Status): boolean {
  return (status === 'repeated' || status === 'duplicate') && saysItIsSettled(row);
}

/** The repair of a row: either its original cells, or the reason why it cannot be sent. */
type Repair = Pick<Row, 'cells'> | Pick<Row, 'problem'>;

/**
 * The rows of a results file that is imported again. Cells that a spreadsheet has changed are restored if the log
 * proves what was sent, because it knows the key of the row with the restored cells. Otherwise a row whose cells have
 * visibly lost something is not sent.
 */
export class ReturnedRows {
  /** The table with restored cells. */
  readonly table: Table;
  /** The table as it is read. */
  readonly #source: Table;
  readonly #mapping: Mapping;
  readonly #preparation: Preparation;
  readonly #log: LogView;
  readonly #repairs = new Map<number, Repair>();
  readonly #sent: SentCells;
  readonly #search: CellSearch;
  readonly #content: OtherContent;
  /**
   * The rows that state that they were taken but hold other content, with the key of that content. The key is null if
   * that content cannot be sent.
   */
  readonly #others = new Map<number, string | null>();
  #zerosPutBack = 0;
  #settled = 0;
  /** Whether the log knows any of the rows that state that they were taken. */
  #isOfThisLog = false;
  /** The last row that states that it was taken and was restored while the log knew none of them. */
  #lastUnjudged = 0;

  private constructor(table: Table, mapping: Mapping, preparation: Preparation, log: LogView) {
    this.#source = table;
    this.#mapping = mapping;
    this.#preparation = preparation;
    this.#log = log;
    this.#sent = new SentCells(mapping, log);
    const [keyOf, isSent] = [(row: Row) => this.#keyOf(row), (key: string) => this.#isKnown(key)];
    this.#search = { keyOf, isSent, budget: { keysLeft: MAX_KEYS } };
    this.#content = new OtherContent(mapping, preparation, log, this.#sent);
    this.table = this.#repaired(table);
  }

  /**
   * Opens the rows of a table. The first rows that state that they were taken are read at once, because they show what
   * a spreadsheet did to dates.
   */
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
   * Restores the cells of rows whose content decides about them. Rows that are settled by their own statement are left
   * unchanged.
   */
  async restore(batch: readonly Row[], options: Finality): Promise<readonly Row[]> {
    const keys = await this.#knownKeys(batch);
    const settled = batch.filter((row) => statedStatus(row.earlier, options) !== null);
    const open = batch.filter((row) => row.problem === null && statedStatus(row.earlier, options) === null);
    this.#settled += settled.length;
    await this.#judge(settled, keys);
    for (const row of open) {
      if (this.#isKnown(keys.get(row.number) ?? null)) continue;
      const proven = await this.#sent.find(row, this.#search);
      const repair = proven ? { cells: proven.cells } : this.#unproven(row);
      if (repair) this.#repairs.set(row.number, repair);
    }
    return batch.map((row) => this.#repair(row));
  }

  /**
   * Yields the rows within the range that state that they were taken and stand before the first such row that the log
   * knows, once they are judged like those behind it. They are read again, because they may be most of the file. Call it
   * after all rows were restored.
   */
  async *judgedLate({ skip }: RowRange, options: Finality): AsyncGenerator<readonly Row[]> {
    if (!this.#isOfThisLog || this.#lastUnjudged === 0) return;
    for await (const batch of rowsInRange(this.#source, { skip, limit: this.#lastUnjudged - skip })) {
      const settled = batch.filter((row) => statedStatus(row.earlier, options) !== null);
      await this.#judge(settled, await this.#knownKeys(settled));
      yield settled;
    }
  }

  /**
   * Returns the key of a row that states that it was taken but holds other content, or null if that content cannot be
   * sent. Returns undefined for all other rows.
   */
  otherContent(row: number): string | null | undefined {
    return this.#others.get(row);
  }

  /**
   * Looks for other content in rows that state that they were taken. As long as the log knows none of them, it proves
   * nothing, and none is reported.
   */
  async #judge(settled: readonly Row[], keys: ReadonlyMap<number, string | null>): Promise<void> {
    const judged = settled.filter(({ problem }) => problem === null);
    const isKnown = ({ number }: Row) => this.#isKnown(keys.get(number) ?? null);
    this.#isOfThisLog ||= judged.some(isKnown);
    if (!this.#isOfThisLog) {
      this.#lastUnjudged = settled.at(-1)?.number ?? this.#lastUnjudged;
      return;
    }
    const note = ({ number }: Row, { isOther, key }: ContentVerdict) => {
      if (isOther) this.#others.set(number, key);
    };
    const judge = (row: Row) => this.#content.judge(row, keys.get(row.number) ?? null);
    // The records of known rows are read at once, to save round trips to a remote log.
    const known = judged.filter(isKnown);
    for (const [at, verdict] of (await Promise.all(known.map(judge))).entries()) {
      const row = known[at];
      if (row) note(row, verdict);
    }
    for (const row of judged) if (!isKnown(row)) note(row, await judge(row));
  }

  #repair(row: Row): Row {
    const repair = this.#repairs.get(row.number);
    return repair ? { ...row, ...repair } : row;
  }

  #repaired(table: Table): Table {
    const rows = (batch: readonly Row[]) => (this.#repairs.size === 0 ? batch : batch.map((row) => this.#repair(row)));
    return mapRows(table, rows, { notes: () => this.#notes(), strangers: () => this.#strangers });
  }

  /** Number of rows that state that they were taken, if the log knows none of them. */
  get #strangers(): number {
    return this.#isOfThisLog ? 0 : this.#settled;
  }

  #notes(): string[] {
    const proven = [...this.#repairs.values()].filter((repair) => 'cells' in repair).length - this.#zerosPutBack;
    const rows = (count: number) => (count === 1 ? '1 row' : `${count} rows`);
    return [
      ...(this.#strangers > 0
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

  /** Returns the keys of the rows by number. They can be looked up in the log from now on. */
  async #knownKeys(rows: readonly Row[]): Promise<ReadonlyMap<number, string | null>> {
    const keys = new Map(rows.map((row) => [row.number, this.#keyOf(row)]));
    await this.#log.prefetch([...keys.values()].filter((key) => key !== null));
    return keys;
  }

  #keyOf(row: Row): string | null {
    return likelyPrepared(row, this.#mapping, this.#preparation)?.key ?? null;
  }

  #isKnown(key: string | null): boolean {
    return key !== null && this.#log.lookup(key) !== 'none';
  }

  /** Returns the repair of a row whose request the log does not know, or null if there is none. */
  #unproven(row: Row): Repair | null {
    const name = (column: number) => this.#mapping.columns[column] ?? '';
    const short = this.#mapping.sources
      .flatMap(({ columns }) => columns)
      .find((at) => hasLostDigits(row.cells[at] ?? ''));
    if (short !== undefined) {
      const problem = `A spreadsheet has replaced the last digits of ${name(short)} by zeros. Write the number again, in a cell formatted as text.`;
      return { problem };
    }
    const turned = this.#sent.turnedDate(row);
    if (turned !== null) {
      const problem = `A spreadsheet has changed the dates in ${name(turned)}, and nothing proves what this one was. Write it as it was, or as 2026-11-20.`;
      return { problem };
    }
    return this.#withPostalZero(row);
  }

  /**
   * Restores the leading zero of a postal code if every code of its market needs it. The market's pattern then leaves
   * no other reading of the number.
   */
  #withPostalZero(row: Row): Repair | null {
    const column = this.#mapping.parts.postal_code?.find((at) => (row.cells[at] ?? '').trim() !== '');
    const code = column === undefined ? '' : (row.cells[column] ?? '').trim();
    if (column === undefined || !/^\d{3,5}$/.test(code)) return null;
    const country = likelyPrepared(row, this.#mapping, this.#preparation)?.request.params['country'];
    const pattern = findMarket(country ?? '')?.postalCode?.[1];
    if (!pattern || pattern.test(code) || !pattern.test(`0${code}`)) return null;
    this.#zerosPutBack += 1;
    return { cells: row.cells.with(column, `0${code}`) };
  }

  /**
   * Examines the first rows that state that they were taken. They show whether they are of this log, and what a
   * spreadsheet did to dates.
   */
  async #askWitnesses(table: Table, options: Finality): Promise<void> {
    let [seen, asked] = [0, 0];
    for await (const batch of table.rows()) {
      const settled = batch.filter((row) => row.problem === null && statedStatus(row.earlier, options) !== null);
      for (const row of settled) {
        const hasDate = this.#sent.columns.some((column) => isDate(row.cells[column] ?? ''));
        if (this.#isOfThisLog && !hasDate) continue;
        const key = this.#keyOf(row);
        if (key !== null) await this.#log.prefetch([key]);
        const isProven = this.#isKnown(key) || (await this.#content.judge(row, key)).isProven;
        this.#isOfThisLog ||= isProven;
        asked += 1;
        if (asked >= MAX_WITNESSES_ASKED) return;
      }
      seen += batch.length;
      if (seen >= MAX_WITNESS_ROWS) return;
    }
  }
}

/** The verdict on the content of a row. */
interface ContentVerdict {
  /** Whether the log knows that this content was taken, as the row states. */
  readonly isProven: boolean;
  /** Whether other content was taken than the row now holds. False also if that cannot be known. */
  readonly isOther: boolean;
  /** The key of the content, or null if it cannot be sent. */
  readonly key: string | null;
}

/**
 * Finds rows that state that they were taken but hold other content. That happens if somebody sorts only some of the
 * columns, or writes a status by hand. Such a row is not sent, so the mistake would go unnoticed. A row that a
 * spreadsheet may have damaged is not reported.
 */
class OtherContent {
  readonly #mapping: Mapping;
  readonly #preparation: Preparation;
  readonly #log: LogView;
  readonly #sent: SentCells;
  readonly #budget = { keysLeft: MAX_KEYS };

  constructor(mapping: Mapping, preparation: Preparation, log: LogView, sent: SentCells) {
    this.#mapping = mapping;
    // The row may have been sent without --strict.
    this.#preparation = { ...preparation, strict: false };
    this.#log = log;
    this.#sent = sent;
  }

  /** Judges a row that states that it was taken. `likely` is the key of its content before any check. */
  async judge(row: Row, likely: string | null): Promise<ContentVerdict> {
    const isSent = (key: string) => mayBeTaken(this.#log.lookup(key), row.earlier);
    if (likely !== null && isSent(likely)) return this.#ofSent(row, likely);
    // The checks normalise unusual spellings of numbers, so the key may change.
    const key = await this.#checkedKey(row);
    if (key !== null) await this.#log.prefetch([key]);
    if (key !== null && isSent(key)) return this.#ofSent(row, key);
    if (hasRecording(row, this.#mapping))
      return { isProven: false, isOther: key !== null && !this.#hasVariants(row), key };
    const keyOf = (tried: Row) => this.#checkedKey(tried);
    const proven = await this.#sent.find(row, { keyOf, isSent, budget: this.#budget });
    if (proven) return this.#ofSent(row, proven.key);
    return { isProven: false, isOther: this.#budget.keysLeft > 0 && !this.#isDamaged(row), key };
  }

  async #ofSent({ earlier }: Row, key: string): Promise<ContentVerdict> {
    const verdict = { isProven: true, isOther: false, key };
    // The identifier of a duplicate belongs to the request that it repeats, which may be any other.
    if (!earlier || earlier.id === '' || earlier.status === 'duplicate') return verdict;
    const record = await this.#log.read(key);
    // If the request was created again, its identifier differs from the one in an older results file.
    if (record?.event !== 'created' || record.again) return verdict;
    const ids = Object.values(record.ids);
    return { ...verdict, isOther: ids.length > 0 && !ids.some((id) => isSameIdentifier(id, earlier.id)) };
  }

  async #checkedKey(row: Row): Promise<string | null> {
    const prepared = await prepareRow(row, this.#mapping, this.#preparation);
    return prepared.request ? prepared.key : null;
  }

  /** Tells whether a spreadsheet has visibly changed cells so that they cannot be put back. */
  #isDamaged(row: Row): boolean {
    const isLost = (cell: string) => hasLostDigits(cell) || isShortenedNumber(cell);
    return this.#sent.turnedDate(row) !== null || this.#sent.columns.some((at) => isLost(row.cells[at] ?? ''));
  }

  #hasVariants({ cells }: Row): boolean {
    return this.#sent.columns.some((at) => cellVariants(cells[at] ?? '').length > 0);
  }
}

/**
 * Tells whether a row has a recording. Its key can only be computed by reading the recording, so few variants can be
 * tried.
 */
function hasRecording(row: Row, mapping: Mapping): boolean {
  return mapRow(row, mapping).fields['audio_file'] !== undefined;
}

/**
 * Tells whether a request in this state may be the one whose outcome a row states. A row that repeats another one
 * states that even if the other one was refused in the end.
 */
function mayBeTaken(state: LoggedState, earlier: EarlierOutcome | undefined): boolean {
  return state !== 'none' && (earlier?.status !== 'created' || (state !== 'rejected' && state !== 'failed'));
}
