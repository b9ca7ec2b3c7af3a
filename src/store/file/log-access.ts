import { type BigIntStats, fstatSync, lstatSync, readlinkSync, realpathSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { SrqError, systemCode } from '../../request/errors.ts';
import { type AccessFlaw, fileFlaw, folderFlaw } from '../../request/ownership.ts';
import { shellCommands } from './shell-commands.ts';

/** The user for whom a log is opened. */
export interface LogUser {
  /** The numeric user id, or null where files have no owners and modes (Windows). */
  readonly uid: number | null;
  /** True if the log is in the folder that srq keeps for this user, false if somebody chose its place. */
  readonly isInStateFolder: boolean;
}

/**
 * Throws `SrqError('log')` if the path leads to a folder, a pipe or a device, because those keep no records. A path
 * that does not exist yet is accepted, because it will be a regular file.
 */
export function requireRegularFile(path: string): void {
  const found = statSync(path, { throwIfNoEntry: false });
  if (!found || found.isFile()) return;
  const what = found.isDirectory() ? 'a folder' : 'not a regular file';
  throw new SrqError(
    'log.unreadable',
    `The log ${path} cannot be used: it is ${what}.`,
    'Name a file with --log FILE.',
  );
}

/**
 * Throws `SrqError('log')` if others could replace files in the log's folder. A folder that does not exist yet is
 * accepted, because it will be the user's.
 */
export function requireOwnFolder(path: string, { uid, isInStateFolder }: LogUser): void {
  for (const folder of new Set([dirname(resolve(path)), dirname(realPath(path))])) {
    const found = statSync(folder, { throwIfNoEntry: false });
    const flaw = found ? folderFlaw(folder, found, uid, isInStateFolder) : null;
    if (flaw) throw notOurs(`The folder ${folder} of the log`, flaw);
  }
}

/** Throws `SrqError('log')` if the open log is not the user's own, because its records decide what is sent. */
export function requireOwnLog(fd: number, path: string, { uid }: LogUser): void {
  const flaw = fileFlaw(path, fstatSync(fd), uid, 'writers');
  if (flaw) throw notOurs(`The log ${path}`, flaw);
}

/**
 * Returns the size of the open log. Throws `SrqError('log')` unless its path leads to it and it has no other name. With
 * a log that has two names, or that was replaced by another file, a request could be sent twice.
 */
export function requireSameFile(fd: number, path: string): number {
  const open = fstatSync(fd, { bigint: true });
  if (open.nlink > 1n) throw underTwoNames(path, open);
  if (open.nlink === 0n) throw takenAway(path, 'deleted or shortened');
  if (!leadsTo(path, open)) throw takenAway(path, 'renamed or replaced');
  return Number(open.size);
}

/** Returns true if the path leads to the open file and the file has at least this number of bytes. */
export function isStillThere(fd: number, path: string, bytes: number): boolean {
  try {
    const open = fstatSync(fd, { bigint: true });
    return leadsTo(path, open) && open.size >= bytes;
  } catch {
    return false;
  }
}

function leadsTo(path: string, { dev, ino }: BigIntStats): boolean {
  const named = statSync(path, { bigint: true, throwIfNoEntry: false });
  return named !== undefined && named.dev === dev && named.ino === ino;
}

/** Returns the error for a log that another program has moved or changed. `how` is the participle for the message. */
export function takenAway(path: string, how: string): SrqError {
  return new SrqError(
    'log.changed',
    `The log ${path} was ${how} while it was in use. Nothing more is sent.`,
    'Its records prevent sending twice: put it back under this name before the next run, and exclude it from logrotate and similar tools.',
  );
}

function underTwoNames(path: string, { nlink }: BigIntStats): SrqError {
  return new SrqError(
    'log.not-own',
    `The log ${path} has ${nlink} names (hard links); it is not used. Nothing more is sent.`,
    `Each name would count as a separate log. Keep one and remove the others: ${shellCommands().names(path)}`,
  );
}

function notOurs(what: string, { why, remedy }: AccessFlaw): SrqError {
  return new SrqError(
    'log.not-own',
    `${what} ${why}; it is not used. Nothing was sent.`,
    `Others may have changed what it says was sent. To use it anyway: ${remedy}    Or name another log with --log FILE.`,
  );
}

/** Returns the path without symbolic links, even if the file that the last link leads to does not exist. */
export function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch (error) {
    if (systemCode(error) !== 'ENOENT') throw error;
  }
  const isLink = lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink();
  return resolve(isLink ? resolve(dirname(path), readlinkSync(path)) : path);
}
