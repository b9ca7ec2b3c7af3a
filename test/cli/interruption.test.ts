import { EventEmitter } from 'node:events';
import { setImmediate } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../src/account/system-clock.ts';
import { Interruption } from '../../src/cli/interruption.ts';

test('ends the waiting of any number of requests, and Node.js warns of nothing', async () => {
  const warnings: Error[] = [];
  const note = (warning: Error) => warnings.push(warning);
  process.on('warning', note);
  onTestFinished(() => void process.off('warning', note));
  const { halt } = new Interruption(process);
  const waiting = Array.from({ length: 100 }, () => systemClock.sleep(3_600_000, halt.signal));
  await setImmediate();
  halt.abort();
  await Promise.all(waiting);
  expect(warnings).toEqual([]);
});

describe('what a process leaves behind is removed', () => {
  /** A process that receives signals, and has the code with which it would end. */
  class Signalled extends EventEmitter {
    code: number | null = null;

    exit(code: number): void {
      this.code ??= code;
      this.emit('exit');
    }
  }

  function begun() {
    const signalled = new Signalled();
    const interruption = new Interruption(signalled as never);
    const done: string[] = [];
    interruption.beforeExit(() => done.push('removed'));
    return { signalled, interruption, done };
  }

  test.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
    ['SIGHUP', 143],
  ])('at %s with exit code %i, as long as the command does not listen', (signal, code) => {
    const { signalled, interruption, done } = begun();
    signalled.emit(signal);
    expect([signalled.code, done, interruption.code]).toEqual([code, ['removed'], null]);
  });

  test('at the second signal, if it listens', () => {
    const { signalled, interruption, done } = begun();
    interruption.listen(() => done.push('heard'));
    interruption.beforeExit(() => done.push('removed as well'));
    signalled.emit('SIGINT');
    expect([signalled.code, done]).toEqual([null, ['heard']]);
    signalled.emit('SIGTERM');
    expect([signalled.code, done]).toEqual([143, ['heard', 'removed', 'removed as well']]);
  });

  test('by nobody after the command', () => {
    const { signalled, interruption } = begun();
    interruption.stop();
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) expect(signalled.listenerCount(signal)).toBe(0);
  });
});
