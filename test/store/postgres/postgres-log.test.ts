import { connect, createServer, type Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../../src/account/system-clock.ts';
import type { Outcome } from '../../../src/request/outcome.ts';
import { LOG_EVENTS, LOGGED_STATES } from '../../../src/request/status.ts';
import type { Query } from '../../../src/store/postgres/database.ts';
import { storeError } from '../../../src/store/postgres/failures.ts';
import { PostgresLog } from '../../../src/store/postgres/postgres-log.ts';
import { storeAt } from '../../helpers/log-places.ts';
import { buildLogProgram, LogProcess, type LogProgram } from '../../helpers/log-process.ts';
import { CREATED, failureOf, keyOf, subjectOf } from '../../helpers/log-subjects.ts';
import { PostgresServer, postgresIsMissing, STORE_PASSWORD } from '../../helpers/postgres.ts';
import { TcpLine } from '../../helpers/tcp-line.ts';

const why = postgresIsMissing === null ? '' : ` (skipped: ${postgresIsMissing})`;
const FAILED: Outcome = { status: 'failed', ids: {}, http: null, ms: null, message: null, raw: null };

describe.skipIf(postgresIsMissing !== null)(`The log in PostgreSQL${why}`, () => {
  let server: PostgresServer;
  let program: LogProgram;
  let url: string;
  beforeAll(async () => {
    server = await PostgresServer.start();
    program = await buildLogProgram();
  });
  afterAll(() => {
    server?.end();
    program?.remove();
  });
  beforeEach(async () => {
    url = await server.database();
  });
  afterEach(() => LogProcess.endAll());

  const opened = async (run: string, options: Parameters<typeof storeAt>[2] = {}) => {
    const store = storeAt(url, run, options);
    const log = await store.open('bulk', true);
    onTestFinished(async () => {
      await log.close();
      await store.close();
    });
    return log;
  };
  const process = () => new LogProcess(program, url, { env: { PGPASSWORD: STORE_PASSWORD } });
  const events = (row: number) =>
    server
      .query<{ event: string }>(url, 'select event from srq.record where key = $1 order by id', [keyOf(row)])
      .then((rows) => rows.map(({ event }) => event));

  test('is set up once, also by many at once, and setting it up again changes nothing', async () => {
    const stores = Array.from({ length: 6 }, (_, at) => storeAt(url, `run-${at}`));
    const steps = await Promise.all(stores.map((store) => store.migrate()));
    const [{ count }] = (await server.query(url, 'select count(*)::integer as count from srq.migration')) as [
      { count: number },
    ];
    expect(count).toBeGreaterThan(0);
    expect(steps.flat()).toHaveLength(count);
    expect(await stores[0]?.migrate()).toEqual([]);
    await Promise.all(stores.map((store) => store.close()));
  });

  test('knows every event and every state: a new one needs a migration, as the published ones stay as they are', async () => {
    await opened('one');
    const labels = `select t.typname as name, array_agg(e.enumlabel::text order by e.enumsortorder) as labels
      from pg_enum e join pg_type t on t.oid = e.enumtypid group by t.typname`;
    const rows = await server.query(url, labels);
    expect(rows).toEqual(
      expect.arrayContaining([
        { name: 'log_event', labels: LOG_EVENTS },
        { name: 'log_state', labels: LOGGED_STATES },
      ]),
    );
  });

  test.each([
    [1_999, 100],
    [2_000, 2_100],
    [15 * 60_000, 15 * 60_000 + 100],
  ])(
    'dates an outcome that waited %i ms for the store by its first try, unless the wait was short',
    async (waitMs, ms) => {
      const line = await TcpLine.to(Number(new URL(url).port));
      onTestFinished(() => line.end());
      let awayMs = 0;
      // No other time passes on this clock, so that the wait is exact.
      const clock = { ...systemClock, monotonicMs: () => awayMs };
      let isAway = false;
      url = url.replace(/:\d+\//, `:${line.port}/`);
      const away = (message: string | null) => {
        isAway = message !== null;
      };
      const log = await opened('run', { clock, away });
      const doubt = { ...CREATED, status: 'unknown', ms: 100 } as const;
      await log.sending(subjectOf(1), 'none');
      line.lead(1);
      line.cut();
      const recorded = log.outcome(subjectOf(1), doubt);
      await expect.poll(() => isAway).toBe(true);
      awayMs = waitMs;
      line.lead(server.port);
      expect(await recorded).toBe(true);
      const record = await log.read(keyOf(1));
      expect(record).toMatchObject({ event: 'unknown', ms });
      expect(log.worker.records.all.at(-1)?.ms).toBe(ms);
    },
  );

  test('gives a new process the next free number where that of its turn is taken, as after a fail-over', async () => {
    const first = await opened('first');
    await server.query(url, 'alter table srq.worker alter column id restart');
    const [second, third] = [await opened('second'), await opened('third')];
    expect([first, second, third].map(({ worker }) => worker.id)).toEqual([1, 2, 3]);
    const rows = await server.query(url, 'select id, run from srq.worker order by id');
    expect(rows).toEqual(['first', 'second', 'third'].map((run, at) => ({ id: at + 1, run })));
  });

  test('is durable whatever the default of the server is', async () => {
    await server.query(url, `alter database ${url.split('/').at(-1)} set synchronous_commit = off`);
    const store = storeAt(url, 'run');
    expect(await store.database.query("select current_setting('synchronous_commit') as now")).toEqual([{ now: 'on' }]);
    const session = await store.database.connect();
    expect(await session.query("select current_setting('synchronous_commit') as now")).toEqual([{ now: 'on' }]);
    await session.close();
    await store.close();
  });

  test('has the server notice within a minute that a machine has lost its power, by every connection', async () => {
    const store = storeAt(url, 'run');
    const names = ['idle', 'interval', 'count'].map((name) => `tcp_keepalives_${name}`);
    const text = `select ${[...names, 'tcp_user_timeout'].map((name) => `current_setting('${name}') as ${name}`)}`;
    const expected = { tcp_keepalives_idle: '10', tcp_keepalives_interval: '5', tcp_keepalives_count: '4' };
    expect(await store.database.query(text)).toEqual([{ ...expected, tcp_user_timeout: '30000' }]);
    const session = await store.database.connect({ patient: true });
    expect(await session.query(text)).toEqual([{ ...expected, tcp_user_timeout: '30000' }]);
    await session.close();
    await store.close();
  });

  test('takes texts that PostgreSQL cannot hold as near as it can', async () => {
    const log = await opened('run');
    const outcome = { ...CREATED, message: 'a\0b', raw: 'half \ud83e', ids: { 'odd\0': '1\0' } };
    expect(await log.outcome({ ...subjectOf(1), ref: 'x\0y' }, outcome)).toBe(true);
    const read = { ref: 'x\uFFFDy', message: 'a\uFFFDb', raw: 'half \uFFFD', ids: { 'odd\0': '1\0' } };
    expect(await log.read(keyOf(1))).toMatchObject(read);
  });

  test('many writers who take the same keys in different orders never lock each other out', async () => {
    const logs = await Promise.all([0, 1, 2, 3].map((at) => opened(`run-${at}`)));
    const rows = Array.from({ length: 200 }, (_, at) => at);
    for (const state of ['none', 'sending'] as const) {
      const won = await Promise.all(
        logs.map((log, at) => {
          const mine = at % 2 === 0 ? rows : rows.toReversed();
          return Promise.all(mine.map((row) => log.sending(subjectOf(row), state)));
        }),
      );
      const count = won.flat().filter(Boolean).length;
      // From `sending` to `sending` all may go; from `none` one a key.
      expect(count).toBe(state === 'none' ? 200 : 800);
    }
  });

  describe('while the server is away', () => {
    test('waits, says so once, and records each thing once when it is back', async () => {
      const own = await PostgresServer.start();
      onTestFinished(() => own.end());
      url = await own.database();
      const said: (string | null)[] = [];
      let pauses = 0;
      const sleep: typeof systemClock.sleep = (ms, signal) => {
        // The sign of life is tried again after 250 ms each time.
        if (ms !== 250) pauses += 1;
        return systemClock.sleep(ms, signal);
      };
      const log = await opened('run', { away: (message) => said.push(message), clock: { ...systemClock, sleep } });
      await log.sending(subjectOf(1), 'none');
      own.down('immediate');
      let ended = false;
      const waiting = Promise.all([
        log.outcome(subjectOf(1), CREATED),
        log.sending(subjectOf(2), 'none'),
        log.prefetch([keyOf(3)]),
      ]).finally(() => {
        ended = true;
      });
      await expect.poll(() => said.length).toBe(1);
      const before = pauses;
      // They have tried again, and more than once.
      await expect.poll(() => pauses, { timeout: 60_000 }).toBeGreaterThanOrEqual(before + 6);
      expect([ended, said]).toEqual([
        false,
        [expect.stringMatching(/^The store postgres:\/\/owner@.* cannot be reached/)],
      ]);
      own.up();
      expect((await waiting).slice(0, 2)).toEqual([true, true]);
      expect(said.slice(1)).toEqual([null]);
      const rows = await own.query(url, 'select event from srq.record order by id');
      expect(rows.map(({ event }) => event).sort()).toEqual(['created', 'sending', 'sending']);
    });

    test('gives up some seconds after the run was told to end', async () => {
      const own = await PostgresServer.start();
      onTestFinished(() => own.end());
      url = await own.database();
      const stopping = new AbortController();
      const sleep: typeof systemClock.sleep = (ms, signal) => systemClock.sleep(Math.min(ms, 300), signal);
      const log = await opened('run', { stopping: stopping.signal, clock: { ...systemClock, sleep } });
      own.down('immediate');
      const waiting = failureOf(log.sending(subjectOf(1), 'none'));
      stopping.abort();
      expect(await waiting).toMatchObject({ code: 'log', message: expect.stringContaining('cannot be reached') });
    });
  });

  test('what was recorded, but whose answer was lost, is not recorded twice', async () => {
    const line = await lossyLine(Number(new URL(url).port));
    const real = url;
    url = url.replace(/:\d+\//, `:${line.port}/`);
    const log = await opened('run');
    await log.sending(subjectOf(1), 'none');
    line.loseNextAnswer('srq-append');
    expect(await log.sending(subjectOf(2), 'none')).toBe(true);
    line.loseNextAnswer('srq-append');
    expect(await log.outcome(subjectOf(1), CREATED)).toBe(true);
    expect(line.lost()).toBe(2);
    url = real;
    expect([await events(1), await events(2)]).toEqual([['sending', 'created'], ['sending']]);
    // Somebody else's intent is still told from it.
    const other = await opened('other');
    expect(await other.sending(subjectOf(2), 'none')).toBe(false);
  });

  test('after others have recorded much, a repetition looks only at what came after the last heartbeat', async () => {
    const { log: idle, appended } = await idleLog(url);
    const other = await opened('other');
    await Promise.all([1, 2, 3].map((row) => other.sending(subjectOf(row), 'none')));
    const seenAt = async () => {
      const [row] = await server.query<{ at: string }>(
        url,
        "select seen_at::text as at from srq.worker where run = 'idle'",
      );
      return row?.at;
    };
    for (let beats = 0; beats < 2; beats++) {
      const before = await seenAt();
      await expect.poll(seenAt, { timeout: 60_000, interval: 20 }).not.toBe(before);
    }
    const [newest] = await server.query<{ id: string }>(url, 'select max(id)::text as id from srq.record');
    expect(await idle.sending(subjectOf(4), 'none')).toBe(true);
    expect(appended).toEqual([null, Number(newest?.id)]);
    expect(await events(4)).toEqual(['sending']);
  });

  describe('an outcome of a process that was taken for dead', () => {
    const settled = async (word: 'created' | 'licensed') => {
      const [late, other] = [await opened('late'), await opened('other')];
      await late.sending(subjectOf(1), 'none');
      await other.prefetch([keyOf(1)]);
      if (word === 'licensed') expect(await other.licence(subjectOf(1), 'sending', 'validate')).toBe(true);
      else expect(await other.outcome(subjectOf(1), CREATED, { seen: 'sending', by: 'validate' })).toBe(true);
      return { late, other };
    };

    test('does not undo what another one knows: not sent this time says nothing of the other time', async () => {
      const { late } = await settled('created');
      expect(await late.outcome(subjectOf(1), FAILED)).toBe(false);
      expect(late.lookup(keyOf(1))).toBe('created');
      expect(await late.outcome(subjectOf(1), { ...FAILED, status: 'unknown' })).toBe(false);
      expect(await late.outcome(subjectOf(1), { ...CREATED, ids: { id: '1' } })).toBe(true);
      expect(await late.read(keyOf(1))).toMatchObject({ event: 'created', ids: { id: '1' }, run: 'late' });
    });

    test('takes the licence to send again back if its own outcome is unknown', async () => {
      const { late, other } = await settled('licensed');
      expect(await late.outcome(subjectOf(1), { ...FAILED, status: 'unknown' })).toBe(true);
      expect(await other.sending(subjectOf(1), 'licensed')).toBe(false);
      expect(other.lookup(keyOf(1))).toBe('parked');
    });
  });

  describe('who lives', () => {
    test('is who holds his lock: also while stopped, no more after he left, and after a kill soon no more', async () => {
      const [victim, stopped, leaver] = [process(), process(), process()];
      const rows = [1, 2, 3];
      for (const [at, each] of [victim, stopped, leaver].entries()) {
        await each.opened();
        each.tell(`sending ${keyOf(rows[at] ?? 0)} none`);
        await each.hear(1);
      }
      const log = await opened('run');
      const living = () => Promise.all(rows.map((row) => log.mayBeUnderWay(keyOf(row))));
      expect(await living()).toEqual([true, true, true]);
      await leaver.close();
      stopped.kill('SIGSTOP');
      victim.kill();
      await victim.ended;
      // His connection may only have been cut: he counts as living for a while.
      expect(await living()).toEqual([true, true, false]);
      const longAgo = "update srq.worker set seen_at = clock_timestamp() - interval '1 minute'";
      await server.query(url, longAgo);
      // So does everybody for a while after the server's start.
      await expect.poll(living, { timeout: 150_000, interval: 500 }).toEqual([false, true, false]);
      stopped.kill('SIGCONT');
      stopped.tell(`outcome ${keyOf(2)} created`);
      await stopped.hear(1);
      expect(await living()).toEqual([false, false, false]);
    });

    test('is not a machine without power, whose lock the server may keep for hours', async () => {
      const line = await TcpLine.to(Number(new URL(url).port));
      const real = url;
      url = url.replace(/:\d+\//, `:${line.port}/`);
      const dead = await opened('dead');
      onTestFinished(() => line.end());
      await dead.sending(subjectOf(1), 'none');
      line.silence();
      url = real;
      const log = await opened('run');
      const unseen = (minutes: number) =>
        server.query(
          url,
          `update srq.worker set seen_at = clock_timestamp() - interval '${minutes} minutes' where id = 1`,
        );
      await unseen(1);
      // For a while after the server's start everybody counts as living.
      const started = 'select 1 where pg_postmaster_start_time() > clock_timestamp() - make_interval(secs => 25)';
      await expect.poll(() => server.query(url, started), { timeout: 150_000, interval: 500 }).toEqual([]);
      expect(await log.mayBeUnderWay(keyOf(1))).toBe(true);
      await unseen(3);
      expect(await log.mayBeUnderWay(keyOf(1))).toBe(false);
    });

    test('a process that the others cannot see begins nothing, until it is back', async () => {
      const log = await opened('run');
      await log.sending(subjectOf(0), 'none');
      const name = url.split('/').at(-1);
      await server.query('postgres', `alter database ${name} allow_connections false`);
      const holders =
        'select pg_terminate_backend(pid) from pg_locks where locktype = $1 and database = (select oid from pg_database where datname = $2)';
      await server.query('postgres', holders, ['advisory', name]);
      let row = 0;
      const begin = () => log.sending(subjectOf(++row), 'none').catch(({ code }) => code);
      await expect.poll(begin, { timeout: 150_000 }).toBe('log');
      await server.query('postgres', `alter database ${name} allow_connections true`);
      await expect.poll(begin, { timeout: 150_000 }).toBe(true);
      expect(await log.mayBeUnderWay(keyOf(0))).toBe(true);
    });

    test('a process whose connection was cut is back before anybody takes it for dead', async () => {
      const log = await opened('run');
      await log.sending(subjectOf(1), 'none');
      await server.query(
        url,
        'select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid() and datname = current_database()',
      );
      const held = () =>
        server.query(
          url,
          "select 1 from pg_locks where locktype = 'advisory' and objid = (select id from srq.worker where run = 'run')",
        );
      expect(await log.sending(subjectOf(2), 'none')).toBe(true);
      expect(await held()).toHaveLength(1);
      expect(await log.mayBeUnderWay(keyOf(1))).toBe(true);
    });
  });
});

/** A log whose process has many heartbeats, and which loses the answer to its first records; and from where on each statement looked. */
async function idleLog(url: string) {
  const appended: unknown[] = [];
  const store = storeAt(url, 'idle');
  await store.migrate();
  const { database } = store;
  const query: Query = async (text, values, name) => {
    const rows = await database.query(text, values, name);
    if (name === 'srq-append' && appended.push(values?.[1]) === 1) {
      throw storeError(Object.assign(new Error('the answer was lost'), { code: '08006' }), 'the store');
    }
    return rows as never;
  };
  const sleep: typeof systemClock.sleep = (ms, signal) => systemClock.sleep(Math.min(ms, 50), signal);
  const log = await PostgresLog.open(
    { ...database, query },
    {
      ...{ run: 'idle', holder: 'idle', clock: { ...systemClock, sleep }, warn: () => {} },
      stopping: new AbortController().signal,
    },
  );
  onTestFinished(async () => {
    await log.close();
    await store.close();
  });
  return { log, appended };
}

/** A TCP line to a local port that can be cut right before the next answer to a statement whose text is given. */
async function lossyLine(to: number) {
  let armed: string | null = null;
  let lost = 0;
  const sockets = new Set<Socket>();
  const server = createServer((near) => {
    const far = connect(to, '127.0.0.1');
    let isAwaited = false;
    for (const each of [near, far]) {
      sockets.add(each);
      each
        .on('error', () => {})
        .on('close', () => {
          near.destroy();
          far.destroy();
        });
    }
    near.on('data', (bytes: Buffer) => {
      if (armed !== null && bytes.includes(armed)) {
        isAwaited = true;
        armed = null;
      }
      far.write(bytes);
    });
    far.on('data', (bytes: Buffer) => {
      if (!isAwaited) {
        near.write(bytes);
        return;
      }
      // CommandComplete: it was done.
      if (!bytes.includes('SELECT')) return;
      lost += 1;
      near.destroy();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    for (const each of sockets) each.destroy();
    server.close();
  });
  const address = server.address();
  return {
    port: typeof address === 'object' && address !== null ? address.port : 0,
    loseNextAnswer: (text: string) => {
      armed = text;
    },
    lost: () => lost,
  };
}
