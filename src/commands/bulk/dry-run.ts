import type { Context } from '../../cli/context.ts';
import { planWithProgress } from '../../cli/input.ts';
import { reportRows } from '../../delivery/report-rows.ts';
import type { SubmitOptions } from '../../delivery/submit.ts';
import type { ImportPlan } from '../../request/import-plan.ts';
import { type PlanOptions, rangeOf, requireKnownFields, sayPlan } from './agreement.ts';
import type { OpenedFile } from './file-import.ts';
import { type DryFile, finishDryRun } from './summary.ts';
import { writeRunResults } from './write-results.ts';

/** A file to rehearse. Without a place for results, no verdicts are written. */
type Rehearsed = Pick<OpenedFile, 'file' | 'input' | 'session'> & Partial<Pick<OpenedFile, 'results'>>;

/** Plans the files and shows the plans and the problems of their rows. Returns the exit code. */
export async function dryRun(
  context: Context,
  files: readonly Rehearsed[],
  options: PlanOptions & Pick<SubmitOptions, 'again'>,
  startedMs: number,
): Promise<number> {
  const planned: DryFile[] = [];
  const plans: ImportPlan[] = [];
  for (const { file, input, session, results } of files) {
    requireKnownFields(input.mapping, options.strict);
    const log = await session.logReader();
    const earlier = plans.map(({ ledger }) => ledger);
    const plan = await planWithProgress(session, input, log, { ...options, range: rangeOf(options), earlier });
    await sayPlan(session, plan, 'nowhere: this is a dry run');
    const rows = reportRows(plan, log, session.preparation, 'It would be sent.', 'ready');
    if (results && results.path !== null) await writeRunResults(context, results, plan, rows);
    plans.push(plan);
    planned.push({ file, plan, results: results?.path ?? null });
  }
  return finishDryRun(context, planned, startedMs);
}
