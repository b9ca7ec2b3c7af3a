import { terminalColumns } from '../../cli/command.ts';
import type { Context } from '../../cli/context.ts';
import { warnOfWrongLog } from '../../cli/profiles.ts';
import { printable, writeAll } from '../../report/output.ts';
import type { ItemText } from '../../report/reporter.ts';
import { logHeading, logLine } from '../../report/terminal/log-text.ts';
import { type LogEntry, type LogStore, logEntryOf } from '../../request/log/log-store.ts';
import type { LogRecord } from '../../request/ports.ts';
import { csvLine } from '../../request/words/csv-text.ts';
import { requireNamed } from '../../run/known-runs.ts';
import { type LogFilterOptions, logFilter, requestFilter } from '../../run/log-filter.ts';

/** The flags of `log`, as commander parses them. */
export interface LogOptions extends LogFilterOptions {
  /** Maximum number of entries, of which the latest are shown. */
  readonly limit?: number;
  readonly csv?: boolean;
  readonly follow?: boolean;
}

/** Default number of past entries shown before --follow continues with new ones. */
const BEFORE_FOLLOWING = 10;

/** Shows what was sent and what came back, one entry per request, the oldest first. */
export async function log(context: Context, options: LogOptions): Promise<number> {
  context.readLastRehearsal();
  const store = await context.log.store();
  const nowMs = context.clock.nowMs();
  const wanted = options.follow
    ? followedFilter(options, nowMs)
    : await requestFilter(store, options, nowMs, 'srq log');
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
    await reporter.lines('log', counted(following(context, store, wanted, options.limit ?? BEFORE_FOLLOWING)), line);
    return 0;
  }
  await reporter.lines('log', counted(past(store, wanted, options.limit)), line);
  if (shown === 0) {
    await warnOfWrongLog(context);
    const { csv, ...filters } = options;
    if (csv) await writeAll(context.process.stdout, csvLine(CSV_COLUMNS));
    const filtered = Object.keys(filters).length > 0;
    reporter.say(() => `No requests in ${printable(store.name)}${filtered ? ' match' : ''}.`);
  }
  return 0;
}

/**
 * Returns the filter for records as they are added. A run that is followed may be yet to come. Throws
 * `SrqError('usage')` for an invalid time, and for an empty run.
 */
function followedFilter(options: LogOptions, nowMs: number): (record: LogRecord) => boolean {
  const { run } = options;
  if (run !== undefined) requireNamed(run, 'srq log --follow');
  const isWanted = logFilter(options, nowMs);
  return (record) => record.run.startsWith(run ?? '') && isWanted(record);
}

async function* past(
  store: LogStore,
  wanted: (record: LogRecord) => boolean,
  limit?: number,
): AsyncGenerator<LogEntry> {
  if (limit === undefined) return yield* matching(store.latest(), wanted);
  const newest: LogEntry[] = [];
  if (limit === 0) return;
  for await (const entry of matching(store.newest(), wanted)) if (newest.push(entry) === limit) break;
  yield* newest.reverse();
}

/**
 * Yields the existing entries and then each new outcome as it is recorded, until Ctrl-C. Intents to send are left out.
 */
async function* following(
  { interruption }: Context,
  store: LogStore,
  wanted: (record: LogRecord) => boolean,
  limit: number,
): AsyncGenerator<LogEntry> {
  const last: LogEntry[] = [];
  let isPast = true;
  for await (const record of store.follow(interruption.halt.signal)) {
    if (record === null) {
      yield* last;
      isPast = false;
    } else if (!wanted(record)) continue;
    else if (!isPast) {
      if (record.event !== 'sending') yield logEntryOf(record);
    } else if (last.push(logEntryOf(record)) > limit) last.shift();
  }
}

async function* matching(
  records: AsyncIterable<LogRecord>,
  wanted: (record: LogRecord) => boolean,
): AsyncGenerator<LogEntry> {
  for await (const record of records) if (wanted(record)) yield logEntryOf(record);
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
