import type { Context } from '../cli/context.ts';
import { warnOfWrongLog } from '../cli/profiles.ts';
import type { LogOptions } from '../cli/table/options.ts';
import { columnsOf, printable, writeAll } from '../report/output.ts';
import { logHeading, logLine } from '../report/terminal/log-text.ts';
import type { ItemText } from '../report/terminal/reporter.ts';
import { entriesWith, type LogEntry } from '../request/log/log-store.ts';
import { mainIdentifier } from '../request/log/outcome.ts';
import { csvLine } from '../request/words/csv-text.ts';
import { knownRun } from '../run/known-runs.ts';
import { logFilter } from '../run/log-filter.ts';

/** Shows what was sent and what came back, one entry per request, the oldest first. */
export async function log(context: Context, options: LogOptions): Promise<number> {
  const store = await context.log.store();
  const isWanted = logFilter(options, context.clock.nowMs());
  if (options.run !== undefined) await knownRun(store, options.run, 'srq log');
  const entries = entriesWith(store, options, isWanted);
  const shown = await context.reporter.lines('log', entries, lineOf(context, options));
  if (shown > 0) return 0;
  await warnOfWrongLog(context);
  const { csv, ...filters } = options;
  if (csv) await writeAll(context.process.stdout, csvLine(CSV_COLUMNS));
  const isFiltered = Object.keys(filters).length > 0;
  context.reporter.say(() => `No requests in ${printable(store.name)}${isFiltered ? ' match' : ''}.`);
  return 0;
}

const CSV_COLUMNS = ['at', 'status', 'row', 'ref', 'id', 'ids', 'http', 'ms', 'message', 'key', 'run'];

function lineOf(context: Context, { csv }: LogOptions): ItemText<LogEntry> {
  const columns = columnsOf(context.process.stdout);
  return (entry, paint, index) => {
    if (csv) return (index === 0 ? csvLine(CSV_COLUMNS) : '') + csvRecord(entry);
    const heading = index === 0 && columns !== null ? `${logHeading(columns, paint)}\n` : '';
    return `${heading}${logLine(entry, columns, paint)}\n`;
  };
}

function csvRecord({ at, status, row, ref, ids, http, ms, message, key, run }: LogEntry): string {
  const named = Object.entries(ids).map(([name, value]) => `${name}=${value}`);
  const cells = [at, status, row, ref, mainIdentifier(ids), named.join(' '), http, ms, message, key, run];
  return csvLine(cells.map((cell) => printable(String(cell ?? ''))));
}
