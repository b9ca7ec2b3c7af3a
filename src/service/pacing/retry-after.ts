import type { Answer } from '../network/exchange.ts';

type Headers = Answer['headers'];

/** Maximum believable pause. A larger number is a mistake, such as an epoch in place of a duration. */
const MAX_BELIEVED_MS = 366 * 24 * 3_600_000;
const HTTP_DATE = /^[A-Z][a-z]{2,8}, \d{2}[ -][A-Z][a-z]{2}[ -]\d{2,4} \d{2}:\d{2}:\d{2} GMT$/;

/**
 * Reads Retry-After (RFC 9110), or returns null if it is absent or malformed. A date is taken relative to the answer's own
 * Date, so that a wrong local clock does no harm. `wallMs` (milliseconds since 1970) is used if there is no Date.
 */
export function retryAfterMs(headers: Headers, wallMs: number): number | null {
  const value = text(headers, 'retry-after');
  if (/^\d{1,15}(\.\d{1,9})?$/.test(value)) return believable(Number(value) * 1000);
  const date = dateMs(value);
  return date === null ? null : believable(Math.max(0, date - (dateMs(text(headers, 'date')) ?? wallMs)));
}

const believable = (ms: number): number | null => (ms <= MAX_BELIEVED_MS ? ms : null);

/** Parses HTTP dates only, because `Date.parse` alone accepts "-5" and "Mon". */
function dateMs(value: string): number | null {
  const ms = HTTP_DATE.test(value) ? Date.parse(value) : Number.NaN;
  return Number.isNaN(ms) ? null : ms;
}

const text = (headers: Headers, name: string): string => (headers[name] ?? '').trim();
