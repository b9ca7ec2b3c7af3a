import type { Context } from '../cli/context.ts';
import type { ReportOptions } from '../cli/table/options.ts';
import { keepHeapSmall } from '../cli/v8-flags.ts';
import { runRowOfRecord } from '../delivery/report-rows.ts';
import { printable, rowsText, thousands } from '../report/output.ts';
import { reportPage } from '../report/page/report-page.ts';
import { RunFigures } from '../report/page/run-figures.ts';
import type { LogStore } from '../request/log/log-store.ts';
import { begunRuns, knownRun } from '../run/known-runs.ts';
import { Output } from '../run/outputs.ts';
import { addNotes, pageFacts } from '../run/run-report.ts';

/** Writes the report of a run from its log. This works at any time, even while the run is active. */
export async function report(context: Context, { output: path, run: wanted }: ReportOptions): Promise<number> {
  keepHeapSmall();
  context.readLastRehearsal();
  const output = await Output.open(context, path, { flag: '--output', kind: 'report' });
  const log = await context.log.store();
  const run = await chosenRun(log, wanted);
  const figures = await figuresOf(log, run);
  await output.write([reportPage(figures, pageFacts(context))]);
  const { rows, counts, rowsByReason: reasons, listed } = figures;
  const document = { report: output.path, run, rows, ...counts, reasons, listed: listed.length };
  await context.reporter.result('report', document, () =>
    printable(`Written: ${output.path} (${rowsText(rows)}, ${thousands(listed.length)} of them listed)`),
  );
  return 0;
}

/**
 * Returns the id of the chosen run, or else of the last one. It is null for everything in the log. Throws
 * `SrqError('usage')` for an unknown run.
 */
async function chosenRun(log: LogStore, wanted: string | undefined): Promise<string | null> {
  if (wanted === 'all') return null;
  if (wanted !== undefined) return knownRun(log, wanted, 'srq report --run all');
  return (await begunRuns(log)).at(-1)?.run ?? null;
}

/**
 * Collects the figures of the requests of a run. Each request has its latest state in the log, whichever run recorded
 * it.
 */
async function figuresOf(log: LogStore, run: string | null): Promise<RunFigures> {
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
