import { closeSync, constants, existsSync, fsyncSync, openSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { platform } from 'node:os';
import { dirname, resolve } from 'node:path';
import { KEY_RECIPE } from '../../request/lead/service-request.ts';
import type { OpenLog } from '../../request/log/log-store.ts';
import type { LoggedState } from '../../request/log/status.ts';
import { makeFolder } from '../../request/make-folder.ts';
import type { Clock, LogRecord } from '../../request/ports.ts';
import { SrqError, systemCode } from '../../request/words/errors.ts';
import { InGroups } from '../in-groups.ts';
import { detailsOf, LogWriter, type NewRecord, someIds } from '../stored-record.ts';
import { loadKernelLock } from './kernel-lock.ts';
import { LogLocks, lockFacts, requireWhole } from './lock.ts';
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
import { type LogIndex, loadIndex, saveIndex } from './log-index.ts';
import { encodeRecord, readRecordAt } from './record.ts';

interface PendingLine {
  readonly record: NewRecord;
  /** The state that the key must still have (compare and set), or null for any state. */
  readonly seen: LoggedState | null;
  readonly line: Buffer;
}

const RESOLVED = Promise.resolve();

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
 * The log on disk, open for sending: an append-only NDJSON file (FORMAT.md) with an index in memory.
 *
 * It commits in groups without a timer: all records that are queued while one fdatasync runs share the next one.
 */
export class FileLog extends LogWriter implements OpenLog {
  readonly path: string;
  readonly run: string;
  readonly writeLeaseMs = null;
  readonly #options: FileLogOptions;
  readonly #file: FileHandle;
  readonly #locks: LogLocks;
  readonly #index: LogIndex;
  readonly #appending = new InGroups<PendingLine, boolean>((group) => this.#commit(group));
  #broken: SrqError | null = null;
  #closed = false;
  /** The number of bytes of the file that the saved index covers. */
  readonly #savedBytes: number;
  /** Whether a record of this process names the version of the key algorithm. */
  #isRecipeNoted = false;

  private constructor(options: FileLogOptions, file: FileHandle, locks: LogLocks, index: LogIndex) {
    super();
    this.path = options.path;
    this.run = options.run;
    this.#options = options;
    this.#file = file;
    this.#locks = locks;
    this.#index = index;
    this.#savedBytes = index.end;
  }

  /**
   * Opens and indexes the log. Throws `SrqError('log')` if it is not accessible, is damaged, or is held by another run, and
   * `SrqError('platform.no-lock')` if this machine has no lock.
   */
  static async open(options: FileLogOptions): Promise<FileLog> {
    let file: FileHandle | null = null;
    let locks: LogLocks | null = null;
    try {
      // The lock is loaded before the log is created, so that nothing is written on a machine without a lock.
      const kernel = await loadKernelLock();
      file = await openForAppending(options.path, options.user ?? null);
      locks = new LogLocks(realPath(options.path), file.fd, kernel);
      await (options.exclusive ? locks.acquireRun(options.holder, options.clock) : locks.acquireOneOff(options.clock));
      const log = new FileLog(options, file, locks, loadIndex(file.fd, options.path, options.user ?? null));
      await log.#index.catchUp(file);
      await log.#underAppendLock(() => {});
      return log;
    } catch (error) {
      locks?.close();
      await file?.close();
      throw error instanceof SrqError ? error : cannotBeOpened(options.path, error);
    }
  }

  nowMs(): number {
    return this.#options.clock.nowMs();
  }

  lookup(key: string): LoggedState {
    return this.#index.state(key);
  }

  /**
   * Does nothing, because the index holds all keys, and each group commit adds the records of other processes to it.
   */
  prefetch(): Promise<void> {
    return RESOLVED;
  }

  read(key: string): LogRecord | null {
    const offset = this.#index.offset(key);
    return offset === null ? null : readRecordAt(this.#file.fd, offset);
  }

  mayBeUnderWay(key: string): boolean {
    // The state is not enough, because a request that was sent on a licence, or again under its key, is `parked` while
    // it is under way.
    return this.read(key)?.event === 'sending' && this.#locks.oneOffsUnderWay();
  }

  /** Waits for the queued records, then releases the file and the locks. Later records are refused. */
  async close(): Promise<void> {
    await this.#appending.idle();
    if (this.#closed) return;
    this.#closed = true;
    const isSound = this.#broken === null;
    this.#broken ??= new SrqError('log.closed', `The log ${this.path} was closed before this could be recorded.`);
    this.#locks.close();
    if (isSound) saveIndex(this.#index, this.#file.fd, this.path, this.#savedBytes, this.run);
    await this.#file.close();
  }

  protected append(record: NewRecord, seen: LoggedState | null): Promise<boolean> {
    if (this.#broken) return Promise.reject(this.#broken);
    const at = new Date(this.#options.clock.nowMs()).toISOString();
    const recipe = this.#isRecipeNoted ? undefined : KEY_RECIPE;
    const details = { recipe, ids: someIds(record.ids), ...detailsOf(record) };
    return this.#appending.add({ record, seen, line: encodeRecord(record, record.event, at, this.run, details) });
  }

  /** Commits a group of lines, and returns for each whether it was recorded. */
  async #commit(group: readonly PendingLine[]): Promise<boolean[]> {
    if (this.#broken) throw this.#broken;
    const recorded = new Set<PendingLine>();
    try {
      await this.#underAppendLock(() => this.#write(group, recorded));
      const end = this.#index.end;
      if (recorded.size > 0) await this.#file.datasync();
      if (recorded.size > 0) this.#locks.note(end);
    } catch (error) {
      // After a failed write or sync the kernel may have dropped pages, so no later write of this process can be trusted.
      this.#broken = asLogError(error, this.path);
      throw this.#broken;
    }
    return group.map((each) => recorded.has(each));
  }

  #write(group: readonly PendingLine[], recorded: Set<PendingLine>): void {
    const chunks: Buffer[] = [];
    let offset = this.#index.end;
    for (const each of group) {
      const { key, event, by = null } = each.record;
      if (each.seen !== null && this.#index.state(key) !== each.seen) continue;
      this.#index.set(key, event, by, offset);
      chunks.push(each.line);
      offset += each.line.length;
      recorded.add(each);
    }
    writeFully(this.#file.fd, Buffer.concat(chunks));
    this.#index.end = offset;
    this.#index.lines += chunks.length;
    if (chunks.length > 0) this.#isRecipeNoted = true;
  }

  /**
   * Runs `add` under the append lock, so that no other process adds lines at the same time. Before that it indexes the
   * lines that others have added and cuts a torn tail.
   */
  async #underAppendLock(add: () => void): Promise<void> {
    await this.#locks.acquireAppend(this.#options.clock);
    try {
      const size = requireSameFile(this.#file.fd, this.path);
      if (size < this.#index.end) throw takenAway(this.path, 'deleted or shortened');
      if (size > this.#index.end) {
        await this.#index.catchUp(this.#file);
        await cutTornTail(this.#file, this.path, this.#index.end, this.#options.clock);
      }
      add();
    } finally {
      this.#locks.releaseAppend();
    }
  }
}

const REASONS: Readonly<Record<string, string>> = {
  ENOSPC: 'the disk is full',
  EACCES: 'no permission',
  ENOENT: 'its folder cannot be created',
  EROFS: 'it is on a read-only disk',
};
const reasonOf = (error: unknown) => REASONS[systemCode(error)] ?? (systemCode(error) || String(error));

function cannotBeOpened(path: string, error: unknown): SrqError {
  return new SrqError(
    'log.unwritable',
    `The log ${path} cannot be opened for writing (${reasonOf(error)}). Nothing was sent.`,
    'Correct the access rights, or name another file with --log FILE, or another folder in SRQ_STATE_DIR.',
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
 * Opens the log for appending, or creates it, readable only by its owner. When the promise resolves, the name of a new
 * log is durable. Throws `SrqError('log')` if the file is not a log, is not the user's own, has a second name, or is
 * shorter than it was before.
 */
async function openForAppending(path: string, user: LogUser | null): Promise<FileHandle> {
  requireRegularFile(path);
  // The lock file is read first, because a process that creates it and the log creates the log first.
  const earlier = lockFacts(realPath(path));
  if (!existsSync(path)) requireWhole(path, earlier, null);
  if (user) requireOwnFolder(path, user);
  const directory = dirname(resolve(path));
  const firstMade = makeFolder(directory);
  const file = await open(path, constants.O_RDWR | constants.O_APPEND | constants.O_CREAT, 0o600);
  try {
    // This check comes first. Otherwise the hint would be to take ownership of a file that is not a log of srq.
    await requireLogStart(file, path);
    if (user) requireOwnLog(file.fd, path, user);
    const size = requireSameFile(file.fd, path);
    requireWhole(path, earlier, size);
    // A name is durable only once its directory is synced. The same is true for the directories that were created here.
    const top = firstMade === undefined ? directory : dirname(firstMade);
    if (size === 0) syncDirectories(directory, top);
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
