import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { freePort } from '../../scripts/postgres-server.mjs';
import type { Sandbox } from '../../src/sandbox/server.ts';
import { faultOnRow, requestOfRow } from '../helpers/delivery.ts';
import { type Desk, test } from '../helpers/desk.ts';
import { leadsCsv, withOwnPhones } from '../helpers/leads.ts';
import { PostgresServer, postgresIsMissing, STORE_PASSWORD } from '../helpers/postgres.ts';
import { documentOf } from '../helpers/run-srq.ts';
import { createdAtLeast, statsOf } from '../helpers/sandbox-view.ts';
import { creates, send } from '../sandbox/sandbox-client.ts';

const why = postgresIsMissing === null ? '' : ` (skipped: ${postgresIsMissing})`;
const WORK = ['work', '--rate', 'max', '--concurrency', '4', '--json'];
/** What stands in {@link leadsCsv} about people. */
const PERSONAL = /Exemplo|example\.com|912345678|Pintar|Lisboa/;

describe.skipIf(postgresIsMissing !== null)(`A queue for workers${why}`, () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await PostgresServer.start();
  });
  afterAll(() => server?.end());

  const use = async (desk: Desk, sandbox: Sandbox): Promise<string> => {
    const url = await server.database();
    desk.use(sandbox);
    Object.assign(desk.env, { SRQ_STORE: url, PGPASSWORD: STORE_PASSWORD });
    return url;
  };
  const health = async (port: number, path = '/healthz') => {
    const { status, text } = await send('GET', `http://127.0.0.1:${port}${path}`);
    return [status, JSON.parse(text).state];
  };
  test('A worker that is told to end gives its rows back to the queue at once', async ({ desk, openSandbox }) => {
    const sandbox = await openSandbox({ latencyMs: 100 });
    const url = await use(desk, sandbox);
    await desk.call('enqueue', desk.write('leads.csv', leadsCsv(60)));
    const port = await freePort();
    const running = desk.start([...WORK, '--no-validate', '--health-port', String(port)]);
    await createdAtLeast(sandbox, 8, running);
    expect(await health(port)).toEqual([200, 'working']);
    const { workers } = documentOf(await desk.call('queue', '--json')) as {
      workers: { name: string; inHand: number }[];
    };
    expect(workers).toEqual([expect.objectContaining({ name: expect.stringMatching(/^srq work, process \d+ on /) })]);
    running.process.kill('SIGTERM');
    const ended = await running.ended;
    const { created, again } = documentOf(ended) as { created: number; again: number };
    expect([ended.code, documentOf(ended)['stopped']]).toEqual([
      143,
      expect.objectContaining({ message: 'Interrupted.' }),
    ]);
    // What was in flight was finished, and known to be.
    expect((await statsOf(sandbox)).created).toBe(created);
    expect(again).toBeLessThanOrEqual(4);
    expect(documentOf(await desk.call('queue', '--json'))).toMatchObject({
      queue: { ready: 60 - created, waiting: 0, inWork: 0 },
      workers: [],
    });
    expect(await server.query(url, 'select 1 from srq.waiting where process is not null')).toEqual([]);
    expect(ended.stderr).not.toMatch(PERSONAL);
  });

  test('A worker leaves the queue alone while the store is away, and then goes on', async ({ desk, openSandbox }) => {
    const sandbox = await openSandbox({ latencyMs: 300 });
    await use(desk, sandbox);
    await desk.call('enqueue', desk.write('leads.csv', leadsCsv(150)));
    const port = await freePort();
    const flags = ['--no-validate', '--until-empty', '--health-port', String(port)];
    const running = desk.start([...WORK, ...flags]);
    await createdAtLeast(sandbox, 30, running);
    server.down();
    await running.until(/cannot be reached/);
    expect(await health(port)).toEqual([503, 'waiting-for-database']);
    expect(await health(port, '/livez')).toEqual([200, 'waiting-for-database']);
    const before = (await statsOf(sandbox)).created;
    await sleep(2_500);
    expect((await statsOf(sandbox)).created).toBe(before);
    server.up();
    sandbox.setLatency(0);
    const ended = await running.ended;
    expect([ended.code, documentOf(ended)]).toEqual([0, expect.objectContaining({ created: 150, unknown: 0 })]);
    // Each outage is told once, not by each of the calls that it stops. A server that has just started may refuse once more.
    const outages = ended.stderr.match(/cannot be reached/g)?.length ?? 0;
    expect(outages).toBeLessThanOrEqual(2);
    expect(ended.stderr.match(/The store \S+ is back/g)).toHaveLength(outages);
    expect(await statsOf(sandbox)).toMatchObject({ created: 150, doubled: 0 });
  });

  test('Workers leave what is unknown to an import, which asks validate', async ({ desk, sandbox }) => {
    await use(desk, sandbox);
    const leads = desk.write('leads.csv', withOwnPhones(leadsCsv(20)));
    await desk.call('enqueue', leads);
    sandbox.setInstructions([faultOnRow(6, 'reset-after'), faultOnRow(8, 'reset-before')]);
    const worked = await desk.call(...WORK, '--until-empty');
    expect([worked.code, documentOf(worked)]).toEqual([7, expect.objectContaining({ created: 18, unknown: 2 })]);
    expect(documentOf(await desk.call('queue', '--json'))).toMatchObject({ queue: { total: 0 } });
    expect(documentOf(await desk.call('enqueue', leads, '--json'))).toMatchObject({ queued: 0, unknown: 2 });
    expect(documentOf(await desk.call('resolve', '--json'))['unknown']).toHaveLength(2);
    const imported = await desk.call('bulk', leads, '--settle', '1', '--json');
    expect([imported.code, documentOf(imported)]).toEqual([0, expect.objectContaining({ repeated: 18, unknown: 0 })]);
    expect(await statsOf(sandbox)).toMatchObject({ created: 20, doubled: 0 });
    expect(creates(sandbox).filter(({ params }) => params['request_text'] === 'Pintar a sala 8')).toHaveLength(2);
  });

  test('shows what it cannot record', async ({ desk, openSandbox }) => {
    const sandbox = await openSandbox();
    desk.use(sandbox);
    desk.env['PGPASSWORD'] = STORE_PASSWORD;
    const other = await PostgresServer.start();
    try {
      desk.env['SRQ_STORE'] = await other.database();
      await desk.call('enqueue', desk.write('leads.csv', leadsCsv(9)));
      sandbox.setLatency(1_500);
      const worker = desk.start([...WORK, '--no-validate', '--concurrency', '2']);
      await createdAtLeast(sandbox, 1, worker);
      other.down('immediate');
      await worker.until(/cannot be reached/);
      worker.process.kill('SIGTERM');
      const { code, stderr } = await worker.ended;
      expect([code, stderr]).toEqual([143, expect.stringMatching(/Not in the log: \{.*"status":"created".*"ids":\{"/)]);
    } finally {
      other.end();
    }
  });

  test('Commands of one account share its token through the store', async ({ desk, sandbox }) => {
    await use(desk, sandbox);
    await desk.call('create', ...requestOfRow(1));
    await desk.call('create', ...requestOfRow(2));
    expect(sandbox.requests().filter(({ operation }) => operation === 'token')).toHaveLength(1);
  });

  test('srq enqueue asks before rows for a live service are queued', async ({ desk, sandbox }) => {
    const url = await use(desk, sandbox);
    desk.env['SRQ_BASE_URL'] = 'https://api.example.com';
    const ended = await desk.call('enqueue', desk.write('leads.csv', leadsCsv(3)));
    expect([ended.code, ended.stderr]).toEqual([2, expect.stringContaining('without a terminal nobody can confirm')]);
    expect(await server.query(url, "select 1 from pg_namespace where nspname like 'srq%'")).toEqual([]);
  });
});
