import type { LogView } from '../request/ports.ts';
import type { LoggedState } from '../request/status.ts';
import type { EarlierOutcome, Mapping, Row } from '../request/table.ts';
import { cellVariants, hasLostDigits } from './cell-variants.ts';
import { isShortenedNumber } from './check/check-texts.ts';
import { isSameIdentifier } from './lost-identifiers.ts';
import { mapRow, type Preparation, prepareRow } from './prepare.ts';
import type { SentCells } from './sent-cells.ts';

/** Maximum number of keys that are computed for one file to find out that only a spreadsheet has changed its rows. */
const MAX_KEYS = 200_000;

/** The verdict on the content of a row. */
export interface ContentVerdict {
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
export class OtherContent {
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
