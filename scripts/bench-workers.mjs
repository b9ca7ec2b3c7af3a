// Has 1, 2 and 4 workers deliver generated leads from one queue to a sandbox that takes 50 ms to answer, and prints the rates
// between the first and the last tenth, each by that of one worker, and what share of two cores was busy.
// Usage: npm run bench:workers [-- ROWS_PER_WORKER [CONCURRENCY [RATE]]] (1,000, 4 in flight each, max)
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
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
if (postgresIsMissing) throw new Error(postgresIsMissing);

const folder = mkdtempSync(join(tmpdir(), 'srq-bench-'));
const server = await startPostgres(PASSWORD);
try {
  let alone = 0;
  for (const workers of [1, 2, 4]) {
    const { perSecond, busy } = await deliver(workers);
    alone ||= perSecond;
    const share = (perSecond / (workers * alone)).toFixed(2);
    print(
      `${workers} workers: ${Math.round(perSecond)} rows/s, ${share} of linear, processors ${Math.round(100 * busy)} % busy`,
    );
  }
} finally {
  server.end();
  rmSync(folder, { recursive: true, force: true });
}

async function deliver(workers) {
  const rows = workers * rowsPerWorker;
  const leads = join(folder, `${workers}.csv`);
  execFileSync(process.execPath, ['scripts/make-leads.mjs', String(rows), leads]);
  await makeDatabase(`workers${workers}`);
  const sandbox = spawn(
    process.execPath,
    ['dist/srq.js', 'sandbox', '--port', '0', '--latency', String(LATENCY_MS), '--json'],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
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
      SRQ_STATE_DIR: folder,
    };
    execFileSync(process.execPath, ['dist/srq.js', 'enqueue', leads, '--quiet', '--json'], { env });
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
    return measured;
  } finally {
    sandbox.kill('SIGTERM');
  }
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

async function makeDatabase(name) {
  const client = new pg.Client({
    host: '127.0.0.1',
    port: server.port,
    user: 'owner',
    password: PASSWORD,
    database: 'postgres',
  });
  await client.connect();
  await client.query(`create database ${name}`);
  await client.end();
}

function print(line) {
  process.stdout.write(`${line}\n`);
}
