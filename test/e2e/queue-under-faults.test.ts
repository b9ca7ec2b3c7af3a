import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import type { Sandbox } from '../../src/sandbox/server.ts';
import { settleByTheBooks } from '../helpers/books.ts';
import { type Desk, test } from '../helpers/desk.ts';
import { leadsCsv } from '../helpers/leads.ts';
import { PostgresServer, postgresIsMissing, QUEUE_CONTRADICTIONS, STORE_PASSWORD } from '../helpers/postgres.ts';
import { documentOf, type Running } from '../helpers/run-srq.ts';
import { statsOf } from '../helpers/sandbox-view.ts';

/** `npm run soak -- 15 queue` sets more of them. */
const ROWS = Number(process.env['SRQ_TEST_QUEUE_ROWS'] ?? 2_000);
const isSoak = process.env['SRQ_TEST_QUEUE_ROWS'] !== undefined;
const PER_SECOND = isSoak ? 100 : 80;
/** A process counts as gone that was silent for a minute. */
const GONE_S = 60;
const TIMEOUT_MS = isSoak ? 1_800_000 : 400_000;
/** Sparse enough that the breaker, which has its own tests, stays closed. */
const FAULTS = { 'reset-before': 0.001, 'reset-after': 0.001, '500': 0.001, '500-after': 0.001, 'expire-token': 0.001 };

/** The exit code of a worker whose credentials seem to be refused. */
const TOKEN_REFUSED = 4;

const why = postgresIsMissing === null ? '' : ` (skipped: ${postgresIsMissing})`;

describe.skipIf(postgresIsMissing !== null)(`Workers on one queue${why}`, () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await PostgresServer.start();
  });
  afterAll(() => server?.end());

  const states = (url: string) =>
    server.query<{ state: string; count: number }>(
      url,
      'select state, count(*)::integer as count from srq.request group by state order by state',
    );
  const waiting = async (url: string) => {
    const text = 'select count(*)::integer as count from srq.waiting';
    return (await server.query<{ count: number }>(url, text))[0]?.count;
  };

  test(`Workers on one queue deliver ${ROWS} rows once each, whatever fails`, {
    timeout: TIMEOUT_MS,
  }, async ({ desk, openSandbox }) => {
    const sandbox = await openSandbox({
      ...{ latencyMs: 20, ratePerSecond: PER_SECOND, faults: FAULTS },
      keep: 4 * ROWS,
    });
    const url = await server.database();
    desk.use(sandbox);
    Object.assign(desk.env, { SRQ_STORE: url, PGPASSWORD: STORE_PASSWORD });
    const leads = desk.write('leads.csv', leadsCsv(ROWS));
    const queued = documentOf(await desk.run('enqueue', leads, '--yes', '--json'));
    expect(queued).toMatchObject({ rows: ROWS, queued: ROWS });
    const beganMs = performance.now();
    const fleet = new Fleet(desk);
    const disturbed = await disturb(fleet, sandbox, server);
    expect(await server.query(url, QUEUE_CONTRADICTIONS)).toEqual([]);
    if (!isSoak) {
      while ((await waiting(url)) !== 0) await sleep(200);
      fleet.stop();
      const ended = await fleet.ended();
      for (const each of ended) expect(each.code, JSON.stringify(each)).toBe(143);
    } else {
      for (const each of await fleet.ended()) expect([0, 5, 7], JSON.stringify(each)).toContain(each.code);
    }
    const seconds = (performance.now() - beganMs) / 1000;
    expect(await server.query(url, QUEUE_CONTRADICTIONS)).toEqual([]);

    const { created, distinct, doubled } = await statsOf(sandbox);
    expect({ created, doubled }).toEqual({ created: distinct, doubled: 0 });
    const known = Object.fromEntries((await states(url)).map(({ state, count }) => [state, count]));
    const unknown = (known['sending'] ?? 0) + (known['unknown'] ?? 0) + (known['parked'] ?? 0);
    // A worker that was cut off may note as failed what another one has left as unknown by then: that is told, and not lost.
    const failed = known['failed'] ?? 0;
    expect(failed).toBeLessThan(ROWS / 200);
    expect((known['created'] ?? 0) + unknown + failed).toBe(ROWS);
    expect(created).toBeGreaterThanOrEqual(known['created'] ?? 0);
    expect(created - (known['created'] ?? 0)).toBeLessThanOrEqual(unknown);
    const calls = sandbox.requests().filter(({ operation }) => operation !== 'token');
    const refused = calls.filter(({ status, fault }) => status === 429 && fault === null).length;
    const share = refused / calls.length;
    expect(await settleByTheBooks(desk, sandbox, leads, ROWS)).toBe(unknown);
    const figures = {
      rows: ROWS,
      seconds: Math.round(seconds),
      known,
      ...{ ...disturbed, refusedWorkers: fleet.refused },
      calls: calls.length,
      refused,
      share,
    };
    process.stdout.write(`workers: ${JSON.stringify(figures)}\n`);
    // Finding the limit for the first time costs a few, a short run is little more than that, and a busy machine lets
    // the requests arrive in bursts: beside two processes that burned both cores it was 1.5 to 5.1 %. How closely the
    // rate follows the limit is asked without real time in test/service/pace.
    expect(share).toBeLessThanOrEqual(isSoak ? 0.01 : 0.15);
    expect(disturbed.kills).toBeGreaterThanOrEqual(2);
    expect(disturbed.stops).toBeGreaterThanOrEqual(1);
  });
});

/** Three workers, whatever becomes of one, as what watches over them in production sees to. */
class Fleet {
  readonly #desk: Desk;
  #workers: Running[] = [];
  #isStopping = false;
  /** How many ended because two tokens in a row were refused, of which other workers share both. */
  refused = 0;

  constructor(desk: Desk) {
    this.#desk = desk;
    for (let at = 0; at < 3; at += 1) this.#start();
  }

  #start(): void {
    const args = ['work', '--no-validate', '--json', '--quiet'];
    const more = isSoak ? ['--until-empty'] : [];
    const worker = this.#desk.start([...args, ...more], { timeoutMs: TIMEOUT_MS });
    this.#workers.push(worker);
    void worker.ended.then(({ code }) => {
      if (code !== TOKEN_REFUSED || this.#isStopping) return;
      this.refused += 1;
      this.#workers.splice(this.#workers.indexOf(worker), 1);
      this.#start();
    });
  }

  /** Ends one at once, and starts another in its place. */
  async kill(): Promise<void> {
    const [worker] = this.#workers.splice(0, 1);
    worker?.process.kill('SIGKILL');
    const ended = await worker?.ended;
    expect(ended?.signal, JSON.stringify(ended)).toBe('SIGKILL');
    this.#start();
  }

  /** Stops one for longer than the others wait for a sign of life. */
  async pause(): Promise<void> {
    const [, worker] = this.#workers;
    worker?.process.kill('SIGSTOP');
    await sleep((GONE_S + 8) * 1000);
    worker?.process.kill('SIGCONT');
  }

  stop(): void {
    this.#isStopping = true;
    for (const { process: child } of this.#workers) child.kill('SIGTERM');
  }

  /** Resolves when all have ended of whom nobody was replaced meanwhile. */
  async ended() {
    for (;;) {
      const now = [...this.#workers];
      const ended = await Promise.all(now.map((worker) => worker.ended));
      if (now.every((worker) => this.#workers.includes(worker))) return ended;
    }
  }
}

/** Kills, stops, and restarts the server, each on progress that the service has seen. Returns how often. */
async function disturb(fleet: Fleet, sandbox: Sandbox, server: PostgresServer) {
  const done = { kills: 0, stops: 0, restarts: 0 };
  const created = async () => (await statsOf(sandbox)).created;
  const until = async (count: number) => {
    while ((await created()) < count) await sleep(50);
  };
  await until(ROWS * 0.05);
  await fleet.kill();
  done.kills += 1;
  const pausing = fleet.pause().then(() => {
    done.stops += 1;
  });
  await until(ROWS * 0.3);
  server.down();
  server.up();
  done.restarts += 1;
  await until(ROWS * 0.5);
  await fleet.kill();
  done.kills += 1;
  await pausing;
  const isNearlyDone = async () => (await created()) >= ROWS * 0.9;
  const killing = async () => {
    while (!(await isNearlyDone())) {
      await until(Math.min(ROWS * 0.9, (await created()) + 4 * PER_SECOND));
      await fleet.kill();
      done.kills += 1;
    }
  };
  const stopping = async () => {
    while (!(await isNearlyDone())) {
      await fleet.pause();
      done.stops += 1;
    }
  };
  if (isSoak) await Promise.all([killing(), stopping()]);
  return done;
}
