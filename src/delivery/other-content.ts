import type { LogView } from '../request/ports.ts';
import type { LoggedState } from '../request/status.ts';
import type { EarlierOutcome, Mapping, Row } from '../request/table.ts';
import { cellVariants, hasLostDigits } from './cell-variants.ts';
import { isShortenedNumber } from './check/check-texts.ts';
import { isSameIdentifier } from './lost-identifiers.ts';
import { mapRow, type Preparation, prepareRow } from './prepare.ts';
import type { SentCells } from './sent-cells.ts';

/** Maximum number of keys that are computed in a file to find out that only a spreadsheet has changed its rows. */
const MAX_KEYS = 200_000;

/** What the content of a row is. */
export interface ContentVerdict {
  /** Whether the log knows it as what the row says that it was taken. */
  readonly isProven: boolean;
  /** Whether something else was taken under what the row says. False also if that cannot be known. */
  readonly isOther: boolean;
  /** The key of the content, or null if it cannot be sent. */
  readonly key: string | null;
}

/**
 * Finds rows that say that they were taken, but hold something else: somebody has sorted some of the columns alone, or has
 * written a status by hand. Such a row is not sent, so nobody would miss it. A row that a spreadsheet may have damaged is not
 * one of them.
 */
export class OtherContent {
  readonly #mapping: Mapping;
  readonly #preparation: Preparation;
  readonly #log: LogView;
  readonly #sent: SentCells;
  readonly #budget = { keysLeft: MAX_KEYS };

  constructor(mapping: Mapping, preparation: Preparation, log: LogView, sent: SentCells) {
    this.#mapping = mapping;
    // A row was perhaps sent without --strict.
    this.#preparation = { ...preparation, strict: false };
    this.#log = log;
    this.#sent = sent;
  }

  /** Judges a row that says that it was taken. `likely` is the key of its content before any check. */
  async judge(row: Row, likely: string | null): Promise<ContentVerdict> {
    const isSent = (key: string) => mayBeTaken(this.#log.lookup(key), row.earlier);
    if (likely !== null && isSent(likely)) return this.#ofSent(row, likely);
    // A number that is written oddly has another key before it is checked.
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
    // What validate calls a duplicate has the identifier of whichever request it is a duplicate of.
    if (!earlier || earlier.id === '' || earlier.status === 'duplicate') return verdict;
    const record = await this.#log.read(key);
    // A request that was created again has another identifier than an older results file says.
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

/** To check a row with a recording the recording is read, so few variants can be tried. */
function hasRecording(row: Row, mapping: Mapping): boolean {
  return mapRow(row, mapping).fields['audio_file'] !== undefined;
}

/**
 * Tells whether a request in this state may be what a row means. A row that repeats another one says so even if that one was
 * refused in the end.
 */
function mayBeTaken(state: LoggedState, earlier: EarlierOutcome | undefined): boolean {
  return state !== 'none' && (earlier?.status !== 'created' || (state !== 'rejected' && state !== 'failed'));
}
