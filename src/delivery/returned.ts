import { type EarlierOutcome, RESULT_COLUMNS, type Row, resultPlaces } from '../request/lead/table.ts';
import { isTaken, type LoggedState, type Status } from '../request/log/status.ts';
import type { LogView } from '../request/ports.ts';
import { type Finality, loggedStatus } from './submit.ts';

/**
 * Returns the status of a row that its own statement settles, or null. Such a row is not sent, whatever happened to its
 * cells, unless a person empties its statement.
 */
function statedStatus(
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

/** Returns the key of the request that a row of a results file was, or null. A row without a status is a new one. */
export function earlierKey({ earlier }: Row): string | null {
  return earlier?.status ? (earlier.key ?? null) : null;
}

/**
 * The rows of a results file that is imported again. What the log knows of a row's content decides; else what it knows of
 * the request that the row was; else what the row says. Changed cells are not put back.
 */
export class ReturnedRows {
  readonly #log: Pick<LogView, 'lookup'>;
  readonly #options: Finality;
  readonly #hasKeys: boolean;
  #settled = 0;
  #isOfThisLog = false;

  /** `columns` are those of the file. */
  constructor(columns: readonly string[], log: Pick<LogView, 'lookup'>, options: Finality) {
    this.#hasKeys = resultPlaces(columns).has('srq_key');
    this.#log = log;
    this.#options = options;
  }

  /** Returns the status of a row that is not judged by its content alone, or null. `key` is that of its content. */
  statusOf(row: Row, key: string | null): Status | null {
    const { earlier } = row;
    if (!earlier?.status) return null;
    const [content, before] = [this.#stateOf(key), this.#stateOf(earlierKey(row))];
    const stated = statedStatus(earlier, this.#options);
    if (stated !== null) {
      this.#settled += 1;
      this.#isOfThisLog ||= content !== 'none' || before !== 'none';
      return stated;
    }
    if (content !== 'none') return loggedStatus(content, this.#options);
    if (before !== 'none') return loggedStatus(before, this.#options);
    return earlier.status === 'unknown' ? 'unknown' : null;
  }

  /**
   * Tells whether a row is settled although its content may never have been sent: its cells were changed, they stand under
   * the outcome of another row, or somebody wrote the outcome by hand. `key` is that of its content, or null if it has none.
   */
  isOther(row: Row, key: string | null): boolean {
    const before = earlierKey(row);
    const content = this.#stateOf(key);
    if ((key !== null && before === key) || isTaken(content) || content === 'unknown') return false;
    return before === null ? this.#hasKeys && row.earlier?.status === 'created' : this.#stateOf(before) !== 'none';
  }

  /** Number of rows that state that they were taken, if the log knows none of them. Complete once all rows were asked about. */
  get strangers(): number {
    return this.#isOfThisLog ? 0 : this.#settled;
  }

  /** Sentences for the plan. */
  get notes(): readonly string[] {
    if (this.strangers === 0) return [];
    return [
      `The srq_status of some rows (${this.strangers}) says that they were taken, but this log does not have them. Are they from another profile? They are not sent. To send them, remove the columns ${RESULT_COLUMNS.join(', ')}.`,
    ];
  }

  #stateOf(key: string | null): LoggedState {
    return key === null ? 'none' : this.#log.lookup(key);
  }
}
