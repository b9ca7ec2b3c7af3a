import { expect, test } from 'vitest';
import { Turns } from '../../src/library/turns.ts';

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
