import type { LogRecord } from './ports.ts';
import { type SentStatus, statusOfEvent } from './status.ts';

/** A request of the log with its last record. The status of a request without a recorded outcome is `unknown`. */
export interface LogEntry extends Omit<LogRecord, 'event'> {
  /** The outcome of the request as far as the log knows. */
  readonly status: SentStatus;
}

export function logEntryOf({ event, ...record }: LogRecord): LogEntry {
  return { ...record, status: statusOfEvent(event) };
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
