import { digestOf } from '../request/lead/service-request.ts';
import { type EarlierOutcome, RESULT_COLUMNS, type Row, resultPlaces } from '../request/lead/table.ts';
import type { ImportPlan } from '../request/log/import-plan.ts';
import { KeyIndex } from '../request/log/key-index.ts';
import type { Ledger } from '../request/log/ledger.ts';
import type { TakenBefore, TakenRecord } from '../request/log/log-store.ts';
import { mainIdentifier } from '../request/log/outcome.ts';
import { isTaken, type LoggedState, type Status } from '../request/log/status.ts';
import type { LogRecord, LogView } from '../request/ports.ts';
import { thousands } from '../request/words/characters.ts';
import { SrqError } from '../request/words/errors.ts';
import { FINDING } from '../request/words/finding.ts';

/*
 * Was this sent before? What the log knows of a row's content says so, else what it knows of the request that the row of a
 * results file was, else what that row says of itself. A row is held back if its reference was, or may have been, taken under other content.
 */

/** The options that say which logged outcomes are final, so that nothing is sent for them. */
export interface Finality {
  readonly onDuplicate: 'skip' | 'create';
  /** Whether requests that the log knows as created or duplicate are sent as well. Requests in doubt are not. */
  readonly again: boolean;
}

/** The status of a row that is not sent because of what the log knows of its request. */
type KnownStatus = Extract<Status, 'unknown' | 'repeated' | 'duplicate'>;

/**
 * Returns the status of a row that must not be sent because of what the log knows of its request, or null if it may be
 * sent. What a row of a results file says of itself is judged by `statedStatus`.
 */
export function loggedStatus(state: LoggedState, options: Finality): KnownStatus | null {
  const { again, onDuplicate } = options;
  // There is no default, so that a state which is added later does not compile before somebody decides here whether
  // its requests may be sent.
  switch (state) {
    case 'created':
      return again ? null : 'repeated';
    case 'duplicate':
      return !again && onDuplicate === 'skip' ? 'duplicate' : null;
    case 'sending':
    case 'unknown':
    case 'parked':
      return 'unknown';
    case 'none':
    case 'rejected':
    case 'failed':
    case 'licensed':
      return null;
  }
}

/** What the log knows is final, whatever the user has asked for. */
export const NEVER_AGAIN: Finality = { onDuplicate: 'skip', again: false };

/**
 * Returns the status of a row that its own statement settles, or null. Such a row is not sent, whatever happened to its
 * cells, unless a person empties its statement.
 */
function statedStatus(earlier: EarlierOutcome | undefined, options: Finality): KnownStatus | null {
  const stated = earlier?.status === 'repeated' ? 'created' : earlier?.status;
  return stated === 'created' || stated === 'duplicate' ? loggedStatus(stated, options) : null;
}

/** Tells whether a row states that it was taken or is a duplicate. */
export function saysItIsSettled({ earlier }: Row): boolean {
  return statedStatus(earlier, NEVER_AGAIN) !== null;
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
  /** Number of rows whose srq_status alone says that they were taken. Final after the last row. */
  strangers = 0;
  /** Number of rows whose srq_status alone says that they are unknown. Final after the last row. */
  unknownElsewhere = 0;

  /** `columns` are those of the file. */
  constructor(columns: readonly string[], log: Pick<LogView, 'lookup'>, options: Finality) {
    this.#hasKeys = resultPlaces(columns).has('srq_key');
    this.#log = log;
    this.#options = options;
  }

  /** Returns the status of a row that is not judged by its content alone, or null. `key` is the key of its content. */
  statusOf(row: Row, key: string | null): Status | null {
    const { earlier } = row;
    if (!earlier?.status) return null;
    const [content, before] = [this.#stateOf(key), this.#stateOf(earlierKey(row))];
    const stated = statedStatus(earlier, this.#options);
    if (stated !== null) {
      if (content === 'none' && before === 'none' && !this.isOther(row, key)) this.strangers += 1;
      return stated;
    }
    if (content !== 'none') return loggedStatus(content, this.#options);
    if (before !== 'none') return loggedStatus(before, this.#options);
    if (earlier.status !== 'unknown') return null;
    this.unknownElsewhere += 1;
    return 'unknown';
  }

  /**
   * Tells whether a row is settled although its content may never have been sent: its cells were changed, they stand
   * under the outcome of another row, or somebody wrote the outcome by hand. `key` is the key of its content, or null
   * if it has none.
   */
  isOther(row: Row, key: string | null): boolean {
    const before = earlierKey(row);
    const content = this.#stateOf(key);
    if ((key !== null && before === key) || isTaken(content) || content === 'unknown') return false;
    return before === null ? this.#hasKeys && row.earlier?.status === 'created' : this.#stateOf(before) !== 'none';
  }

  /** Sentences for the plan. */
  get notes(): readonly string[] {
    if (this.strangers === 0) return [];
    return [
      `The srq_status of some rows (${this.strangers}) says that they were taken, but this log does not have them. Are they from another machine or profile, or from an earlier rehearsal? They are not sent. Only if this service never got them: remove the columns ${RESULT_COLUMNS.join(', ')}.`,
    ];
  }

  #stateOf(key: string | null): LoggedState {
    return key === null ? 'none' : this.#log.lookup(key);
  }
}

/** Share of the rows of a file that may have the reference of another row. With more, references name something else. */
const MAX_SHARED = 0.1;
/** The entry of a reference that several rows have. */
const SEVERAL = 0;

/** The requests that were created at one service, may have been, or wait for it. */
export type TakenRecords = AsyncIterable<TakenRecord>;

/** The references of the rows of a file, in some 33 bytes a row. */
export class References {
  readonly #refs = new KeyIndex();
  readonly #rows: number[] = [];
  #shared = 0;

  add(row: number, ref: string): void {
    const entry = this.#refs.findOrAdd(digestOf([ref]));
    if (entry === this.#rows.length) this.#rows.push(row);
    else {
      this.#rows[entry] = SEVERAL;
      this.#shared += 1;
    }
  }

  /**
   * Finds the ready rows whose reference was created before, may have been, or waits, and returns them with those requests. A
   * reference counts only if no other row of the file has it.
   */
  async takenBefore(
    taken: TakenRecords,
    ledger: Pick<Ledger, 'status' | 'key'>,
  ): Promise<ReadonlyMap<number, TakenBefore>> {
    const found = new Map<number, TakenBefore>();
    if (this.#rows.length === 0 || this.#shared > this.#rows.length * MAX_SHARED) return found;
    for await (const { key, ref, event } of taken) {
      const entry = ref === null ? -1 : this.#refs.find(digestOf([ref]));
      const row = this.#rows[entry] ?? SEVERAL;
      const as = event === 'created' || event === 'queued' ? event : 'unknown';
      // A row that waits itself has its own key.
      if (row === SEVERAL || ledger.status(row) !== 'ready' || ledger.key(row) === key) continue;
      if (as === 'created' || !found.has(row)) found.set(row, { key, as });
    }
    return found;
  }
}

/** Says what becomes of a row that is held back, as its reference is that of an earlier request, of which `record` is known. */
export function heldBack({ as }: Pick<TakenBefore, 'as'>, record: LogRecord | null) {
  if (as === 'queued') {
    const reason = 'row.queued-before';
    return { status: 'repeated', ids: {}, message: FINDING[reason].says, reason } as const;
  }
  if (as === 'unknown') {
    const message = `A request with its reference, of ${record?.at}, may have been taken. Settle that first: srq resolve`;
    return { status: 'unknown', ids: {}, message, reason: 'row.doubtful-before' } as const;
  }
  const ids = record?.ids ?? {};
  const id = mainIdentifier(ids);
  // A later try may have been refused.
  const when = record?.event === 'created' ? `${id === '' ? '' : ` as ${id}`} on ${record.at}` : ' before';
  const message = `Its reference was created${when}, with other content. --again sends it.`;
  return { status: 'repeated', ids, message, reason: 'row.created-before' } as const;
}

/** Minimum number of rows that are other leads rather than corrected ones. */
const MANY = 3;

/**
 * Throws `SrqError('usage')` with this hint if most rows have references of requests that were created with other content. Such
 * rows are not sent, as a correction must not be. So many are other leads, in a column of numbers that begin anew with each file.
 */
export async function requireOwnReferences(plan: ImportPlan, log: LogView, hint: string): Promise<void> {
  const [created, { rows }] = [await otherLeads(plan, log), plan];
  if (created === 0) return;
  const message = `${thousands(created)} of ${thousands(rows)} rows have references of requests that were created with other content. Nothing was sent.`;
  throw new SrqError('rows.sent-before', message, hint);
}

/**
 * Returns the number of rows with references that were created with other content, or 0 if they may be corrected rows. Rows with
 * content that was refused before are: somebody has corrected them elsewhere, as in a results file.
 */
export async function otherLeads({ held, rows, ledger }: ImportPlan, log: LogView): Promise<number> {
  const keys = [...(held ?? [])].flatMap(([row, { as }]) => (as === 'created' ? (ledger.key(row) ?? []) : []));
  const areMost = (count: number) => count >= MANY && count * 2 > rows;
  if (!areMost(keys.length)) return 0;
  await log.prefetch(keys);
  const created = keys.filter((key) => log.lookup(key) === 'none').length;
  return areMost(created) ? created : 0;
}
