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
const APPEND_WAIT_MS = 10_000;
const APPEND_POLL_MS = 2;
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
    const deadline = clock.monotonicMs() + NAME_WAIT_MS;
    while (run.text() === '' && clock.monotonicMs() < deadline) await clock.sleep(APPEND_POLL_MS);
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
    while (!oneOff.tryTake({ shared: true })) await clock.sleep(APPEND_POLL_MS);
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
    const deadline = clock.monotonicMs() + APPEND_WAIT_MS;
    while (!this.#append.tryTake()) {
      if (clock.monotonicMs() > deadline) {
        throw new SrqError(
          'log',
          `Another process has been adding to this log for over ${APPEND_WAIT_MS / 1000} seconds; it seems to be stopped.`,
          `Let it go on or end it; it is listed by: lsof '${this.#append.path}'`,
        );
      }
      await clock.sleep(APPEND_POLL_MS);
    }
  }

  releaseAppend(): void {
    this.#append.release();
  }

  /** Gives up all locks. */
  close(): void {
    this.#append.close();
    this.#run?.setText('');
    this.#run?.close();
    this.#run = null;
    this.#oneOff?.close();
    this.#oneOff = null;
  }
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

  close(): void {
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
