// Fills a queue, and prints how long a worker needs to take 64 rows with 10,000, 100,000 and 1,000,000 rows in it; then how long
// `srq queue` takes with twice as many, beside a command that does nothing.
// Usage: npm run bench:queue [-- ROWS…]
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { runMeasured } from './bench/run-measured.mjs';
import { postgresIsMissing, startPostgres } from './postgres-server.mjs';

const PASSWORD = 'of-a-measurement';
const DESTINATION = {
  SRQ_BASE_URL: 'http://127.0.0.1:1',
  SRQ_CLIENT_ID: 'partner',
  SRQ_CLIENT_SECRET: 'of a measurement',
};
const TURNS = 21;
const sizes = process.argv.length > 2 ? process.argv.slice(2).map(Number) : [10_000, 100_000, 1_000_000];
if (postgresIsMissing) throw new Error(postgresIsMissing);

const folder = mkdtempSync(join(tmpdir(), 'srq-bench-'));
const server = await startPostgres(PASSWORD);
const client = new pg.Client({
  host: '127.0.0.1',
  port: server.port,
  user: 'owner',
  password: PASSWORD,
  database: 'postgres',
});
try {
  const env = { ...process.env, ...DESTINATION, PGPASSWORD: PASSWORD, SRQ_STORE: server.url('postgres') };
  Object.assign(env, { SRQ_CONFIG_DIR: folder, SRQ_STATE_DIR: folder });
  execFileSync(process.execPath, ['dist/srq.js', 'store', 'migrate', '--quiet'], { env });
  await client.connect();
  await client.query(`select * from srq.join_store('bench', 'a measurement', null)`);
  const account = createHash('sha256')
    .update(JSON.stringify([DESTINATION.SRQ_BASE_URL, DESTINATION.SRQ_CLIENT_ID]))
    .digest('hex')
    .slice(0, 32);
  let filled = 0;
  for (const size of sizes) {
    filled = await fill(account, filled, size);
    const [ms, worst] = await timesOf(async () => {
      await client.query(
        `select count(*) from srq.take($1, 1, 64, array(select key from srq.waiting where process = 1))`,
        [account],
      );
    });
    print(`take 64 of ${size} rows: ${ms.toFixed(1)} ms (at most ${worst.toFixed(1)})`);
  }
  const rows = 2 * Math.max(...sizes);
  await fill(account, filled, rows);
  const idle = await measured(env, 'markets');
  const looked = await measured(env, 'queue');
  const { queue, notCounted } = JSON.parse(looked.stdout);
  print(
    `srq queue with ${rows} rows: ${looked.seconds.toFixed(2)} s and ${looked.cpuMs} ms of CPU, of which its start ${idle.seconds.toFixed(2)} s and ${idle.cpuMs} ms`,
  );
  print(`  total ${queue.total}, not counted: ${notCounted.join(', ') || 'nothing'}`);
} finally {
  await client.end();
  server.end();
  rmSync(folder, { recursive: true, force: true });
}

/** The fastest of five runs of a command. */
async function measured(env, command) {
  const runs = [];
  for (let turn = 0; turn < 5; turn++)
    runs.push(await runMeasured(process.execPath, ['dist/srq.js', command, '--json'], { env }));
  return runs.sort((a, b) => a.seconds - b.seconds)[0];
}

/** Queues rows of 350 bytes up to a number, as `srq enqueue` does. */
async function fill(account, from, to) {
  for (let at = from; at < to; at += 5_000) {
    await client.query(
      `select srq.add($1, json_agg(json_build_object('key', md5(n::text)::uuid, 'row', n, 'request', repeat('x', 350))))
      from generate_series($2::integer, $3::integer) as n`,
      [account, at + 1, Math.min(to, at + 5_000)],
    );
  }
  return to;
}

/** Returns the median and the longest time of a work. */
async function timesOf(work, turns = TURNS) {
  const times = [];
  for (let turn = 0; turn < turns; turn++) {
    const started = performance.now();
    await work();
    times.push(performance.now() - started);
  }
  times.sort((a, b) => a - b);
  return [times[Math.floor(turns / 2)], times.at(-1)];
}

function print(line) {
  process.stdout.write(`${line}\n`);
}
