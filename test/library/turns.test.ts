import { getEventListeners } from 'node:events';
import { expect, test } from 'vitest';
import { Calls, endOrAbort, Turns } from '../../src/library/turns.ts';

/** Work that notes its beginning and its end, which `finish` brings about. */
function workIn(events: string[], name: string) {
  let finish = () => {};
  const finished = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const work = async () => {
    events.push(`${name} begins`);
    await finished;
    events.push(`${name} ends`);
  };
  return { work, finish };
}

const never = new AbortController().signal;
const settle = () => new Promise<void>((resolve) => setImmediate(resolve));

test('work that wants to be alone waits for all before it, and all after it waits for that', async () => {
  const turns = new Turns();
  const events: string[] = [];
  const [one, two, alone, late] = ['one', 'two', 'alone', 'late'].map((name) => workIn(events, name));
  const running = [
    turns.together(() => one?.work() ?? Promise.reject(), never),
    turns.together(() => two?.work() ?? Promise.reject(), never),
    turns.alone(() => alone?.work() ?? Promise.reject()),
    turns.together(() => late?.work() ?? Promise.reject(), never),
  ];
  await settle();
  expect(events.splice(0)).toEqual(['one begins', 'two begins']);
  one?.finish();
  await settle();
  expect(events.splice(0)).toEqual(['one ends']);
  two?.finish();
  await settle();
  expect(events.splice(0)).toEqual(['two ends', 'alone begins']);
  let isIdle = false;
  const idle = turns.idle().then(() => {
    isIdle = true;
  });
  alone?.finish();
  await settle();
  expect([...events.splice(0), isIdle]).toEqual(['alone ends', 'late begins', false]);
  late?.finish();
  await Promise.all([...running, idle]);
});

test('work that fails, or whose signal fires, holds nobody up', async () => {
  const turns = new Turns();
  const events: string[] = [];
  const first = workIn(events, 'first');
  const running = turns.alone(first.work);
  const halt = new AbortController();
  const impatient = turns.together(async () => events.push('impatient'), halt.signal);
  await settle();
  halt.abort();
  await impatient;
  expect(events).toEqual(['first begins', 'impatient']);
  first.finish();
  await running;
  await expect(turns.alone(() => Promise.reject(new Error('a fault')))).rejects.toThrow('a fault');
  await expect(turns.together(() => Promise.reject(new Error('another')), never)).rejects.toThrow('another');
  await turns.alone(async () => events.push('last'));
  expect(events.at(-1)).toBe('last');
});

test('a turn is waited for until it comes or the signal fires, and nothing is left at the signal', async () => {
  const forever = new Promise(() => {});
  const halt = new AbortController();
  await endOrAbort(Promise.resolve(), halt.signal);
  expect(getEventListeners(halt.signal, 'abort')).toEqual([]);
  let isOver = false;
  const waiting = endOrAbort(forever, halt.signal).then(() => {
    isOver = true;
  });
  await settle();
  expect([isOver, getEventListeners(halt.signal, 'abort').length]).toEqual([false, 1]);
  halt.abort();
  await waiting;
  expect(getEventListeners(halt.signal, 'abort')).toEqual([]);
  let isOverAtOnce = false;
  void endOrAbort(forever, halt.signal).then(() => {
    isOverAtOnce = true;
  });
  await settle();
  expect(isOverAtOnce).toBe(true);
});

test('calls are under way from their first moment until they have ended, well or not', async () => {
  const calls = new Calls();
  const events: string[] = [];
  const [one, two] = ['one', 'two'].map((name) => workIn(events, name));
  await calls.ended();
  const tracked = calls.track(one?.work() ?? Promise.reject());
  const failing = calls.track((two?.work() ?? Promise.reject()).then(() => Promise.reject(new Error('two'))));
  let hasEnded = false;
  const ended = calls.ended().then(() => {
    hasEnded = true;
  });
  one?.finish();
  await tracked;
  await settle();
  expect(hasEnded).toBe(false);
  two?.finish();
  await expect(failing).rejects.toThrow('two');
  await ended;
  expect(events).toEqual(['one begins', 'two begins', 'one ends', 'two ends']);
});
