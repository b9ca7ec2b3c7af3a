import { createHash } from 'node:crypto';
import { realpath } from 'node:fs/promises';
import { SrqError } from '../request/words/errors.ts';
import { requireOwnOrNew, requireWritable, writeOutput } from './output-file.ts';

export const LOG_EXPORT_COLUMNS = ['ref', 'id', 'ids', 'status', 'at', 'row', 'file', 'run', 'key'] as const;

/** The columns that an export of a file adds to those of the file. */
export const FILE_EXPORT_COLUMNS = ['srq_status', 'srq_id', 'srq_at'] as const;

const [OF_LOG, OF_FILE] = [LOG_EXPORT_COLUMNS, FILE_EXPORT_COLUMNS].map((columns) => columns.join('.'));
/** Matches the beginning of an export: its header as CSV, or its first object as JSON. */
const OWN_HEAD = new RegExp(
  `^${OF_LOG}\\r\\n|(?:^|[,;\\t|])${OF_FILE}\\r\\n|^\\[\\]\\n$|^\\[\\{"ref":[^\\n]*"ids":|^\\[\\{[^\\n]*"srq_status":"[a-z]+","srq_id":[^\\n]*"srq_at":`,
);

/**
 * Checks the place of an export. Throws `SrqError('usage')` if the file cannot be written there, or if it would replace
 * its own input or anything but an earlier export. `input` is null for an export of the log. `isOwnWorkbook` tells
 * whether a workbook at that place is an earlier export, which cannot be seen from its beginning.
 */
export async function requireExportPlace(path: string, input: string | null, isOwnWorkbook: boolean): Promise<void> {
  const [output, source] = await Promise.all([path, input].map((each) => realPath(each)));
  if (output !== null && output === source) {
    throw new SrqError(
      'output.not-replaced',
      'The export would replace the input.',
      'Name another file: --output FILE',
    );
  }
  await requireOwnOrNew(path, 'export', '--output', (head) => isOwnWorkbook || OWN_HEAD.test(head));
  await requireWritable(path, 'export', '--output');
}

async function realPath(path: string | null): Promise<string | null> {
  return path === null ? null : realpath(path).catch(() => null);
}

/**
 * Writes the chunks of an export, whole or not at all, and returns the SHA-256 of the file in hex. Throws
 * `SrqError('usage')` if it cannot be written, and `SrqError('interrupted')` if `stop` fires first.
 */
export async function writeExport(
  path: string,
  chunks: AsyncIterable<string | Uint8Array>,
  stop: AbortSignal,
): Promise<string> {
  const hash = createHash('sha256');
  const hashed = async function* () {
    for await (const chunk of chunks) {
      hash.update(chunk);
      yield chunk;
    }
  };
  if (!(await writeOutput(path, 'export', hashed(), stop)))
    throw new SrqError('interrupted.unfinished', `Interrupted: ${path} was not written.`);
  return hash.digest('hex');
}
