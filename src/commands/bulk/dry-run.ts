import type { Context } from '../../cli/context.ts';
import { planWithProgress } from '../../cli/input.ts';
import { reportRows } from '../../delivery/report-rows.ts';
import { PlannedFiles } from '../../request/log/ledger.ts';
import { type PlanOptions, rangeOf, sayPlan } from './agreement.ts';
import { type PreparedPlan, planId } from './consent.ts';
import type { OpenedFile } from './file-import.ts';
import { writeRunResults } from './results-place.ts';
import { type DryFile, finishDryRun } from './summary.ts';

/** A file of a dry run. If `results` is missing, no verdicts are written. */
type Rehearsed = Omit<OpenedFile, 'results'> & Partial<Pick<OpenedFile, 'results'>>;

/**
 * Plans the files and shows the plans and the problems of their rows. `command` are the arguments of the dry run.
 * Returns the exit code.
 */
export async function dryRun(
  context: Context,
  files: readonly Rehearsed[],
  command: readonly string[],
  options: PlanOptions & Parameters<typeof planId>[1],
  startedMs: number,
): Promise<number> {
  const rehearsed: DryFile[] = [];
  const prepared: PreparedPlan[] = [];
  const wanted = { ...options, range: rangeOf(options), files: new PlannedFiles() };
  await context.warnOfUnknownLog();
  const log = await files[0]?.session.logReader();
  if (!log) throw new Error('a run without a file');
  for (const { file, input, session, results, command: alone } of files) {
    const plan = await planWithProgress(session, input, log, wanted);
    await sayPlan(session, plan, 'nobody: this is a dry run');
    const { preparation } = session;
    const rows = reportRows(plan, log, preparation, 'It would be sent.', 'ready');
    if (results && results.path !== null) await writeRunResults(context, results, plan, rows, { log, preparation });
    prepared.push({ plan, preparation });
    rehearsed.push({ file, plan, results: results?.path ?? null, command: alone });
    if (rehearsed.length < files.length) wanted.files.add(file, plan.ledger);
  }
  // The sandbox of the next command is another service, so the plan would have another digest.
  const id = context.options.sandbox ? null : planId(prepared, options);
  return finishDryRun(context, rehearsed, { command, planId: id }, startedMs);
}
