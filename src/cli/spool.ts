import { createWriteStream, mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { Context } from './context.ts';

/**
 * Standard input as a file: an import reads its input more than once (to plan, to send, to write the results). Readable by
 * the user alone, and gone when the command ends.
 */
export async function spoolStdin(context: Context): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'srq-stdin-'));
  context.onClose(() => rm(folder, { recursive: true, force: true }));
  const path = join(folder, 'stdin');
  await pipeline(context.process.stdin, createWriteStream(path, { mode: 0o600 }));
  return path;
}
