// What a log in PostgreSQL costs: an import beside one whose log is a file, and `srq queue` where two million rows wait.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import pg from 'pg';
import { postgresIsMissing, startPostgres } from '../postgres-server.mjs';
import { runMeasured } from './run-measured.mjs';
import { startService } from './service-process.mjs';
import { bulk, everyRowOnce, newFolder, SRQ, srqEnv } from './srq.mjs';

const PASSWORD = 'of-a-measurement';
const ROUNDS = 3;
const WAITING = 2_000_000;

export async function measureStore({ folder, leads, print }) {
  if (postgresIsMissing) throw new Error(postgresIsMissing);
  const server = await startPostgres(PASSWORD);
  process.env.PGPASSWORD = PASSWORD;
  try {
    await measureImport(server, folder, leads(20_000), print);
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
      await inDatabase(server, 'postgres', `create database round${round}`);
      const store = ['--store', server.url(`round${round}`)];
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

async function measureQueue(server, folder, print) {
  const env = { ...srqEnv(newFolder(folder), 'http://127.0.0.1:1'), SRQ_STORE: server.url('postgres') };
  execFileSync(process.execPath, [SRQ, 'store', 'migrate', '--quiet'], { env });
  const account = createHash('sha256')
    .update(JSON.stringify([env.SRQ_BASE_URL, env.SRQ_CLIENT_ID]))
    .digest('hex');
  await inDatabase(server, 'postgres', ADD, [account.slice(0, 32), WAITING]);
  for (const command of ['markets', 'queue']) {
    const { seconds, cpuMs } = await runMeasured(process.execPath, [SRQ, command, '--json'], { env });
    print(`srq ${command}: ${seconds.toFixed(2)} s, ${cpuMs} ms of CPU`);
  }
}

/** Queues rows of 350 bytes, as `srq enqueue` does. */
const ADD = `insert into srq.waiting (key, account, "row", request)
  select md5(n::text)::uuid, $1, n, repeat('x', 350) from generate_series(1, $2::integer) as n`;

async function inDatabase({ port }, database, ...query) {
  const client = new pg.Client({ host: '127.0.0.1', port, user: 'owner', password: PASSWORD, database });
  await client.connect();
  try {
    await client.query(...query);
  } finally {
    await client.end();
  }
}
