import type { LogRecord } from '../request/ports.ts';
import type { LogEvent } from '../request/status.ts';

const WORDS: readonly LogRecord['by'][] = ['validate', 'person', 'idempotency'];
const FORM = 'form ';

type How = Pick<LogRecord, 'by' | 'wireForm'>;

/** Returns what a record keeps as `by`: who settled its request, or else in which form it was sent. */
export function storedBy(event: LogEvent, by: LogRecord['by'], wireForm: string | null | undefined): string | null {
  if (by !== null) return by;
  return wireForm && (event === 'sending' || event === 'unknown') ? FORM + wireForm : null;
}

/** Reads what {@link storedBy} has written. A text that it does not know comes from a later version and is ignored. */
export function howStored(by: unknown): How {
  if (typeof by === 'string' && by.startsWith(FORM)) return { by: null, wireForm: by.slice(FORM.length) };
  return { by: WORDS.find((each) => each === by) ?? null };
}
