import { afterAll, beforeAll, describe, expect, onTestFinished } from 'vitest';
import { test } from '../../helpers/desk.ts';
import { leadsCsv } from '../../helpers/leads.ts';
import { Pooler, poolerIsMissing } from '../../helpers/pgbouncer.ts';
import { PostgresServer, STORE_PASSWORD } from '../../helpers/postgres.ts';
import { documentOf } from '../../helpers/run-srq.ts';
import { statsOf } from '../../helpers/sandbox-view.ts';

const why = poolerIsMissing === null ? '' : ` (skipped: ${poolerIsMissing})`;
const ROWS = 120;

describe.skipIf(poolerIsMissing !== null)(`A store behind a pooler${why}`, { timeout: 120_000 }, () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await PostgresServer.start();
  });
  afterAll(() => server?.end());

  // One connection to the server is enough for both workers, because nothing needs a session.
  test.for([
    ['transaction', 1],
    ['session', 6],
  ] as const)(
    'A store behind a pooler in %s mode with %i connections serves two workers and a reader',
    async ([mode, size], { desk, sandbox }) => {
      const pooler = await Pooler.start(server.port, mode, size);
      onTestFinished(() => pooler.end());
      const url = await server.database();
      desk.use(sandbox);
      Object.assign(desk.env, { SRQ_STORE: url.replace(/:\d+\//, `:${pooler.port}/`), PGPASSWORD: STORE_PASSWORD });
      const leads = desk.write('leads.csv', leadsCsv(ROWS));
      expect(documentOf(await desk.call('enqueue', leads, '--yes', '--json'))).toMatchObject({ queued: ROWS });
      const args = ['work', '--until-empty', '--rate', 'max', '--json'];
      const workers = [desk.start(args), desk.start(args)];
      const ended = await Promise.all(workers.map(({ ended: each }) => each));
      for (const each of ended) expect(each.code, JSON.stringify(each)).toBe(0);
      expect(await statsOf(sandbox)).toMatchObject({ created: ROWS, distinct: ROWS, doubled: 0 });
      expect(documentOf(await desk.call('queue', '--json'))).toMatchObject({ queue: { total: 0 }, unknown: 0 });
      expect((await desk.call('log', '--json')).stdout.trim().split('\n')).toHaveLength(ROWS);
    },
  );
});
