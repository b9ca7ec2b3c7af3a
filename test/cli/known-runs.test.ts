import { expect, test } from 'vitest';
import { knownRun } from '../../src/commands/known-runs.ts';
import type { LogStore } from '../../src/request/log-store.ts';

/** A log with notes on these imports, and with records of these runs. */
function logOf(imports: readonly string[], recorded: readonly string[]): LogStore {
  const notes = imports.map((run) => ({ event: 'begin', run, at: '2026-11-21T10:20:30.123Z', file: `${run}.csv` }));
  const records = recorded.map((run) => ({ record: { run } }));
  return {
    name: 'a log',
    notes: async function* () {
      yield* notes;
    },
    records: async function* () {
      yield* records;
    },
  } as never;
}

test('a run is known by the beginning of its id: the last import, else what was recorded', async () => {
  const log = logOf(['ab1', 'ab2', 'cd3'], ['ab0', 'ef4']);
  const known = (wanted: string) => knownRun(log, wanted, 'srq log');
  expect(await known('ab')).toBe('ab2');
  expect(await known('ab1')).toBe('ab1');
  expect(await known('ef')).toBe('ef4');
  await expect(known('x')).rejects.toMatchObject({ reason: 'run.unknown', hint: expect.stringContaining('cd3.csv') });
  await expect(knownRun(logOf([], []), 'x', 'srq log')).rejects.toMatchObject({
    hint: 'All that is in the log: srq log',
  });
});
