import { closeSync, constants, existsSync, fsyncSync, mkdirSync, openSync, writeSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { platform } from 'node:os';
import { dirname, resolve } from 'node:path';
import { SrqError } from '../model/errors.ts';
import { shellWord } from '../model/shell-word.ts';
import { minLogBytes } from './lock.ts';
import {
  type LogUser,
  realPath,
  requireOwnFolder,
  requireOwnLog,
  requireRegularFile,
  requireSameFile,
} from './log-access.ts';
import { requireLogStart } from './tail.ts';

/**
 * Opens the log for appending, or creates it, readable by its owner alone. When the promise resolves, the name of a new
 * log is durable. Throws `SrqError('log')` if the file is not a log, is not the user's own, has a second name, or holds
 * less than it held before.
 */
export async function openForAppending(path: string, user: LogUser | null): Promise<FileHandle> {
  requireRegularFile(path);
  // The lock file is read before the log is looked for, because a process that creates both creates the log first.
  const minBytes = minLogBytes(realPath(path));
  if (minBytes !== null && !existsSync(path)) throw missing(path);
  if (user) requireOwnFolder(path, user);
  const directory = dirname(resolve(path));
  const firstMade = mkdirSync(directory, { recursive: true, mode: 0o700 });
  const file = await open(path, constants.O_RDWR | constants.O_APPEND | constants.O_CREAT, 0o600);
  try {
    // This check comes first, so that nobody is told to take ownership of a file that is not srq's.
    await requireLogStart(file, path);
    if (user) requireOwnLog(file.fd, path, user);
    const size = requireSameFile(file.fd, path);
    if (size < (minBytes ?? 0)) throw shortened(path, size, minBytes ?? 0);
    // A name is durable only once its directory is synced. That is also true of the directories created here.
    const top = firstMade === undefined ? directory : dirname(firstMade);
    if (size === 0) syncDirectories(directory, top);
    return file;
  } catch (error) {
    await file.close();
    throw error;
  }
}

function missing(path: string): SrqError {
  return new SrqError(
    'log',
    `The log ${path} is gone; its lock file is still there. Nothing was sent: without the log srq would send the same rows again.`,
    beginAnew(path),
  );
}

function shortened(path: string, size: number, minBytes: number): SrqError {
  return new SrqError(
    'log',
    `The log ${path} has ${size} bytes; it had ${minBytes} when it was taken away from an earlier run. Nothing was sent: without its records srq would send the same rows again.`,
    beginAnew(path),
  );
}

const beginAnew = (path: string) =>
  `Put the log back. To begin a new one all the same, which does not know what was sent: rm ${shellWord(`${realPath(path)}.lock`)}`;

/**
 * Writes all the bytes, in several calls if needed: near a full disk a call may write only some of them and report no
 * error.
 */
export function writeFully(fd: number, bytes: Buffer): void {
  let written = 0;
  while (written < bytes.length) written += writeSync(fd, bytes, written, bytes.length - written);
}

/** Syncs the directories from `directory` up to `top`. Windows has no call for it and needs none. */
function syncDirectories(directory: string, top: string): void {
  if (platform() === 'win32') return;
  for (let each = directory; ; each = dirname(each)) {
    const fd = openSync(each, 'r');
    try {
      fsyncSync(fd);
    } finally {
      closeSync(fd);
    }
    if (each === top || each === dirname(each)) return;
  }
}
