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

/** A process that receives signals, and has the code with which it would end. */
class Signalled extends EventEmitter {
  code: number | null = null;

  exit(code: number): void {
    this.code ??= code;
    this.emit('exit');
  }
}

describe('what a process leaves behind is removed', () => {
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

describe('a command that listens', () => {
  const listened = () => {
    const signalled = new Signalled();
    const interruption = new Interruption(signalled as never);
    const heard: string[] = [];
    interruption.listen(() => heard.push('heard'));
    return { signalled, interruption, heard };
  };

  test.each([
    ['SIGINT', 'interrupted'],
    ['SIGTERM', 'terminated'],
    ['SIGHUP', 'terminated'],
  ])('sends nothing more after %s, and tells that it was %s', (signal, code) => {
    const { signalled, interruption, heard } = listened();
    expect([interruption.code, interruption.failure('Go on.'), interruption.halt.signal.aborted]).toEqual([
      ...[null, null, false],
    ]);
    signalled.emit(signal);
    expect([heard, interruption.halt.signal.aborted, signalled.code]).toEqual([['heard'], true, null]);
    expect([interruption.code, interruption.failure('Go on.')]).toEqual([
      code,
      { code, reason: `${code}.signal`, message: 'Interrupted.', hint: 'Go on.' },
    ]);
    expect(interruption.failure(null)?.hint).toBeNull();
  });

  test('tells of the first signal, whatever the second one is', () => {
    const { signalled, interruption, heard } = listened();
    signalled.emit('SIGINT');
    signalled.emit('SIGTERM');
    expect([interruption.code, signalled.code, heard]).toEqual(['interrupted', 143, ['heard']]);
  });

  test('receives each signal once, also where it had something to remove before', () => {
    const { signalled, interruption } = listened();
    interruption.beforeExit(() => {});
    interruption.listen(() => {});
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) expect(signalled.listenerCount(signal)).toBe(1);
    interruption.stop();
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) expect(signalled.listenerCount(signal)).toBe(0);
  });
});
