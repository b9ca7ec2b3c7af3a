import type { LogEvent } from '../request/log/status.ts';
import type { LogRecord } from '../request/ports.ts';

const WORDS: readonly LogRecord['by'][] = ['validate', 'person', 'idempotency'];
const CLEAR = 'clear';
const LOOKED = 'looked';
const FORM = 'form ';

type How = Pick<LogRecord, 'by' | 'wireForm' | 'wasClear' | 'looked'>;

/**
 * Returns what a record keeps as `by`: who settled its request, or else whether validate had called it clear, whether validate
 * was asked since, and in which form it was sent: `clear`, `form 3f9a`, `clear looked form 3f9a`.
 */
export function storedBy(event: LogEvent, { by, wireForm, wasClear, looked }: Partial<Nullable<How>>): string | null {
  if (by) return by;
  if (event !== 'sending' && event !== 'unknown') return null;
  const parts = [...(wasClear ? [CLEAR] : []), ...(looked ? [LOOKED] : []), ...(wireForm ? [FORM + wireForm] : [])];
  return parts.length > 0 ? parts.join(' ') : null;
}

type Nullable<Values> = { [Name in keyof Values]: Values[Name] | null | undefined };

/** Reads what {@link storedBy} has written. A text that it does not know comes from a later version and is ignored. */
export function howStored(by: unknown): How {
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
