import type { LogOptions } from '../cli/table/options.ts';
import { isSelected } from '../request/log/log-store.ts';
import type { LogRecord } from '../request/ports.ts';
import { SrqError } from '../request/words/errors.ts';

/** Returns the filter for the flags, except for `--run`. Throws `SrqError('usage')` for an invalid time. */
export function logFilter(options: LogOptions, nowMs: number): (record: LogRecord) => boolean {
  const { since } = options;
  const sinceMs = since === undefined ? undefined : pointInTime(since.trim(), nowMs);
  return (record) => isSelected(record, options, sinceMs);
}

/** JavaScript parses many more texts, and most of them in the zone of the machine. */
const DATE_AND_TIME = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d+)?)?)(Z|[+-]\d\d:?\d\d)?)?$/i;
const UNIT_MS: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 };

/**
 * Parses a date (2026-11-21, 2026-11-21T18:00) or a time ago (90m, 24h, 7d) as milliseconds since 1970. A time without
 * a zone is in UTC, as all times that srq shows.
 */
function pointInTime(text: string, nowMs: number): number {
  const [, count, unit = ''] = /^(\d+)([mhd])$/.exec(text) ?? [];
  if (count !== undefined) return nowMs - Number(count) * (UNIT_MS[unit] ?? 0);
  const [, day = '', time = '00:00', zone = 'Z'] = DATE_AND_TIME.exec(text) ?? [];
  const dateMs = Date.parse(`${day}T${time}${zone.toUpperCase().replace(/^(.\d\d):?/, '$1:')}`);
  // JavaScript takes February 31 for March 3.
  const isOfCalendar = new Date(Date.parse(`${day}T00:00Z`) || 0).toISOString().startsWith(day);
  if (!Number.isNaN(dateMs) && isOfCalendar) return dateMs;
  throw new SrqError(
    'arguments.invalid',
    `"${text}" is not a time.`,
    'Give a date (2026-11-21) or a time ago (90m, 24h, 7d).',
  );
}
