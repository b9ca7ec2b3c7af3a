import type { Context } from '../../cli/context.ts';
import { readInput, withReadingProgress } from '../../cli/input.ts';
import { RequestSession, recordingsBeside } from '../../cli/session.ts';
import type { ReportOptions } from '../../cli/table/options.ts';
import { keepHeapSmall } from '../../cli/v8-flags.ts';
import { planAsLogged, planImport } from '../../delivery/plan.ts';
import { reportRows, runRowOf, runRowOfRecord } from '../../delivery/report-rows.ts';
import { printable, rowsText, thousands, writeAll } from '../../report/output.ts';
import { reportPage } from '../../report/page/report-page.ts';
import { RunFigures } from '../../report/page/run-figures.ts';
import type { LogStore } from '../../request/log/log-store.ts';
import { SrqError } from '../../request/words/errors.ts';
import { noteName } from '../../run/import-file.ts';
import { begunRuns, knownRun } from '../../run/known-runs.ts';
import { Output, requireOwnPlaces } from '../../run/outputs.ts';
import { addNotes, addRecords, pageFacts } from '../../run/run-report.ts';

/** Writes the report of a run from its log. This works at any time, even while the run is active. */
export async function report(context: Context, options: ReportOptions): Promise<number> {
  keepHeapSmall();
  context.readLastRehearsal();
  await requireOwnPlaces(context, [['--output', options.output]]);
  // `-` is standard output, as it is standard input elsewhere.
  const isPrinted = options.output === '-';
  if (isPrinted && context.options.json) {
    const message = '--output - and --json would both write to standard output.';
    throw new SrqError('flags.contradict', message, 'Leave --json out, or name a file: --output FILE');
  }
  const { input } = options;
  const rule = { flag: '--output', kind: 'report', input: input ?? null };
  const output = isPrinted ? null : await Output.open(context, options.output, rule);
  const log = await context.log.store();
  const run = await chosenRun(log, options);
  const figures =
    input === undefined ? await figuresOfLog(log, run) : await figuresOfInput(context, input, log, run, options);
  const facts = pageFacts(context);
  if (output === null) {
    await writeAll(context.process.stdout, reportPage(figures, facts));
    return 0;
  }
  await output.write([reportPage(figures, facts)]);
  const { rows, counts, rowsByReason: reasons, listed } = figures;
  const document = { report: output.path, run, rows, ...counts, reasons, listed: listed.length };
  const more =
    rows > 0 && listed.length === 0 && input === undefined ? '. To list what was not sent, too: --input FILE' : '';
  const reporter = await context.reporter();
  await reporter.result('report', document, () =>
    printable(`Written: ${output.path} (${rowsText(rows)}, ${thousands(listed.length)} of them listed)${more}`),
  );
  return 0;
}

/**
 * Returns the id of the chosen run: the one that is named, or else the last one of the input file, if it had any. It is null for everything in
 * the log. Throws `SrqError('usage')` for an unknown run.
 */
async function chosenRun(log: LogStore, { run: wanted, input }: ReportOptions): Promise<string | null> {
  if (wanted === 'all') return null;
  if (wanted !== undefined) return knownRun(log, wanted, 'srq report --run all');
  const begun = await begunRuns(log);
  const ofInput = begun.findLast(({ file }) => input !== undefined && noteName(input) === file);
  return (ofInput ?? begun.at(-1))?.run ?? null;
}

/**
 * Collects the figures of the requests of a run. Each request has its latest state in the log, whichever run recorded
 * it.
 */
async function figuresOfLog(log: LogStore, run: string | null): Promise<RunFigures> {
  const figures = new RunFigures();
  await addNotes(figures, log, run);
  const touched: boolean[] = [];
  for await (const { record, request, isLast } of log.records()) {
    const isOurs = run === null || record.run === run;
    touched[request] = isOurs || touched[request] === true;
    if (isOurs) figures.record(record);
    if (isLast && touched[request]) figures.add(runRowOfRecord(record));
  }
  figures.addUntouched();
  return figures;
}

/** Collects the figures of the rows of a file, with their latest states in the log. */
async function figuresOfInput(
  context: Context,
  file: string,
  store: LogStore,
  run: string | null,
  options: ReportOptions,
): Promise<RunFigures> {
  const opened = await readInput(context, file, options);
  const audio = recordingsBeside(file);
  const session = await RequestSession.open(context, { audio, operations: ['create'], needsNoLogin: true });
  const log = await session.logReader();
  const range = { skip: 0, limit: null };
  const plan = await withReadingProgress(context, (tick) =>
    planImport(opened, range, session.preparation, log, { onDuplicate: 'skip', again: false }, tick),
  );
  await planAsLogged(plan, log);
  const figures = new RunFigures();
  const rows = reportRows(plan, log, session.preparation, 'Not sent.', 'ready');
  for await (const row of rows) figures.add(runRowOf(row, plan.mapping, false));
  await addNotes(figures, store, run);
  await addRecords(figures, store, run);
  return figures;
}
