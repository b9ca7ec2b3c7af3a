import { SrqError } from '../request/words/errors.ts';
import { writeOutput } from './output-file.ts';

export const LOG_EXPORT_COLUMNS = ['ref', 'id', 'ids', 'status', 'at', 'row', 'file', 'run', 'key'] as const;

/** The columns that an export of a file adds to those of the file. */
export const FILE_EXPORT_COLUMNS = ['srq_status', 'srq_id', 'srq_at'] as const;

/**
 * Writes the chunks of an export, whole or not at all. Throws `SrqError('usage')` if it cannot be written, and
 * `SrqError('interrupted')` if `stop` fires first.
 */
export async function writeExport(
  path: string,
  chunks: AsyncIterable<string | Uint8Array>,
  stop: AbortSignal,
): Promise<void> {
  if (!(await writeOutput(path, 'export', chunks, stop)))
    throw new SrqError('interrupted.unfinished', `Interrupted: ${path} was not written.`);
}
