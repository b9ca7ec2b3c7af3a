import type { Context } from '../cli/context.ts';
import type { ReportOptions } from '../cli/table/options.ts';
import { keepHeapSmall } from '../cli/v8-flags.ts';
import { printable, rowsText, thousands } from '../report/output.ts';
import type { LogStore } from '../request/log/log-store.ts';
import { begunRuns, knownRun } from '../run/known-runs.ts';
import { openOutput } from '../run/outputs.ts';
import { writePage } from '../run/run-report.ts';

/** Writes the report of a run from its log. This works at any time, even while the run is active. */
export async function report(context: Context, { output: path, run: wanted }: ReportOptions): Promise<number> {
  keepHeapSmall();
  const output = await openOutput(context, path, { flag: '--output', kind: 'report' });
  const run = await chosenRun(await context.log.store(), wanted);
  const { rows, counts, rowsByReason: reasons, listed } = await writePage(context, output, run);
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
