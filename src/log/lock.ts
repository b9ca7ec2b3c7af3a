import { closeSync, ftruncateSync, openSync, readFileSync, writeSync } from 'node:fs';
import { platform } from 'node:os';
import { tryLock, unlock } from 'fs-native-extensions';
import { SrqError, systemCode } from '../model/errors.ts';
import type { Clock } from '../model/ports.ts';
import { shellWord } from '../model/shell-word.ts';
import { requireSameFile } from './log-access.ts';

/** Whether the log itself is locked. macOS locks whole files only, so that one file cannot carry three locks. */
const LOCKS_LOG = platform() !== 'darwin';
/** The locked bytes of a log lie far behind its text, because Windows denies reading a locked range. */
const BYTE = { run: 2 ** 40, append: 2 ** 40 + 1, oneOff: 2 ** 40 + 2 };
/** In a lock file: one byte, where a lock can have so little. */
const [LOCK_FILE_OFFSET, LOCK_FILE_BYTES] = LOCKS_LOG ? [2 ** 40, 1] : [0, 0];
const POLL_MS = 2;
/** Others hold these locks for a moment; one that is held for so long is held by a process that was stopped. */
const STOPPED_AFTER_MS = 10_000;
const NAME_WAIT_MS = 500;

/**
 * Three locks, held by the kernel: gone at once when their process dies (also by kill -9), kept while it is stopped. Each is
 * held on a byte of the log itself, which has the same locks under all its names, and on a file beside it: for macOS, for an
 * srq of before the former, and for the name of the holder.
 *
 * - run, `<log>.lock`: one bulk run per log, for as long as it lives. The file's text says who it is.
 * - append, `<log>.append-lock`: whoever adds lines, for the moment of adding them, so a one-off request need not wait
 *   for a bulk run.
 * - one-off, `<log>.one-off-lock`: shared by all one-off requests while they live, so that a run can tell whether a
 *   request without an outcome may still be under way.
 *
 * Every method throws `SrqError('log')`.
 */
export class LogLock {
  readonly #path: string;
  readonly #log: number;
  readonly #runByte: ByteLock;
  readonly #append: Lock;
  #run: { readonly file: LockFile; readonly holder: string } | null = null;
  #oneOff: Lock | null = null;

  /** `path`: the log's, without symbolic links. `log`: the open log; its locks end when that is closed. */
  constructor(path: string, log: number) {
    this.#path = path;
    this.#log = log;
    this.#runByte = byteOf(path, log, BYTE.run);
    this.#append = twofold(new LockFile(`${path}.append-lock`), byteOf(path, log, BYTE.append));
  }

  /** Takes the run lock or throws an error that names the holder. `holder` is shown to whoever is refused. */
  async takeRun(holder: string, clock: Clock): Promise<void> {
    const run = new LockFile(`${this.#path}.lock`);
    if (!run.tryTake()) {
      // The holder writes its name right after it has taken the lock.
      await within(NAME_WAIT_MS, clock, () => holderIn(run.text()) !== '');
      const name = holderIn(run.text()) || 'another process';
      run.close();
      throw inUse(name);
    }
    // The kernel frees the two locks of a process that dies one after the other.
    if (LOCKS_LOG && !(await within(NAME_WAIT_MS, clock, () => this.#runByte.tryTake()))) {
      run.close();
      throw inUse(`a process that has it under another name (listed by: lsof ${shellWord(this.#path)})`);
    }
    this.#run = { file: run, holder };
    run.setText(`${holder}\n`);
  }

  /** Shows that a one-off request may be under way, for as long as this process lives. */
  async takeOneOff(clock: Clock): Promise<void> {
    const oneOff = twofold(new LockFile(this.#oneOffPath()), byteOf(this.#path, this.#log, BYTE.oneOff));
    this.#oneOff = oneOff;
    // A run that looks whether there is one holds the lock for a moment.
    if (!(await within(STOPPED_AFTER_MS, clock, () => oneOff.tryTake({ shared: true })))) throw stopped(this.#path);
  }

  /** Whether any process, this one included, may have a one-off request under way. */
  oneOffsUnderWay(): boolean {
    const file = new LockFile(this.#oneOffPath());
    let log: number | null = null;
    try {
      // An open file does not see the locks that are its own, so the log is opened once more.
      log = attempt(`The log ${this.#path}`, 'opened', () => openSync(this.#path, 'r+'));
      requireSameFile(this.#log, this.#path);
      return !twofold(file, byteOf(this.#path, log, BYTE.oneOff)).tryTake();
    } finally {
      if (log !== null) closeSync(log);
      file.close();
    }
  }

  /** Waits for the append lock: other holders keep it for well under a millisecond, unless one is stopped. */
  async takeAppend(clock: Clock): Promise<void> {
    if (!(await within(STOPPED_AFTER_MS, clock, () => this.#append.tryTake()))) throw stopped(this.#path);
  }

  releaseAppend(): void {
    this.#append.release();
  }

  /** Gives up all locks. `lostBytes`: what the log had, where its path no longer leads to it: the next run must not find less. */
  close(lostBytes: number | null = null): void {
    this.#append.close();
    if (this.#run) {
      const { file, holder } = this.#run;
      if (LOCKS_LOG) this.#runByte.release();
      file.close(lostBytes === null ? '' : `${lostText(lostBytes, holder)}\n`);
    }
    this.#run = null;
    this.#oneOff?.close();
    this.#oneOff = null;
  }

  #oneOffPath(): string {
    return `${this.#path}.one-off-lock`;
  }
}

/** Whether `met` came true in time; it is asked at least once. */
async function within(waitMs: number, clock: Clock, met: () => boolean): Promise<boolean> {
  const deadline = clock.monotonicMs() + waitMs;
  while (!met()) {
    if (clock.monotonicMs() > deadline) return false;
    await clock.sleep(POLL_MS);
  }
  return true;
}

/** What the lock file says instead of who holds it where the log was taken away from its last run. */
const LOST_TEXT = /^The log had (\d+) bytes /;
const lostText = (bytes: number, holder: string) => `The log had ${bytes} bytes when it was taken away from: ${holder}`;
const holderIn = (text: string) => (LOST_TEXT.test(text) ? '' : text);

/**
 * How many bytes a log must have at least: as many as when it was taken away from its last run; else 0. Null: it has never been
 * used for sending. A log is made before its lock file, and no srq makes it shorter than this.
 */
export function leastBytes(logPath: string): number | null {
  try {
    return Number(LOST_TEXT.exec(readFileSync(`${logPath}.lock`, 'utf8'))?.[1] ?? 0);
  } catch {
    // What else keeps it from being read keeps it from being locked, and is told then.
    return null;
  }
}

function inUse(holder: string): SrqError {
  return new SrqError(
    'log',
    `Another run is using this log: ${holder}.`,
    'Wait until it has ended, or give this run a log of its own with --log FILE (it will then not know what the other one sends).',
  );
}

function stopped(path: string): SrqError {
  return new SrqError(
    'log',
    `Another process has been at this log for over ${STOPPED_AFTER_MS / 1000} seconds; it seems to be stopped.`,
    `Let it go on or end it; it is listed by: lsof ${shellWord(path)}`,
  );
}

/** A lock that another open file may hold. Taking one that is held already changes nothing but whether it is shared. */
interface Lock {
  tryTake(options?: { readonly shared: boolean }): boolean;
  release(): void;
  close(): void;
}

/** A range of an open file. */
class ByteLock {
  /** The file, as a sentence about it begins. */
  readonly #file: string;
  readonly #fd: number;
  readonly #offset: number;
  readonly #bytes: number;

  constructor(file: string, fd: number, offset: number, bytes: number) {
    this.#file = file;
    this.#fd = fd;
    this.#offset = offset;
    this.#bytes = bytes;
  }

  tryTake({ shared } = { shared: false }): boolean {
    return attempt(this.#file, 'locked', () => {
      try {
        return tryLock(this.#fd, this.#offset, this.#bytes, { shared });
      } catch (error) {
        // What Windows says of a range that another process has locked.
        if (systemCode(error) === 'EBUSY') return false;
        throw error;
      }
    });
  }

  release(): void {
    unlock(this.#fd, this.#offset, this.#bytes);
  }
}

/** A file beside the log that is there to be locked. */
class LockFile implements Lock {
  readonly #path: string;
  readonly #name: string;
  readonly #fd: number;
  readonly #range: ByteLock;

  constructor(path: string) {
    this.#path = path;
    this.#name = `The lock file ${path}`;
    this.#fd = attempt(this.#name, 'opened', () => openSync(path, 'a+', 0o600));
    this.#range = new ByteLock(this.#name, this.#fd, LOCK_FILE_OFFSET, LOCK_FILE_BYTES);
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
      writeSync(this.#fd, text);
    });
  }

  /** `text`: what the file says from now on, for people; a disk that takes no writing does not keep a lock from ending. */
  close(text?: string): void {
    try {
      if (text !== undefined) this.setText(text);
    } catch {
      // The name of a holder that is gone stays in the file; the lock itself does not.
    }
    closeSync(this.#fd);
  }
}

function byteOf(path: string, log: number, offset: number): ByteLock {
  return new ByteLock(`The log ${path}`, log, offset, 1);
}

/** Held on the log itself and on the file beside it, or not at all. */
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

/** `file`: as a sentence about it begins. */
function attempt<T>(file: string, what: string, action: () => T): T {
  try {
    return action();
  } catch (error) {
    const code = systemCode(error) || String(error);
    throw new SrqError(
      'log',
      `${file} cannot be ${what} (${code}). Nothing was sent.`,
      'Without its lock two runs could send the same requests. Repair access, or choose a log on a local disk with --log FILE.',
      error,
    );
  }
}
