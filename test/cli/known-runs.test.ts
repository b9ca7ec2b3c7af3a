import { expect, test } from 'vitest';
import type { LogStore } from '../../src/request/log/log-store.ts';
import { knownRun } from '../../src/run/known-runs.ts';

test('A run is named by the beginning of its id, unless several runs begin so', async () => {
  const log = {
    name: 'the log',
    async *notes() {
      yield* [
        { event: 'begin', run: 'abcd1' },
        { event: 'begin', run: 'abce1' },
      ];
    },
    async *records() {
      yield* ['abcd1', 'abce1', 'abce1', 'abce2'].map((run) => ({ record: { run } }));
    },
  } as unknown as LogStore;
  expect(await knownRun(log, 'abcd', 'srq log')).toBe('abcd1');
  expect(await knownRun(log, 'abce2', 'srq log')).toBe('abce2');
  const several = { reason: 'arguments.invalid', message: 'Several runs have an id that begins with "abc".' };
  await expect(knownRun(log, 'abc', 'srq log')).rejects.toMatchObject(several);
  await expect(knownRun(log, 'abce', 'srq log')).rejects.toMatchObject({ reason: 'arguments.invalid' });
});
