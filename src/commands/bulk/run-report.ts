import type { Context } from '../../cli/context.ts';
import { runRowOf } from '../../delivery/report-rows.ts';
import { printable } from '../../report/output.ts';
import { writeRunReport } from '../../report/page/report-page.ts';
import { RunFigures } from '../../report/page/run-figures.ts';
import { SrqError } from '../../request/errors.ts';
import type { ImportPlan, RowReport } from '../../request/import-plan.ts';
import type { LogStore } from '../../request/log-store.ts';
import type { Mapping } from '../../request/table.ts';

/** Passes the rows on and adds each to the figures. */
export async function* noted(
  reports: AsyncIterable<RowReport>,
  figures: RunFigures,
  mapping: Mapping,
): AsyncGenerator<RowReport> {
  for await (const report of reports) {
    figures.add(runRowOf(report, mapping, figures.columns !== null));
    yield report;
  }
}

/** Figures of rows that come from the input. `includeInput`: its cells are shown. */
export function figuresOf(plan: Pick<ImportPlan, 'table'>, includeInput: boolean | undefined): RunFigures {
  return new RunFigures(includeInput ? plan.table.columns : null);
}

/** Adds the notes on a run. Null: on none, as several are meant. */
export async function addNotes(figures: RunFigures, log: LogStore, run: string | null): Promise<void> {
  for await (const note of log.notes()) if (note.run === run) figures.note(note);
}

/** Adds what the run sent and when it got its answers. */
export async function addCourse(figures: RunFigures, log: LogStore, run: string | null): Promise<void> {
  for await (const { record } of log.records()) if (run === null || record.run === run) figures.record(record);
}

/** The report of a run that has just ended. Its outcomes are in the log, so a failure is said and no more. */
export async function reportRun(context: Context, path: string, figures: RunFigures): Promise<void> {
  const reporter = await context.reporter();
  const log = await context.logStore();
  try {
    await addNotes(figures, log, context.run);
    await addCourse(figures, log, context.run);
    await writeRunReport(path, figures, { writtenAt: new Date(context.clock.nowMs()).toISOString(), hasInput: true });
    reporter.say(() => printable(`Report: ${path}`));
  } catch (error) {
    if (!(error instanceof SrqError)) throw error;
    reporter.warn(`${error.message} ${error.hint ?? ''}`);
  }
}
