// Imports N generated leads (default 20,000) with a log in a file and with one in PostgreSQL, in turns, and prints the rates
// and their ratio; then what the store's tables weigh with M records (default 1,000,000; 0: not).
// Usage: npm run bench:store [-- ROWS [RECORDS]]
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import pg from 'pg';
import { postgresIsMissing, startPostgres } from './postgres-server.mjs';

const ROUNDS = 3;
const PASSWORD = 'of-a-measurement';
const rows = Number(process.argv[2] ?? 20_000);
const records = Number(process.argv[3] ?? 1_000_000);
if (postgresIsMissing) throw new Error(postgresIsMissing);

const folder = mkdtempSync(join(tmpdir(), 'srq-bench-'));
const leads = join(folder, 'leads.csv');
execFileSync(process.execPath, ['scripts/make-leads.mjs', String(rows), leads]);
const server = await startPostgres(PASSWORD);
try {
  const rates = { file: [], store: [] };
  for (let round = 0; round < ROUNDS; round++) {
    rates.file.push(await importAll(round, []));
    await query('postgres', `create database round${round}`);
    rates.store.push(await importAll(round, ['--store', server.url(`round${round}`)]));
  }
  const [file, store] = [median(rates.file), median(rates.store)];
  print(
    `file ${Math.round(file)} rows/s, store ${Math.round(store)} rows/s: ${(store / file).toFixed(2)} (medians of ${ROUNDS})`,
  );
  if (records > 0) await weigh();
} finally {
  server.end();
  rmSync(folder, { recursive: true, force: true });
}

/** Rows a second of validate and create, into a new sandbox in a process of its own. */
async function importAll(round, store) {
  const sandbox = spawn(process.execPath, ['dist/srq.js', 'sandbox', '--port', '0', '--json'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    const [ready] = await once(createInterface(sandbox.stdout), 'line');
    const { baseUrl, clientId, clientSecret } = JSON.parse(ready);
    const state = join(folder, `${round}-${store.length}`);
    const env = {
      ...process.env,
      PGPASSWORD: PASSWORD,
      SRQ_BASE_URL: baseUrl,
      SRQ_CLIENT_ID: clientId,
      SRQ_CLIENT_SECRET: clientSecret,
      SRQ_CONFIG_DIR: state,
      SRQ_STATE_DIR: state,
    };
    const words = ['dist/srq.js', 'bulk', leads, '--rate', 'max', '--json', '--quiet', ...store];
    const started = performance.now();
    const result = JSON.parse(execFileSync(process.execPath, words, { env, encoding: 'utf8' }));
    if (result.created !== rows) throw new Error(`${result.created} of ${rows} were created`);
    return rows / ((performance.now() - started) / 1000);
  } finally {
    sandbox.kill('SIGTERM');
  }
}

/** Fills the tables as imports do: an intent and an outcome a request. */
async function weigh() {
  const requests = records / 2;
  const group = 1_000;
  await query('round0', 'truncate srq.record, srq.request');
  for (let from = 0; from < requests; from += group) {
    for (const event of ['sending', 'created']) {
      const seen = event === 'sending' ? "'none'" : 'null';
      // A record whose entry the request has is taken for written.
      const entry = event === 'sending' ? 'n' : `${requests} + n`;
      const facts = event === 'sending' ? '' : ", 'http', 201, 'ms', 187";
      const details = `json_build_object('row', n, 'ref', 'lead-' || n, 'market', 'PT'${facts})`;
      const ids = event === 'sending' ? 'null' : `'{"request_id":"' || (12345678901234000000 + n) || '"}'`;
      await query(
        'round0',
        `select count(*) from (select json_agg(json_build_object('key', md5(n::text), 'entry', ${entry}, 'event', '${event}',
            'seen', ${seen}, 'next', '${event}', 'next_licensed', '${event}', 'ids', ${ids}, 'details', ${details})) as entries
          from generate_series(${from + 1}, ${from + group}) as n) g,
        srq.append(1, null, srq.server(), null, null, entries)`,
      );
    }
  }
  await query('round0', 'vacuum analyze srq.record, srq.request');
  const sizes = await query(
    'round0',
    `select relname as name, pg_table_size(c.oid) as data, pg_indexes_size(c.oid) as index from pg_class c
    where oid in ('srq.record'::regclass, 'srq.request'::regclass) order by relname`,
  );
  const [{ records: counted }] = await query('round0', 'select count(*)::integer as records from srq.record');
  print(`${counted} records of ${requests} requests`);
  for (const { name, data, index } of sizes) {
    const each = name === 'record' ? counted : requests;
    print(`  srq.${name}: ${(data / each).toFixed(0)} bytes a row, index ${(index / each).toFixed(0)}`);
  }
  const whole = sizes.reduce((sum, { data, index }) => sum + Number(data) + Number(index), 0);
  print(`  ${(whole / requests).toFixed(0)} bytes a request in all`);
}

async function query(database, text) {
  const client = new pg.Client({ host: '127.0.0.1', port: server.port, user: 'owner', password: PASSWORD, database });
  await client.connect();
  try {
    return (await client.query(text)).rows;
  } finally {
    await client.end();
  }
}

function median(numbers) {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)];
}

function print(line) {
  process.stdout.write(`${line}\n`);
}
