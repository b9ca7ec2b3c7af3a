import { closeSync, constants, existsSync, fsyncSync, mkdirSync, openSync, writeSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { platform } from 'node:os';
import { dirname, resolve } from 'node:path';
import { SrqError } from '../model/errors.ts';
import { shellWord } from '../model/shell-word.ts';
import { leastBytes } from './lock.ts';
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
 * Opens or makes the log, readable by its owner alone; a new one's name is on the disk when this resolves. Throws
 * `SrqError('log')` for what is no log, is not the user's own, has a second name, or is less than what was there before.
 */
export async function openForAppending(path: string, user: LogUser | null): Promise<FileHandle> {
  requireRegularFile(path);
  // Asked for first: whoever makes a log at this moment makes the lock file after it.
  const least = leastBytes(realPath(path));
  if (least !== null && !existsSync(path)) throw missing(path);
  if (user) requireOwnFolder(path, user);
  const directory = dirname(resolve(path));
  const firstMade = mkdirSync(directory, { recursive: true, mode: 0o700 });
  const file = await open(path, constants.O_RDWR | constants.O_APPEND | constants.O_CREAT, 0o600);
  try {
    // First, so that nobody is told to make a file his own that is none of srq's.
    await requireLogStart(file, path);
    if (user) requireOwnLog(file.fd, path, user);
    const size = requireSameFile(file.fd, path);
    if (size < (least ?? 0)) throw shortened(path, size, least ?? 0);
    // A name is durable only once the directory that holds it is; this goes for the directories made here, too.
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

function shortened(path: string, size: number, least: number): SrqError {
  return new SrqError(
    'log',
    `The log ${path} has ${size} bytes; it had ${least} when it was taken away from an earlier run. Nothing was sent: without its records srq would send the same rows again.`,
    beginAnew(path),
  );
}

const beginAnew = (path: string) =>
  `Put the log back. To begin a new one all the same, which does not know what was sent: rm ${shellWord(`${realPath(path)}.lock`)}`;

/** Near a full disk a write may take only part of the bytes and report no error. */
export function writeFully(fd: number, bytes: Buffer): void {
  let written = 0;
  while (written < bytes.length) written += writeSync(fd, bytes, written, bytes.length - written);
}

/** From `directory` up to `top`. Windows has no such call and needs none. */
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
