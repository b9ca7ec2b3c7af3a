import type { Context } from '../cli/context.ts';
import { inputName, readInput } from '../cli/input.ts';
import { warnOfWrongLog } from '../cli/profiles.ts';
import { openSession, recordingsBeside } from '../cli/session.ts';
import type { ExportOptions } from '../cli/table/options.ts';
import { keepHeapSmall } from '../cli/v8-flags.ts';
import { loggedRows } from '../delivery/report-rows.ts';
import { saysItIsSettled } from '../delivery/sent-before.ts';
import { printable, printableLines, rowsText, thousands, writeAll } from '../report/output.ts';
import { csvChunks, formatOf, objectsOf, tableChunks, type WrittenTable } from '../report/results-file.ts';
import type { DocumentOf } from '../request/documents/types.ts';
import { resultColumnOf, type Table } from '../request/lead/table.ts';
import type { RowReport } from '../request/log/import-plan.ts';
import { mainIdentifier } from '../request/log/outcome.ts';
import { type Counts, noCounts, STATUSES, type Status } from '../request/log/status.ts';
import { SrqError } from '../request/words/errors.ts';
import { type Output, openOutput, writeUntilSignal } from '../run/outputs.ts';
import { heldRows, otherReadings } from '../run/sent-before.ts';

/** The columns that an export adds to those of the file. */
const OUTCOME_COLUMNS = ['srq_status', 'srq_id', 'srq_at'] as const;

/** Writes the rows of a file with what the log knows of each, for a program such as a CRM. Nothing is sent. */
export async function exportFile(context: Context, file: string, options: ExportOptions): Promise<number> {
  keepHeapSmall();
  // `-` is standard output, as it is standard input elsewhere.
  const path = options.output === '-' ? undefined : options.output;
  const rule = { flag: '--output', kind: 'export', input: file };
  const output = path === undefined ? null : await openOutput(context, path, rule);
  const input = await readInput(context, file, options);
  const audio = recordingsBeside(file);
  const session = await openSession(context, { audio, needsNoLogin: true });
  const log = await session.logReader();
  const earlier = await otherReadings(session, input);
  const known = { ...input, held: await heldRows(session, input, log) };
  const rows = () => loggedRows(known, session.preparation, log, undefined, earlier);
  await requireKnownRow(context, file, rows());
  const { table, tally } = exportOf(input.table, rows());
  if (output === null) await print(context, table);
  else await write(context, table, tally.counts, output);
  const { unproven, tooLong } = tally;
  if (unproven > 0)
    await context.warn(`Only the file says what became of ${rowsText(unproven)}. The log does not know.`);
  if (tooLong === 0 || context.process.stdout.destroyed) return 0;
  const have = tooLong === 1 ? '1 row has' : `${thousands(tooLong)} rows have`;
  await context.warn(`${have} more cells than the file has columns; these cells are left out.`);
  return 0;
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

/** Prints the export. On a terminal, unprintable characters are replaced. A program gets the text unchanged. */
async function print(context: Context, exported: WrittenTable): Promise<void> {
  const { stdout } = context.process;
  if (context.options.json) {
    const documents = objectsOf(exported) as AsyncGenerator<DocumentOf<'export'>>;
    await context.reporter.lines('export', documents, () => '');
    return;
  }
  for await (const text of csvChunks(exported)) {
    if (stdout.destroyed) return;
    await writeAll(stdout, stdout.isTTY ? printableLines(text.replaceAll('\r\n', '\n')) : text);
  }
}

async function write(context: Context, exported: WrittenTable, tally: Counts, output: Output): Promise<void> {
  const format = formatOf(output.path);
  await writeUntilSignal(context, output, tableChunks(output.path, exported));
  const rows = STATUSES.reduce((sum, status) => sum + tally[status], 0);
  await context.reporter.result('export --output', { export: output.path, format, rows, ...tally }, () => {
    const told = STATUSES.flatMap((status) => {
      const count = tally[status];
      return count > 0 ? `${thousands(count)} ${status === 'ready' ? 'not sent' : status}` : [];
    });
    return printable(`Written: ${output.path} (${told.join(', ') || 'no rows'})`);
  });
}

/**
 * The rows of a file with their outcome, which replaces an earlier one in the file. Every row has as many cells as there
 * are columns, so that each cell is below its column's name. Cells are not escaped for spreadsheets, because programs need
 * them unchanged.
 */
function exportOf({ columns, delimiter }: Table, reports: AsyncIterable<RowReport>) {
  // The indexes of the columns that hold no earlier outcome.
  const kept = columns.flatMap((name, at) => (isOutcome(name) ? [] : [at]));
  // `tooLong`: rows with more cells than the file has columns. `unproven`: rows whose outcome only the file states.
  const tally = { counts: noCounts(), tooLong: 0, unproven: 0 };
  async function* rows() {
    for await (const report of reports) {
      const { cells } = report.row;
      if (cells.length > columns.length) tally.tooLong += 1;
      const { status, id } = outcomeOf(report);
      tally.counts[status] += 1;
      if (report.record === null && status !== report.status) tally.unproven += 1;
      yield [...kept.map((at) => cells[at] ?? ''), status, id, report.record?.at ?? ''];
    }
  }
  const header = [...kept.map((at) => columns[at] ?? ''), ...OUTCOME_COLUMNS];
  const table = { header, delimiter: delimiter ?? ',', isForSpreadsheets: false, rows: rows() };
  return { table, tally };
}

const isOutcome = (name: string) => resultColumnOf(name) !== null || OUTCOME_COLUMNS.some((each) => each === name);

/**
 * Returns the status of a row and its identifier. If the log does not know its content, an earlier results file still
 * says what became of it: a spreadsheet may have changed its cells, and it must not pass for one that was never sent.
 */
function outcomeOf({ row, status, record }: RowReport): { readonly status: Status; readonly id: string } {
  if (record) return { status, id: mainIdentifier(record.ids) };
  const { earlier } = row;
  if (earlier?.status === 'unknown') return { status: 'unknown', id: earlier.id };
  if (!earlier || !saysItIsSettled(row)) return { status, id: '' };
  return { status: earlier.status === 'duplicate' ? 'duplicate' : 'created', id: earlier.id };
}
