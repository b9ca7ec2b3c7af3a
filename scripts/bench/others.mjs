// What people would use instead. Neither checks a row, asks for a token, or could be run again after a crash.
import { spawnSync } from 'node:child_process';
import { createReadStream, createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { finished } from 'node:stream/promises';
import { parse } from 'csv-parse';
import { everyRowOnce } from './contenders.mjs';
import { runMeasured } from './run-measured.mjs';

const PYTHON = new URL('http_threads.py', import.meta.url).pathname;
const FORM = 'content-type: application/x-www-form-urlencoded';

/** Those that are installed, each with the same rows. */
export async function others(bench, leads) {
  const config = join(bench.folder, 'curl.conf');
  await writeCurlConfig(config, bench, leads);
  const all = [
    { name: 'Python http.client, 8 threads', command: 'python3', args: [PYTHON, leads.path, bench.service.url] },
    {
      name: 'curl --parallel, 32 in flight',
      command: 'curl',
      args: ['--parallel', '--parallel-max', '32', '-K', config],
    },
  ];
  return all
    .filter(({ command }) => spawnSync(command, ['--version'], { stdio: 'ignore' }).error === undefined)
    .map(({ name, command, args }) => ({ name, rows: leads.rows, run: () => measured(bench, leads, command, args) }));
}

async function measured(bench, leads, command, args) {
  const took = await runMeasured(command, args);
  await everyRowOnce(bench.service, leads.rows);
  return took;
}

/** curl reads no CSV, so it is given bodies that are made already. */
async function writeCurlConfig(path, { service }, leads) {
  const one = `silent\nfail\nurl = "${service.url}/v1/request/create"\nheader = "${FORM}"\noutput = "/dev/null"`;
  const file = createWriteStream(path);
  let begin = '';
  for await (const row of createReadStream(leads.path).pipe(parse({ columns: true }))) {
    file.write(`${begin}${one}\ndata = "${bodyOf(row)}"\n`);
    begin = 'next\n';
  }
  file.end();
  await finished(file);
}

function bodyOf(row) {
  const form = {
    country: row['Country'],
    lang: 'pt',
    location: `${row['Postal Code']} ${row['City']}`,
    fullname: row['Full Name'],
    email: row['Email'],
    phone: row['Phone Number'],
    request_text: row['Message'],
  };
  return new URLSearchParams(form).toString();
}
