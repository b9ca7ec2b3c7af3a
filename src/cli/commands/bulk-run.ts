import type { FileLog } from '../../log/file-log.ts';
import type { SrqError } from '../../model/errors.ts';
import type { ImportPlan } from '../../model/import-plan.ts';
import { noCounts } from '../../model/outcome.ts';
import type { Preparation } from '../../pipeline/prepare-row.ts';
import { reportRows } from '../../pipeline/report-rows.ts';
import { runImport } from '../../pipeline/run-import.ts';
import { writeResults } from '../../report/results-file.ts';
import { connect } from '../connect.ts';
import type { Context } from '../context.ts';
import type { BulkOptions } from './bulk-options.ts';
import { finishRun } from './bulk-summary.ts';

export interface RunFiles {
  /** The input as the user named it. */
  readonly file: string;
  readonly results: string;
  /** Monotonic time at which the command began. */
  readonly startedMs: number;
}

/** Sends what the plan found ready, writes the results file and the summary. */
export async function runPlan(
  context: Context,
  plan: ImportPlan,
  log: FileLog,
  preparation: Preparation,
  options: BulkOptions,
  files: RunFiles,
): Promise<number> {
  const stop = plan.counts.ready > 0 ? await send(context, plan, log, preparation, options) : null;
  const untried = `Not tried: ${stop?.message ?? 'the run was interrupted.'} The next run sends it.`;
  const { columns, delimiter } = plan.table;
  await writeResults(files.results, columns, delimiter ?? ',', reportRows(plan, log, preparation, untried));
  return finishRun(context, plan, stop, files);
}

/** Returns why the run ended early, or null. */
async function send(
  context: Context,
  plan: ImportPlan,
  log: FileLog,
  preparation: Preparation,
  options: BulkOptions,
): Promise<SrqError | null> {
  const { concurrency } = options;
  const rate = options.rate ?? (context.options.sandbox ? 'max' : 'auto');
  const { api } = await connect(context, { rate, concurrency, audio: preparation.audio });
  const reporter = await context.reporter();
  const progress = reporter.progress('Sending');
  context.interruption.listen(() => reporter.warn('Finishing what is in flight; press Ctrl-C again to leave now.'));
  const budget = options.maxErrors ? { count: budgetCount(options.maxErrors, plan.rows) } : null;
  const results = runImport(plan, { api, log, preparation, halt: context.interruption.halt }, { ...options, budget });
  const counts = noCounts();
  try {
    for (let done = 0; ; done++) {
      const next = await results.next();
      if (next.done) return next.value;
      counts[next.value.status] += 1;
      progress.update({ done: done + 1, total: plan.counts.ready, counts });
    }
  } finally {
    progress.end();
  }
}

function budgetCount({ count, percent }: { count: number; percent: boolean }, rows: number): number {
  return Math.max(1, percent ? Math.ceil((rows * count) / 100) : count);
}
