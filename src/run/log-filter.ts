import { isSelected, keysOfRun, type LogSelection, type LogStore } from '../request/log/log-store.ts';
import type { LogRecord } from '../request/ports.ts';
import { SrqError } from '../request/words/errors.ts';
import { knownRun } from './known-runs.ts';

/** The flags with which commands select requests of the log, as commander parses them. */
export interface LogFilterOptions extends LogSelection {
  readonly since?: string;
  readonly until?: string;
}

/**
 * Returns the filter for the flags, `--run` included. Throws `SrqError('usage')` for an invalid time, and for a run that
 * the log does not know; `forAll` is the command that takes all requests.
 */
export async function requestFilter(
  store: LogStore,
  options: LogFilterOptions,
  nowMs: number,
  forAll: string,
): Promise<(record: LogRecord) => boolean> {
  const isWanted = logFilter(options, nowMs);
  if (options.run !== undefined) await knownRun(store, options.run, forAll);
  const keys = await keysOfRun(store, options.run);
  return keys === null ? isWanted : (record) => keys.find(record.key) >= 0 && isWanted(record);
}

/** Returns the filter for the flags, except for `--run`. Throws `SrqError('usage')` for an invalid time. */
export function logFilter(options: LogFilterOptions, nowMs: number): (record: LogRecord) => boolean {
  const { since, until } = options;
  const sinceMs = since === undefined ? undefined : pointInTime(since.trim(), nowMs);
  const untilMs = until === undefined ? undefined : endOf(until.trim(), nowMs);
  return (record) => isSelected(record, options, sinceMs, untilMs);
}

const DAY_MS = 86_400_000;
/**
 * Matches a month, a date, or a date with a time of day, with or without a zone. JavaScript parses many more texts, and
 * most of them in the zone of the machine.
 */
const DATE = /^(\d{4}-\d\d(?:-\d\d)?)$/;
const DATE_AND_TIME = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d(?::\d\d(?:\.\d+)?)?)(Z|[+-]\d\d:?\d\d)?$/i;
const UNIT_MS: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: DAY_MS };

/**
 * Parses a date (2026-11-21, 2026-11-21T18:00) or a time ago (90m, 24h, 7d) as milliseconds since 1970. A time without
 * a zone is in UTC, as all times that srq shows.
 */
function pointInTime(text: string, nowMs: number): number {
  const [, count, unit = ''] = /^(\d+)([mhd])$/.exec(text) ?? [];
  const unitMs = UNIT_MS[unit];
  if (count !== undefined && unitMs !== undefined) return nowMs - Number(count) * unitMs;
  const [, day, time = '00:00', zone = 'Z'] = DATE_AND_TIME.exec(text) ?? DATE.exec(text) ?? [];
  const dateMs = day !== undefined && isOfCalendar(day) ? timeOf(day, time, zone) : Number.NaN;
  if (!Number.isNaN(dateMs)) return dateMs;
  throw new SrqError(
    'arguments.invalid',
    `"${text}" is not a time.`,
    'Give a date (2026-11-21) or a time ago (90m, 24h, 7d).',
  );
}

function timeOf(day: string, time: string, zone: string): number {
  const offset = zone.toUpperCase().replace(/^(.\d\d):?/, '$1:');
  return Date.parse(`${day.length === 7 ? `${day}-01` : day}T${time}${offset}`);
}

/** Tells whether a text begins with a day that there is. JavaScript takes February 31 for March 3. */
function isOfCalendar(text: string): boolean {
  const [, month, day] = /^\d{4}-(\d\d)(?:-(\d\d))?/.exec(text) ?? [];
  if (month === undefined) return false;
  const date = new Date(`${text.slice(0, 7)}-${day ?? '01'}T00:00Z`);
  return !Number.isNaN(date.getTime()) && date.getUTCDate() === Number(day ?? 1);
}

/** Parses the end of a range. A date includes the whole day, and a month its last one. */
function endOf(text: string, nowMs: number): number {
  const [, year, month] = /^(\d{4})-(\d\d)$/.exec(text) ?? [];
  if (month !== undefined && isOfCalendar(text)) return Date.UTC(Number(year), Number(month));
  return pointInTime(text, nowMs) + (/^\d{4}-\d\d-\d\d$/.test(text) ? DAY_MS : 0);
}
