// Has 1, 2 and 4 workers deliver generated leads from one queue to a sandbox that takes 50 ms to answer, and prints the rates
// between the first and the last tenth, each by that of one worker, what share of two cores was busy, and how many statements, how
// much of the database's time and how much write-ahead log a row took. With FOLDER, where graphile-worker is installed, its rate
// with one worker and a bare fetch for each row follows.
// Usage: npm run bench:workers [-- ROWS_PER_WORKER [CONCURRENCY [RATE [WORKERS [FOLDER]]]]] (1,000, 4 in flight each, max, 1,2,4)
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { postgresIsMissing, startPostgres } from './postgres-server.mjs';

const LATENCY_MS = 50;
const PASSWORD = 'of-a-measurement';
const [rowsPerWorker, concurrency] = [Number(process.argv[2] ?? 1_000), Number(process.argv[3] ?? 4)];
const rate = process.argv[4] ?? 'max';
const numbers = (process.argv[5] ?? '1,2,4').split(',').map(Number);
const graphile = process.argv[6];
if (postgresIsMissing) throw new Error(postgresIsMissing);

const folder = mkdtempSync(join(tmpdir(), 'srq-bench-'));
const server = await startPostgres(PASSWORD, '-c shared_preload_libraries=pg_stat_statements');
try {
  let alone = 0;
  for (const workers of numbers) {
    const { perSecond, busy, statements, databaseMs, walBytes } = await deliver(workers);
    alone ||= perSecond / workers;
    const share = (perSecond / (workers * alone)).toFixed(2);
    print(
      `${workers} workers: ${Math.round(perSecond)} rows/s, ${share} of linear, processors ${Math.round(100 * busy)} % busy, ` +
        `${statements.toFixed(1)} statements, ${databaseMs.toFixed(2)} ms of the database and ${Math.round(walBytes)} bytes of its log a row`,
    );
  }
  if (graphile) print(`graphile-worker: ${Math.round(await deliverByGraphile())} rows/s with one worker`);
} finally {
  server.end();
  rmSync(folder, { recursive: true, force: true });
}

async function deliver(workers) {
  const rows = workers * rowsPerWorker;
  const leads = join(folder, `${workers}.csv`);
  execFileSync(process.execPath, ['scripts/make-leads.mjs', String(rows), leads]);
  await query('postgres', `create database workers${workers}`);
  const sandbox = startSandbox();
  try {
    const [ready] = await once(createInterface(sandbox.stdout), 'line');
    const { baseUrl, clientId, clientSecret } = JSON.parse(ready);
    const env = {
      ...process.env,
      PGPASSWORD: PASSWORD,
      SRQ_STORE: server.url(`workers${workers}`),
      SRQ_BASE_URL: baseUrl,
      SRQ_CLIENT_ID: clientId,
      SRQ_CLIENT_SECRET: clientSecret,
      SRQ_CONFIG_DIR: folder,
      // A profile that has sent through a store refuses another one.
      SRQ_STATE_DIR: join(folder, String(workers)),
    };
    execFileSync(process.execPath, ['dist/srq.js', 'enqueue', leads, '--quiet', '--json'], { env });
    await query(`workers${workers}`, 'create extension pg_stat_statements; select pg_stat_statements_reset()');
    const words = ['work', '--until-empty', '--no-validate', '--rate', rate, '--concurrency', String(concurrency)];
    const ends = Array.from({ length: workers }, () => {
      const child = spawn(process.execPath, ['dist/srq.js', ...words, '--quiet', '--json'], {
        env,
        stdio: ['ignore', 'ignore', 'inherit'],
      });
      return once(child, 'close');
    });
    const measured = await rateBetween(baseUrl, rows * 0.1, rows * 0.9);
    for (const [code] of await Promise.all(ends)) if (code !== 0) throw new Error(`a worker ended with ${code}`);
    const [{ calls, ms, wal }] = await query(
      `workers${workers}`,
      `select sum(calls)::integer as calls, sum(total_exec_time) as ms, sum(wal_bytes)::float8 as wal from pg_stat_statements
      where dbid = (select oid from pg_database where datname = current_database())`,
    );
    return { ...measured, statements: calls / rows, databaseMs: ms / rows, walBytes: wal / rows };
  } finally {
    sandbox.kill('SIGTERM');
  }
}

/** The same rows as jobs of graphile-worker. Each sends one create, and nothing is known of what was sent before. */
async function deliverByGraphile() {
  const { Logger, run, runMigrations } = createRequire(join(graphile, 'node_modules', 'x'))('graphile-worker');
  await query('postgres', 'create database graphile');
  const connectionString = server.url('graphile').replace('owner@', `owner:${PASSWORD}@`);
  await runMigrations({ connectionString });
  const sandbox = startSandbox();
  try {
    const [ready] = await once(createInterface(sandbox.stdout), 'line');
    const { baseUrl, clientId, clientSecret } = JSON.parse(ready);
    const secret = { client_id: clientId, client_secret: clientSecret, grant_type: 'client_credentials' };
    const token = await fetch(`${baseUrl}/oauth/token`, { method: 'POST', body: new URLSearchParams(secret) });
    const headers = { authorization: `Bearer ${(await token.json()).access_token}` };
    const send = async ({ n }) => {
      const body = new URLSearchParams({
        country: 'PT',
        phone: `+3519${String(n).padStart(8, '0')}`,
        request_text: `row ${n}`,
      });
      const answer = await fetch(`${baseUrl}/v1/request/create`, { method: 'POST', headers, body });
      if (!answer.ok) throw new Error(`HTTP ${answer.status}`);
    };
    await query(
      'graphile',
      `select graphile_worker.add_job('send', json_build_object('n', n)) from generate_series(1, ${rowsPerWorker}) n`,
    );
    const runner = await run({
      connectionString,
      concurrency,
      taskList: { send },
      noHandleSignals: true,
      logger: new Logger(() => () => {}),
    });
    const { perSecond } = await rateBetween(baseUrl, rowsPerWorker * 0.1, rowsPerWorker * 0.9);
    await runner.stop();
    return perSecond;
  } finally {
    sandbox.kill('SIGTERM');
  }
}

function startSandbox() {
  const words = ['dist/srq.js', 'sandbox', '--port', '0', '--latency', String(LATENCY_MS), '--json'];
  return spawn(process.execPath, words, { stdio: ['ignore', 'pipe', 'inherit'] });
}

async function rateBetween(baseUrl, from, to) {
  const first = await reached(baseUrl, from);
  const last = await reached(baseUrl, to);
  const perSecond = (1000 * (last.created - first.created)) / (last.atMs - first.atMs);
  return { perSecond, busy: (last.busyMs - first.busyMs) / (last.busyMs + last.idleMs - first.busyMs - first.idleMs) };
}

async function reached(baseUrl, count) {
  for (;;) {
    const { created } = await (await fetch(`${baseUrl}/_sandbox/stats`)).json();
    if (created >= count) return { created, atMs: performance.now(), ...processorTimes() };
    await sleep(50);
  }
}

function processorTimes() {
  const times = cpus().map((each) => each.times);
  const idleMs = times.reduce((sum, { idle }) => sum + idle, 0);
  const allMs = times.reduce((sum, each) => sum + Object.values(each).reduce((a, b) => a + b, 0), 0);
  return { idleMs, busyMs: allMs - idleMs };
}

async function query(database, text) {
  const client = new pg.Client({ host: '127.0.0.1', port: server.port, user: 'owner', password: PASSWORD, database });
  await client.connect();
  try {
    return [await client.query(text)].flat().at(-1).rows;
  } finally {
    await client.end();
  }
}

function print(line) {
  process.stdout.write(`${line}\n`);
}
