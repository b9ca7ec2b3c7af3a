import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { CREATED, keyOf, storeAt, subjectOf } from '../../doors/log.ts';
import { openAccountState } from '../../doors/store.ts';
import { Desk } from '../../helpers/desk.ts';
import { Pooler, poolerIsMissing } from '../../helpers/pgbouncer.ts';
import { PostgresServer, STORE_PASSWORD } from '../../helpers/postgres.ts';
import { documentOf } from '../../helpers/run-srq.ts';

const why = poolerIsMissing === null ? '' : ` (skipped: ${poolerIsMissing})`;
const ACCOUNT = 'a'.repeat(32);

describe.skipIf(poolerIsMissing !== null)(`A store behind a pooler${why}`, { timeout: 120_000 }, () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await PostgresServer.start();
  });
  afterAll(() => server?.end());

  const behind = async (mode: Parameters<typeof Pooler.start>[1], poolSize?: number) => {
    const pooler = await Pooler.start(server.port, mode, poolSize);
    onTestFinished(() => pooler.end());
    const url = await server.database();
    return { url, pooled: url.replace(/:\d+\//, `:${pooler.port}/`) };
  };
  const closing = <Open extends { close(): Promise<void> }>(open: Open): Open => {
    onTestFinished(() => open.close());
    return open;
  };

  test('works in session mode: locks, alarms and time limits are as without one', async () => {
    const { url, pooled } = await behind('session');
    const [one, two] = [closing(storeAt(pooled, 'one')), closing(storeAt(pooled, 'two'))];
    const [log, other] = [closing(await one.open('bulk', true)), closing(await two.open('bulk', true))];
    expect(await log.sending(subjectOf(1), 'none')).toBe(true);
    expect(await other.sending(subjectOf(1), 'none')).toBe(false);
    expect(await other.mayBeUnderWay(keyOf(1))).toBe(true);
    expect(await log.outcome(subjectOf(1), CREATED)).toBe(true);
    const stopping = new AbortController().signal;
    const [first, second] = [
      closing(openAccountState(one.database, ACCOUNT, 'one', stopping)),
      closing(openAccountState(two.database, ACCOUNT, 'two', stopping)),
    ];
    const woken = new Promise<void>((resolve) => second.onAlarm('pace', resolve));
    await second.change('other', () => ({ keep: 1, result: null }));
    await first.change('pace', () => ({ keep: 1, result: null, alarm: true }));
    await woken;
    const limit = "select current_setting('statement_timeout') as limit";
    expect(await one.database.query(limit)).toEqual([{ limit: '30s' }]);
    expect(await server.query(url, 'select 1 from srq.worker')).toHaveLength(2);
  });

  test.each([['transaction', 20]] as const)(
    'is refused with the reason in %s mode with %s connections, before anything is set or made',
    async (mode, size) => {
      const { url, pooled } = await behind(mode, size);
      const said: (string | null)[] = [];
      const store = closing(storeAt(pooled, 'one', { away: (message) => said.push(message) }));
      for (const use of [() => store.open('bulk', true), () => store.examine(), () => store.openReader()]) {
        await expect(use()).rejects.toMatchObject({
          code: 'log',
          message: expect.stringContaining(`behind a pooler in ${mode} mode`),
          hint: expect.stringContaining('pool_mode=session'),
        });
      }
      expect(said).toEqual([]);
      const desk = new Desk();
      onTestFinished(() => desk.close());
      desk.use({ baseUrl: 'http://127.0.0.1:1', clientId: 'partner' });
      Object.assign(desk.env, { SRQ_STORE: pooled, PGPASSWORD: STORE_PASSWORD });
      const { steps } = documentOf(await desk.call('doctor', '--json')) as { steps: { name: string }[] };
      const message = expect.stringContaining(`behind a pooler in ${mode} mode`);
      expect(steps.find(({ name }) => name === 'store')).toMatchObject({ result: 'fail', message });
      expect(await server.query(url, "select 1 from pg_namespace where nspname = 'srq'")).toEqual([]);
      const sessions = "select 1 from pg_stat_activity where application_name = 'srq' and datname = current_database()";
      expect((await server.query(url, sessions)).length).toBeLessThanOrEqual(size);
    },
  );
});
