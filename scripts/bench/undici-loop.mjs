// The tight loop that srq is measured against: csv-parse, form encoding, undici; no token, no checks, no outcomes.
// Usage: node scripts/bench/undici-loop.mjs FILE URL CONCURRENCY INTENTS
import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { parse } from 'csv-parse';
import { Pool } from 'undici';

const [file, url, concurrency, intentsFile] = process.argv.slice(2);
const intents = await open(intentsFile, 'a');
const inFlight = Number(concurrency);
const pool = new Pool(url, { connections: inFlight, pipelining: 1, allowH2: false });
const headers = { authorization: 'Bearer bench', 'content-type': 'application/x-www-form-urlencoded' };
const rows = createReadStream(file)
  .pipe(parse({ columns: true }))
  [Symbol.asyncIterator]();

let gathering = { lines: [], synced: null };
let before = null;

await Promise.all(Array.from({ length: inFlight }, work));
await pool.close();
await intents.close();

async function work() {
  for (let next = await rows.next(); !next.done; next = await rows.next()) {
    const row = next.value;
    const body = new URLSearchParams({
      country: row.Country,
      lang: 'pt',
      location: `${row['Postal Code']} ${row.City}`,
      fullname: row['Full Name'],
      email: row.Email,
      phone: row['Phone Number'],
      request_text: row.Message,
    }).toString();
    await durable(`{"event":"sending","ref":"${row['Lead ID']}"}\n`);
    await post('/v1/request/create', body);
  }
}

async function post(path, body) {
  const { statusCode, body: answer } = await pool.request({ path, method: 'POST', headers, body });
  await answer.text();
  if (statusCode > 299) throw new Error(`HTTP ${statusCode}`);
}

/** Group commit without a timer: while one batch is written and synced, the next one gathers. */
function durable(line) {
  gathering.lines.push(line);
  gathering.synced ??= sync(gathering);
  return gathering.synced;
}

async function sync(batch) {
  await before;
  before = batch.synced;
  gathering = { lines: [], synced: null };
  await intents.appendFile(batch.lines.join(''));
  await intents.datasync();
}
