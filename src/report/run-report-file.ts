import { randomUUID } from 'node:crypto';
import { rename, rm, writeFile } from 'node:fs/promises';
import { SrqError, systemCode } from '../model/errors.ts';
import { requireOwnOrNew, requireWritable } from './own-file.ts';
import { isReport, type PageFacts, reportPage } from './page/report-page.ts';
import type { RunFigures } from './page/run-figures.ts';

/**
 * Makes sure that a report will have a place at `path`, and replaces nothing but an earlier one. `option`: by which it was
 * named. Throws `SrqError('usage')`.
 */
export async function requireReportPlace(path: string, option: string): Promise<void> {
  await requireOwnOrNew(path, 'report', option, isReport);
  await requireWritable(path, 'report', option);
}

/** Writes the page, whole or not at all. Throws `SrqError('usage')`. */
export async function writeRunReport(path: string, figures: RunFigures, facts: PageFacts): Promise<void> {
  const part = `${path}.${randomUUID()}.part`;
  try {
    await writeFile(part, reportPage(figures, facts), { mode: 0o600 });
    await rename(part, path);
  } catch (error) {
    await rm(part, { force: true });
    if (systemCode(error) === '') throw error;
    const message = `The report ${path} cannot be written (${systemCode(error)}).`;
    throw new SrqError('usage', message, 'The log has all of it: srq report -o FILE writes it elsewhere.', error);
  }
}
