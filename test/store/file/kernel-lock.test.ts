import { closeSync, constants, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { systemClock } from '../../../src/account/system-clock.ts';
import { type KernelLock, loadKernelLock } from '../../../src/store/file/kernel-lock.ts';
import { logLocks } from '../../../src/store/file/lock.ts';
import { cutTornTail } from '../../../src/store/file/log-access.ts';
import { failureOf, keyOf } from '../../doors/log.ts';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'srq-lock-'));
});
afterEach(() => rmSync(directory, { recursive: true }));

const systemError = (code: string) => Object.assign(new Error('x'), { code });

test('a lock that is missing is reported in one sentence, with what to do', async () => {
  const missing = await failureOf(loadKernelLock(() => Promise.reject(systemError('ERR_DLOPEN_FAILED'))));
  expect(missing.code).toBe('platform.no-lock');
  expect(missing.message).toContain('fs-native-extensions cannot be loaded (ERR_DLOPEN_FAILED)');
  expect(missing.hint).toContain('--store postgres://');
});

/** A kernel like that of Windows: a range that is locked is not locked twice, and one that is not locked cannot be freed. */
function windowsKernel(): KernelLock & { readonly held: Set<string> } {
  const held = new Set<string>();
  return {
    held,
    tryLock(fd, offset) {
      if (held.has(`${fd} ${offset}`)) throw systemError('EBUSY');
      held.add(`${fd} ${offset}`);
      return true;
    },
    unlock(fd, offset) {
      if (!held.delete(`${fd} ${offset}`)) throw systemError('EBUSY');
    },
  };
}

test.each(['run', 'one-off'])('a %s lock takes and frees each range once, as Windows demands', async (which) => {
  const path = join(directory, 'log.ndjson');
  for (const appends of [0, 1, 2]) {
    const log = openSync(path, constants.O_RDWR | constants.O_CREAT);
    const kernel = windowsKernel();
    const lock = logLocks(path, log, kernel);
    await (which === 'run' ? lock.acquireRun('a test', systemClock) : lock.acquireOneOff(systemClock));
    for (let count = 0; count < appends; count++) {
      await lock.acquireAppend(systemClock);
      lock.releaseAppend();
    }
    if (which === 'run') expect(lock.oneOffsUnderWay()).toBe(false);
    if (appends === 2) await lock.acquireAppend(systemClock);
    lock.close();
    // Those of a lock file end with the file.
    expect([...kernel.held].filter((range) => range.startsWith(`${log} `))).toEqual([]);
    closeSync(log);
  }
});

test('a torn tail is cut although the log is open for appending alone', async () => {
  const path = join(directory, 'log.ndjson');
  const file = await open(path, constants.O_RDWR | constants.O_APPEND | constants.O_CREAT);
  const line = `{"key":"${keyOf(1)}","event":"sending","at":"2026-03-01T09:15:00.000Z"}\n`;
  await file.write(`${line}{"key":"${keyOf(2).slice(0, 9)}`);
  const asOnWindows = new Proxy(file, {
    get(of, name) {
      if (name === 'truncate') return () => Promise.reject(systemError('EPERM'));
      const value = Reflect.get(of, name, of);
      return typeof value === 'function' ? value.bind(of) : value;
    },
  });
  await cutTornTail(asOnWindows, path, line.length, systemClock);
  expect(readFileSync(path, 'utf8')).toBe(line);
  await file.close();
});
