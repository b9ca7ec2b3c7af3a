import { closeSync, constants, existsSync, ftruncateSync, openSync, readFileSync, writeSync } from 'node:fs';
import { platform } from 'node:os';
import type { Clock } from '../../request/ports.ts';
import { SrqError, systemCode } from '../../request/words/errors.ts';
import type { KernelLock } from './kernel-lock.ts';
import { requireSameFile } from './log-access.ts';
import { shellCommands } from './shell-commands.ts';

/**
 * True if bytes of the log itself are locked. macOS locks only whole files, so one file cannot have three locks there.
 */
const LOCKS_LOG = platform() !== 'darwin';
/**
 * Offsets of the locked bytes of the log. They are far after its text, because Windows denies reading a locked range.
 */
const BYTE = { run: 2 ** 40, append: 2 ** 40 + 1, oneOff: 2 ** 40 + 2 };
/** The locked range of a lock file: one byte, or the whole file on systems that lock only whole files. */
const [LOCK_FILE_OFFSET, LOCK_FILE_BYTES] = LOCKS_LOG ? [2 ** 40, 1] : [0, 0];
const POLL_MS = 2;
/** Time after which the holder of a lock that is usually held for a moment is assumed to be a suspended process. */
const STOPPED_AFTER_MS = 10_000;
/**
 * Maximum wait for what happens almost at once: that the holder writes its name into the lock file, or that the second
 * lock of a dead process is released.
 */
const BRIEF_WAIT_MS = 500;

/**
 * The three locks of a log. The kernel holds them: it frees them at once when their process dies (also by kill -9) and keeps
 * them while it is stopped. Each lock is held on a byte of the log itself, which has the same locks under all its names, and
 * on a lock file beside the log. The lock file serves macOS, older versions of srq that do not lock the log itself, and the
 * name of the holder.
 *
 * - The run lock, `<log>.lock`, is held by the one bulk run of a log for as long as it lives. The file's text names it.
 * - The append lock, `<log>.append-lock`, is held by a process only while it adds lines, so that a one-off request need not
 *   wait for the end of a bulk run.
 * - The one-off lock, `<log>.one-off-lock`, is shared by all one-off requests while they live, so that a run can tell whether
 *   a request without an outcome may still be under way.
 *
 * Every method throws `SrqError('log')` if a lock cannot be used.
 */
export class LogLock {
  readonly #path: string;
  readonly #log: number;
  readonly #kernel: KernelLock;
  readonly #runByte: ByteLock;
  readonly #append: Lock;
  #run: { readonly file: LockFile; readonly holder: string } | null = null;
  #oneOff: { readonly file: LockFile; readonly lock: Lock; readonly holder: string } | null = null;

  /** `path` is the log's path without symbolic links. `log` is the open log, whose locks end when it is closed. */
  constructor(path: string, log: number, kernel: KernelLock) {
    this.#path = path;
    this.#log = log;
    this.#kernel = kernel;
    this.#runByte = this.#byteOf(log, BYTE.run);
    this.#append = twofold(this.#lockFile('append-lock'), this.#byteOf(log, BYTE.append));
  }

  /** Takes the run lock, or throws an error that names the holder. `holder` is shown to processes that are refused. */
  async acquireRunLock(holder: string, clock: Clock): Promise<void> {
    const run = this.#lockFile('lock');
    if (!run.tryTake()) {
      // The holder writes its name only after it has taken the lock.
      await within(BRIEF_WAIT_MS, clock, () => holderIn(run.text()) !== '');
      const name = holderIn(run.text()) || 'another process';
      run.close();
      throw inUse(name);
    }
    // When a process dies, the kernel frees its two locks one after the other.
    if (LOCKS_LOG && !(await within(BRIEF_WAIT_MS, clock, () => this.#runByte.tryTake()))) {
      run.close();
      throw inUse(`a process that has it under another name (listed by: ${shellCommands().holders(this.#path)})`);
    }
    this.#run = { file: run, holder };
    run.setText(`${holder}\n`);
  }

  /** Takes the one-off lock. As long as this process lives, it shows that a one-off request may be under way. */
  async acquireOneOffLock(holder: string, clock: Clock): Promise<void> {
    const file = this.#lockFile('one-off-lock');
    const lock = twofold(file, this.#byteOf(this.#log, BYTE.oneOff));
    this.#oneOff = { file, lock, holder };
    // A run that checks for one-off requests holds the lock only for a moment.
    if (!(await within(STOPPED_AFTER_MS, clock, () => lock.tryTake({ shared: true })))) throw stopped(this.#path);
  }

  /** Returns true if any process, including this one, may have a one-off request under way. */
  oneOffsUnderWay(): boolean {
    const file = this.#lockFile('one-off-lock');
    let log: number | null = null;
    try {
      // The log is opened again, because an open file does not conflict with its own locks.
      log = attempt(`The log ${this.#path}`, 'opened', () => openSync(this.#path, 'r+'));
      requireSameFile(this.#log, this.#path);
      const oneOff = twofold(file, this.#byteOf(log, BYTE.oneOff));
      if (!oneOff.tryTake()) return true;
      // The lock is released explicitly, because Windows releases the lock of a closed file only after a delay.
      oneOff.release();
      return false;
    } finally {
      if (log !== null) closeSync(log);
      file.close();
    }
  }

  /** Waits for the append lock. Other processes hold it for well under a millisecond, unless one is suspended. */
  async acquireAppendLock(clock: Clock): Promise<void> {
    if (!(await within(STOPPED_AFTER_MS, clock, () => this.#append.tryTake()))) throw stopped(this.#path);
  }

  releaseAppendLock(): void {
    this.#append.release();
  }

  /**
   * Releases all locks. If the path no longer leads to the log, `lostBytes` is the number of bytes that the log had.
   * The lock file then keeps this number, and the next process refuses a log that has fewer bytes.
   */
  close(lostBytes: number | null = null): void {
    this.#append.close();
    if (this.#run) {
      const { file, holder } = this.#run;
      if (LOCKS_LOG) this.#runByte.release();
      file.close(lostBytes === null ? '' : `${lostText(lostBytes, holder)}\n`);
    }
    this.#run = null;
    if (this.#oneOff) {
      const { file, lock, holder } = this.#oneOff;
      if (lostBytes !== null) file.addLine(lostText(lostBytes, holder));
      lock.close();
    }
    this.#oneOff = null;
  }

  #lockFile(extension: string): LockFile {
    return new LockFile(`${this.#path}.${extension}`, this.#kernel);
  }

  #byteOf(log: number, offset: number): ByteLock {
    return new ByteLock(`The log ${this.#path}`, log, offset, 1, this.#kernel);
  }
}

/** Resolves to true as soon as `isMet` returns true, or to false after `waitMs`. `isMet` is called at least once. */
async function within(waitMs: number, clock: Clock, isMet: () => boolean): Promise<boolean> {
  const deadline = clock.monotonicMs() + waitMs;
  while (!isMet()) {
    if (clock.monotonicMs() > deadline) return false;
    await clock.sleep(POLL_MS);
  }
  return true;
}

/** Matches the beginning of the line that a process leaves in its lock file if the log was taken away from it. */
const LOST_TEXT = /^The log had (\d+) bytes /;
const lostText = (bytes: number, holder: string) => `The log had ${bytes} bytes when it was taken away from: ${holder}`;
const holderIn = (text: string) => (LOST_TEXT.test(text) ? '' : text);

/** What the lock files show of a log that was opened for sending, also if the log itself is gone. */
export interface EarlierUse {
  /** The lock files that show it. A person who removes them begins a new log. */
  readonly lockFiles: readonly string[];
  /**
   * The minimum number of bytes that the log must have: the greatest number that it had when it was taken away from a
   * process, or else 0. srq never makes a log shorter than this.
   */
  readonly minBytes: number;
}

/**
 * Returns what the lock files show of the log, or null if it has never been used for sending. Every process that sends
 * has the run lock or the one-off lock. It creates the log before their files, so that a lock file without a log shows
 * that the log is gone. The file of the append lock shows nothing, because it is made before either.
 */
export function earlierUse(logPath: string): EarlierUse | null {
  // A lock file that cannot be read counts as well, because another user may have made it.
  const lockFiles = ['lock', 'one-off-lock'].map((each) => `${logPath}.${each}`).filter((each) => existsSync(each));
  if (lockFiles.length === 0) return null;
  return { lockFiles, minBytes: Math.max(...lockFiles.map(lostBytesIn)) };
}

function lostBytesIn(lockFile: string): number {
  try {
    const lines = readFileSync(lockFile, 'utf8').split('\n');
    return Math.max(...lines.map((line) => Number(LOST_TEXT.exec(line)?.[1] ?? 0)));
  } catch {
    return 0;
  }
}

function inUse(holder: string): SrqError {
  return new SrqError(
    'log.in-use',
    `Another run is using this log: ${holder}.`,
    'Wait until it has ended, or give this run a log of its own with --log FILE (it will then not know what the other one sends).',
  );
}

function stopped(path: string): SrqError {
  return new SrqError(
    'log.in-use',
    `Another process has held this log for over ${STOPPED_AFTER_MS / 1000} seconds and seems to be stopped.`,
    `Continue it or end it; this lists it: ${shellCommands().holders(path)}`,
  );
}

/** A lock that another open file may hold. Taking it again while it is held only changes whether it is shared. */
interface Lock {
  tryTake(options?: { readonly shared: boolean }): boolean;
  release(): void;
  close(): void;
}

/**
 * A lock on a range of bytes of an open file. Releasing it while it is not held does nothing, although Windows reports
 * an error then.
 */
class ByteLock {
  /** The file's name, as error messages begin with it. */
  readonly #file: string;
  readonly #fd: number;
  readonly #offset: number;
  readonly #bytes: number;
  readonly #kernel: KernelLock;
  #isHeld = false;

  constructor(file: string, fd: number, offset: number, bytes: number, kernel: KernelLock) {
    this.#kernel = kernel;
    this.#file = file;
    this.#fd = fd;
    this.#offset = offset;
    this.#bytes = bytes;
  }

  tryTake({ shared } = { shared: false }): boolean {
    const isTaken = attempt(this.#file, 'locked', () => {
      try {
        return this.#kernel.tryLock(this.#fd, this.#offset, this.#bytes, { shared });
      } catch (error) {
        // Windows reports EBUSY for a range that another process has locked.
        if (systemCode(error) === 'EBUSY') return false;
        throw error;
      }
    });
    this.#isHeld ||= isTaken;
    return isTaken;
  }

  release(): void {
    if (!this.#isHeld) return;
    this.#isHeld = false;
    this.#kernel.unlock(this.#fd, this.#offset, this.#bytes);
  }
}

/** A lock file beside the log. */
class LockFile implements Lock {
  readonly #path: string;
  readonly #name: string;
  readonly #fd: number;
  readonly #range: ByteLock;

  constructor(path: string, kernel: KernelLock) {
    this.#path = path;
    this.#name = `The lock file ${path}`;
    // The file is not opened for appending, because Windows cannot shorten a file that is.
    this.#fd = attempt(this.#name, 'opened', () => openSync(path, constants.O_RDWR | constants.O_CREAT, 0o600));
    this.#range = new ByteLock(this.#name, this.#fd, LOCK_FILE_OFFSET, LOCK_FILE_BYTES, kernel);
  }

  tryTake(options?: { readonly shared: boolean }): boolean {
    return this.#range.tryTake(options);
  }

  release(): void {
    this.#range.release();
  }

  text(): string {
    return readFileSync(this.#path, 'utf8').trim();
  }

  setText(text: string): void {
    attempt(this.#name, 'written', () => {
      ftruncateSync(this.#fd, 0);
      writeSync(this.#fd, text, 0);
    });
  }

  /**
   * Adds a line behind those of other processes, with which a lock is shared. A file that somebody has removed is not
   * made again, because that begins a new log.
   */
  addLine(text: string): void {
    try {
      const fd = openSync(this.#path, constants.O_WRONLY | constants.O_APPEND);
      try {
        writeSync(fd, `${text}\n`);
      } finally {
        closeSync(fd);
      }
    } catch {
      // Without the line a log that has lost its end is not noticed, but the lock must be released all the same.
    }
  }

  /**
   * Releases the lock and leaves `text` in the file for people to read. The lock is released even if the disk cannot be
   * written.
   */
  close(text?: string): void {
    try {
      if (text !== undefined) this.setText(text);
    } catch {
      // The old name then stays in the file, but the lock itself is released.
    }
    closeSync(this.#fd);
  }
}

/** Returns a lock that is held on both the log itself and the lock file, or on neither. */
function twofold(file: LockFile, byte: ByteLock): Lock {
  if (!LOCKS_LOG) return file;
  return {
    tryTake: (options) => {
      if (!file.tryTake(options)) return false;
      if (byte.tryTake(options)) return true;
      file.release();
      return false;
    },
    release: () => {
      byte.release();
      file.release();
    },
    close: () => {
      byte.release();
      file.close();
    },
  };
}

/** Runs the action and turns its error into `SrqError('log')`. `file` is the beginning of the message. */
function attempt<T>(file: string, what: string, action: () => T): T {
  try {
    return action();
  } catch (error) {
    const code = systemCode(error) || String(error);
    throw new SrqError(
      'log.no-lock',
      `${file} cannot be ${what} (${code}). Nothing was sent.`,
      'Without its lock two runs could send the same requests. Correct the access rights, or choose a log on a local disk with --log FILE.',
      error,
    );
  }
}
