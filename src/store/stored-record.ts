import type { Identifiers, Outcome } from '../request/log/outcome.ts';
import type { LogEvent, LoggedState } from '../request/log/status.ts';
import type { DeliveryLog, LogRecord, LogSubject } from '../request/ports.ts';

/** A record that is to be written, and gets its time and its run then. */
export type NewRecord = Omit<LogRecord, 'at' | 'run' | keyof How> & How;

type How = { readonly [Name in 'by' | 'wireForm' | 'wasClear' | 'looked']?: LogRecord[Name] | null | undefined };

/** What a log knows of a request: its state, and its last record. */
export interface KnownRequest {
  readonly state: LoggedState;
  readonly record: LogRecord;
}

/** A log in a file, as a store may know of it: 32 hex digits each. */
export interface FileLogId {
  /** Identifies the log wherever it is copied to: a digest of its first line. */
  readonly log: string;
  /** Identifies how far it goes: a digest of its size and its end. */
  readonly state: string;
}

const NOTHING: Omit<Outcome, 'status'> = { ids: {}, http: null, ms: null, message: null, raw: null };

/**
 * What both kinds of log have in common: what a call means as a record. `append` adds a record if the state of its request
 * is still `seen`; null means any state.
 */
export function logWriter(
  append: (record: NewRecord, seen: LoggedState | null) => Promise<boolean>,
): Pick<DeliveryLog, 'sending' | 'licence' | 'outcome'> {
  return {
    sending: (subject, seen, how = {}) => append(newRecord(subject, 'sending', NOTHING, how), seen),
    licence: (subject, seen, by, how = {}) => append(newRecord(subject, 'licence', NOTHING, { ...how, by }), seen),
    outcome: (subject, outcome, how = {}) => append(newRecord(subject, outcome.status, outcome, how), how.seen ?? null),
  };
}

/** Every row has two records, and spreading the objects would take several times as long. */
function newRecord(
  { key, row, ref, market }: LogSubject,
  event: LogEvent,
  { ids, http, ms, message, raw }: Omit<Outcome, 'status'>,
  { again = false, by, wireForm, wasClear, looked }: How & { readonly again?: boolean },
): NewRecord {
  return { key, row, ref, market, event, ids, http, ms, message, raw, again, by, wireForm, wasClear, looked };
}

/** Returns what a record keeps besides its key, event, time, run and identifiers. What is absent is left out. */
export function detailsOf(record: NewRecord) {
  const { row, ref, market, http, ms, message, raw, again, event } = record;
  return {
    row,
    ref,
    market,
    http: http ?? undefined,
    ms: ms ?? undefined,
    message: message ?? undefined,
    raw: raw ?? undefined,
    by: storedBy(event, record) ?? undefined,
    again: again || undefined,
  };
}

/** Returns the identifiers if there are any. */
export const someIds = (ids: Identifiers) => (Object.keys(ids).length > 0 ? ids : undefined);

/** Reads a record. An optional value of the wrong type counts as absent. */
export function recordFrom(
  { key, event, at }: Pick<LogRecord, 'key' | 'event' | 'at'>,
  { run, row, ref, market, ids, http, ms, message, raw, by, again }: Partial<Record<keyof LogRecord, unknown>>,
): LogRecord {
  return {
    key,
    event,
    at,
    run: textIn(run) ?? '',
    row: numberIn(row) ?? 0,
    ref: textIn(ref),
    ...(typeof market === 'string' ? { market } : {}),
    ids: typeof ids === 'object' && ids !== null ? (ids as Identifiers) : {},
    http: numberIn(http),
    ms: numberIn(ms),
    message: textIn(message),
    raw: textIn(raw),
    ...howStored(by),
    again: again === true,
  };
}

const textIn = (value: unknown) => (typeof value === 'string' ? value : null);
const numberIn = (value: unknown) => (typeof value === 'number' ? value : null);

const WORDS: readonly LogRecord['by'][] = ['validate', 'person', 'idempotency'];

/**
 * Returns what a record keeps as `by`: who settled its request, or else whether validate had called it clear, whether validate
 * was asked since, and in which form it was sent: `clear`, `form 3f9a`, `clear looked form 3f9a`.
 */
function storedBy(event: LogEvent, { by, wireForm, wasClear, looked }: How): string | null {
  if (by) return by;
  if (event !== 'sending' && event !== 'unknown') return null;
  const parts = [wasClear && 'clear', looked && 'looked', wireForm && `form ${wireForm}`];
  return parts.filter(Boolean).join(' ') || null;
}

/** Reads what {@link storedBy} has written. A text that it does not know comes from a later version and is ignored. */
function howStored(by: unknown): Pick<LogRecord, 'by' | 'wireForm' | 'wasClear' | 'looked'> {
  const read = typeof by === 'string' ? /^(clear)?(?:(?:^| )(looked))?(?:(?:^| )form (.+))?$/.exec(by) : null;
  if (!read?.[0]) return { by: WORDS.find((each) => each === by) ?? null };
  const [, clear, looked, wireForm] = read;
  return {
    by: null,
    ...(wireForm === undefined ? {} : { wireForm }),
    ...(clear === undefined ? {} : { wasClear: true }),
    ...(looked === undefined ? {} : { looked: true }),
  };
}
