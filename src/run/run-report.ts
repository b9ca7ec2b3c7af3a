import type { Context } from '../cli/context.ts';
import { printable } from '../report/output.ts';
import type { PageFacts } from '../report/page/page-facts.ts';
import { reportPage } from '../report/page/report-page.ts';
import { RunFigures } from '../report/page/run-figures.ts';
import type { LogStore } from '../request/log/log-store.ts';
import { SrqError } from '../request/words/errors.ts';
import type { Output } from './outputs.ts';

export { RunFigures };

/** Adds the notes on a run. If `run` is null, because several runs are reported, only notes without a run are added. */
export async function addNotes(figures: RunFigures, log: LogStore, run: string | null): Promise<void> {
  for await (const note of log.notes()) if (note.run === run) figures.note(note);
}

/** Returns what a page says beside its figures. */
export function pageFacts(context: Context): PageFacts {
  return {
    writtenAt: new Date(context.clock.nowMs()).toISOString(),
    withProfile: (text) => context.withProfile(text),
  };
}

/**
 * Writes the report of the run that has just ended. A failure is only a warning, because the outcomes are in the log.
 */
export async function reportRun(context: Context, output: Output, figures: RunFigures): Promise<void> {
  const log = await context.log.store();
  try {
    await addNotes(figures, log, context.run);
    for await (const { record } of log.records()) if (record.run === context.run) figures.record(record);
    await output.write([reportPage(figures, pageFacts(context))]);
    context.reporter.say(() => printable(`Report: ${output.path}`));
  } catch (error) {
    if (!(error instanceof SrqError)) throw error;
    context.warnOf(error);
  }
}
