import { randomUUID } from 'node:crypto';
import { lstat, open, rm, writeFile } from 'node:fs/promises';
import { SrqError, systemCode } from '../request/errors.ts';

const HEAD_BYTES = 64 * 1024;

/**
 * Throws `SrqError('usage')` if a file that srq is about to write would replace anything but an earlier one of its
 * kind. A slip in an option must not cost the user the leads, the log or the settings. `isOwn` receives the beginning
 * of an existing file.
 */
export async function requireOwnOrNew(
  path: string,
  kind: string,
  option: string,
  isOwn: (head: string) => boolean,
): Promise<void> {
  const found = await lstat(path).catch(() => null);
  if (!found) return;
  const hint = `Name another file: ${option} FILE`;
  if (!found.isFile()) throw new SrqError('usage', `${path} is not a regular file; nothing was written.`, hint);
  if (found.size > 0 && !isOwn(await headOf(path))) {
    throw new SrqError('usage', `${path} exists and is no ${kind} of srq; it is not replaced.`, hint);
  }
}

/** Throws `SrqError('usage')`, before anything is sent, if no file can be written beside `path`. */
export async function requireWritable(path: string, kind: string, option: string): Promise<void> {
  const part = `${path}.${randomUUID()}.part`;
  try {
    await writeFile(part, '', { mode: 0o600 });
    await rm(part);
  } catch (error) {
    const message = `The ${kind} ${path} could not be written (${systemCode(error)}). Nothing was sent.`;
    throw new SrqError('usage', message, `Name another place: ${option} FILE`, error);
  }
}

async function headOf(path: string): Promise<string> {
  const file = await open(path).catch(() => null);
  if (!file) return '';
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0);
    return buffer.toString('utf8', 0, bytesRead);
  } finally {
    await file.close();
  }
}
