import { closeSync, constants, existsSync, openSync, readSync, writeSync } from 'node:fs';
import { platform } from 'node:os';
import type { Clock } from '../../request/ports.ts';
import { SrqError, shellWord, systemCode } from '../../request/words/errors.ts';
import type { KernelLock } from './kernel-lock.ts';
import { openBeside, realPath, requireSameFile, withBeside } from './log-access.ts';

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

export type LogLocks = ReturnType<typeof logLocks>;

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
 *
 * `path` is the log's path without symbolic links. `log` is the open log, whose locks end when it is closed.
 */
export function logLocks(path: string, log: number, kernel: KernelLock) {
  const lock = (name: keyof typeof LOCKS, on: number): ByteLock => {
    const { offset, file } = LOCKS[name];
    if (LOCKS_BYTES) return byteLock(`The log ${path}`, on, offset, kernel);
    const own = `${path}.${file}`;
    return byteLock(`The lock file ${own}`, openLockFile(own), 0, kernel);
  };
  const append = lock('append', log);
  const held = [append];
  const text = openLockFile(lockPath(path));
  let isRun = false;

  const put = (at: number, line: string) =>
    attempt(`The lock file ${lockPath(path)}`, 'written', () => writeSync(text, `${line}\n`, at));
  const putHolder = (holder: string) => {
    const printable = holder.replace(/[^\x20-\x7e]/g, '?');
    put(HOLDER_AT, printable.slice(0, HOLDER_PLACES).padEnd(HOLDER_PLACES));
  };
  /** Waits for a lock that others hold only for a moment, unless one of them is suspended. */
  const acquire = async (clock: Clock, tryTake: () => boolean) => {
    if (await within(STOPPED_AFTER_MS, clock, tryTake)) return;
    throw new SrqError(
      'log.in-use',
      `Another process has held this log for over ${STOPPED_AFTER_MS / 1000} seconds and seems to be stopped.`,
      `Find the process that has ${path} open, and continue it or end it.`,
    );
  };
  return {
    /** Takes the run lock, or throws an error that names the holder. `holder` is shown to processes that are refused. */
    acquireRun: async (holder: string, clock: Clock) => {
      const run = lock('run', log);
      if (!run.tryTake()) {
        run.close();
        // The holder writes its name only after it has taken the lock, and not here if it knows the log by another name.
        await within(BRIEF_WAIT_MS, clock, () => factsIn(text).holder !== '');
        throw inUse(factsIn(text).holder || 'a process that has it under another name');
      }
      held.push(run);
      isRun = true;
      putHolder(holder);
    },
    /** Takes the one-off lock. As long as this process lives, it shows that a one-off request may be under way. */
    acquireOneOff: async (clock: Clock) => {
      const oneOff = lock('oneOff', log);
      held.push(oneOff);
      // A run that checks for one-off requests holds the lock only for a moment.
      await acquire(clock, () => oneOff.tryTake(true));
    },
    /** Returns true if any process, including this one, may have a one-off request under way. */
    oneOffsUnderWay: () => {
      // The log is opened again, because an open file does not conflict with its own locks.
      const again = attempt(`The log ${path}`, 'opened', () => openSync(path, 'r+'));
      try {
        requireSameFile(log, path);
        const oneOff = lock('oneOff', again);
        const isFree = oneOff.tryTake();
        oneOff.close();
        return !isFree;
      } finally {
        closeSync(again);
      }
    },
    /** Waits for the append lock. Other processes hold it for well under a millisecond, unless one is suspended. */
    acquireAppend: (clock: Clock) => acquire(clock, () => append.tryTake()),
    releaseAppend: () => append.release(),
    /** Writes down that so many bytes of the log are on the disk. From then on nobody opens one with fewer. */
    note: (bytes: number) =>
      ignoringErrors(() => {
        if (bytes > factsIn(text).bytes) put(0, String(bytes).padStart(BYTES_PLACES));
      }),
    /** Releases all locks. */
    close: () => {
      if (isRun) ignoringErrors(() => putHolder(''));
      for (const each of held) each.close();
      closeSync(text);
    },
  };
}

/** No record depends on what is written here: an old name stays, or a log that lost its end later is not noticed. */
function ignoringErrors(write: () => void): void {
  try {
    write();
  } catch {}
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

const lockPath = (log: string): string => `${log}.lock`;
/** Each fact always has the same place, a line of its own, so that one write changes one fact. Never written means none. */
const BYTES_PLACES = 16;
const HOLDER_AT = BYTES_PLACES + 1;
const HOLDER_PLACES = 494;
const TEXT_BYTES = 512;

/**
 * Returns what `<log>.lock` says, or null if there is no such file, so that the log has never been used for sending. A
 * process creates the log before this file, so that the file without a log shows that the log is gone.
 */
export function lockFacts(log: string): LockFacts | null {
  if (!existsSync(lockPath(log))) return null;
  try {
    return withBeside(lockPath(log), constants.O_RDONLY, factsIn);
  } catch {
    // Another user may have made it. It shows at least that there was a log.
    return { bytes: 0, holder: '' };
  }
}

/**
 * Throws `SrqError('log')` if a log that was used for sending is gone or shorter than it was. `earlier` is what its lock file
 * said before the log was opened, since the log may grow meanwhile. `size` is null if there is no log.
 */
export function requireWhole(path: string, earlier: LockFacts | null, size: number | null): void {
  if (earlier === null || (size !== null && size >= earlier.bytes)) return;
  const [found, why] =
    size === null
      ? ['is gone; its lock file is still there.', 'the log']
      : [
          `has ${size} bytes; it had ${earlier.bytes}. It was emptied, cut, or replaced by an older copy.`,
          'its records',
        ];
  const look = size ? '    To see what is left of it: copy it, then srq log --log COPY' : '';
  throw new SrqError(
    'log.incomplete',
    `The log ${path} ${found} Nothing was sent: without ${why} srq would send the same rows again.`,
    `Put the log back. To begin a new log instead, which does not know what was sent: rm ${shellWord(lockPath(realPath(path)))}${look}`,
  );
}

type LockFacts = ReturnType<typeof factsIn>;

/**
 * Reads what `<log>.lock` says: the least number of bytes that the log has, since srq never makes it shorter, and who runs, or
 * ran when it was killed; `''` if nobody does.
 */
function factsIn(fd: number) {
  const buffer = Buffer.alloc(TEXT_BYTES);
  readSync(fd, buffer, 0, TEXT_BYTES, 0);
  const text = (start: number, end: number) => buffer.toString('latin1', start, end).replaceAll('\0', '').trim();
  return { bytes: Number(text(0, BYTES_PLACES)) || 0, holder: text(HOLDER_AT, TEXT_BYTES) };
}

function inUse(holder: string): SrqError {
  return new SrqError(
    'log.in-use',
    `Another run is using this log: ${holder}.`,
    'Wait until it has ended, or stop it. With another log (--log FILE) this run would not know what that one has sent, and could send it again.',
  );
}

const openLockFile = (path: string): number =>
  attempt(`The lock file ${path}`, 'opened', () => openBeside(path, constants.O_RDWR | constants.O_CREAT));

type ByteLock = ReturnType<typeof byteLock>;

/** A lock on one byte of an open file, or on a whole file where it is a file of its own. `what` names the file. */
function byteLock(what: string, fd: number, offset: number, kernel: KernelLock) {
  const place = [fd, offset, LOCKS_BYTES ? 1 : 0] as const;
  const release = () => {
    try {
      kernel.unlock(...place);
    } catch {
      // Windows reports an error if it is not held. A lock that is held ends with its file.
    }
  };
  const tryLock = (shared: boolean) => {
    try {
      return kernel.tryLock(...place, { shared });
    } catch (error) {
      // Windows reports EBUSY for a range that another process has locked.
      if (systemCode(error) === 'EBUSY') return false;
      throw error;
    }
  };
  return {
    /** Returns false if another open file holds it. */
    tryTake: (shared = false) => attempt(what, 'locked', () => tryLock(shared)),
    release,
    /** Releases the lock explicitly, because Windows releases that of a closed file only after a delay. */
    close: () => {
      release();
      if (!LOCKS_BYTES) closeSync(fd);
    },
  };
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
