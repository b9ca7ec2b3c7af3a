import { type RowReason, reasonOf } from './outcome.ts';
import type { LogRecord } from './ports.ts';
import { type SentStatus, statusOfEvent } from './status.ts';

/** A request of the log with its last record. The status of a request without a recorded outcome is `unknown`. */
export interface LogEntry extends Omit<LogRecord, 'event'> {
  /** The outcome of the request as far as the log knows. */
  readonly status: SentStatus;
  /** The stable code of the reason if the request is `rejected`, `failed` or `unknown`, else null. */
  readonly reason: RowReason | null;
}

export function logEntryOf(whole: LogRecord): LogEntry {
  const { event, ...record } = whole;
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
  /** The beginning of a run's id. */
  readonly run?: string | undefined;
}

/** Tells whether a record is selected and its time is at least `sinceMs` and before `untilMs`. */
export function isSelected(
  record: LogRecord,
  { ref, id, status, run }: LogSelection,
  sinceMs = Number.NEGATIVE_INFINITY,
  untilMs = Number.POSITIVE_INFINITY,
): boolean {
  const atMs = Date.parse(record.at);
  return (
    (ref === undefined || record.ref === ref) &&
    (id === undefined || Object.values(record.ids).includes(id)) &&
    (status === undefined || statusOfEvent(record.event) === status) &&
    (run === undefined || record.run.startsWith(run)) &&
    atMs >= sinceMs &&
    atMs < untilMs
  );
}
