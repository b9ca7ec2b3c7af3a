import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, vi } from 'vitest';
import { freePort } from '../../scripts/postgres-server.mjs';
import { storeAt } from '../doors/log.ts';
import { accountedFor, bulkArgs } from '../helpers/delivery.ts';
import { type Desk, type OpenSandbox, test } from '../helpers/desk.ts';
import { leadsCsv } from '../helpers/leads.ts';
import { Scrape } from '../helpers/metrics.ts';
import { HALF_A_MINUTE_LATER, PostgresServer, postgresIsMissing, STORE_PASSWORD } from '../helpers/postgres.ts';
import { PostgresPair } from '../helpers/postgres-pair.ts';
import { documentOf } from '../helpers/run-srq.ts';
import { createdAtLeast, statsOf } from '../helpers/sandbox-view.ts';
import { TcpLine } from '../helpers/tcp-line.ts';
import { send } from '../sandbox/sandbox-client.ts';

const why = postgresIsMissing === null ? '' : ` (skipped: ${postgresIsMissing})`;
const ROWS = 150;
const PATIENCE_MS = 240_000;
const SMALL_DISK_MIB = 16;

/** A disk of few megabytes that the server may write to, or null where this machine makes none. */
function smallDisk(): { readonly at: string; end(): void } | null {
  const at = mkdtempSync(join(tmpdir(), 'srq-small-disk-'));
  const done = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${SMALL_DISK_MIB}m,mode=777`, 'tmpfs', at]).status === 0;
  const end = () => {
    if (done) spawnSync('umount', ['--lazy', at]);
    rmSync(at, { recursive: true, force: true });
  };
  if (done) return { at, end };
  end();
  return null;
}

function diskIsMissing(): string | null {
  const disk = smallDisk();
  disk?.end();
  return disk === null ? 'needs mount, as root on Linux' : null;
}

describe.skipIf(postgresIsMissing !== null)(`A store that lacks something${why}`, { timeout: PATIENCE_MS }, () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await PostgresServer.start();
  });
  afterAll(() => server?.end());

  /** Starts a worker on a queue, takes something from the store in the middle, and gives it back once that was told. */
  const workThrough = async (
    { desk, openSandbox }: { desk: Desk; openSandbox: OpenSandbox },
    url: string,
    { take, told, giveBack }: { take(): Promise<unknown>; told: RegExp; giveBack(): Promise<unknown> },
  ) => {
    const sandbox = await openSandbox({ latencyMs: 300 });
    desk.use(sandbox);
    Object.assign(desk.env, { SRQ_STORE: url, PGPASSWORD: STORE_PASSWORD });
    expect((await desk.call('enqueue', desk.write('leads.csv', leadsCsv(ROWS)))).code).toBe(0);
    const port = await freePort();
    const flags = ['--no-validate', '--until-empty', '--rate', 'max', '--concurrency', '4', '--json'];
    const running = desk.start(['work', ...flags, '--health-port', String(port)], { timeoutMs: PATIENCE_MS });
    await createdAtLeast(sandbox, 20, running);
    await take();
    await running.until(told);
    const { status, text } = await send('GET', `http://127.0.0.1:${port}/healthz`);
    expect([status, JSON.parse(text)]).toEqual([503, expect.objectContaining({ state: 'waiting-for-database' })]);
    const { status: alive } = await send('GET', `http://127.0.0.1:${port}/livez`);
    expect(alive).toBe(200);
    await giveBack();
    sandbox.setLatency(0);
    const ended = await running.ended;
    expect([ended.code, documentOf(ended)]).toEqual([0, expect.objectContaining({ created: ROWS, unknown: 0 })]);
    expect(ended.stderr).toMatch(/The store \S+ is back/);
    expect(await statsOf(sandbox)).toMatchObject({ created: ROWS, distinct: ROWS, doubled: 0 });
  };

  const diskWhy = diskIsMissing();
  test.skipIf(diskWhy !== null)(
    `work waits while the disk of the store is full${diskWhy === null ? '' : ` (${diskWhy})`}`,
    async ({ desk, openSandbox }) => {
      const disk = smallDisk();
      if (disk === null) throw new Error('no disk');
      const own = await PostgresServer.start();
      onTestFinished(() => {
        own.end();
        disk.end();
      });
      const url = await own.database();
      execFileSync('chown', ['postgres', disk.at]);
      await own.query('postgres', `create tablespace small location '${disk.at}'`);
      await own.query('postgres', `alter database ${url.split('/').at(-1)} set default_tablespace = small`);
      const filler = join(disk.at, 'filler');
      await workThrough({ desk, openSandbox }, url, {
        take: async () => spawnSync('dd', ['if=/dev/zero', `of=${filler}`, 'bs=8k']),
        told: /gave an error \(53100: /,
        giveBack: async () => rmSync(filler),
      });
    },
  );

  test('work waits while the store has no free connection, and then goes on', async ({ desk, openSandbox }) => {
    const url = await server.database();
    await server.query(url, `create role few login password '${STORE_PASSWORD}'`);
    await server.query(url, `alter database ${url.split('/').at(-1)} owner to few`);
    await workThrough({ desk, openSandbox }, url.replace('owner@', 'few@'), {
      take: async () => {
        await server.query(url, 'alter role few connection limit 0');
        await server.query(url, "select pg_terminate_backend(pid) from pg_stat_activity where usename = 'few'");
      },
      told: /gave an error \(53300: /,
      giveBack: () => server.query(url, 'alter role few connection limit -1'),
    });
  });

  test('a server that takes writing: work waits, and goes on once it does', async ({ desk, openSandbox }) => {
    const url = await server.database();
    const name = url.split('/').at(-1);
    const reconnect = `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}' and pid <> pg_backend_pid()`;
    await workThrough({ desk, openSandbox }, url, {
      take: async () => {
        await server.query('postgres', `alter database ${name} set default_transaction_read_only = on`);
        await server.query('postgres', reconnect);
      },
      told: /takes no writes/,
      giveBack: async () => {
        await server.query('postgres', `alter database ${name} reset default_transaction_read_only`);
        await server.query('postgres', reconnect);
      },
    });
  });

  test('an answer in time: work waits behind a lock, and goes on once that is gone', async ({ desk, openSandbox }) => {
    const url = await server.database();
    const store = storeAt(url, 'who locks');
    onTestFinished(() => store.close());
    const lock = new AbortController();
    let held: Promise<void> = Promise.resolve();
    /** Statements that wait, and were begun so many seconds after the lock was taken. */
    const waiting = (seconds: number) =>
      server.query(
        'postgres',
        `select 1 from pg_stat_activity w, pg_stat_activity l where w.wait_event_type = 'Lock'
        and l.pid = any(pg_blocking_pids(w.pid)) and w.query_start > l.xact_start + make_interval(secs => ${seconds})`,
      );
    await workThrough({ desk, openSandbox }, url, {
      take: async () => {
        const session = await store.database.connect();
        await session.query('begin');
        await session.query('lock table srq.request in exclusive mode');
        held = new Promise((resolve) => lock.signal.addEventListener('abort', () => resolve(session.close())));
        await expect.poll(() => waiting(0)).not.toEqual([]);
      },
      told: /does not answer/,
      giveBack: async () => {
        // The server has given the statement up after 30 seconds, and it is tried again.
        await expect.poll(() => waiting(29)).not.toEqual([]);
        lock.abort();
        await held;
      },
    });
  });

  test('an import needs two connections to the store; with one it says so at once', async ({ desk, sandbox }) => {
    const url = await server.database();
    await server.query(url, `create role scarce login password '${STORE_PASSWORD}' connection limit 1`);
    await server.query(url, `alter database ${url.split('/').at(-1)} owner to scarce`);
    desk.use(sandbox);
    Object.assign(desk.env, { SRQ_STORE: url.replace('owner@', 'scarce@'), PGPASSWORD: STORE_PASSWORD });
    const args = bulkArgs(desk.write('leads.csv', leadsCsv(30)));
    const refused = await desk.call(...args);
    expect([refused.code, refused.stdout]).toEqual([9, expect.stringContaining('gave an error (53300: ')]);
    await server.query(url, 'alter role scarce connection limit 2');
    expect(accountedFor(await desk.call(...args), 30)).toMatchObject({ created: 30 });
    expect(await statsOf(sandbox)).toMatchObject({ created: 30, doubled: 0 });
  });
});

const withPassword = { ...process.env, PGPASSWORD: STORE_PASSWORD };
const dumped = (url: string) => execFileSync('pg_dump', ['--no-owner', url], { env: withPassword });
const restore = (to: string, dump: Buffer) =>
  execFileSync('psql', ['--quiet', '--set=ON_ERROR_STOP=1', to], { env: withPassword, input: dump });

describe.skipIf(postgresIsMissing !== null)(
  `A store that was dumped and restored${why}`,
  { timeout: PATIENCE_MS },
  () => {
    /** Moves a database to a server that has never heard of it, whose timeline is the first one. */
    const restored = async (from: PostgresServer, url: string, to: string) => {
      restore(to, dumped(url));
      from.down();
    };
    const through = (desk: Desk, url: string) =>
      Object.assign(desk.env, { SRQ_STORE: url, PGPASSWORD: STORE_PASSWORD });

    /** Two workers on a queue, whose server is upgraded in the middle. The first one tells of its health. */
    const upgraded = async (
      desk: Desk,
      openSandbox: OpenSandbox,
      before: (old: PostgresServer, url: string) => unknown,
    ) => {
      const sandbox = await openSandbox({ latencyMs: 150 });
      desk.use(sandbox);
      const old = await PostgresServer.start();
      // The other servers are copies of the same one.
      vi.stubEnv('SRQ_EMPTY_POSTGRES', undefined);
      const fresh = await PostgresServer.start().finally(() => vi.unstubAllEnvs());
      const line = await TcpLine.to(old.port);
      onTestFinished(async () => {
        await line.end();
        old.end();
        fresh.end();
      });
      const [url, to] = [await old.database(), await fresh.database()];
      through(desk, url.replace(/:\d+\//, `:${line.port}/`));
      expect((await desk.call('enqueue', desk.write('leads.csv', leadsCsv(ROWS)))).code).toBe(0);
      const port = await freePort();
      const args = ['work', '--no-validate', '--until-empty', '--rate', 'max', '--concurrency', '2', '--json'];
      const start = (...more: string[]) => desk.start([...args, ...more], { timeoutMs: PATIENCE_MS });
      const workers = [start('--health-port', String(port)), start()] as const;
      await createdAtLeast(sandbox, 20, workers[0]);
      await before(old, url);
      line.lead(1);
      line.cut();
      await workers[0].until(/cannot be reached/);
      expect((await send('GET', `http://127.0.0.1:${port}/healthz`)).status).toBe(503);
      await restored(old, url, to);
      line.lead(fresh.port);
      return { sandbox, workers, port, fresh, url: to };
    };

    test('is gone on with by workers that live through it', async ({ desk, openSandbox }) => {
      const { sandbox, workers, fresh, url } = await upgraded(desk, openSandbox, () => {});
      for (const worker of workers) {
        const ended = await worker.ended;
        expect([ended.code, documentOf(ended)]).toEqual([0, expect.objectContaining({ unknown: 0, stopped: null })]);
      }
      expect(await statsOf(sandbox)).toMatchObject({ created: ROWS, distinct: ROWS, doubled: 0 });
      expect(await fresh.query(url, 'select distinct state::text from srq.request')).toEqual([{ state: 'created' }]);
    });

    test('holds back where one of them does not come back, and says so wherever one looks', async ({
      desk,
      openSandbox,
    }) => {
      const lost = `insert into srq.process (run, holder, server, seen)
        values ('lost', 'srq work, process 12 on host-b', srq.server(), clock_timestamp() - interval '20 seconds')`;
      const { sandbox, workers, port, fresh, url } = await upgraded(desk, openSandbox, (old, at) =>
        old.query(at, lost),
      );
      const held = async () => (await Scrape.of(port)).value('srq_store_held');
      await expect.poll(held, { timeout: 60_000, interval: 200 }).toBe(1);
      expect(documentOf(await desk.call('queue', '--json'))).toMatchObject({ isHeld: true });
      await expect.poll(() => fresh.query(url, HALF_A_MINUTE_LATER)).toHaveLength(1);
      const { created } = await statsOf(sandbox);
      for (const worker of workers) {
        const { code, stdout } = await worker.ended;
        expect([code, stdout]).toEqual([9, expect.stringMatching(/process 12 on host-b.*srq store resume/)]);
      }
      expect((await statsOf(sandbox)).created).toBe(created);
      expect(await fresh.query(url, 'select held from srq.meta')).toEqual([{ held: 'missing' }]);
    });

    test('A restored store is behind for who has sent through it, also once another machine has sent the same again', async ({
      desk,
      sandbox,
    }) => {
      desk.use(sandbox);
      const server = await PostgresServer.start();
      onTestFinished(() => server.end());
      const [url, to] = [await server.database(), await server.database()];
      const recorded = (at: string) => server.query(at, 'select id, key, process, event from srq.record order by id');
      const args = ['work', '--no-validate', '--until-empty', '--concurrency', '1', '--json'];
      through(desk, url);
      expect((await desk.call('enqueue', desk.write('leads.csv', leadsCsv(6)))).code).toBe(0);
      const before = dumped(url);
      expect(documentOf(await desk.call(...args))).toMatchObject({ created: 6 });
      // An earlier srq did not remember the run.
      const memory = join(desk.env['SRQ_STATE_DIR'] ?? '', 'default.store.json');
      const { newest, ...mark } = JSON.parse(readFileSync(memory, 'utf8'));
      const { run, ...rest } = newest;
      writeFileSync(memory, JSON.stringify({ ...mark, newest: rest }));
      expect([run, (await desk.call(...args)).code]).toEqual([expect.any(String), 0]);
      writeFileSync(memory, JSON.stringify({ ...mark, newest }));
      restore(to, before);
      through(desk, to);
      const stateOfOther = join(desk.folder, 'another-machine');
      const again = await desk.start(args, { env: { SRQ_STATE_DIR: stateOfOther } }).ended;
      expect(documentOf(again)).toMatchObject({ created: 6 });
      expect(await recorded(to)).toEqual(await recorded(url));
      const refused = await desk.call(...args);
      expect([refused.code, documentOf(refused)]).toMatchObject([9, { error: { reason: 'store.behind' } }]);
      expect(await server.query(to, 'select held from srq.meta')).toEqual([{ held: 'lost' }]);
    });

    test('A restored store sends nothing again, and notices a later fail-over', async ({ desk, openSandbox }) => {
      const sandbox = await openSandbox({ latencyMs: 20 });
      desk.use(sandbox);
      const old = await PostgresServer.start();
      const pair = await PostgresPair.start();
      onTestFinished(() => {
        old.end();
        pair.end();
      });
      const url = await old.database();
      through(desk, url);
      const first = desk.write('first.csv', leadsCsv(40));
      expect(accountedFor(await desk.call(...bulkArgs(first)), 40)).toMatchObject({ created: 40 });
      await restored(old, url, pair.url);
      through(desk, pair.behindOne);
      const second = desk.write('second.csv', leadsCsv(80));
      const run = await desk.start(bulkArgs(second), { timeoutMs: PATIENCE_MS }).ended;
      expect(accountedFor(run, 80)).toMatchObject({ created: 40, repeated: 40 });
      await pair.caughtUp();
      pair.heard.silence();
      const third = desk.write('third.csv', leadsCsv(120));
      expect(accountedFor(await desk.call(...bulkArgs(third)), 120)).toMatchObject({ created: 40, repeated: 80 });
      pair.replace();
      const refused = await desk.start(bulkArgs(third), { timeoutMs: PATIENCE_MS }).ended;
      expect([refused.code, refused.stdout]).toEqual([9, expect.stringContaining('srq store resume')]);
      expect(await statsOf(sandbox)).toMatchObject({ created: 120, distinct: 120, doubled: 0 });
    });
  },
);
