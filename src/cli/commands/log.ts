import { readLog } from '../../log/read-log.ts';
import { SrqError } from '../../model/errors.ts';
import { type SentStatus, STATUSES } from '../../model/outcome.ts';
import type { LogRecord } from '../../model/ports.ts';
import { csvLine } from '../../report/csv-line.ts';
import { logLine } from '../../report/request-text.ts';
import type { Context } from '../context.ts';

export interface LogOptions {
  readonly ref?: string;
  readonly id?: string;
  readonly since?: string;
  readonly status?: string;
  readonly csv?: boolean;
}

/** A request of the log as `--json` shows it. A request without a recorded outcome is `unknown`. */
type LogEntry = Omit<LogRecord, 'event'> & { readonly status: SentStatus };

/** What was sent and what came back: one entry a request, the oldest first. */
export async function log(context: Context, options: LogOptions): Promise<number> {
  if (options.csv && context.options.json) throw new SrqError('usage', 'Choose one of --json and --csv.');
  const { log: path } = await context.paths();
  const wanted = filterOf(options, context.clock.nowMs());
  const reporter = await context.reporter();
  let shown = 0;
  const entries = async function* () {
    for await (const record of readLog(path)) {
      if (!wanted(record)) continue;
      shown += 1;
      yield entryOf(record);
    }
  };
  await reporter.results(entries(), (entry, paint, index) =>
    options.csv ? (index === 0 ? csvLine(CSV_COLUMNS) : '') + csvRecord(entry) : `${logLine(entry, paint)}\n`,
  );
  if (shown === 0) reporter.say(() => `No requests in ${path}${Object.keys(options).length > 0 ? ' match' : ''}.`);
  return 0;
}

const CSV_COLUMNS = ['at', 'status', 'row', 'ref', 'ids', 'http', 'ms', 'message', 'key', 'run'];

function entryOf({ event, ...record }: LogRecord): LogEntry {
  return { ...record, status: statusOf(event) };
}

function statusOf(event: LogRecord['event']): SentStatus {
  // With a licence to send again, the first try is known not to have been taken.
  if (event === 'licence') return 'failed';
  return event === 'sending' ? 'unknown' : event;
}

function csvRecord({ at, status, row, ref, ids, http, ms, message, key, run }: LogEntry): string {
  const named = Object.entries(ids).map(([name, value]) => `${name}=${value}`);
  const cells = [at, status, row, ref, named.join(' '), http, ms, message, key, run];
  return csvLine(cells.map((cell) => String(cell ?? '')));
}

function filterOf({ ref, id, since, status }: LogOptions, nowMs: number): (record: LogRecord) => boolean {
  if (status !== undefined && !STATUSES.some((each) => each === status)) {
    throw new SrqError('usage', `"${status}" is no status.`, `One of: ${STATUSES.join(', ')}.`);
  }
  const sinceMs = since === undefined ? null : pointInTime(since, nowMs);
  return (record) =>
    (ref === undefined || record.ref === ref) &&
    (id === undefined || Object.values(record.ids).includes(id)) &&
    (status === undefined || statusOf(record.event) === status) &&
    (sinceMs === null || Date.parse(record.at) >= sinceMs);
}

/** A date (2026-11-21, 2026-11-21T18:00Z) or a time ago (90m, 24h, 7d), as milliseconds since 1970. */
function pointInTime(text: string, nowMs: number): number {
  const [, count, unit = ''] = /^(\d+)([mhd])$/.exec(text) ?? [];
  const unitMs = { m: 60_000, h: 3_600_000, d: 86_400_000 }[unit];
  if (count !== undefined && unitMs !== undefined) return nowMs - Number(count) * unitMs;
  const dateMs = /^\d{4}-\d\d/.test(text) ? Date.parse(text) : Number.NaN;
  if (!Number.isNaN(dateMs)) return dateMs;
  throw new SrqError('usage', `"${text}" is no time.`, 'Give a date (2026-11-21) or a time ago (90m, 24h, 7d).');
}
