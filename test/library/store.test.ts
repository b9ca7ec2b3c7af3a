import { afterAll, beforeAll, describe, expect } from 'vitest';
import { filesWithText } from '../helpers/canary-secret.ts';
import { accountedFor, bulkArgs } from '../helpers/delivery.ts';
import { test } from '../helpers/desk.ts';
import { leadsCsv, requestAt } from '../helpers/leads.ts';
import { loadLibrary, optionsFor, startWithLibrary } from '../helpers/library.ts';
import { PostgresServer, postgresIsMissing, STORE_PASSWORD } from '../helpers/postgres.ts';
import { documentsOf } from '../helpers/run-srq.ts';
import { statsOf } from '../helpers/sandbox-view.ts';
import { TcpLine } from '../helpers/tcp-line.ts';

const ROWS = 120;

/** Imports half of the rows and creates the others one by one, beside whoever else does. */
const IMPORT_AND_CREATE = `
  const marketplace = await library.openMarketplace({ ...given.options, storePassword: () => given.password });
  const half = given.requests.length / 2;
  const { counts } = await marketplace.importRows(given.requests.slice(0, half), { validate: false });
  const statuses = [];
  for (const request of given.requests.slice(half)) {
    statuses.push((await marketplace.create(request, { validate: false })).status);
  }
  say({ counts, statuses });
  await marketplace.close();`;

const why = postgresIsMissing === null ? '' : ` (skipped: ${postgresIsMissing})`;

describe.skipIf(postgresIsMissing !== null)(`the library and a store in PostgreSQL${why}`, () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await PostgresServer.start();
  });
  afterAll(() => server?.end());

  test('two programs and a command that send the same rows at once send each once', async ({ desk, sandbox }) => {
    const url = await server.database();
    const requests = Array.from({ length: ROWS }, (_, at) => requestAt(at));
    const given = { options: { ...optionsFor(desk, sandbox), store: url }, password: STORE_PASSWORD, requests };
    desk.use(sandbox);
    Object.assign(desk.env, { SRQ_STORE: url, PGPASSWORD: STORE_PASSWORD });
    const bulk = desk.start(bulkArgs(desk.write('leads.csv', leadsCsv(ROWS))));
    const programs = [startWithLibrary(IMPORT_AND_CREATE, given), startWithLibrary(IMPORT_AND_CREATE, given)];
    const results = await Promise.all(programs.map(({ ended }) => ended));
    for (const { stdout, stderr } of results) {
      expect(stderr).toBe('');
      const { counts, statuses } = JSON.parse(stdout);
      // What another process had under way at that moment is not known yet.
      expect(counts.created + counts.repeated + counts.unknown).toBe(ROWS / 2);
      expect(statuses.filter((status: string) => !['created', 'repeated', 'unknown'].includes(status))).toEqual([]);
    }
    accountedFor(await bulk.ended, ROWS);
    expect(await statsOf(sandbox)).toMatchObject({ created: ROWS, distinct: ROWS, doubled: 0 });
    expect(documentsOf(await desk.call('log', '--json')).map(({ status }) => status)).toEqual(
      Array(ROWS).fill('created'),
    );
    expect(filesWithText(desk.folder, STORE_PASSWORD)).toEqual([]);
  });

  test('a program whose store does not know the log in the folder is refused, unless it wants that', async ({
    desk,
    sandbox,
  }) => {
    const { openMarketplace } = await loadLibrary();
    const options = optionsFor(desk, sandbox);
    const byFile = await openMarketplace(options);
    await byFile.create(requestAt(1));
    await byFile.close();
    const withStore = { ...options, store: await server.database(), storePassword: STORE_PASSWORD };
    const refused = await openMarketplace(withStore);
    await expect(refused.create(requestAt(1))).rejects.toMatchObject({ reason: 'store.log-unknown' });
    await refused.close();
    const byStore = await openMarketplace({ ...withStore, freshStore: true });
    // The service itself knows it, which the log does not.
    expect(await byStore.create(requestAt(1))).toMatchObject({ status: 'duplicate' });
    await byStore.close();
  });

  test('a store that is away cannot say what is known of a request, so create rejects', async ({ desk, sandbox }) => {
    const { openMarketplace } = await loadLibrary();
    const url = new URL(await server.database());
    const line = await TcpLine.to(Number(url.port));
    url.port = String(line.port);
    const halt = new AbortController();
    const options = { ...optionsFor(desk, sandbox), store: url.href, storePassword: STORE_PASSWORD };
    const marketplace = await openMarketplace({ ...options, signal: halt.signal });
    try {
      expect(await marketplace.create(requestAt(1))).toMatchObject({ status: 'created' });
      await line.end();
      const waiting = marketplace.create(requestAt(1));
      halt.abort();
      const away = { status: 'rejected', reason: { name: 'SrqError', code: 'log' } };
      expect(await Promise.allSettled([waiting, marketplace.create(requestAt(1))])).toMatchObject([away, away]);
    } finally {
      await marketplace.close();
    }
  });
});
