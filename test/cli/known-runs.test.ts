import { expect, test } from 'vitest';
import { begunRuns, knownRun, requireNamed } from '../../src/commands/known-runs.ts';
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

test('of a run that is not known the last five imports are told, as they are listed elsewhere', async () => {
  const imports = Array.from({ length: 6 }, (_, at) => `${at}123456789`);
  const { hint, message } = await knownRun(logOf(imports, ['ef4']), 'x', 'srq log').catch((error) => error);
  expect(message).toBe('No run in a log has an id that begins with "x".');
  const shown = [1, 2, 3, 4, 5].map((at) => `${at}1234567 (2026-11-21T10:20, ${at}123456789.csv)`);
  expect(hint).toBe(`The last ones: ${shown.join(', ')}`);
});

test('the notes that begin an import are told apart from others', async () => {
  const notes = [
    { event: 'begin', run: 'a' },
    { event: 'end', run: 'a' },
    { event: 'begin', run: 'b' },
  ];
  const log = {
    notes: async function* () {
      yield* notes;
    },
  } as never;
  expect((await begunRuns(log)).map(({ run }) => run)).toEqual(['a', 'b']);
});

test.each(['', ' ', '\t'])(
  'an empty run (%j) would mean every one, and is refused before the log is read',
  async (run) => {
    const refused = { code: 'usage', message: 'The run is empty.', hint: 'Leave --run out for all requests: srq log' };
    await expect(knownRun({} as never, run, 'srq log')).rejects.toMatchObject(refused);
    expect(() => requireNamed(run, 'srq log')).toThrow(expect.objectContaining(refused));
    expect(() => requireNamed(`${run}a`, 'srq log')).not.toThrow();
  },
);
