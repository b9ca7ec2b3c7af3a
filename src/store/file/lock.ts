import { closeSync, constants, existsSync, fstatSync, openSync, readSync, writeSync } from 'node:fs';
import { platform } from 'node:os';
import type { Clock } from '../../request/ports.ts';
import { SrqError, systemCode } from '../../request/words/errors.ts';
import type { KernelLock } from './kernel-lock.ts';
import { openBeside, requireSameFile } from './log-access.ts';

/** True if bytes of the log itself are locked. macOS locks only whole files, so each lock is a file of its own there. */
const LOCKS_BYTES = platform() !== 'darwin';
/**
 * The locks: bytes of the log, far after its text, because Windows denies reading a locked range; on macOS files beside it.
 */
const LOCKS = {
  run: { offset: 2 ** 40, file: 'run-lock' },
  append: { offset: 2 ** 40 + 1, file: 'append-lock' },
  oneOff: { offset: 2 ** 40 + 2, file: 'one-off-lock' },
} as const;
const POLL_MS = 2;
/** Time after which the holder of a lock that is usually held for a moment is assumed to be a suspended process. */
const STOPPED_AFTER_MS = 10_000;
/** Maximum wait for what happens almost at once: that the holder writes its name. */
const BRIEF_WAIT_MS = 500;

/**
 * The three locks of a log. The kernel holds them: it frees them at once when their process dies (also by kill -9) and keeps
 * them while it is stopped.
 *
 * - The run lock is held by the one bulk run of a log for as long as it lives.
 * - The append lock is held by a process only while it adds lines, so that a one-off request need not wait for the end of a
 *   bulk run.
 * - The one-off lock is shared by all one-off requests while they live, so that a run can tell whether a request without an
 *   outcome may still be under way.
 *
 * `<log>.lock` is only text: who runs, and how many bytes the log certainly had.
 *
 * Every method throws `SrqError('log')` if a lock cannot be used.
 */
export class LogLocks {
  readonly #path: string;
  readonly #log: number;
  readonly #kernel: KernelLock;
  readonly #append: ByteLock;
  readonly #held: ByteLock[] = [];
  readonly #text: LockText;
  #isRun = false;

  /** `path` is the log's path without symbolic links. `log` is the open log, whose locks end when it is closed. */
  constructor(path: string, log: number, kernel: KernelLock) {
    this.#path = path;
    this.#log = log;
    this.#kernel = kernel;
    this.#append = this.#lock('append', log);
    this.#text = new LockText(path);
  }

  /** Takes the run lock, or throws an error that names the holder. `holder` is shown to processes that are refused. */
  async acquireRun(holder: string, clock: Clock): Promise<void> {
    const run = this.#lock('run', this.#log);
    if (!run.tryTake()) {
      run.close();
      // The holder writes its name only after it has taken the lock, and not here if it knows the log by another name.
      await within(BRIEF_WAIT_MS, clock, () => this.#text.holder !== '');
      throw inUse(this.#text.holder || 'a process that has it under another name');
    }
    this.#held.push(run);
    this.#isRun = true;
    this.#text.holder = holder;
  }

  /** Takes the one-off lock. As long as this process lives, it shows that a one-off request may be under way. */
  async acquireOneOff(clock: Clock): Promise<void> {
    const oneOff = this.#lock('oneOff', this.#log);
    this.#held.push(oneOff);
    // A run that checks for one-off requests holds the lock only for a moment.
    if (!(await within(STOPPED_AFTER_MS, clock, () => oneOff.tryTake({ shared: true })))) throw stopped(this.#path);
  }

  /** Returns true if any process, including this one, may have a one-off request under way. */
  oneOffsUnderWay(): boolean {
    // The log is opened again, because an open file does not conflict with its own locks.
    const log = attempt(`The log ${this.#path}`, 'opened', () => openSync(this.#path, 'r+'));
    try {
      requireSameFile(this.#log, this.#path);
      const oneOff = this.#lock('oneOff', log);
      const isFree = oneOff.tryTake();
      oneOff.close();
      return !isFree;
    } finally {
      closeSync(log);
    }
  }

  /** Waits for the append lock. Other processes hold it for well under a millisecond, unless one is suspended. */
  async acquireAppend(clock: Clock): Promise<void> {
    if (!(await within(STOPPED_AFTER_MS, clock, () => this.#append.tryTake()))) throw stopped(this.#path);
  }

  releaseAppend(): void {
    this.#append.release();
  }

  /** Writes down that so many bytes of the log are on the disk. From then on nobody opens one with fewer. */
  note(bytes: number): void {
    try {
      if (bytes > this.#text.bytes) this.#text.bytes = bytes;
    } catch {
      // A log that has lost its end is then not noticed, but no record depends on it.
    }
  }

  /** Releases all locks. */
  close(): void {
    try {
      if (this.#isRun) this.#text.holder = '';
    } catch {
      // The old name then stays in the file, but the locks are released.
    }
    for (const lock of [this.#append, ...this.#held]) lock.close();
    this.#text.close();
  }

  #lock(name: keyof typeof LOCKS, log: number): ByteLock {
    const { offset, file } = LOCKS[name];
    if (LOCKS_BYTES) return new ByteLock({ what: `The log ${this.#path}`, fd: log, offset, bytes: 1 }, this.#kernel);
    const path = `${this.#path}.${file}`;
    const what = `The lock file ${path}`;
    const fd = attempt(what, 'opened', () => openBeside(path, constants.O_RDWR | constants.O_CREAT));
    return new ByteLock({ what, fd, offset: 0, bytes: 0 }, this.#kernel);
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

/** What `<log>.lock` says. */
interface LockFacts {
  /** The least number of bytes that the log has: srq never makes it shorter. */
  readonly bytes: number;
  /** Who runs, or ran when it was killed; `''` if nobody does. */
  readonly holder: string;
}

const lockPath = (log: string): string => `${log}.lock`;
const BYTES_DIGITS = 16;
const HOLDER_AT = BYTES_DIGITS + 1;
const TEXT_BYTES = 512;

/**
 * Returns what `<log>.lock` says, or null if there is no such file, so that the log has never been used for sending. A
 * process creates the log before this file, so that the file without a log shows that the log is gone.
 */
export function lockFacts(log: string): LockFacts | null {
  if (!existsSync(lockPath(log))) return null;
  try {
    const fd = openBeside(lockPath(log), constants.O_RDONLY);
    try {
      return factsIn(fd);
    } finally {
      closeSync(fd);
    }
  } catch {
    // Another user may have made it. It shows at least that there was a log.
    return { bytes: 0, holder: '' };
  }
}

function factsIn(fd: number): LockFacts {
  const buffer = Buffer.alloc(TEXT_BYTES);
  const [bytes, holder = ''] = buffer.toString('latin1', 0, readSync(fd, buffer, 0, TEXT_BYTES, 0)).split('\n');
  return { bytes: Number(bytes) || 0, holder: holder.trimEnd() };
}

/**
 * The text of `<log>.lock`, a line a fact. Each fact always has the same place, so that one write changes one fact: a process
 * that is killed, or two that write at once, leave no half of a text.
 */
class LockText {
  readonly #what: string;
  readonly #fd: number;

  constructor(log: string) {
    const path = lockPath(log);
    this.#what = `The lock file ${path}`;
    this.#fd = attempt(this.#what, 'opened', () => openBeside(path, constants.O_RDWR | constants.O_CREAT));
    if (fstatSync(this.#fd).size >= TEXT_BYTES) return;
    this.bytes = 0;
    this.holder = '';
  }

  get bytes(): number {
    return factsIn(this.#fd).bytes;
  }

  set bytes(bytes: number) {
    this.#put(String(bytes).padStart(BYTES_DIGITS), 0);
  }

  get holder(): string {
    return factsIn(this.#fd).holder;
  }

  set holder(holder: string) {
    const room = TEXT_BYTES - HOLDER_AT - 1;
    this.#put(
      holder
        .replace(/[^\x20-\x7e]/g, '?')
        .slice(0, room)
        .padEnd(room),
      HOLDER_AT,
    );
  }

  close(): void {
    closeSync(this.#fd);
  }

  #put(line: string, at: number): void {
    attempt(this.#what, 'written', () => writeSync(this.#fd, `${line}\n`, at));
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
    `Find the process that has ${path} open, and continue it or end it.`,
  );
}

/** Where a lock lies: a range of bytes of an open file, or a whole file (0 bytes). */
interface Place {
  /** The file's name, as error messages begin with it. */
  readonly what: string;
  readonly fd: number;
  readonly offset: number;
  readonly bytes: number;
}

/**
 * A lock on a place. Taking it again while it is held only changes whether it is shared. Releasing it while it is not held
 * does nothing, although Windows reports an error then.
 */
class ByteLock {
  readonly #place: Place;
  readonly #kernel: KernelLock;
  #isHeld = false;

  constructor(place: Place, kernel: KernelLock) {
    this.#place = place;
    this.#kernel = kernel;
  }

  /** Returns false if another open file holds it. */
  tryTake({ shared } = { shared: false }): boolean {
    const { what, fd, offset, bytes } = this.#place;
    const isTaken = attempt(what, 'locked', () => {
      try {
        return this.#kernel.tryLock(fd, offset, bytes, { shared });
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
    const { fd, offset, bytes } = this.#place;
    if (this.#isHeld) this.#kernel.unlock(fd, offset, bytes);
    this.#isHeld = false;
  }

  /** Releases the lock explicitly, because Windows releases that of a closed file only after a delay. */
  close(): void {
    this.release();
    if (!LOCKS_BYTES) closeSync(this.#place.fd);
  }
}

/** Runs the action and turns its error into `SrqError('log')`. `what` is the beginning of the message. */
function attempt<T>(what: string, done: string, action: () => T): T {
  try {
    return action();
  } catch (error) {
    const code = systemCode(error) || String(error);
    throw new SrqError(
      'log.no-lock',
      `${what} cannot be ${done} (${code}). Nothing was sent.`,
      'Without its lock two runs could send the same requests. Correct the access rights, or choose a log on a local disk with --log FILE.',
      error,
    );
  }
}
