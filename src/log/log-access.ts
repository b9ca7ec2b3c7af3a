import { type BigIntStats, fstatSync, lstatSync, readlinkSync, realpathSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { SrqError, systemCode } from '../model/errors.ts';
import { type Flaw, fileFlaw, folderFlaw } from '../model/ownership.ts';
import { shellWord } from '../model/shell-word.ts';

/** For whom a log is opened. */
export interface LogUser {
  /** The user's number; null where files have no owners and modes (Windows). */
  readonly uid: number | null;
  /** The log lies in the folder that srq keeps for this user, not where somebody chose to have it. */
  readonly isInStateFolder: boolean;
}

/** A folder, a pipe or a device keeps no records. What does not exist yet will be a regular file. */
export function requireRegularFile(path: string): void {
  const found = statSync(path, { throwIfNoEntry: false });
  if (!found || found.isFile()) return;
  const what = found.isDirectory() ? 'a folder' : 'not a regular file';
  throw new SrqError('log', `The log ${path} cannot be used: it is ${what}.`, 'Name a file with --log FILE.');
}

/** Throws `SrqError('log')` for a folder that this log must not lie in. A folder that does not exist yet will be the user's. */
export function requireOwnFolder(path: string, { uid, isInStateFolder }: LogUser): void {
  for (const folder of new Set([dirname(resolve(path)), dirname(realPath(path))])) {
    const found = statSync(folder, { throwIfNoEntry: false });
    const flaw = found ? folderFlaw(folder, found, uid, isInStateFolder) : null;
    if (flaw) throw notOurs(`The folder ${folder} of the log`, flaw);
  }
}

/** Throws `SrqError('log')` for an open log that is not the user's own: what it says would decide what is sent. */
export function requireOwnLog(fd: number, path: string, { uid }: LogUser): void {
  const flaw = fileFlaw(path, fstatSync(fd), uid, 'writers');
  if (flaw) throw notOurs(`The log ${path}`, flaw);
}

/**
 * Throws `SrqError('log')` unless the path leads to the open file and no other name does: a log under two names, or one that is
 * another file than it was, would let a request be sent twice. Returns the size of the file.
 */
export function requireSameFile(fd: number, path: string): number {
  const open = fstatSync(fd, { bigint: true });
  if (open.nlink > 1n) throw underTwoNames(path, open);
  if (open.nlink === 0n) throw takenAway(path, 'deleted or shortened');
  if (!leadsTo(path, open)) throw takenAway(path, 'renamed or replaced');
  return Number(open.size);
}

/** Whether the path leads to the open file, and that has at least so many bytes. */
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

/** `how`: what happened to the log behind our back. */
export function takenAway(path: string, how: string): SrqError {
  return new SrqError(
    'log',
    `The log ${path} was ${how} while it was in use. Nothing more is sent.`,
    'What it said is needed to send nothing twice: put it back under this name before the next run. Leave it out of logrotate and the like.',
  );
}

function underTwoNames(path: string, { nlink }: BigIntStats): SrqError {
  return new SrqError(
    'log',
    `The log ${path} has ${nlink} names (hard links); it is not used. Nothing more is sent.`,
    `Under each name it would be taken for a log of its own. Keep one and remove the others: find / -xdev -samefile ${shellWord(path)}`,
  );
}

function notOurs(what: string, { why, remedy }: Flaw): SrqError {
  return new SrqError(
    'log',
    `${what} ${why}; it is not used. Nothing was sent.`,
    `Others may have changed what was sent and what was not. To use it all the same: ${remedy}    Or name another log with --log FILE.`,
  );
}

/** Without symbolic links; also where what the last of them leads to is gone. */
export function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch (error) {
    if (systemCode(error) !== 'ENOENT') throw error;
  }
  const isLink = lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink();
  return resolve(isLink ? resolve(dirname(path), readlinkSync(path)) : path);
}
