import { closeSync, constants, existsSync, fstatSync, fsyncSync, mkdirSync, openSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { platform } from 'node:os';
import { dirname, resolve } from 'node:path';
import { KEY_RECIPE } from '../../request/lead/service-request.ts';
import type { OpenLog } from '../../request/log/log-store.ts';
import type { LoggedState } from '../../request/log/status.ts';
import type { Clock } from '../../request/ports.ts';
import { SrqError, systemCode } from '../../request/words/errors.ts';
import { inGroups } from '../in-groups.ts';
import { detailsOf, logWriter, type NewRecord, someIds } from '../stored-record.ts';
import { loadKernelLock } from './kernel-lock.ts';
import { type LogLocks, lockFacts, logLocks, requireWhole } from './lock.ts';
import {
  cutTornTail,
  type LogUser,
  realPath,
  requireLogStart,
  requireOwnFolder,
  requireOwnLog,
  requireRegularFile,
  requireSameFile,
  takenAway,
  writeFully,
} from './log-access.ts';
import { indexView, type LogIndex, loadIndex, saveIndex } from './log-index.ts';
import { encodeRecord } from './record.ts';

interface PendingLine {
  readonly record: NewRecord;
  /** The state that the key must still have (compare and set), or null for any state. */
  readonly seen: LoggedState | null;
  readonly line: Buffer;
}

export interface FileLogOptions {
  readonly path: string;
  readonly clock: Clock;
  /** The identifier of this process in its records. */
  readonly run: string;
  /**
   * True for a bulk run, which excludes other runs. False for a one-off request, which only orders its lines among
   * theirs.
   */
  readonly exclusive: boolean;
  /** The description of this process for others that find the log in use. */
  readonly holder: string;
  /** The user who must own the log, or null to accept any owner. */
  readonly user?: LogUser | null;
}

/**
 * Opens the log for sending, and indexes it. Throws `SrqError('log')` if it is not accessible, is damaged, or is held by
 * another run, and `SrqError('platform.no-lock')` if this machine has no lock.
 */
export async function openFileLog(options: FileLogOptions): Promise<OpenLog> {
  const { path, clock, user = null } = options;
  let file: FileHandle | null = null;
  let locks: LogLocks | null = null;
  try {
    // The lock is loaded before the log is created, so that nothing is written on a machine without a lock.
    const kernel = await loadKernelLock();
    const directory = dirname(resolve(path));
    const firstMade = mkdirSync(directory, { recursive: true, mode: 0o700 });
    file = await openLogFile(path, user, constants.O_RDWR | constants.O_APPEND | constants.O_CREAT);
    // A name is durable only once its directory is synced. The same is true for the directories that were created here.
    const top = firstMade === undefined ? directory : dirname(firstMade);
    if (requireSameFile(file.fd, path) === 0) syncDirectories(directory, top);
    locks = logLocks(realPath(path), file.fd, kernel);
    await (options.exclusive ? locks.acquireRun(options.holder, clock) : locks.acquireOneOff(clock));
    const index = loadIndex(file.fd, path, user);
    const parts = { file, locks, index, savedBytes: index.end };
    await index.catchUp(file);
    await underAppendLock(options, parts, () => {});
    return fileLog(options, parts);
  } catch (error) {
    locks?.close();
    await file?.close();
    throw error instanceof SrqError ? error : cannotBeOpened(path, error);
  }
}

interface OpenParts {
  readonly file: FileHandle;
  readonly locks: LogLocks;
  readonly index: LogIndex;
  /** The number of bytes of the file that the saved index covers. */
  readonly savedBytes: number;
}

/**
 * The log on disk, open for sending: an append-only NDJSON file (FORMAT.md) with an index in memory.
 *
 * It commits in groups without a timer: all records that are queued while one fdatasync runs share the next one.
 */
function fileLog(options: FileLogOptions, parts: OpenParts): OpenLog {
  const { path, run, clock } = options;
  const { file, locks, index, savedBytes } = parts;
  let broken: SrqError | null = null;
  let isClosed = false;
  /** Whether a record of this process names the version of the key algorithm. */
  let isRecipeNoted = false;

  const write = (group: readonly PendingLine[], recorded: Set<PendingLine>) => {
    const chunks: Buffer[] = [];
    let offset = index.end;
    for (const each of group) {
      const { key, event, by = null } = each.record;
      if (each.seen !== null && index.state(key) !== each.seen) continue;
      index.set(key, event, by, offset);
      chunks.push(each.line);
      offset += each.line.length;
      recorded.add(each);
    }
    writeFully(file.fd, Buffer.concat(chunks));
    index.end = offset;
    index.lines += chunks.length;
    if (chunks.length > 0) isRecipeNoted = true;
  };
  /** Commits a group of lines, and returns for each whether it was recorded. */
  const commit = async (group: readonly PendingLine[]) => {
    if (broken) throw broken;
    const recorded = new Set<PendingLine>();
    try {
      await underAppendLock(options, parts, () => write(group, recorded));
      const { end } = index;
      if (recorded.size > 0) await file.datasync();
      if (recorded.size > 0) locks.note(end);
    } catch (error) {
      // After a failed write or sync the kernel may have dropped pages, so no later write of this process can be trusted.
      broken = asLogError(error, path);
      throw broken;
    }
    return group.map((each) => recorded.has(each));
  };
  const appending = inGroups<PendingLine, boolean>(commit);
  const append = (record: NewRecord, seen: LoggedState | null) => {
    if (broken) return Promise.reject(broken);
    const at = new Date(clock.nowMs()).toISOString();
    const recipe = isRecipeNoted ? undefined : KEY_RECIPE;
    const details = { recipe, ids: someIds(record.ids), ...detailsOf(record) };
    return appending.add({ record, seen, line: encodeRecord(record, record.event, at, run, details) });
  };
  // Each group commit adds the records of other processes to the index.
  const view = indexView(index, file.fd);
  return {
    ...logWriter(append),
    ...view,
    run,
    writeLeaseMs: null,
    nowMs: () => clock.nowMs(),
    mayBeUnderWay: (key) => {
      // The state is not enough, because a request that was sent on a licence, or again under its key, is `parked` while
      // it is under way.
      return view.read(key)?.event === 'sending' && locks.oneOffsUnderWay();
    },
    /** Waits for the queued records, then releases the file and the locks. Later records are refused. */
    close: async () => {
      await appending.idle();
      if (isClosed) return;
      isClosed = true;
      const isSound = broken === null;
      broken ??= new SrqError('log.closed', `The log ${path} was closed before this could be recorded.`);
      locks.close();
      if (isSound) saveIndex(index, file.fd, path, savedBytes, run);
      await file.close();
    },
  };
}

/**
 * Runs `add` under the append lock, so that no other process adds lines at the same time. Before that it indexes the
 * lines that others have added and cuts a torn tail.
 */
async function underAppendLock({ path, clock }: FileLogOptions, parts: OpenParts, add: () => void): Promise<void> {
  const { file, locks, index } = parts;
  await locks.acquireAppend(clock);
  try {
    const size = requireSameFile(file.fd, path);
    if (size < index.end) throw takenAway(path, 'deleted or shortened');
    if (size > index.end) {
      await index.catchUp(file);
      await cutTornTail(file, path, index.end, clock);
    }
    add();
  } finally {
    locks.releaseAppend();
  }
}

const REASONS: Readonly<Record<string, string>> = {
  ENOSPC: 'the disk is full',
  EACCES: 'no permission',
  ENOENT: 'its folder cannot be created',
  EROFS: 'it is on a read-only disk',
};
const reasonOf = (error: unknown) => REASONS[systemCode(error)] ?? (systemCode(error) || String(error));

/** Returns what to do about a log that cannot be opened. Whoever names another one has all sent again that this one knows. */
export const hintAt = (path: string): string =>
  existsSync(path)
    ? 'Make room, or correct the access rights, then run the same command again. Another log (--log FILE) would not know what was sent, and could send it again.'
    : 'Correct the access rights, or name another file with --log FILE, or another folder in SRQ_STATE_DIR.';

function cannotBeOpened(path: string, error: unknown): SrqError {
  return new SrqError(
    'log.unwritable',
    `The log ${path} cannot be opened for writing (${reasonOf(error)}). Nothing was sent.`,
    hintAt(path),
    error,
  );
}

function asLogError(error: unknown, path: string): SrqError {
  if (error instanceof SrqError) {
    // It was sent before.
    const message = error.message.replace('Nothing was sent', 'Nothing more is sent');
    return new SrqError(error.reason, message, error.hint, error);
  }
  return new SrqError(
    'log.unwritable',
    `The log ${path} cannot be written (${reasonOf(error)}). Nothing more is sent.`,
    'Free some space or correct the access rights, then run the same command again: it goes on where it stopped.',
    error,
  );
}

/**
 * Opens the file of a log. One that these flags create is readable only by its owner. Throws `SrqError('log')` if the file is
 * not a log or not the user's own, or if it was used for sending and is gone or shorter than it was. If `user` is given, it must
 * own the log, because the records are trusted.
 */
export async function openLogFile(path: string, user: LogUser | null, flags: number): Promise<FileHandle> {
  requireRegularFile(path);
  // The lock file is read first, because a process that creates it and the log creates the log first.
  const earlier = lockFacts(realPath(path));
  if (!existsSync(path)) requireWhole(path, earlier, null);
  if (user) requireOwnFolder(path, user);
  const file = await open(path, flags, 0o600);
  try {
    // This check comes first. Otherwise the hint would be to take ownership of a file that is not a log of srq.
    await requireLogStart(file, path);
    if (user) requireOwnLog(file.fd, path, user);
    requireWhole(path, earlier, fstatSync(file.fd).size);
    return file;
  } catch (error) {
    await file.close();
    throw error;
  }
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
