import { SrqError } from '../../model/errors.ts';
import type { LogStore } from '../../model/log-store.ts';
import type { LogRecord } from '../../model/ports.ts';
import { SENT_STATUSES, statusOfEvent } from '../../model/status.ts';
import { csvLine } from '../../report/csv-line.ts';
import { type LogEntry, logHeading, logLine, totalsText } from '../../report/log-text.ts';
import { printable } from '../../report/output.ts';
import type { ItemText } from '../../report/reporter.ts';
import type { Context } from '../context.ts';
import { lastOf } from '../last-of.ts';
import { type LogFilterOptions, logFilter } from '../log-filter.ts';
import { dayTotals } from '../log-totals.ts';
import { terminalColumns } from '../terminal-columns.ts';
import { warnOfUnknownProfile } from '../unknown-profile.ts';

export interface LogOptions extends LogFilterOptions {
  /** Only the last so many. */
  readonly limit?: number;
  readonly csv?: boolean;
  readonly totals?: boolean;
  readonly follow?: boolean;
}

/** So many of the past are shown before what is new. */
const BEFORE_FOLLOWING = 10;

/** What was sent and what came back: one entry a request, the oldest first. */
export async function log(context: Context, options: LogOptions): Promise<number> {
  if (options.csv && context.options.json) throw new SrqError('usage', 'Choose one of --json and --csv.');
  if (options.totals && (options.follow || options.limit !== undefined)) {
    throw new SrqError('usage', '--totals counts all; it goes with neither --follow nor --limit.');
  }
  const store = await context.logStore();
  const wanted = logFilter(options, context.clock.nowMs());
  if (options.totals) return totals(context, matching(store.latest(), wanted), options);
  const reporter = await context.reporter();
  let shown = 0;
  const counted = async function* (entries: AsyncIterable<LogEntry>) {
    for await (const entry of entries) {
      shown += 1;
      yield entry;
    }
  };
  const line = lineOf(context, options);
  if (options.follow) {
    context.interruption.listen(() => {});
    await reporter.lines(counted(following(context, store, wanted, options.limit ?? BEFORE_FOLLOWING)), line);
    return 0;
  }
  await reporter.results(counted(past(store, wanted, options.limit)), line);
  if (shown === 0) {
    await warnOfUnknownProfile(context);
    const filtered = Object.keys(options).length > 0;
    reporter.say(() => `No requests in ${printable(store.name)}${filtered ? ' match' : ''}.`);
  }
  return 0;
}

async function* past(
  store: LogStore,
  wanted: (record: LogRecord) => boolean,
  limit?: number,
): AsyncGenerator<LogEntry> {
  const entries = matching(store.latest(), wanted);
  if (limit === undefined) yield* entries;
  else yield* (await lastOf(entries, limit)).items;
}

/** What is there, then each outcome as it is recorded, until Ctrl-C. An intent to send is no news yet. */
async function* following(
  { interruption }: Context,
  store: LogStore,
  wanted: (record: LogRecord) => boolean,
  limit: number,
): AsyncGenerator<LogEntry> {
  const { items, end } = await lastOf(matching(store.latest(), wanted), limit);
  yield* items;
  for await (const record of store.follow(end, interruption.halt.signal)) {
    if (record.event !== 'sending' && wanted(record)) yield entryOf(record);
  }
}

/** Returns what the records return. */
async function* matching<End>(
  records: AsyncGenerator<LogRecord, End>,
  wanted: (record: LogRecord) => boolean,
): AsyncGenerator<LogEntry, End> {
  for (;;) {
    const { value, done } = await records.next();
    if (done) return value;
    if (wanted(value)) yield entryOf(value);
  }
}

function entryOf({ event, ...record }: LogRecord): LogEntry {
  return { ...record, status: statusOfEvent(event) };
}

const CSV_COLUMNS = ['at', 'status', 'row', 'ref', 'ids', 'http', 'ms', 'message', 'key', 'run'];

function lineOf(context: Context, { csv }: LogOptions): ItemText<LogEntry> {
  const columns = terminalColumns(context);
  return (entry, paint, index) => {
    if (csv) return (index === 0 ? csvLine(CSV_COLUMNS) : '') + csvRecord(entry);
    const heading = index === 0 && columns !== null ? `${logHeading(columns, paint)}\n` : '';
    return `${heading}${logLine(entry, columns, paint)}\n`;
  };
}

function csvRecord({ at, status, row, ref, ids, http, ms, message, key, run }: LogEntry): string {
  const named = Object.entries(ids).map(([name, value]) => `${name}=${value}`);
  const cells = [at, status, row, ref, named.join(' '), http, ms, message, key, run];
  return csvLine(cells.map((cell) => printable(String(cell ?? ''))));
}

async function totals(context: Context, entries: AsyncIterable<LogEntry>, { csv }: LogOptions): Promise<number> {
  const days = await dayTotals(entries);
  const reporter = await context.reporter();
  const document = { totals: days.map(({ day, counts }) => ({ day, ...counts })) };
  await reporter.result(document, (paint) => {
    if (!csv) return days.length === 0 ? 'No requests.' : totalsText(days, terminalColumns(context), paint);
    const rows = days.map(({ day, counts }) => [day, ...SENT_STATUSES.map((status) => String(counts[status]))]);
    return [['day', ...SENT_STATUSES], ...rows]
      .map((cells) => csvLine(cells))
      .join('')
      .trimEnd();
  });
  return 0;
}
