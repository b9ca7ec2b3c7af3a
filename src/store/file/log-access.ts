import {
  type BigIntStats,
  closeSync,
  constants,
  fstatSync,
  fsyncSync,
  lstatSync,
  openSync,
  readlinkSync,
  realpathSync,
  statSync,
  writeSync,
} from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { type AccessFlaw, fileFlaw, folderFlaw } from '../../request/log/ownership.ts';
import type { Clock } from '../../request/ports.ts';
import { SrqError, systemCode } from '../../request/words/errors.ts';

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

/** Flags that neither follow a link nor wait for a pipe, where the system has them. */
export const BESIDE = (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/**
 * Opens a file that srq keeps beside a log, for its owner alone. No link is followed, since it could lead to any file of
 * the user's, and a pipe is not waited for.
 */
export function openBeside(path: string, flags: number): number {
  const fd = openSync(path, flags | BESIDE, 0o600);
  if (fstatSync(fd).isFile()) return fd;
  closeSync(fd);
  throw Object.assign(new Error(`${path} is not a regular file`), { code: 'not a regular file' });
}

/** Opens such a file for `use` alone. */
export function withBeside<Result>(path: string, flags: number, use: (fd: number) => Result): Result {
  const fd = openBeside(path, flags);
  try {
    return use(fd);
  } finally {
    closeSync(fd);
  }
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
  if (open.nlink > 1n) {
    throw new SrqError(
      'log.not-own',
      `The log ${path} has ${open.nlink} names (hard links); it is not used. Nothing more is sent.`,
      'Each name would count as a separate log. Keep one and remove the others.',
    );
  }
  if (open.nlink === 0n) throw takenAway(path, 'deleted or shortened');
  const named = statSync(path, { bigint: true, throwIfNoEntry: false });
  if (!isSame(open, named)) throw takenAway(path, 'renamed or replaced');
  return Number(open.size);
}

const isSame = (one: BigIntStats, other: BigIntStats | undefined): boolean =>
  one.dev === other?.dev && one.ino === other.ino;

/** Returns the error for a log that another program has moved or changed. `how` is the participle for the message. */
export function takenAway(path: string, how: string): SrqError {
  return new SrqError(
    'log.changed',
    `The log ${path} was ${how} while it was in use. Nothing more is sent.`,
    'Its records prevent sending twice: put it back under this name before the next run, and exclude it from logrotate and similar tools.',
  );
}

function notOurs(what: string, { why, remedy }: AccessFlaw): SrqError {
  return new SrqError(
    'log.not-own',
    `${what} ${why}; it is not used. Nothing was sent.`,
    `Others may have changed what it says was sent. To use it anyway: ${remedy}`,
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

const RECORD_START = '{"key":"';
const KEY_DIGITS = 32;

/**
 * Throws `SrqError('log')` if the first byte shows that the file is not a log. It is called before anything is written
 * to the file or beside it.
 */
export async function requireLogStart(file: FileHandle, path: string): Promise<void> {
  const { bytesRead, buffer } = await file.read(Buffer.alloc(1), 0, 1, 0);
  if (bytesRead > 0 && buffer[0] !== 0 && buffer.toString('latin1') !== RECORD_START[0]) throw noLog(path);
}

/**
 * Returns the bytes after the last complete line, from the offset `end` on. Throws `SrqError('log')` if they cannot come from
 * an srq that died while it added a record. Such a process leaves the beginning of a record, or zeros. With any other tail
 * the file is not a log, or another program has written to it.
 */
export async function ownTail(file: FileHandle, path: string, end: number): Promise<Buffer> {
  const { size } = await file.stat();
  const buffer = Buffer.alloc(Math.max(0, size - end));
  const { bytesRead } = await file.read(buffer, 0, buffer.length, end);
  // Another process may have cut it meanwhile.
  const tail = buffer.subarray(0, bytesRead);
  if (isOwnTail(tail)) return tail;
  if (end === 0) throw noLog(path);
  throw new SrqError(
    'log.damaged',
    `The log ${path} does not end with a record of srq: the ${tail.length} bytes after byte ${end} were not written by srq. It was left as it is; nothing was sent.`,
    'Look at the end of the file. If those bytes do not belong there, remove them, and nothing before them.',
  );
}

function noLog(path: string): SrqError {
  return new SrqError(
    'log.damaged',
    `The file ${path} is not a log of srq: it does not begin with a record. It was left as it is; nothing was sent.`,
    'Name another file with --log FILE; srq creates it if needed. If this is the log, restore it from a backup.',
  );
}

/** Zeros at the end are blocks that never reached the disk. */
function isOwnTail(tail: Buffer): boolean {
  if (tail[0] === 0) return tail.every((byte) => byte === 0);
  const text = tail.toString('latin1', 0, RECORD_START.length + KEY_DIGITS).replace(/\0+$/, '');
  if (text.length <= RECORD_START.length) return RECORD_START.startsWith(text);
  return text.startsWith(RECORD_START) && /^[0-9a-f]+$/.test(text.slice(RECORD_START.length));
}

/**
 * Cuts an unfinished last line and keeps a copy of it beside the log. Its writer died before the line was synced, so no
 * request was sent because of it. If the line was an outcome, its row is now in doubt, which is correct.
 */
export async function cutTornTail(file: FileHandle, path: string, end: number, clock: Clock): Promise<void> {
  const tail = await ownTail(file, path, end);
  if (tail.length === 0) return;
  let aside = `${path}.torn-${clock.nowMs()}`;
  while (lstatSync(aside, { throwIfNoEntry: false })) aside += '+';
  withBeside(aside, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, (copy) => {
    writeFully(copy, tail);
    fsyncSync(copy);
  });
  // Windows cannot shorten a file through a handle for appending.
  const writing = await open(path, 'r+');
  try {
    const isStillThere = isSame(await file.stat({ bigint: true }), await writing.stat({ bigint: true }));
    if (!isStillThere) throw takenAway(path, 'renamed or replaced');
    await writing.truncate(end);
    await writing.sync();
  } finally {
    await writing.close();
  }
}

/**
 * Writes all the bytes, in several calls if needed: near a full disk a call may write only some of them and report no
 * error.
 */
export function writeFully(fd: number, bytes: Buffer): void {
  let written = 0;
  while (written < bytes.length) written += writeSync(fd, bytes, written, bytes.length - written);
}
