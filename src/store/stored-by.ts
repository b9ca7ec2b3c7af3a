import type { LogRecord } from '../request/ports.ts';
import type { LogEvent } from '../request/status.ts';

const WORDS: readonly LogRecord['by'][] = ['validate', 'person', 'idempotency'];
const KEY = 'key ';

type How = Pick<LogRecord, 'by' | 'keyForm'>;

/** Returns what a record keeps as `by`: who settled its request, or else with which idempotency key it was sent. */
export function storedBy(event: LogEvent, by: LogRecord['by'], keyForm: string | null | undefined): string | null {
  if (by !== null) return by;
  return keyForm && (event === 'sending' || event === 'unknown') ? KEY + keyForm : null;
}

/** Reads what {@link storedBy} has written. Other text is of a later version, and says nothing to this one. */
export function howStored(by: unknown): How {
  if (typeof by === 'string' && by.startsWith(KEY)) return { by: null, keyForm: by.slice(KEY.length) };
  return { by: WORDS.find((each) => each === by) ?? null };
}
