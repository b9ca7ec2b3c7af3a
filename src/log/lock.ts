import { closeSync, ftruncateSync, openSync, readFileSync, writeSync } from 'node:fs';
import { platform } from 'node:os';
import { tryLock, unlock } from 'fs-native-extensions';
import { SrqError, systemCode } from '../model/errors.ts';
import type { Clock } from '../model/ports.ts';

/**
 * One byte far behind the file's text, because Windows denies reading a locked range. macOS locks whole files only, and
 * never denies reading.
 */
const [LOCK_OFFSET, LOCK_BYTES] = platform() === 'darwin' ? [0, 0] : [2 ** 40, 1];
const POLL_MS = 2;
/** Others hold these locks for a moment; one that is held for so long is held by a process that was stopped. */
const STOPPED_AFTER_MS = 10_000;
const NAME_WAIT_MS = 500;

/**
 * Three locks, held by the kernel on files beside the log: gone at once when their process dies (also by kill -9),
 * kept while it is stopped.
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
  readonly #runPath: string;
  readonly #append: FileLock;
  readonly #oneOffPath: string;
  #run: FileLock | null = null;
  #oneOff: FileLock | null = null;

  /** `logPath` without symbolic links: the same log must have the same locks, whatever it is called. */
  constructor(logPath: string) {
    this.#runPath = `${logPath}.lock`;
    this.#append = new FileLock(`${logPath}.append-lock`);
    this.#oneOffPath = `${logPath}.one-off-lock`;
  }

  /** Takes the run lock or throws an error that names the holder. `holder` is shown to whoever is refused. */
  async takeRun(holder: string, clock: Clock): Promise<void> {
    const run = new FileLock(this.#runPath);
    if (run.tryTake()) {
      this.#run = run;
      run.setText(`${holder}\n`);
      return;
    }
    // The holder writes its name right after it has taken the lock.
    await within(NAME_WAIT_MS, clock, () => run.text() !== '');
    const name = run.text() || 'another process';
    run.close();
    throw new SrqError(
      'log',
      `Another run is using this log: ${name}.`,
      'Wait until it has ended, or give this run a log of its own with --log FILE (it will then not know what the other one sends).',
    );
  }

  /** Shows that a one-off request may be under way, for as long as this process lives. */
  async takeOneOff(clock: Clock): Promise<void> {
    const oneOff = new FileLock(this.#oneOffPath);
    this.#oneOff = oneOff;
    // A run that looks whether there is one holds the lock for a moment.
    if (!(await within(STOPPED_AFTER_MS, clock, () => oneOff.tryTake({ shared: true })))) throw stopped(oneOff.path);
  }

  /** Whether any process, this one included, may have a one-off request under way. */
  oneOffsUnderWay(): boolean {
    const probe = new FileLock(this.#oneOffPath);
    try {
      return !probe.tryTake();
    } finally {
      probe.close();
    }
  }

  /** Waits for the append lock: other holders keep it for well under a millisecond, unless one is stopped. */
  async takeAppend(clock: Clock): Promise<void> {
    if (!(await within(STOPPED_AFTER_MS, clock, () => this.#append.tryTake()))) throw stopped(this.#append.path);
  }

  releaseAppend(): void {
    this.#append.release();
  }

  /** Gives up all locks. */
  close(): void {
    this.#append.close();
    this.#run?.close('');
    this.#run = null;
    this.#oneOff?.close();
    this.#oneOff = null;
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

function stopped(path: string): SrqError {
  return new SrqError(
    'log',
    `Another process has been at this log for over ${STOPPED_AFTER_MS / 1000} seconds; it seems to be stopped.`,
    `Let it go on or end it; it is listed by: lsof '${path}'`,
  );
}

class FileLock {
  readonly path: string;
  readonly #fd: number;

  constructor(path: string) {
    this.path = path;
    this.#fd = this.#attempt('opened', () => openSync(path, 'a+', 0o600));
  }

  tryTake({ shared } = { shared: false }): boolean {
    return this.#attempt('locked', () => {
      try {
        return tryLock(this.#fd, LOCK_OFFSET, LOCK_BYTES, { shared });
      } catch (error) {
        // What Windows says of a range that another process has locked.
        if (systemCode(error) === 'EBUSY') return false;
        throw error;
      }
    });
  }

  release(): void {
    unlock(this.#fd, LOCK_OFFSET, LOCK_BYTES);
  }

  text(): string {
    return readFileSync(this.path, 'utf8').trim();
  }

  setText(text: string): void {
    this.#attempt('written', () => {
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

  #attempt<T>(what: string, action: () => T): T {
    try {
      return action();
    } catch (error) {
      const code = systemCode(error) || String(error);
      throw new SrqError(
        'log',
        `The lock file ${this.path} cannot be ${what} (${code}). Nothing was sent.`,
        'Without it two runs could send the same requests. Repair access, or choose a log on a local disk with --log FILE.',
        error,
      );
    }
  }
}
