import type { Answer } from '../network/exchange.ts';

/** The number of requests that the service still takes before its quota is reset. */
interface Headroom {
  readonly remaining: number;
  readonly resetMs: number;
}

/** The rate limits in the headers of an answer. Durations count from the moment the answer was made. */
export interface RateHeaders {
  /** The value of Retry-After. */
  readonly pauseMs: number | null;
  readonly headroom: Headroom | null;
}

type Headers = Answer['headers'];

/** Maximum believable duration. A larger number is a mistake, such as an epoch in place of a duration. */
const MAX_BELIEVED_MS = 366 * 24 * 3_600_000;
/**
 * Numbers from these on are epochs instead of durations. As seconds from now they would be decades; as epochs they are
 * in the year 2001.
 */
const FIRST_EPOCH_SECONDS = 1e9;
const FIRST_EPOCH_MS = 1e12;
/** A name in a list. It may hold the separators. */
const QUOTED = /"[^"]*"/g;
const HTTP_DATE = /^[A-Z][a-z]{2,8}, \d{2}[ -][A-Z][a-z]{2}[ -]\d{2,4} \d{2}:\d{2}:\d{2} GMT$/;

/**
 * Reads Retry-After (RFC 9110), RateLimit (IETF drafts 6 to 11) and X-RateLimit-*. Malformed values are ignored. Dates
 * and epochs are taken relative to the answer's own Date, so that a wrong local clock does no harm. `wallMs`
 * (milliseconds since 1970) is used if there is no Date.
 */
export function readRateHeaders(headers: Headers, wallMs: number): RateHeaders {
  const answeredMs = dateMs(text(headers, 'date')) ?? wallMs;
  return {
    pauseMs: retryAfterMs(text(headers, 'retry-after'), answeredMs),
    headroom: readHeadroom(headers, answeredMs),
  };
}

function retryAfterMs(value: string, answeredMs: number): number | null {
  const seconds = plainNumber(value);
  if (seconds !== null) return believable(seconds * 1000);
  const date = dateMs(value);
  return date === null ? null : believable(Math.max(0, date - answeredMs));
}

/** Returns the quota that runs out first; of equal ones, the one that lasts longest. */
function readHeadroom(headers: Headers, answeredMs: number): Headroom | null {
  if (!Object.keys(headers).some((name) => name.includes('ratelimit'))) return null;
  const list = text(headers, 'ratelimit').replaceAll(QUOTED, '');
  const told = [
    // Drafts 8 to 11: `"name";r=0;t=5, …`.
    ...list.matchAll(/;\s*r=([^\s;,]+)[^,]*?;\s*t=([^\s;,]+)/g),
    // Draft 7: `limit=10, remaining=0, reset=5`.
    ...list.matchAll(/remaining=([^\s,]+).*?reset=([^\s,]+)/g),
    ['', text(headers, 'ratelimit-remaining'), text(headers, 'ratelimit-reset')],
    ['', text(headers, 'x-ratelimit-remaining'), text(headers, 'x-ratelimit-reset')],
  ];
  const found = told.flatMap(([, remaining = '', reset = '']) => {
    const [count, resetMs] = [plainNumber(remaining), untilResetMs(reset, answeredMs)];
    return count === null || resetMs === null ? [] : [{ remaining: Math.floor(count), resetMs }];
  });
  found.sort((a, b) => a.remaining - b.remaining || b.resetMs - a.resetMs);
  return found[0] ?? null;
}

/** Parses a duration in seconds, or an epoch in seconds or milliseconds. */
function untilResetMs(reset: string, answeredMs: number): number | null {
  const value = plainNumber(reset);
  if (value === null || value < FIRST_EPOCH_SECONDS) return value === null ? null : believable(value * 1000);
  return believable(Math.max(0, (value < FIRST_EPOCH_MS ? value * 1000 : value) - answeredMs));
}

const plainNumber = (value: string): number | null => (/^\d{1,15}(\.\d{1,9})?$/.test(value) ? Number(value) : null);

const believable = (ms: number): number | null => (ms <= MAX_BELIEVED_MS ? ms : null);

/** Parses HTTP dates only, because `Date.parse` alone accepts "-5" and "Mon". */
function dateMs(value: string): number | null {
  const ms = HTTP_DATE.test(value) ? Date.parse(value) : Number.NaN;
  return Number.isNaN(ms) ? null : ms;
}

const text = (headers: Headers, name: string): string => (headers[name] ?? '').trim();
