/** The part of a text like `2026-11-21T18:00:05` that each form of a time shows. */
const PARTS = { full: [0, 19], day: [5, 16], minute: [11, 16], second: [11, 19] } as const;

export type TimeForm = keyof typeof PARTS;

/** Formats an ISO 8601 time without its zone. The full form is `2026-11-21 18:00:05`. */
export function timeText(at: string, form: TimeForm): string {
  return at.slice(...PARTS[form]).replace('T', ' ');
}

/** A time in the reader's time zone. */
export interface LocalTime {
  readonly local: string;
  /** The same time in UTC, or null if the reader's clock shows UTC. */
  readonly utc: string | null;
}

/** Formats a time as the reader's clock shows it. `offsetMinutes` is how far that clock is ahead of UTC. */
export function localTime(at: string, form: TimeForm, offsetMinutes: number): LocalTime {
  const local = new Date(Date.parse(at) + offsetMinutes * 60_000).toISOString();
  if (offsetMinutes === 0) return { local: timeText(at, form), utc: null };
  // The date in UTC is shown only if it differs from the local one.
  const isSameDay = timeText(at, 'full').slice(0, 10) === timeText(local, 'full').slice(0, 10);
  return { local: timeText(local, form), utc: timeText(at, form === 'full' && isSameDay ? 'second' : form) };
}

/** Formats an offset as `UTC+5:30`. */
export function zoneText(offsetMinutes: number): string {
  if (offsetMinutes === 0) return 'UTC';
  const size = Math.abs(offsetMinutes);
  const minutes = size % 60 === 0 ? '' : `:${String(size % 60).padStart(2, '0')}`;
  return `UTC${offsetMinutes < 0 ? '−' : '+'}${Math.floor(size / 60)}${minutes}`;
}
