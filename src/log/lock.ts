import { closeSync, ftruncateSync, openSync, readFileSync, writeSync } from 'node:fs';
import { tryLock, unlock } from 'fs-native-extensions';
import { SrqError, systemCode } from '../model/errors.ts';
import type { Clock } from '../model/ports.ts';

/**
 * Two locks, both held by the kernel on bytes of `<log>.lock`: gone at once when their process dies (also by kill -9),
 * kept while it is stopped.
 *
 * - run: one bulk run per log, for as long as it lives.
 * - append: whoever adds lines, for the moment of adding them, so a one-off request need not wait for a bulk run.
 *
 * The bytes lie far behind the file's text (who holds the run lock), because Windows denies reading a locked range.
 */
const RUN_BYTE = 2 ** 40;
const APPEND_BYTE = RUN_BYTE + 1;
const APPEND_WAIT_MS = 10_000;
const APPEND_POLL_MS = 2;

export class LogLock {
  readonly #fd: number;
  readonly #path: string;

  constructor(logPath: string) {
    this.#path = `${logPath}.lock`;
    try {
      this.#fd = openSync(this.#path, 'a+', 0o600);
    } catch (error) {
      throw new SrqError('log', `The lock file ${this.#path} cannot be opened (${systemCode(error)}).`, null, error);
    }
  }

  /** Takes the run lock or throws `SrqError('log')` that names the holder. `holder` is shown to whoever is refused. */
  takeRun(holder: string): void {
    if (!tryLock(this.#fd, RUN_BYTE, 1)) {
      const other = readFileSync(this.#path, 'utf8').trim() || 'another process';
      throw new SrqError(
        'log',
        `Another run is using this log: ${other}.`,
        'Wait until it has ended, or give this run a log of its own with --log FILE (it will then not know what the other one sends).',
      );
    }
    ftruncateSync(this.#fd, 0);
    writeSync(this.#fd, `${holder}\n`);
  }

  /** Waits for the append lock: other holders keep it for well under a millisecond, unless one is stopped. */
  async takeAppend(clock: Clock): Promise<void> {
    const deadline = clock.monotonicMs() + APPEND_WAIT_MS;
    while (!tryLock(this.#fd, APPEND_BYTE, 1)) {
      if (clock.monotonicMs() > deadline) {
        throw new SrqError(
          'log',
          `Another process has been adding to this log for over ${APPEND_WAIT_MS / 1000} seconds; it seems to be stopped.`,
          `Let it go on or end it; the holder of ${this.#path} is listed by: lsof ${this.#path}`,
        );
      }
      await clock.sleep(APPEND_POLL_MS);
    }
  }

  releaseAppend(): void {
    unlock(this.#fd, APPEND_BYTE, 1);
  }

  /** Gives up both locks. */
  close(): void {
    closeSync(this.#fd);
  }
}
