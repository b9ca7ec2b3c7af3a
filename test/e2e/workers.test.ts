import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { freePort } from '../../scripts/postgres-server.mjs';
import type { Sandbox } from '../../src/sandbox/server.ts';
import { faultOnRow, requestOfRow } from '../helpers/delivery.ts';
import { type Desk, test } from '../helpers/desk.ts';
import { eventsIn, only } from '../helpers/events.ts';
import { leadsCsv, withOwnPhones } from '../helpers/leads.ts';
import { PostgresServer, postgresIsMissing, STORE_PASSWORD } from '../helpers/postgres.ts';
import { documentOf, documentsOf } from '../helpers/run-srq.ts';
import { createdAtLeast, setLatency, statsOf } from '../helpers/sandbox-view.ts';
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
  /** Every text that any table of the store holds. */
  const everything = async (url: string) => {
    const tables = await server.query<{ name: string }>(
      url,
      "select table_schema || '.' || table_name as name from information_schema.tables where table_schema like 'srq%'",
    );
    const rows = await Promise.all(tables.map(({ name }) => server.query(url, `select t::text from ${name} t`)));
    return JSON.stringify(rows);
  };

  test('A queue takes the rows of a file once, and workers deliver them once', async ({ desk, sandbox }) => {
    const url = await use(desk, sandbox);
    const leads = desk.write('leads.csv', leadsCsv(40));
    const dry = documentOf(await desk.call('enqueue', leads, '--dry-run', '--json'));
    expect(dry).toMatchObject({ rows: 40, ready: 40, next: `srq enqueue ${leads} --json` });
    expect(await server.query(url, "select 1 from pg_namespace where nspname like 'srq%'")).toEqual([]);

    const part = documentOf(await desk.call('enqueue', leads, '--limit', '15', '--json'));
    expect(part).toMatchObject({ rows: 15, queued: 15, alreadyQueued: 0, stopped: null });
    const whole = await desk.call('enqueue', leads, '--json');
    expect([whole.code, documentOf(whole)]).toEqual([
      0,
      expect.objectContaining({ rows: 40, queued: 25, alreadyQueued: 15, notQueued: 0, next: 'srq work' }),
    ]);
    expect(await everything(url)).toMatch(PERSONAL);
    expect(documentOf(await desk.call('queue', '--json'))).toMatchObject({
      queue: { ready: 40 },
      workers: [],
      rate: null,
    });

    const worked = await desk.call(...WORK, '--until-empty');
    expect([worked.code, documentOf(worked)]).toEqual([
      0,
      expect.objectContaining({ created: 40, failed: 0, unknown: 0 }),
    ]);
    expect(await statsOf(sandbox)).toMatchObject({ created: 40, doubled: 0 });
    // Of the people nothing is left.
    expect(await everything(url)).not.toMatch(PERSONAL);

    const again = documentOf(await desk.call('enqueue', leads, '--json'));
    expect(again).toMatchObject({ rows: 40, queued: 0, repeated: 40 });
    const seen = documentOf(await desk.call('queue', '--json'));
    expect(seen).toMatchObject({ queue: { ready: 0, waiting: 0, inWork: 0 }, rate: { inFlight: 0 } });
    expect((await desk.call('queue')).stdout).toMatch(/requests {2}0 ready, 0 in progress, 0 later/);
  });

  test("neither the queue nor a worker's log holds what a finding quotes", async ({ desk, sandbox }) => {
    const url = await use(desk, sandbox);
    const header = 'country,fullname,phone,email,location,request_text,postcode';
    const good = 'PT,Ana Exemplo,912345678,,Lisboa,Obras,1200-109';
    const odd = 'PT,Ana Exemplo,912345678,,Lisboa,Mais obras,Q9Q9Q9';
    const bad = ['Atlantis,Rita,912345678,,Lisboa,Obras,', 'PT,Rita,12 34 56 7,,Lisboa,Obras,'];
    const leads = desk.write('leads.csv', `${[header, good, odd, ...bad].join('\n')}\n`);
    const queued = await desk.call('enqueue', leads, '--json');
    expect(documentOf(queued)).toMatchObject({ queued: 2, invalid: 2 });
    for (const value of ['"Atlantis"', '"12 34 56 7"', '"Q9Q9Q9"']) expect(queued.stderr).toContain(value);
    // What is sent is in the queue until it is sent; what was refused never is.
    expect(await everything(url)).not.toMatch(/Atlantis|12 34 56 7|Rita/);
    const worked = await desk.call('work', '--until-empty', '--rate', 'max');
    expect(worked.code).toBe(0);
    const left = worked.stdout + worked.stderr + (await everything(url));
    expect(left).not.toMatch(/Atlantis|12 34 56 7|Rita|Q9Q9Q9|912345678|Exemplo/);
  });

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
    await setLatency(sandbox, 0);
    const ended = await running.ended;
    expect([ended.code, documentOf(ended)]).toEqual([0, expect.objectContaining({ created: 150, unknown: 0 })]);
    // Each outage is told once, not by each of the calls that it stops. A server that has just started may refuse once more.
    const outages = ended.stderr.match(/cannot be reached/g)?.length ?? 0;
    expect(outages).toBeLessThanOrEqual(2);
    expect(ended.stderr.match(/The store \S+ is back/g)).toHaveLength(outages);
    expect(await statsOf(sandbox)).toMatchObject({ created: 150, doubled: 0 });
  });

  test('goes on past what is not as it was queued, tells how to send it, and forgets nothing that may have been sent', async ({
    desk,
    sandbox,
  }) => {
    const url = await use(desk, sandbox);
    const leads = desk.write('leads.csv', leadsCsv(6));
    await desk.call('enqueue', leads);
    const spoil = (rows: readonly number[]) =>
      server.query<{ key: string }>(
        url,
        `update srq.waiting set request = '{ Exemplo' where "row" = any($1) returning replace(key::text, '-', '') as key`,
        [rows],
      );
    const [never] = await spoil([2]);
    const [unknown] = await spoil([5]);
    if (!never || !unknown) throw new Error('nothing spoilt');
    // As if a worker had been killed while it sent the row.
    await server.query(url, "insert into srq.request (key, record, process, state) values ($1, 99, 99, 'sending')", [
      unknown.key,
    ]);
    const worked = await desk.call(...WORK, '--until-empty');
    expect(documentOf(worked)).toMatchObject({ created: 4, rejected: 1, unknown: 1, stopped: null });
    const [told] = documentsOf(await desk.call('log', '--status', 'rejected', '--json'));
    expect(told).toMatchObject({ row: 2, message: expect.stringContaining('srq enqueue') });
    expect(worked.stderr + worked.stdout).not.toMatch(PERSONAL);
    const states = await server.query(url, "select replace(key::text, '-', '') as key, state from srq.request");
    expect(states).toContainEqual({ key: never.key, state: 'rejected' });
    expect(states).toContainEqual({ key: unknown.key, state: 'sending' });
    expect(documentOf(await desk.call('enqueue', leads, '--json'))).toMatchObject({ queued: 1, repeated: 4 });
    expect(documentOf(await desk.call(...WORK, '--until-empty'))).toMatchObject({ created: 1 });
    expect(await statsOf(sandbox)).toMatchObject({ created: 5, doubled: 0 });
  });

  test('A row of the queue that nobody has sent in time is failed, and sent when it is queued again', async ({
    desk,
    sandbox,
  }) => {
    const url = await use(desk, sandbox);
    const leads = desk.write('leads.csv', leadsCsv(12));
    await desk.call('enqueue', leads);
    await server.query(url, `update srq.waiting set since = now() - interval '30 days' where "row" <= 5`);
    const worked = await desk.call(...WORK, '--until-empty');
    expect([worked.code, documentOf(worked)]).toEqual([
      5,
      expect.objectContaining({ created: 7, failed: 5, again: 0 }),
    ]);
    expect(await statsOf(sandbox)).toMatchObject({ created: 7 });
    const failed = documentsOf(await desk.call('log', '--status', 'failed', '--json'));
    expect(failed.map(({ message }) => message)).toEqual(Array(5).fill(expect.stringContaining('expired')));
    expect(documentOf(await desk.call('report', '-o', 'run.html', '--run', 'all', '--json'))).toMatchObject({
      failed: 5,
    });
    expect(await everything(url)).not.toMatch(PERSONAL);

    expect(documentOf(await desk.call('enqueue', leads, '--json'))).toMatchObject({ queued: 5, repeated: 7 });
    expect(documentOf(await desk.call(...WORK, '--until-empty'))).toMatchObject({ created: 5 });
    expect(await statsOf(sandbox)).toMatchObject({ created: 12, doubled: 0 });
  });

  test('A purge of the queue forgets what waits, not what may have been sent', async ({ desk, sandbox }) => {
    const url = await use(desk, sandbox);
    await desk.call('enqueue', desk.write('leads.csv', leadsCsv(9)));
    const refused = await desk.call('queue', 'purge', '--json');
    expect([refused.code, documentOf(refused)]).toEqual([
      2,
      { error: expect.objectContaining({ reason: 'deletion.not-confirmed' }) },
    ]);
    expect(documentOf(await desk.call('queue', '--json'))).toMatchObject({ queue: { ready: 9 } });
    const purged = documentOf(await desk.call('queue', 'purge', '--yes', '--json'));
    expect(purged).toEqual({ store: url, purged: 9, left: 0, inWork: 0 });
    expect(await everything(url)).not.toMatch(PERSONAL);
    expect(documentOf(await desk.call('queue', 'purge', '--json'))).toMatchObject({ purged: 0 });
    expect(documentOf(await desk.call(...WORK, '--until-empty'))).toMatchObject({ created: 0 });
    expect(await statsOf(sandbox)).toMatchObject({ created: 0 });
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

  test('work --events has rows, refusals, pauses and the end, and nothing of a person', async ({ desk, sandbox }) => {
    await use(desk, sandbox);
    const csv = leadsCsv(14);
    await desk.call('enqueue', desk.write('leads.csv', csv));
    sandbox.setInstructions([
      { on: 'create', fault: '429', ms: 100, times: 1 },
      { on: 'create', fault: 'reset-after', match: { request_text: 'Pintar a sala 13' } },
    ]);
    const worked = await desk.call(...WORK, '--until-empty', '--events', 'events.ndjson');
    const { run, created, unknown, store } = documentOf(worked);
    const events = eventsIn(desk.read('events.ndjson'));
    const told = [...new Map(only(events, 'row').map((each) => [each.key, each])).values()];
    expect(told.map(({ status }) => status).sort()).toEqual([...Array(13).fill('created'), 'unknown']);
    expect(new Set(told.map(({ file }) => file))).toEqual(new Set([null]));
    expect(told.map(({ ref }) => ref).sort()).toContain('L-0');
    expect(only(events, 'refused')[0]?.http).toBe(429);
    expect(events.at(-1)).toMatchObject({
      ...{ event: 'end', run, exitCode: 7, error: null },
      summary: { created, unknown, store },
    });
    const cells = csv.split('\n').slice(1).join(',').split(',');
    expect(cells.filter((cell) => cell.length > 5 && desk.read('events.ndjson').includes(cell))).toEqual([]);
  });

  test('shows what it cannot record', async ({ desk, openSandbox }) => {
    const sandbox = await openSandbox();
    desk.use(sandbox);
    desk.env['PGPASSWORD'] = STORE_PASSWORD;
    const other = await PostgresServer.start();
    try {
      desk.env['SRQ_STORE'] = await other.database();
      await desk.call('enqueue', desk.write('leads.csv', leadsCsv(9)));
      await setLatency(sandbox, 1_500);
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

  test('A worker shares one pace with every other command of the account', async ({ desk, sandbox }) => {
    const url = await use(desk, sandbox);
    await desk.call('create', ...requestOfRow(1));
    const [row] = await server.query<{ kept: string }>(url, "select kept from srq.account where name = 'pace'");
    const { members, pace } = JSON.parse(row?.kept ?? '');
    expect([members, pace.inFlight]).toEqual([{}, 0]);
    // One for validate and one for create; one that a busy machine did not use in time is given anew.
    expect(pace.lastNumber).toBeGreaterThanOrEqual(2);
    // One token for all of them.
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
