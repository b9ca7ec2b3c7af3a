import type { Destination } from '../lead/service-request.ts';
import type { DeliveryLog, LogRecord, LogView } from '../ports.ts';
import { KeyIndex } from './key-index.ts';
import { type RowReason, reasonOf } from './outcome.ts';
import { type Counts, type LogEvent, noCounts, type SentStatus, statusOfEvent } from './status.ts';

/** A record with its place in the log. */
export interface ReadRecord {
  readonly record: LogRecord;
  /** Number of its request, counted from 0 in the order in which requests first appeared. */
  readonly request: number;
  /** Whether it is the last record of its request. */
  readonly isLast: boolean;
}

/** A log that is open for sending. */
export interface OpenLog extends DeliveryLog {
  /** Waits for pending records, and accepts none from then on. */
  close(): Promise<void>;
}

/** Read access to a log, without taking part in it. */
export interface LogReader extends LogView {
  close(): Promise<void>;
}

/** Opens the notes on one run for adding. Notes only inform, so an error while writing one is ignored. */
export interface RunNotes {
  note(note: RunNote): void;
  /** Resolves when all notes are kept or given up. */
  flush(): Promise<void>;
}

/** A log and the notes on its runs, independent of where they are kept. Methods throw `SrqError('log')`. */
export interface LogStore {
  /** The log's name for people: a path, or a URL without its password. */
  readonly name: string;
  /**
   * Opens the log for sending. If another process prevents that, the message names the `command` and the process.
   * `exclusive` means a bulk run.
   */
  open(command: string, exclusive: boolean): Promise<OpenLog>;
  openReader(): Promise<LogReader>;
  /**
   * Yields the last record of every request, oldest first, as of the moment when it begins. A log that does not exist
   * is empty.
   */
  latest(): AsyncGenerator<LogRecord, unknown>;
  /** Yields every record in order, or only those with this reference. Otherwise like `latest`. */
  records(ref?: string): AsyncGenerator<ReadRecord, unknown>;
  /** Yields all notes, oldest first. Unreadable ones are skipped. */
  notes(): AsyncGenerator<RecordedNote>;
  openNotes(run: string): RunNotes;
  /** Yields the requests that wait in the queue of an account, or only those with a reference, if the store has queues. */
  waiting?(destination: Destination, ref?: string): AsyncGenerator<Pick<LogRecord, 'key' | 'ref'>>;
}

/**
 * The beginning of an import: where it sends to, and what the plan found. It contains no personal data.
 */
export interface RunBegin {
  readonly event: 'begin';
  readonly version: string;
  /** Name of the input without its folder. */
  readonly file: string;
  readonly profile: string;
  readonly live: boolean;
  /** Host and port of the service. */
  readonly service: string;
  readonly rows: number;
  /** Number of rows by status, according to the plan. */
  readonly counts: Counts;
}

/** An event of a run other than its requests. No note decides what is sent. */
export type RunNote =
  | RunBegin
  /** A command other than an import sends to this service. */
  | { readonly event: 'to'; readonly service: string }
  /** An answer 429 or 503, after which nobody sends for `pauseMs`. Older logs count several in one note. */
  | { readonly event: 'refused'; readonly http: number; readonly count: number; readonly pauseMs: number }
  /** The circuit breaker opened, and nothing is sent for `pauseMs`. */
  | { readonly event: 'breaker'; readonly pauseMs: number }
  /**
   * The end of the run. `stopped` says why it ended early, or is null if it did not. `counts` are the rows by status in the
   * end, which older logs do not have.
   */
  | { readonly event: 'end'; readonly stopped: string | null; readonly counts?: Counts };

/** A note that was read back, with its run and time. */
export type RecordedNote = RunNote & { readonly run: string; readonly at: string };

const EVENTS: ReadonlySet<string> = new Set(['to', 'refused', 'breaker', 'end'] satisfies RunNote['event'][]);

/** Validates a note as it was kept, and returns null if it cannot be used. */
export function parseNote(value: unknown): RecordedNote | null {
  const note = value as RecordedNote | null;
  if (note === null || typeof note !== 'object' || typeof note.run !== 'string') return null;
  if (Number.isNaN(Date.parse(note.at))) return null;
  if (note.event !== 'begin') return EVENTS.has(note.event) ? note : null;
  const isWhole = typeof note.rows === 'number' && typeof note.counts === 'object' && note.counts !== null;
  return isWhole ? { ...note, counts: { ...noCounts(), ...note.counts } } : null;
}

/** A request of the log with its last record. The status of a request without a recorded outcome is `unknown`. */
export interface LogEntry extends Omit<LogRecord, 'event' | 'wireForm' | 'wasClear' | 'looked'> {
  /** The outcome of the request as far as the log knows. */
  readonly status: SentStatus;
  /** The stable code of the reason if the request is `rejected`, `failed` or `unknown`, else null. */
  readonly reason: RowReason | null;
}

export function logEntryOf(whole: LogRecord): LogEntry {
  const { event, wireForm: _, wasClear: __, looked: ___, ...record } = whole;
  return { ...record, message: recordMessage(whole), status: statusOfEvent(event), reason: recordReason(whole) };
}

/** Returns the code of why the request of a record was not taken, or may not have been, or null. */
export function recordReason({ event, http }: LogRecord): RowReason | null {
  return event === 'licence' ? 'request.not-taken' : reasonOf({ status: statusOfEvent(event), http });
}

/** Returns what a record says to a person. An intent and a licence hold no words of their own. */
export function recordMessage({ event, by, message }: LogRecord): string | null {
  if (event === 'sending') return 'Sent, and no outcome is recorded: it is still under way, or its outcome is unknown.';
  if (event !== 'licence') return message;
  return `Not taken, as ${by === 'validate' ? 'validate shows' : 'a person says'}; the next run sends it.`;
}

/** Selects requests of the log. Members that are left out select all. */
export interface LogSelection {
  /** The caller's own reference. */
  readonly ref?: string | undefined;
  /** One of the service's identifiers. */
  readonly id?: string | undefined;
  /** The outcome of the request. */
  readonly status?: SentStatus | undefined;
  /** The beginning of the id of a run that sent or settled the request. */
  readonly run?: string | undefined;
}

/**
 * Returns the keys of the requests that a run has sent or settled, or null if no run is named. The last record of a
 * request does not tell them, because a later run may have settled it.
 */
export async function keysOfRun(log: Pick<LogStore, 'records'>, run: string | undefined): Promise<KeyIndex | null> {
  if (run === undefined) return null;
  const keys = new KeyIndex();
  for await (const { record } of log.records()) if (record.run.startsWith(run)) keys.findOrAdd(record.key);
  return keys;
}

/**
 * Tells whether a record is selected and its time is at least `sinceMs`. Which run it is of is asked of
 * {@link keysOfRun}.
 */
export function isSelected(record: LogRecord, { ref, id, status }: LogSelection, sinceMs = Number.NEGATIVE_INFINITY) {
  return (
    (ref === undefined || record.ref === ref) &&
    (id === undefined || Object.values(record.ids).includes(id)) &&
    (status === undefined || statusOfEvent(record.event) === status) &&
    Date.parse(record.at) >= sinceMs
  );
}

/**
 * Yields the last record of every request, or with `id` only those that name it. A request that was created once more has the
 * identifiers of both creations, and then yields the record of the one that is meant.
 */
async function* recordsWith(log: LogStore, id: string | undefined): AsyncGenerator<LogRecord, void> {
  if (id === undefined) {
    yield* log.latest();
    return;
  }
  const found = new Map<string, LogRecord>();
  const sentAgain = new Set<string>();
  for await (const { record, isLast } of log.records()) {
    const { key, event } = record;
    if ((isLast || event === 'created') && isSelected(record, { id })) found.set(key, record);
    else if (event === 'sending' && found.has(key)) sentAgain.add(key);
    // Unless it is about another try, this takes the creation back: another request got the same identifier.
    else if (event === 'unknown' && !sentAgain.has(key)) found.delete(key);
  }
  yield* found.values();
}

/** Yields the requests that are selected, oldest first. `isWanted` judges the last record of each of those of the run. */
export async function* entriesWith(
  log: LogStore,
  { run, id }: Pick<LogSelection, 'run' | 'id'>,
  isWanted: (record: LogRecord) => boolean,
): AsyncGenerator<LogEntry, void> {
  const keys = await keysOfRun(log, run);
  for await (const record of recordsWith(log, id))
    if ((keys?.find(record.key) ?? 0) >= 0 && isWanted(record)) yield logEntryOf(record);
}

/** A request that was created, may have been, or waits in the queue. One that waits has no time. */
export type TakenRecord = Pick<LogRecord, 'key' | 'ref'> &
  Partial<Pick<LogRecord, 'at'>> & { readonly event: LogEvent | 'queued' };

/** The request that had a row's reference before, and what is known of it. */
export interface TakenBefore {
  readonly key: string;
  readonly as: 'created' | 'queued' | 'unknown';
}

/**
 * Yields what was created at the service of this destination, may have been, or waits in the queue for it. With `ref`, only
 * what was sent with this reference. What runs at other services have sent says nothing about it, whoever settled it.
 */
export async function* takenAt(log: LogStore, to: Destination, ref?: string): AsyncGenerator<TakenRecord, void> {
  const { baseUrl } = to;
  const service = URL.canParse(baseUrl) ? new URL(baseUrl).host : '';
  const [elsewhere, sentThere] = [new Set<string>(), new KeyIndex()];
  for await (const note of log.notes()) if ('service' in note && note.service !== service) elsewhere.add(note.run);
  for await (const { record, isLast } of log.records(ref)) {
    const { key, event, run } = record;
    if (event === 'sending' && elsewhere.has(run)) sentThere.findOrAdd(key);
    const mayBe = event === 'created' || (isLast && statusOfEvent(event) === 'unknown');
    if (mayBe && sentThere.find(key) < 0) yield record;
  }
  if (!log.waiting) return;
  for await (const request of log.waiting(to, ref)) yield { ...request, event: 'queued' };
}
