import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { CREATED, keyOf, storeAt, subjectOf } from '../../doors/log.ts';
import { workingProcesses } from '../../doors/store.ts';
import { PostgresServer, postgresIsMissing } from '../../helpers/postgres.ts';

const why = postgresIsMissing === null ? '' : ` (skipped: ${postgresIsMissing})`;

describe.skipIf(postgresIsMissing !== null)(`A store in PostgreSQL${why}`, () => {
  let server: PostgresServer;
  let url: string;
  beforeAll(async () => {
    server = await PostgresServer.start();
  });
  afterAll(() => server?.end());
  beforeEach(async () => {
    url = await server.database();
  });

  const stored = (run: string, options: Parameters<typeof storeAt>[2] = {}, at = url) => {
    const store = storeAt(at, run, options);
    onTestFinished(() => store.close());
    return store;
  };
  const opened = async (run: string, command = 'bulk', options: Parameters<typeof storeAt>[2] = {}) => {
    const log = await stored(run, options).open(command, true);
    onTestFinished(() => log.close());
    return log;
  };

  test('A store in PostgreSQL without tables is empty', async () => {
    const reader = stored('reader');
    const ends = [await reader.latest().next(), await reader.records().next()];
    expect(ends).toEqual(Array(2).fill({ done: true, value: undefined }));
  });

  test('A store in PostgreSQL lists the processes that work on the queue, and what they have in hand', async () => {
    const named = (name: string) => ({ holder: (command: string) => `srq ${command}, ${name}` });
    const worker = await opened('one', 'work', named('a'));
    await opened('two', 'work', named('b'));
    await opened('three', 'bulk', named('c'));
    await (await opened('four', 'work', named('d'))).close();
    await server.query(
      url,
      "insert into srq.process (run, holder, left_at) values ('five', 'srq work, killed', now())",
    );
    // A server that has just started takes it for living, and leaves its rows to it for a while.
    await server.query(
      url,
      "insert into srq.process (run, holder, seen) values ('six', 'srq work, silent', now() - interval '1 minute')",
    );
    for (const row of [1, 2]) {
      const text = `insert into srq.waiting (key, account, "row", request, process) values ($1, $1, 1, '', $2)`;
      await server.query(url, text, [keyOf(row), worker.member.joined.process]);
    }
    const told = await workingProcesses(stored('reader').database);
    expect(told.map(({ name, inHand }) => [name, inHand])).toEqual([
      ['srq work, a', 2],
      ['srq work, b', 0],
    ]);
    for (const { since, seen } of told) {
      expect(Math.abs(Date.now() - Date.parse(since))).toBeLessThan(60_000);
      expect(Date.parse(seen)).toBeGreaterThanOrEqual(Date.parse(since));
    }
  });

  test('a store keeps a duration, however long', async () => {
    const log = await opened('run');
    expect(await log.outcome(subjectOf(1), { ...CREATED, ms: 1e12 })).toBe(true);
    expect(await log.read(keyOf(1))).toMatchObject({ ms: 1e12 });
  });
});
