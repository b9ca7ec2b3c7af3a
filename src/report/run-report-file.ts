import { randomUUID } from 'node:crypto';
import { rename, rm, writeFile } from 'node:fs/promises';
import { SrqError, systemCode } from '../model/errors.ts';
import { requireOwnOrNew, requireWritable } from './own-file.ts';
import { isReport, type PageFacts, reportPage } from './page/report-page.ts';
import type { RunFigures } from './page/run-figures.ts';

/**
 * Throws `SrqError('usage')` if a report cannot be written to `path` or would replace anything but an earlier report.
 * `option` is the flag that names the file.
 */
export async function requireReportPlace(path: string, option: string): Promise<void> {
  await requireOwnOrNew(path, 'report', option, isReport);
  await requireWritable(path, 'report', option);
}

/** Writes the report, whole or not at all. Throws `SrqError('usage')` if it cannot be written. */
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
