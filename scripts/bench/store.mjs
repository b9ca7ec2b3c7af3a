// What a log in PostgreSQL costs: an import beside one whose log is a file; one, two and four workers at one queue, whose service
// answers after 50 ms; and, with many rows in a queue, how long a worker needs to take 64 of them, and `srq queue` to count them.
import { execFileSync, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import pg from 'pg';
import { postgresIsMissing, startPostgres } from '../postgres-server.mjs';
import { runMeasured } from './run-measured.mjs';
import { startService } from './service-process.mjs';
import { bulk, everyRowOnce, newFolder, SRQ, srqEnv } from './srq.mjs';

const PASSWORD = 'of-a-measurement';
const ROUNDS = 3;
const IN_FLIGHT = 16;
const ROWS_OF_WORKER = 2_000;
const SIZES = [10_000, 100_000, 1_000_000, 2_000_000];

export async function measureStore({ folder, leads, print }) {
  if (postgresIsMissing) throw new Error(postgresIsMissing);
  const server = await startPostgres(PASSWORD);
  process.env.PGPASSWORD = PASSWORD;
  try {
    await measureImport(server, folder, leads(20_000), print);
    for (const workers of [1, 2, 4]) await measureWorkers(server, folder, workers, leads, print);
    await measureQueue(server, folder, print);
  } finally {
    server.end();
  }
}

async function measureImport(server, folder, file, print) {
  const service = await startService();
  const fastest = { file: Number.POSITIVE_INFINITY, store: Number.POSITIVE_INFINITY };
  try {
    for (let round = 0; round < ROUNDS; round++) {
      const store = ['--store', await newDatabase(server, `round${round}`)];
      for (const [kind, words] of Object.entries({ file: [], store })) {
        const { seconds } = await bulk(newFolder(folder), service.url, file, ['--rate', 'max', ...words]);
        await everyRowOnce(service, file.rows);
        fastest[kind] = Math.min(fastest[kind], seconds);
      }
    }
  } finally {
    await service.stop();
  }
  const [ofFile, ofStore] = [file.rows / fastest.file, file.rows / fastest.store];
  print(`import: ${ofFile.toFixed()} rows/s, ${ofStore.toFixed()} into the store: ${(ofStore / ofFile).toFixed(2)}`);
}

async function measureWorkers(server, folder, workers, leads, print) {
  const rows = workers * ROWS_OF_WORKER;
  const service = await startService(50);
  const env = { ...srqEnv(newFolder(folder), service.url), SRQ_STORE: await newDatabase(server, `workers${workers}`) };
  const options = { env, stdio: ['ignore', 'ignore', 'inherit'] };
  const words = ['work', '--until-empty', '--no-validate', '--rate', 'max', '--concurrency', IN_FLIGHT, '--quiet'];
  try {
    execFileSync(process.execPath, [SRQ, 'enqueue', leads(rows).path, '--quiet'], options);
    const ends = Array.from({ length: workers }, () =>
      once(spawn(process.execPath, [SRQ, ...words.map(String)], options), 'close'),
    );
    for (const [code] of await Promise.all(ends)) if (code !== 0) throw new Error(`a worker ended with ${code}`);
    const { createsSeconds } = await everyRowOnce(service, rows);
    print(`workers: ${workers}, ${IN_FLIGHT} in flight each: ${(rows / createsSeconds).toFixed()} rows/s`);
  } finally {
    await service.stop();
  }
}

async function measureQueue(server, folder, print) {
  const env = { ...srqEnv(newFolder(folder), 'http://127.0.0.1:1'), SRQ_STORE: await newDatabase(server, 'queue') };
  execFileSync(process.execPath, [SRQ, 'store', 'migrate', '--quiet'], { env });
  const account = createHash('sha256')
    .update(JSON.stringify([env.SRQ_BASE_URL, env.SRQ_CLIENT_ID]))
    .digest('hex')
    .slice(0, 32);
  await inDatabase(server, 'queue', async (client) => {
    await client.query(`select * from srq.join_store('bench', 'a measurement', null)`);
    let filled = 0;
    for (const size of SIZES) {
      for (; filled < size; filled += 5_000) await client.query(ADD, [account, filled + 1, filled + 5_000]);
      const times = [];
      for (let turn = 0; turn < 21; turn++) {
        const startedMs = performance.now();
        await client.query(TAKE, [account]);
        times.push(performance.now() - startedMs);
      }
      times.sort((a, b) => a - b);
      print(`take 64 of ${size} rows: ${times[10].toFixed(1)} ms, at most ${times[20].toFixed(1)}`);
    }
  });
  for (const command of ['markets', 'queue']) {
    const { seconds, cpuMs } = await runMeasured(process.execPath, [SRQ, command, '--json'], { env });
    print(`srq ${command}: ${seconds.toFixed(2)} s, ${cpuMs} ms of CPU`);
  }
}

/** Queues rows of 350 bytes, as `srq enqueue` does. */
const ADD = `select srq.add($1, json_agg(json_build_object('key', md5(n::text)::uuid, 'row', n, 'request', repeat('x', 350))))
  from generate_series($2::integer, $3::integer) as n`;
const TAKE = `select count(*) from srq.take($1, 1, 64, array(select key from srq.waiting where process = 1))`;

/** The address of a new database. */
async function newDatabase(server, name) {
  await inDatabase(server, 'postgres', (client) => client.query(`create database ${name}`));
  return server.url(name);
}

async function inDatabase({ port }, database, work) {
  const client = new pg.Client({ host: '127.0.0.1', port, user: 'owner', password: PASSWORD, database });
  await client.connect();
  try {
    await work(client);
  } finally {
    await client.end();
  }
}
