import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, onTestFinished } from 'vitest';
import { settleByTheBooks } from '../helpers/books.ts';
import { test } from '../helpers/desk.ts';
import { leadsCsv } from '../helpers/leads.ts';
import { Pooler, poolerIsMissing } from '../helpers/pgbouncer.ts';
import { postgresIsMissing, QUEUE_CONTRADICTIONS, STORE_PASSWORD } from '../helpers/postgres.ts';
import { PostgresPair } from '../helpers/postgres-pair.ts';
import { documentOf, type Ended } from '../helpers/run-srq.ts';
import { createdAtLeast, statsOf } from '../helpers/sandbox-view.ts';

const ROWS = 180;
const WORKERS = 3;
const PATIENCE_MS = 300_000;
/** `npm run soak -- 15 queue` sets it; without it the last test is left out. */
const SOAK_ROWS = Number(process.env['SRQ_TEST_QUEUE_ROWS'] ?? 0);
const SOAK_MS = 2_400_000;
/** Who has died so long before a fail-over is not missed after it; else all that waits may have been sent. */
const DEAD_MS = 66_000;
const why = postgresIsMissing === null ? '' : ` (skipped: ${postgresIsMissing})`;

describe.skipIf(postgresIsMissing !== null)(`Workers whose server is replaced${why}`, { timeout: PATIENCE_MS }, () => {
  let pair: PostgresPair;
  beforeEach(async () => {
    pair = await PostgresPair.start();
  }, 120_000);
  afterEach(() => pair?.end());

  test('Workers create each row once when the new server has every commit', async ({ desk, openSandbox }) => {
    const sandbox = await openSandbox({ latencyMs: 60 });
    desk.use(sandbox);
    Object.assign(desk.env, { SRQ_STORE: pair.behindOne, PGPASSWORD: STORE_PASSWORD });
    const leads = desk.write('leads.csv', leadsCsv(ROWS));
    expect(documentOf(await desk.run('enqueue', leads, '--yes', '--json'))).toMatchObject({ queued: ROWS });
    await pair.synchronize();
    const args = ['work', '--no-validate', '--until-empty', '--concurrency', '4', '--json'];
    const workers = Array.from({ length: WORKERS }, () => desk.start(args, { timeoutMs: PATIENCE_MS }));
    const [first] = workers;
    if (!first) throw new Error('no worker');
    await createdAtLeast(sandbox, ROWS / 3, first);
    pair.replace();
    const ended = await Promise.all(workers.map((worker) => worker.ended));
    for (const each of ended) expect(each.code, JSON.stringify(each)).toBe(0);
    expect(await statsOf(sandbox)).toMatchObject({ created: ROWS, distinct: ROWS, doubled: 0 });
    const text = 'select state::text, count(*)::integer as count from srq.request group by state';
    expect(await pair.standby.query(pair.url, text)).toEqual([{ state: 'created', count: ROWS }]);
    expect(ended.filter(({ stderr }) => /had lost \d+ records of this process/.test(stderr))).toEqual([]);
  });

  test('Workers stop when the new server lacks the last commits, and then nothing is created twice', async ({
    desk,
    openSandbox,
  }) => {
    const sandbox = await openSandbox({ latencyMs: 60 });
    desk.use(sandbox);
    Object.assign(desk.env, { SRQ_STORE: pair.behindOne, PGPASSWORD: STORE_PASSWORD });
    const leads = desk.write('leads.csv', leadsCsv(ROWS));
    expect(documentOf(await desk.run('enqueue', leads, '--yes', '--json'))).toMatchObject({ queued: ROWS });
    const args = ['work', '--no-validate', '--until-empty', '--concurrency', '4', '--json'];
    const start = () => desk.start(args, { timeoutMs: PATIENCE_MS });
    const [first, second, victim] = [start(), start(), start()];
    await createdAtLeast(sandbox, ROWS / 6, first);
    await pair.caughtUp();
    pair.heard.silence();
    const { created: before } = await statsOf(sandbox);
    await createdAtLeast(sandbox, before + ROWS / 6, first);
    victim.process.kill('SIGKILL');
    await victim.ended;
    pair.replace();
    const ended = await Promise.all([first.ended, second.ended]);
    for (const each of ended) expect(each.code, JSON.stringify(each)).toBe(9);
    expect(ended.some(({ stderr }) => /had lost \d+ records of this process/.test(stderr))).toBe(true);
    const refused = await desk.run(...args);
    expect([refused.code, refused.stdout]).toEqual([9, expect.stringContaining('srq store resume')]);
    const resumed = documentOf(await desk.run('store', 'resume', '--json'));
    expect(resumed).toMatchObject({ missing: [expect.stringContaining('srq work')] });
    expect([0, 7]).toContain((await desk.run(...args)).code);
    const { created, distinct, doubled } = await statsOf(sandbox);
    expect({ created, doubled }).toEqual({ created: distinct, doubled: 0 });
    const text = `select count(*) filter (where state = 'created')::integer as created,
      count(*) filter (where state in ('sending', 'unknown', 'parked'))::integer as unknown from srq.request`;
    const [known] = await pair.standby.query<{ created: number; unknown: number }>(pair.url, text);
    expect((known?.created ?? 0) + (known?.unknown ?? 0)).toBe(ROWS);
    expect(created - (known?.created ?? 0)).toBeLessThanOrEqual(known?.unknown ?? 0);
  });

  const soakWhy = poolerIsMissing ?? (SOAK_ROWS === 0 ? 'npm run soak -- 15 queue' : null);
  test.skipIf(soakWhy !== null)(
    `Workers deliver many rows once each, whatever happens to the line${soakWhy === null ? '' : ` (${soakWhy})`}`,
    {
      timeout: SOAK_MS,
    },
    async ({ desk, openSandbox }) => {
      const sandbox = await openSandbox({ latencyMs: 40, ratePerSecond: 100, keep: 4 * SOAK_ROWS });
      const pooler = await Pooler.start(pair.front.port, 'transaction', 2);
      onTestFinished(() => pooler.end());
      desk.use(sandbox);
      Object.assign(desk.env, { SRQ_STORE: pair.behindOne, PGPASSWORD: STORE_PASSWORD });
      const leads = desk.write('leads.csv', leadsCsv(SOAK_ROWS));
      expect(documentOf(await desk.run('enqueue', leads, '--yes', '--json'))).toMatchObject({ queued: SOAK_ROWS });
      const beganMs = performance.now();
      const args = ['work', '--no-validate', '--json'];
      // One of them works by the pooler.
      const stores = [pair.behindOne, pair.behindOne, pair.url.replace(/:\d+\//, `:${pooler.port}/`)];
      const start = (store = '') => desk.start(args, { timeoutMs: SOAK_MS, env: { SRQ_STORE: store } });
      const workers = stores.map(start);
      const killed: (Ended | undefined)[] = [];
      const stopped: Ended[] = [];
      const done = { kills: 0, cuts: 0, silences: 0, swallowed: 0, ended: 0, failOvers: 0, resumed: 0 };
      const disturbances = [
        async () => {
          pair.front.cut();
          done.cuts += 1;
        },
        async () => {
          pair.front.silence();
          await sleep(8_000);
          pair.front.flow();
          done.silences += 1;
        },
        async () => {
          pair.front.swallow();
          done.swallowed += 1;
        },
        async () => {
          const text = "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'srq'";
          await pair.primary.query(pair.url, text);
          done.ended += 1;
        },
        async () => {
          // One lives from the beginning to the end.
          const at = done.kills % (WORKERS - 1);
          workers[at]?.process.kill('SIGKILL');
          killed.push(await workers[at]?.ended);
          workers[at] = start(stores[at]);
          done.kills += 1;
        },
      ];
      const created = async () => (await statsOf(sandbox)).created;
      const disturbUntil = async (count: number) => {
        for (let turn = 0; (await created()) < count; turn += 1) {
          const next = Math.min(count, (await created()) + SOAK_ROWS / 30);
          while ((await created()) < next) await sleep(50);
          await disturbances[turn % disturbances.length]?.();
        }
      };
      /** If all have stopped, a person says that sending may go on, and starts them again. */
      const goesOn = async () => {
        const before = await created();
        while ((await created()) <= before + 20) {
          await sleep(500);
          if (workers.some(({ process: { exitCode } }) => exitCode !== 9)) continue;
          expect((await desk.run('store', 'resume', '--store', pair.behindOne)).code).toBe(0);
          done.resumed += 1;
          stopped.push(...(await Promise.all(workers.map((worker) => worker.ended))));
          workers.splice(0, workers.length, ...stores.map(start));
        }
      };
      await disturbUntil(SOAK_ROWS * 0.4);
      await sleep(DEAD_MS);
      await pair.caughtUp();
      pair.heard.silence();
      const lostFrom = await created();
      while ((await created()) < lostFrom + 100) await sleep(20);
      pair.replace();
      done.failOvers += 1;
      await goesOn();
      const first = pair;
      onTestFinished(() => first.primary.end());
      pair = await pair.next();
      await pair.synchronize();
      await disturbUntil(SOAK_ROWS * 0.8);
      await sleep(DEAD_MS);
      pair.replace();
      done.failOvers += 1;
      await goesOn();
      const left = async () => (await pair.standby.query(pair.url, 'select 1 from srq.waiting limit 1')).length;
      await expect.poll(left, { timeout: SOAK_MS, interval: 1_000 }).toBe(0);
      for (const { process: worker } of workers) worker.kill('SIGTERM');
      const ended = await Promise.all(workers.map((worker) => worker.ended));
      const seconds = Math.round((performance.now() - beganMs) / 1000);
      const putBack = [...killed, ...stopped, ...ended].flatMap((each) =>
        [...(each?.stderr ?? '').matchAll(/had lost (\d+) records/g)].map(([, count]) => Number(count)),
      );
      const text = 'select state::text, count(*)::integer as count from srq.request group by state order by state';
      const known = await pair.standby.query<{ state: string; count: number }>(pair.url, text);
      const { created: taken, distinct, doubled } = await statsOf(sandbox);
      process.stdout.write(
        `fail-over: ${JSON.stringify({ rows: SOAK_ROWS, seconds, known, putBack, taken, ...done })}\n`,
      );
      for (const each of ended) expect(each.code, JSON.stringify(each)).toBe(143);
      expect({ taken, doubled }).toEqual({ taken: distinct, doubled: 0 });
      expect(await pair.standby.query(pair.url, QUEUE_CONTRADICTIONS)).toEqual([]);
      const of = (...states: string[]) =>
        known.filter(({ state }) => states.includes(state)).reduce((sum, { count }) => sum + count, 0);
      const unknown = of('sending', 'unknown', 'parked');
      expect(of('created') + unknown).toBe(SOAK_ROWS);
      // A soak in which the faults did not come shows nothing.
      const { kills, cuts, silences, swallowed, ended: backends, failOvers } = done;
      expect(Math.min(kills, cuts, silences, swallowed, backends)).toBeGreaterThan(0);
      expect(failOvers).toBe(2);
      expect(putBack.reduce((sum, count) => sum + count, 0)).toBeGreaterThan(0);
      expect(taken - of('created')).toBeLessThanOrEqual(unknown);
      desk.env['SRQ_STORE'] = pair.behindOne;
      expect(await settleByTheBooks(desk, sandbox, leads, SOAK_ROWS)).toBe(unknown);
    },
  );
});
