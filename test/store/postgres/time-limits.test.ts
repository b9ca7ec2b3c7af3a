import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { type Database, openDatabase, systemClock } from '../../doors/store.ts';
import { ScriptedPostgres, until } from '../../helpers/scripted-postgres.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
});
afterEach(() => {
  vi.useRealTimers();
});

const serve = async (...script: Parameters<typeof ScriptedPostgres.start>) => {
  const server = await ScriptedPostgres.start(...script);
  onTestFinished(() => server.end());
  return server;
};
const databaseAt = (url: string): Database => {
  const database = openDatabase({ url, password: null, name: 'srq', clock: systemClock });
  onTestFinished(() => database.close());
  return database;
};
/** Follows a promise, so that a test can look whether it is settled. */
const followed = (promise: Promise<unknown>) => {
  const state = { end: 'none yet' };
  promise.then(
    () => {
      state.end = 'done';
    },
    (error: Error) => {
      state.end = error.message;
    },
  );
  return state;
};
/** Lets pass what is said here and no more, then the last millisecond, and tells how it stood before and stands after. */
const around = async (ms: number, state: { readonly end: string }) => {
  vi.advanceTimersByTime(ms - 1);
  const before = state.end;
  vi.advanceTimersByTime(1);
  await until(() => state.end !== before);
  return [before, state.end];
};

test('a server that does not answer at all is given up after ten seconds', async () => {
  const server = await serve({ isSilent: true });
  const database = databaseAt(server.url);
  const lost = expect.stringContaining('cannot be reached');
  for (const use of [() => database.query('look'), () => database.connect()]) {
    const before = server.connections.length;
    const state = followed(use());
    await until(() => server.connections.length > before);
    expect(await around(10_000, state)).toEqual(['none yet', lost]);
    await until(() => server.open.length === 0);
  }
});

test('a statement without an answer is given up later than by the server, and in a long read never', async () => {
  const server = await serve({ answer: ({ text }) => (text === 'slow' ? 'silence' : []) });
  const database = databaseAt(server.url);
  const patient = await database.connect();
  const arrived = (count: number) => until(() => server.asked.filter(({ text }) => text === 'slow').length === count);
  const waiting = followed(patient.query('slow'));
  await arrived(1);
  const state = followed(database.query('slow'));
  await arrived(2);
  vi.advanceTimersByTime(30_000);
  expect(state.end).toBe('none yet');
  expect(await around(15_000, state)).toEqual([
    'none yet',
    expect.stringMatching(/cannot be reached \(Query read timeout\)/),
  ]);
  vi.advanceTimersByTime(3_600_000);
  expect(waiting.end).toBe('none yet');
});
