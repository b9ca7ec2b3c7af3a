import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import type { Sandbox } from '../../src/sandbox/server.ts';
import { filesWithText } from '../helpers/canary-secret.ts';
import { accountedFor, bulkArgs, requestOfRow } from '../helpers/delivery.ts';
import { Desk, test } from '../helpers/desk.ts';
import { gateBefore } from '../helpers/gate.ts';
import { leadsCsv } from '../helpers/leads.ts';
import { PostgresServer, postgresIsMissing, STORE_PASSWORD } from '../helpers/postgres.ts';
import { documentOf, type Ended } from '../helpers/run-srq.ts';
import { createdAtLeast, statsOf } from '../helpers/sandbox-view.ts';

/** Of the file that two machines import at once. */
const ROWS = 1000;
/** Much is to be done here, and a busy machine may take long for it. */
const PATIENCE_MS = 180_000;
const PATIENT = { timeoutMs: PATIENCE_MS };
const why = postgresIsMissing === null ? '' : ` (skipped: ${postgresIsMissing})`;

describe.skipIf(postgresIsMissing !== null)(`A store in PostgreSQL${why}`, { timeout: PATIENCE_MS }, () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await PostgresServer.start();
  });
  afterAll(() => server?.end());

  /** Settings in the environment; the password is in none of the arguments. */
  const useStore = (desk: Desk, sandbox: Sandbox, url: string) => {
    desk.use(sandbox);
    Object.assign(desk.env, { SRQ_STORE: url, PGPASSWORD: STORE_PASSWORD });
  };
  const statesIn = (url: string) =>
    server.query<{ state: string; count: number }>(
      url,
      'select state, count(*)::integer as count from srq.request group by state order by state',
    );

  test('two machines that import the same rows at once send each row once, and their sums agree', async ({
    sandbox,
    desk,
  }) => {
    const url = await server.database();
    // Neither gets ahead before both have begun.
    const gate = await gateBefore(sandbox.baseUrl, '/v1/request/create');
    const other = new Desk();
    try {
      const runs = [desk, other].map((each) => {
        useStore(each, { ...sandbox, baseUrl: gate.baseUrl }, url);
        return each.start(bulkArgs(each.write('leads.csv', leadsCsv(ROWS)), '--concurrency', '8'), PATIENT);
      });
      await gate.holding(2);
      gate.open();
      const [one, two] = (await Promise.all(runs.map((run) => run.ended))).map((ended) => accountedFor(ended, ROWS));
      const created = [Number(one?.['created']), Number(two?.['created'])];
      expect(created.reduce((sum, count) => sum + count, 0)).toBe(ROWS);
      expect([one?.['repeated'], two?.['repeated']]).toEqual([created[1], created[0]]);
      expect(Math.min(...created)).toBeGreaterThan(0);
      expect(await statsOf(sandbox)).toMatchObject({ created: ROWS, distinct: ROWS, doubled: 0 });
      expect(await statesIn(url)).toEqual([{ state: 'created', count: ROWS }]);
    } finally {
      await other.close();
    }
  });

  test('a server that is restarted in the middle of an import loses nothing and doubles nothing', async ({
    openSandbox,
    desk,
  }) => {
    const sandbox = await openSandbox({ latencyMs: 300 });
    const own = await PostgresServer.start();
    try {
      useStore(desk, sandbox, await own.database());
      const run = desk.start(bulkArgs(desk.write('leads.csv', leadsCsv(250)), '--concurrency', '8'), PATIENT);
      await createdAtLeast(sandbox, 50, run);
      own.down('immediate');
      const before = await statsOf(sandbox);
      await run.until(/cannot be reached/);
      // What was in flight has ended; without a durable intent nothing more is begun.
      const during = await statsOf(sandbox);
      expect(during.created - before.created).toBeLessThanOrEqual(8);
      own.up();
      sandbox.setLatency(0);
      const ended = await run.ended;
      expect([ended.code, accountedFor(ended, 250)]).toEqual([0, expect.objectContaining({ created: 250 })]);
      // A server that is starting may answer one connection and refuse the next, so the pair may be told more than once.
      const told = (text: RegExp) => ended.stderr.match(text)?.length ?? 0;
      expect([ended.stderr, told(/\/store\d* is back/g)]).toEqual([expect.anything(), told(/cannot be reached/g)]);
      expect(told(/\/store\d* is back/g)).toBeLessThanOrEqual(3);
      expect(await statsOf(sandbox)).toMatchObject({ created: 250, distinct: 250, doubled: 0 });
    } finally {
      own.end();
    }
  });

  test('Ctrl-C ends a run that waits for its store, and shows what could not be recorded', async ({
    openSandbox,
    desk,
  }) => {
    const sandbox = await openSandbox({ latencyMs: 1500 });
    const own = await PostgresServer.start();
    try {
      const url = await own.database();
      useStore(desk, sandbox, url);
      const leads = desk.write('leads.csv', leadsCsv(20));
      const run = desk.start(bulkArgs(leads, '--concurrency', '2'), PATIENT);
      await createdAtLeast(sandbox, 2, run);
      own.down('immediate');
      await run.until(/cannot be reached/);
      run.process.kill('SIGINT');
      const ended = await run.ended;
      expect(ended.code).toBe(130);
      expect(ended.stderr).toMatch(/Not in the log: \{.*"status":"created"/);
      own.up();
      // It could not say that it left, and would be waited for a while.
      await own.query(url, 'update srq.process set left_at = clock_timestamp()');
      const next = accountedFor(await desk.call(...bulkArgs(leads, '--in-doubt', 'park', '--concurrency', '16')), 20);
      expect(next).toMatchObject({ failed: 0 });
      expect(Number(next['unknown'])).toBeGreaterThan(0);
      expect(await statsOf(sandbox)).toMatchObject({ created: 20, distinct: 20, doubled: 0 });
    } finally {
      own.end();
    }
  });

  test('A store is read whatever way the database has of writing dates', async ({ desk, sandbox }) => {
    const url = await server.database();
    await server.query(url, `alter database ${url.split('/').at(-1)} set datestyle = 'SQL, DMY'`);
    useStore(desk, sandbox, url);
    const leads = desk.write('leads.csv', leadsCsv(3));
    expect((await desk.call('enqueue', leads, '--yes', '--json')).code).toBe(0);
    expect((await desk.call('work', '--until-empty', '--json')).code).toBe(0);
    const queue = await desk.call('queue', '--json');
    expect([queue.code, documentOf(queue)]).toMatchObject([0, { queue: { total: 0 }, unknown: 0 }]);
    expect((await desk.call('report', '-o', 'run.html', '--run', 'all', '--json')).code).toBe(0);
  });

  test('a request that another machine has in hand is waited for, not listed as unknown', async ({ desk, sandbox }) => {
    const url = await server.database();
    const gate = await gateBefore(sandbox.baseUrl, '/v1/request/create');
    const other = new Desk();
    try {
      for (const each of [desk, other]) useStore(each, { ...sandbox, baseUrl: gate.baseUrl }, url);
      const one = desk.start(['create', ...requestOfRow(0), '--no-validate', '--json']);
      await gate.holding(1);
      const bulk = other.start(bulkArgs(other.write('leads.csv', leadsCsv(1))));
      const refused = await other.call('resolve', '--all', '--not-created', '--json');
      expect([refused.code, documentOf(refused)]).toEqual([9, { error: expect.objectContaining({ code: 'log' }) }]);
      gate.open();
      expect(documentOf(await one.ended)).toMatchObject({ status: 'created' });
      expect(accountedFor(await bulk.ended, 1)).toMatchObject({ repeated: 1, unknown: 0 });
      expect(await statsOf(sandbox)).toMatchObject({ created: 1, doubled: 0 });
    } finally {
      await other.close();
    }
  });

  test('a profile names its store, and the environment has the password', async ({ desk, sandbox }) => {
    const url = await server.database();
    desk.use(sandbox);
    expect((await desk.call('login', '--store', url)).code).toBe(0);
    desk.env['PGPASSWORD'] = STORE_PASSWORD;
    expect(accountedFor(await desk.call(...bulkArgs(desk.write('leads.csv', leadsCsv(3)))), 3)).toMatchObject({
      created: 3,
    });
    expect(await statesIn(url)).toEqual([{ state: 'created', count: 3 }]);
    const elsewhere = documentOf(await desk.call('bulk', 'leads.csv', '--dry-run', '--log', 'other.ndjson', '--json'));
    expect(elsewhere).toMatchObject({ ready: 3 });
  });

  describe('says what is wrong and what to do', () => {
    const refusal = ({ code, stdout }: Ended) => {
      const { error } = JSON.parse(stdout) as { error: { message: string; hint: string } };
      return { code, message: error.message, hint: error.hint };
    };

    test('A store that cannot be reached or used: the message says what to do', async ({ desk, sandbox }) => {
      useStore(desk, sandbox, server.url('no_such_database'));
      const doctor = documentOf(await desk.call('doctor', '--json'));
      expect(JSON.stringify(doctor)).toContain('gave an error (3D000: ');
      const wrong = refusal(await desk.start(['log', '--json'], { env: { PGPASSWORD: 'wrong' } }).ended);
      expect(wrong).toMatchObject({ code: 9, message: expect.stringContaining('refuses this user or password') });
      expect(wrong.hint).toContain('PGPASSWORD');
      const tls = refusal(
        await desk.start(['log', '--json'], { env: { SRQ_STORE: `${server.url('postgres')}?sslmode=require` } }).ended,
      );
      expect(tls).toMatchObject({ code: 9, message: expect.stringContaining('does not support SSL') });
    });

    // The server would end such a connection after a minute, and the command with it.
    test('A store without its password: the message comes at once', { timeout: 150_000 }, async ({ desk, sandbox }) => {
      useStore(desk, sandbox, server.url('postgres'));
      const none = refusal(await desk.start(['log', '--json'], { env: { PGPASSWORD: '' } }).ended);
      expect(none).toMatchObject({
        code: 9,
        message: expect.stringContaining('asks for a password, and none is known'),
      });
      expect(none.hint).toContain('PGPASSWORD');
    });

    test.for([['queue'], ['resolve'], ['resolve', '--all', '--created']])(
      'A database without tables is no store without requests: srq %s',
      async (words, { desk, sandbox }) => {
        const url = await server.database();
        useStore(desk, sandbox, url);
        const { code, message, hint } = refusal(await desk.call(...words, '--json'));
        expect([code, message]).toEqual([9, `The database ${url} has no tables of srq.`]);
        expect(hint).toContain('srq store migrate');
        expect(await server.query(url, "select 1 where to_regnamespace('srq') is not null")).toEqual([]);
        await desk.call('store', 'migrate');
        expect((await desk.call('queue')).code).toBe(0);
      },
    );

    test('A store whose tables do not fit: the message says what to do', async ({ desk, sandbox }) => {
      const url = await server.database();
      const name = url.split('/').at(-1) ?? '';
      await server.query(url, `create role sender login password '${STORE_PASSWORD}'`);
      const asSender = url.replace('owner@', 'sender@');
      useStore(desk, sandbox, asSender);
      const leads = desk.write('leads.csv', leadsCsv(2));
      const noTables = refusal(await desk.call(...bulkArgs(leads)));
      expect(noTables).toMatchObject({ code: 9, message: expect.stringContaining('has no tables of srq yet') });
      expect(noTables.hint).toContain('srq store migrate --store postgres://OWNER@HOST/DATABASE');
      // Rights on what is not there yet are not looked for.
      expect(JSON.stringify(documentOf(await desk.call('doctor', '--json')))).not.toMatch(
        /lacks rights|does not exist/,
      );
      expect((await desk.call('store', 'migrate', '--store', url)).code).toBe(0);
      const noRights = refusal(await desk.call(...bulkArgs(leads)));
      expect(noRights).toMatchObject({ code: 9, message: expect.stringContaining('permission denied') });

      expect(noRights.hint).toMatch(/owner can grant .* srq doctor says/);
      // Each time doctor says what is still missing, and with what it asks for the rows can be sent.
      const lacking = async () => {
        const { error } = documentOf(await desk.call('doctor', '--json')) as { error?: { hint: string } };
        return /tables run: (.*)/.exec(error?.hint ?? '')?.[1] ?? '';
      };
      const usage = 'grant usage on schema srq to sender;';
      expect(await lacking()).toContain(usage);
      await server.query(url, `${usage} grant select on all tables in schema srq to sender`);
      await server.query(url, 'revoke execute on all functions in schema srq from public');
      const missing = await lacking();
      expect(missing).toMatch(/grant delete on srq\.waiting to sender; grant insert on srq\.account, /);
      expect(missing).toMatch(/grant usage on sequence srq\.record_id to sender;.*grant execute on all functions/);
      await server.query(url, missing);
      expect(await lacking()).toBe('');
      expect(accountedFor(await desk.call(...bulkArgs(leads)), 2)).toMatchObject({ created: 2 });
      expect((await desk.call('enqueue', desk.write('more.csv', leadsCsv(9)))).code).toBe(0);
      expect((await desk.call('work', '--until-empty')).code).toBe(0);
      await server.query(url, 'revoke all on all tables in schema srq from sender');

      // As docs/scale.md has it.
      const grants = /<!-- grants -->\s*```sql\n([\s\S]*?)```/.exec(readFileSync('docs/scale.md', 'utf8'))?.[1] ?? '';
      await server.query(url, grants.replaceAll('DATABASE', name));
      expect(accountedFor(await desk.call(...bulkArgs(leads)), 2)).toMatchObject({ repeated: 2 });
      const store = (documentOf(await desk.call('doctor', '--json')) as { steps: { name: string; result: string }[] })
        .steps;
      expect(store.find((step) => step.name === 'store')).toMatchObject({ result: 'ok' });

      await server.query(url, 'update srq.meta set version = 999');
      const newer = refusal(await desk.call(...bulkArgs(leads)));
      expect(newer).toMatchObject({ code: 9, message: expect.stringContaining('newer srq') });
      expect(newer.hint).toContain('npm install');
    });

    test('a message about a store never holds the password, wherever that came from', async ({ desk, sandbox }) => {
      const url = await server.database();
      const withPassword = url.replace('owner@', `owner:${STORE_PASSWORD}@`);
      const ended: Ended[] = [await desk.call('log', '--store', withPassword)];
      expect([ended[0]?.code, ended[0]?.stderr]).toEqual([2, expect.stringContaining(`--store '${url}'`)]);
      desk.use(sandbox);
      desk.env['SRQ_STORE'] = withPassword;
      const leads = desk.write('leads.csv', leadsCsv(3));
      for (const words of [
        [...bulkArgs(leads), '--verbose'],
        ['status'],
        ['log', '--json'],
        ['doctor', '--json'],
        ['report', '-o', 'run.html'],
        ['resolve'],
        ['login', '--store', withPassword],
      ]) {
        ended.push(await desk.call(...words));
      }
      const broken = withPassword.replace(/\d+\/store/, '1/store');
      const away = desk.start(['log', '--verbose'], { env: { SRQ_STORE: broken } });
      ended.push(await away.ended);
      expect(ended.at(-1)?.stderr).toContain('cannot be reached');
      for (const { stdout, stderr } of ended) expect(stdout + stderr).not.toContain(STORE_PASSWORD);
      expect(ended[1]?.code).toBe(0);
      expect(filesWithText(desk.folder, STORE_PASSWORD)).toEqual([]);
      expect(await server.query(url, 'select holder from srq.process')).toHaveLength(1);
      const kept = JSON.stringify(await server.query(url, 'select * from srq.process, srq.note'));
      expect(kept).not.toContain(STORE_PASSWORD);
    });
  });
});
