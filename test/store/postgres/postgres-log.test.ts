import { connect, createServer, type Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import type { Outcome } from '../../../src/request/log/outcome.ts';
import { CREATED, keyOf, LOG_EVENTS, LOGGED_STATES, storeAt, subjectOf } from '../../doors/log.ts';
import { systemClock } from '../../doors/store.ts';
import { LogProcess, logProgram } from '../../helpers/log-process.ts';
import { PostgresServer, postgresIsMissing, STORE_PASSWORD } from '../../helpers/postgres.ts';
import { TcpLine } from '../../helpers/tcp-line.ts';

const why = postgresIsMissing === null ? '' : ` (skipped: ${postgresIsMissing})`;
const FAILED: Outcome = { status: 'failed', ids: {}, http: null, ms: null, message: null, raw: null };

describe.skipIf(postgresIsMissing !== null)(`The log in PostgreSQL${why}`, () => {
  let server: PostgresServer;
  const program = logProgram();
  let url: string;
  beforeAll(async () => {
    server = await PostgresServer.start();
  });
  afterAll(() => server?.end());
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

  test('The log in PostgreSQL is set up once, also by many at once, and again without a change', async () => {
    const stores = Array.from({ length: 6 }, (_, at) => storeAt(url, `run-${at}`));
    const made = await Promise.all(stores.map((store) => store.migrate()));
    expect(made.filter(Boolean)).toHaveLength(1);
    expect(await stores[0]?.migrate()).toBe(false);
    await Promise.all(stores.map((store) => store.close()));
  });

  test('The log in PostgreSQL has every event and state of the code: a new one needs new tables', async () => {
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
  ])(
    'The log in PostgreSQL dates an outcome that waited %i ms by its first try, unless it was short',
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
      expect(log.member.newest?.details.ms).toBe(ms);
    },
  );

  test.each([
    "srq.append(process, 'run', null, server, null, null, '[]') from srq.join_store('run', '', null)",
    "srq.put_back(1, 0, '[]')",
    "srq.take_over('{}', '[]')",
    "srq.resume(true, '')",
  ])('The log in PostgreSQL is durable whatever the default of the server is: %s', async (call) => {
    await server.query(url, `alter database ${url.split('/').at(-1)} set synchronous_commit = off`);
    const store = storeAt(url, 'run');
    await store.migrate();
    const text = "select current_setting('synchronous_commit') as now";
    expect(await store.database.query(text)).toEqual([{ now: 'off' }]);
    expect(await store.database.query(`select ${call}; ${text}`)).toEqual([{ now: 'on' }]);
    await store.close();
  });

  test('The log in PostgreSQL takes texts that PostgreSQL cannot hold as near as it can', async () => {
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

  test('a record whose answer from the server was lost is not written twice', async () => {
    const line = await lossyLine(Number(new URL(url).port));
    const real = url;
    url = url.replace(/:\d+\//, `:${line.port}/`);
    const log = await opened('run');
    await log.sending(subjectOf(1), 'none');
    line.loseNextAnswer('srq.append');
    expect(await log.sending(subjectOf(2), 'none')).toBe(true);
    line.loseNextAnswer('srq.append');
    expect(await log.outcome(subjectOf(1), CREATED)).toBe(true);
    expect(line.lost()).toBe(2);
    url = real;
    expect([await events(1), await events(2)]).toEqual([['sending', 'created'], ['sending']]);
    // Somebody else's intent is still told from it.
    const other = await opened('other');
    expect(await other.sending(subjectOf(2), 'none')).toBe(false);
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

    test('a late outcome of a process taken for dead does not undo what another one knows', async () => {
      const { late } = await settled('created');
      expect(await late.outcome(subjectOf(1), FAILED)).toBe(false);
      expect(late.lookup(keyOf(1))).toBe('created');
      expect(await late.outcome(subjectOf(1), { ...FAILED, status: 'unknown' })).toBe(false);
      expect(await late.outcome(subjectOf(1), { ...CREATED, ids: { id: '1' } })).toBe(true);
      expect(await late.read(keyOf(1))).toMatchObject({ event: 'created', ids: { id: '1' }, run: 'late' });
    });

    test('a late outcome of a process taken for dead takes back the licence if it is unknown', async () => {
      const { late, other } = await settled('licensed');
      expect(await late.outcome(subjectOf(1), { ...FAILED, status: 'unknown' })).toBe(true);
      expect(await other.sending(subjectOf(1), 'licensed')).toBe(false);
      expect(other.lookup(keyOf(1))).toBe('parked');
    });
  });

  const RESTART = 'delete from srq.process; alter sequence srq.process_id_seq restart;';
  test.each([
    ['the number of the one that has', ['run', 'idle'], RESTART],
    ['the number of the one that has not', ['idle', 'run'], RESTART],
    ['another number', ['run', 'idle'], ''],
  ])(
    'in a store that was set back, one process has written a record and one none: who writes it again has %s',
    async (_, runs, forget) => {
      const logs = new Map<string, Awaited<ReturnType<typeof opened>>>();
      for (const run of runs) logs.set(run, await opened(run));
      const [log, idle] = [logs.get('run'), logs.get('idle')];
      await log?.sending(subjectOf(1), 'none');
      const back = 'delete from srq.record; delete from srq.request; alter sequence srq.record_id restart';
      await server.query(url, `${forget} ${back}`);
      const other = await opened('other');
      expect(await other.sending(subjectOf(1), 'none')).toBe(true);
      expect(other.member.newest).toMatchObject({ id: log?.member.newest?.id, key: keyOf(1) });
      expect(await idle?.sending(subjectOf(1), 'none')).toBe(false);
      await expect(log?.sending(subjectOf(2), 'none')).rejects.toMatchObject({ reason: 'store.failed-over' });
      const kept = 'select p.run from srq.record r join srq.process p on p.id = r.process order by r.id';
      expect(await server.query(url, kept)).toEqual([{ run: 'other' }, { run: 'run' }]);
    },
  );

  test('a process of an earlier epoch begins nothing more, and records what is under way', async () => {
    const log = await opened('run');
    await log.sending(subjectOf(1), 'none');
    // Others lost something, and a person has spoken, before this process looked.
    await server.query(url, 'update srq.meta set epoch = epoch + 1');
    const stopped = { reason: 'store.failed-over' };
    await expect(log.sending(subjectOf(2), 'none')).rejects.toMatchObject(stopped);
    await expect(log.sending(subjectOf(3), 'none')).rejects.toMatchObject(stopped);
    expect(await log.outcome(subjectOf(1), CREATED)).toBe(true);
  });

  describe('who lives', () => {
    test('a process lives if it was heard in the last minute, and has not left', async () => {
      const [silent, leaver] = [process(), process()];
      const rows = [1, 2];
      for (const [at, each] of [silent, leaver].entries()) {
        await each.opened();
        each.tell(`sending ${keyOf(rows[at] ?? 0)} none`);
        await each.hear(1);
      }
      const log = await opened('run');
      const living = () => Promise.all(rows.map((row) => log.mayBeUnderWay(keyOf(row))));
      expect(await living()).toEqual([true, true]);
      await leaver.close();
      silent.kill('SIGSTOP');
      expect(await living()).toEqual([true, false]);
      await server.query(
        url,
        "update srq.process set seen = clock_timestamp() - interval '1 minute' where run <> 'run'",
      );
      // So is everybody for a while after the server's start.
      await expect.poll(living, { timeout: 90_000, interval: 500 }).toEqual([false, false]);
      silent.kill('SIGCONT');
      silent.tell(`outcome ${keyOf(1)} created`);
      await silent.hear(1);
      expect(await log.read(keyOf(1))).toMatchObject({ event: 'created' });
    });

    test('a process whose connection was cut is back before anybody takes it for dead', async () => {
      const log = await opened('run');
      await log.sending(subjectOf(1), 'none');
      await server.query(
        url,
        'select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid() and datname = current_database()',
      );
      expect(await log.sending(subjectOf(2), 'none')).toBe(true);
      expect(await log.mayBeUnderWay(keyOf(1))).toBe(true);
    });
  });
});

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
