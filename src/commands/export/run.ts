import { extname } from 'node:path';
import type { Context } from '../../cli/context.ts';
import { inputName, type ReadingOptions, readInput, requireNoReading } from '../../cli/input.ts';
import { warnOfWrongLog } from '../../cli/profiles.ts';
import { RequestSession, recordingsBeside } from '../../cli/session.ts';
import { keepHeapSmall } from '../../cli/v8-flags.ts';
import { loggedRows } from '../../delivery/report-rows.ts';
import { printable, terminalSafeJson, thousands, writeAll } from '../../report/output.ts';
import { workbookChunks } from '../../report/workbook-writer.ts';
import type { DocumentOf } from '../../request/documents/types.ts';
import type { RowReport } from '../../request/log/import-plan.ts';
import { type Counts, noCounts, STATUSES } from '../../request/log/status.ts';
import { csvRecordText } from '../../request/words/csv-text.ts';
import { SrqError } from '../../request/words/errors.ts';
import { type LogFilterOptions, requestFilter } from '../../run/log-filter.ts';
import { Output, requireOwnPlaces } from '../../run/outputs.ts';
import { type Exported, type ExportRow, type FileFindings, fileExport, logExport } from './rows.ts';

/** The flags of `export`, as commander parses them. */
export interface ExportOptions extends ReadingOptions, LogFilterOptions {
  readonly output?: string;
  readonly csv?: boolean;
}

/**
 * Exports what was sent, for programs such as a CRM: the requests of the log, or the rows of a file with their outcome.
 * Nothing is sent.
 */
export async function exportRequests(
  context: Context,
  file: string | undefined,
  options: ExportOptions,
): Promise<number> {
  keepHeapSmall();
  if (file === undefined) {
    requireNoReading(options, (flag) =>
      flag === '--format' ? 'As JSON: --json    As a workbook: --output FILE.xlsx' : 'Name the file: srq export FILE',
    );
  }
  context.readLastRehearsal();
  // `-` is standard output, as it is standard input elsewhere.
  const path = options.output === '-' ? undefined : options.output;
  const format = formatOf(path, options, context);
  await requireOwnPlaces(context, [['--output', path]]);
  const rule = { flag: '--output', kind: 'export', input: file ?? null };
  const output = path === undefined ? null : await Output.open(context, path, rule);
  const store = await context.log.store();
  const isWanted = await requestFilter(store, options, context.clock.nowMs(), 'srq export');
  const findings: FileFindings = { tooLong: 0 };
  const exported =
    file === undefined
      ? logExport(store, isWanted)
      : await openFile(context, file, options, hasFilter(options) ? isWanted : null, findings);
  const counts = noCounts();
  const counted = { ...exported, rows: counting(exported.rows, counts) };
  if (output === null) await print(context, counted);
  else await write(context, counted, { output, format, counts });
  await tellFindings(context, file, counts, findings);
  return 0;
}

type Format = 'csv' | 'json' | 'xlsx';

/** Returns the format that a flag or the ending of the file names. */
function formatOf(output: string | undefined, { csv }: ExportOptions, { options: { json } }: Context): Format {
  if (output === undefined) {
    if (csv && json) throw new SrqError('flags.contradict', 'Choose either --json or --csv.');
    return json ? 'json' : 'csv';
  }
  const ending = extname(output).toLowerCase();
  if (ending === '.xlsx') {
    if (!csv) return 'xlsx';
    throw new SrqError(
      'flags.contradict',
      `--csv and ${output} contradict each other.`,
      'Name a file that ends in .csv',
    );
  }
  if (csv || ending === '.csv') return 'csv';
  return json || ending === '.json' ? 'json' : 'csv';
}

function hasFilter({ since, until, status, run }: ExportOptions): boolean {
  return [since, until, status, run].some((each) => each !== undefined);
}

async function openFile(
  context: Context,
  file: string,
  options: ExportOptions,
  wanted: Parameters<typeof fileExport>[1],
  findings: FileFindings,
): Promise<Exported> {
  const input = await readInput(context, file, options);
  const audio = recordingsBeside(file);
  const session = await RequestSession.open(context, { audio, operations: ['create'], needsNoLogin: true });
  const log = await session.logReader();
  await requireKnownRow(context, file, loggedRows(input, session.preparation, log));
  return fileExport({ input, preparation: session.preparation, log }, wanted, findings);
}

/**
 * Throws `SrqError('usage')` if the log knows no row of the file. Each would be exported as not sent or as invalid,
 * although perhaps all were created: read in another way, they are other requests.
 */
async function requireKnownRow(context: Context, file: string, rows: AsyncIterable<RowReport>): Promise<void> {
  let isEmpty = true;
  for await (const row of rows) {
    if (row.record || row.row.earlier?.status) return;
    isEmpty = false;
  }
  if (isEmpty) return;
  await warnOfWrongLog(context);
  throw new SrqError(
    'rows.not-in-log',
    `No row of ${inputName(file)} is in the log, so nothing is exported.`,
    'Rows are found by what was sent: give the --profile, --map, --set and --mapping of the import.',
  );
}

async function* counting(rows: AsyncIterable<ExportRow>, counts: Counts): AsyncGenerator<ExportRow> {
  for await (const row of rows) {
    counts[row.status] += 1;
    yield row;
  }
}

/** Prints the export. On a terminal, unprintable characters are replaced. A program gets the text unchanged. */
async function print(context: Context, exported: Exported): Promise<void> {
  const reporter = await context.reporter();
  if (context.options.json) return reporter.lines('export', documents(exported.rows), () => '');
  const { stdout } = context.process;
  const shown = stdout.isTTY ? printable : (text: string) => text;
  for await (const text of csvTexts(exported, shown)) {
    if (stdout.destroyed) return;
    await writeAll(stdout, text);
  }
}

interface ExportFile {
  readonly output: Output;
  readonly format: Format;
  /** The counts, which are complete once the file is written. */
  readonly counts: Counts;
}

async function write(context: Context, exported: Exported, { output, format, counts }: ExportFile): Promise<void> {
  const { interruption } = context;
  interruption.listen(() => {});
  if (!(await output.write(chunksOf(exported, format), interruption.halt.signal)))
    throw new SrqError('interrupted.unfinished', `Interrupted: ${output.path} was not written.`);
  const { repeated: _, ...rest } = counts;
  const rows = total(counts);
  await (await context.reporter()).result('export --output', { export: output.path, format, rows, ...rest }, () => {
    const told = STATUSES.flatMap((status) =>
      counts[status] > 0 ? `${thousands(counts[status])} ${status === 'ready' ? 'not sent' : status}` : [],
    );
    const what = told.length > 0 ? told.join(', ') : 'no requests';
    return printable(`Written: ${output.path} (${what})`);
  });
}

function chunksOf(exported: Exported, format: Format): AsyncIterable<string | Uint8Array> {
  if (format === 'json') return jsonTexts(exported.rows);
  return format === 'csv'
    ? csvTexts(exported, (text) => text)
    : workbookChunks(records(exported), exported.columns.length);
}

async function* records({ columns, rows }: Exported): AsyncGenerator<readonly string[]> {
  yield columns;
  for await (const { cells } of rows) yield cells;
}

async function* documents(rows: AsyncIterable<ExportRow>): AsyncGenerator<DocumentOf<'export'>> {
  for await (const row of rows) yield row.document();
}

/** Formats an export as one JSON array, a line an item, because that is what a file called `.json` holds. */
async function* jsonTexts(rows: AsyncIterable<ExportRow>): AsyncGenerator<string> {
  let before = '[';
  for await (const row of rows) {
    yield before + terminalSafeJson(row.document());
    before = ',\n';
  }
  yield before === '[' ? '[]\n' : ']\n';
}

const CHUNK_CHARACTERS = 1 << 16;

/**
 * Formats an export as CSV with a header. Cells are not escaped for spreadsheets, because programs need them unchanged.
 */
async function* csvTexts(
  { columns, delimiter, rows }: Exported,
  shown: (text: string) => string,
): AsyncGenerator<string> {
  const line = (cells: readonly string[]) => csvRecordText(cells.map(shown), delimiter);
  let chunk = line(columns);
  for await (const { cells } of rows) {
    chunk += line(cells);
    if (chunk.length < CHUNK_CHARACTERS) continue;
    yield chunk;
    chunk = '';
  }
  if (chunk !== '') yield chunk;
}

/** Reports on stderr what the export itself does not show. */
async function tellFindings(
  context: Context,
  file: string | undefined,
  counts: Counts,
  { tooLong }: FileFindings,
): Promise<void> {
  if (context.process.stdout.destroyed) return;
  const reporter = await context.reporter();
  if (file === undefined && total(counts) === 0) {
    const { name } = await context.log.store();
    await warnOfWrongLog(context);
    reporter.say(() => `No such requests in ${printable(name)}.`);
  }
  if (tooLong > 0) {
    const rows = tooLong === 1 ? '1 row has' : `${thousands(tooLong)} rows have`;
    reporter.warn(`${rows} more cells than the file has columns; these cells are left out.`);
  }
}

function total(counts: Counts): number {
  return Object.values(counts).reduce((sum, count) => sum + count, 0);
}
