import { closeSync, openSync, statSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import { tryLock } from 'fs-native-extensions';
import { describe, expect, test } from 'vitest';
import { LogProcess, logFolder, logProgram } from '../../helpers/log-process.ts';
import { hasStrace, STRACE_WITH_SIGNALS } from '../../helpers/strace.ts';
import { CREATED, failureOf, keyOf, openLog, readAll, subjectOf } from '../log.ts';

const program = logProgram();
const { path } = logFolder();

test('a second run on a log is refused, and the message names the process that holds it', async () => {
  const first = new LogProcess(program, path, { exclusive: true });
  const pid = await first.opened();
  const second = new LogProcess(program, path, { exclusive: true });
  expect(await second.hear(1)).toEqual([
    `refused log Another run is using this log: srq bulk in a test, process ${pid}.`,
  ]);
  const { code, hint } = await failureOf(openLog(path));
  expect(code).toBe('log');
  expect(hint).toContain('--log FILE');
  await first.close();
  await (await openLog(path)).close();
});

test.skipIf(process.platform === 'win32')('the lock of a log is kept while its holder is stopped', async () => {
  const first = new LogProcess(program, path, { exclusive: true });
  const pid = await first.opened();
  first.kill('SIGSTOP');
  expect((await failureOf(openLog(path))).message).toContain(`process ${pid}`);
  first.kill('SIGCONT');
  first.tell(`sending ${keyOf(1)} none`);
  expect(await first.hear(1)).toEqual([`${keyOf(1)} true`]);
  await first.close();
});

test('a one-off request does not wait for ever for a process that was stopped while it looked', async () => {
  await (await openLog(path, false)).close();
  const held = openSync(path, 'r+');
  expect(tryLock(held, 2 ** 40 + 2, 1)).toBe(true);
  let waitedMs = 0;
  const clock = { nowMs: () => 0, monotonicMs: () => (waitedMs += 1000), sleep: async () => {} };
  const opening = openLog(path, false, { clock });
  expect((await failureOf(opening)).message).toContain('seems to be stopped');
  closeSync(held);
  await (await openLog(path, false)).close();
});

test('a one-off request beside a run is recorded, and each learns what the other recorded before it sends', async () => {
  const run = new LogProcess(program, path, { exclusive: true });
  await run.opened();
  run.tell(`sending ${keyOf(1)} none`);
  await run.hear(1);
  const oneOff = await openLog(path, false);
  expect(oneOff.lookup(keyOf(1))).toBe('sending');
  expect(await oneOff.sending(subjectOf(2), 'none')).toBe(true);
  run.tell(`sending ${keyOf(2)} none`, `outcome ${keyOf(1)} created`);
  expect(await run.hear(2)).toEqual([`${keyOf(2)} false`, `${keyOf(1)} created`]);
  await oneOff.outcome(subjectOf(2), CREATED);
  expect(oneOff.lookup(keyOf(1))).toBe('created');
  await oneOff.close();
  await failureOf(openLog(path));
  await run.close();
  expect((await readAll(path)).map(({ event }) => event)).toEqual(['created', 'created']);
});

describe.skipIf(!hasStrace)('A process that is stopped while it adds a line (needs strace)', () => {
  test('A process that is stopped while it adds a line is waited for, then given up with a message', async () => {
    const stop = 'inject=write:signal=SIGSTOP:when=1';
    const under = [...STRACE_WITH_SIGNALS, '-o', '/dev/null', '-P', path, '-e', stop];
    const clock = { nowMs: () => 0, monotonicMs: () => (waitedMs += 1000), sleep: async () => {} };
    let waitedMs = 0;
    const patient = await openLog(path, false);
    const hasty = await openLog(path, false, { clock });
    const stopped = new LogProcess(program, path, { under });
    const pid = await stopped.opened();
    stopped.tell(`sending ${keyOf(1)} none`);
    // The stop takes effect on the way out of the write: once the line is there, its writer does nothing more.
    while (statSync(path).size === 0) await setImmediate();
    expect((await failureOf(hasty.sending(subjectOf(2), 'none'))).message).toContain('seems to be stopped');
    await hasty.close();
    const waiting = patient.sending(subjectOf(3), 'none');
    process.kill(pid, 'SIGCONT');
    expect(await stopped.hear(1)).toEqual([`${keyOf(1)} true`]);
    expect(await waiting).toBe(true);
    await patient.close();
    await stopped.close();
    expect((await readAll(path)).map(({ row }) => row)).toEqual([1, 3]);
  });
});
