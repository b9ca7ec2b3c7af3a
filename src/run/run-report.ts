import type { Context } from '../cli/context.ts';
import { printable } from '../report/output.ts';
import { reportPage } from '../report/page/report-page.ts';
import { RunFigures } from '../report/page/run-figures.ts';
import type { LogStore } from '../request/log/log-store.ts';
import { SrqError } from '../request/words/errors.ts';
import type { Output } from './outputs.ts';

/** Writes the page of a run, or of everything in the log, and returns its figures. */
export async function writePage(context: Context, output: Output, run: string | null): Promise<RunFigures> {
  const figures = await figuresOf(await context.log.store(), run);
  const writtenAt = new Date(context.clock.nowMs()).toISOString();
  await output.write([reportPage(figures, { writtenAt, withProfile: (text) => context.withProfile(text) })]);
  return figures;
}

/** Writes the page of the run that has just ended. A failure is only a warning, because the outcomes are in the log. */
export async function writeOwnPage(context: Context, output: Output): Promise<void> {
  try {
    await writePage(context, output, context.run);
    context.reporter.say(() => printable(`Report: ${output.path}`));
  } catch (error) {
    if (!(error instanceof SrqError)) throw error;
    context.warnOf(error);
  }
}

/**
 * Collects the figures of the requests of a run. Each request has its latest state in the log, whichever run recorded
 * it. If `run` is null, all requests are collected, and only notes without a run.
 */
async function figuresOf(log: LogStore, run: string | null): Promise<RunFigures> {
  const figures = new RunFigures();
  for await (const note of log.notes()) if (note.run === run) figures.note(note);
  const touched: boolean[] = [];
  for await (const { record, request, isLast } of log.records()) {
    const isOurs = run === null || record.run === run;
    touched[request] = isOurs || touched[request] === true;
    if (isOurs) figures.record(record);
    if (isLast && touched[request]) figures.add(record);
  }
  figures.addUntouched();
  return figures;
}
