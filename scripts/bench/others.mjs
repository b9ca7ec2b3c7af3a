// What people would use instead. None of them checks a row or asks for a token, and none could be run again after a crash.
import { execFileSync, spawnSync } from 'node:child_process';
import { createReadStream, createWriteStream, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { finished } from 'node:stream/promises';
import { parse } from 'csv-parse';
import { everyRowOnce } from './contenders.mjs';
import { runMeasured } from './run-measured.mjs';

const PYTHON = new URL('http_threads.py', import.meta.url).pathname;
const FORM = 'content-type: application/x-www-form-urlencoded';
const WRK_SECONDS = 5;

/** Those that are installed. `many`: the rows for those that are quick, `few`: for those that start a process a row. */
export async function others(bench, many, few, withNewman) {
  const all = [
    ...python(bench, many),
    ...(await curl(bench, many, few)),
    ...(await hurl(bench, many)),
    ...newman(bench, few, withNewman),
    ...wrk(bench),
  ];
  return {
    present: all.filter(({ run }) => run !== null),
    absent: all.filter(({ run }) => run === null).map(({ name }) => name),
  };
}

function contender(name, bench, leads, isThere, command, args) {
  if (!isThere) return { name, rows: leads.rows, run: null };
  const run = async () => {
    const took = await runMeasured(command, args);
    await everyRowOnce(bench.service, leads.rows);
    return took;
  };
  return { name, rows: leads.rows, run };
}

function isInstalled(command) {
  return spawnSync(command, ['--version'], { stdio: 'ignore' }).error === undefined;
}

function python(bench, leads) {
  return ['http.client', 'requests'].map((library) => {
    const isThere = spawnSync('python3', ['-c', `import ${library}`], { stdio: 'ignore' }).status === 0;
    const args = [PYTHON, library, leads.path, bench.service.url];
    return contender(`Python ${library}, 8 threads`, bench, leads, isThere, 'python3', args);
  });
}

/** They are given bodies that are made already: curl reads no CSV. */
async function curl(bench, many, few) {
  const isThere = isInstalled('curl');
  const url = `${bench.service.url}/v1/request/create`;
  const [bodies, config] = [join(bench.folder, 'bodies'), join(bench.folder, 'curl.conf')];
  await writeEach(bodies, few, (body) => `${body}\n`);
  const one = `silent\nfail\nurl = "${url}"\nheader = "${FORM}"\noutput = "/dev/null"`;
  await writeEach(config, many, (body, at) => `${at === 0 ? '' : 'next\n'}${one}\ndata = "${body}"\n`);
  const loop = `while read -r body; do curl -sf -o /dev/null -d "$body" ${url}; done < ${bodies}`;
  const xargs = `xargs -P 8 -d '\\n' -I{} curl -sf -o /dev/null -d {} ${url} < ${bodies}`;
  return [
    contender('curl --parallel-max 32, one config', bench, many, isThere, 'curl', [
      '--parallel',
      '--parallel-max',
      '32',
      '--config',
      config,
    ]),
    contender('xargs -P 8 curl', bench, few, isThere, 'bash', ['-c', xargs]),
    contender('a curl for each row', bench, few, isThere, 'bash', ['-c', loop]),
  ];
}

async function hurl(bench, leads) {
  const file = join(bench.folder, 'leads.hurl');
  const isThere = isInstalled('hurl');
  const url = `${bench.service.url}/v1/request/create`;
  if (isThere) await writeEach(file, leads, (body) => `POST ${url}\n${FORM}\n\`${body}\`\nHTTP 201\n\n`);
  return [contender('hurl, one generated file', bench, leads, isThere, 'hurl', ['--no-output', file])];
}

function newman(bench, leads, isWanted) {
  const home = join(bench.folder, 'newman');
  const collection = join(bench.folder, 'collection.json');
  if (isWanted) {
    mkdirSync(home);
    execFileSync('npm', ['install', '--silent', '--no-fund', '--no-audit', '--prefix', home, 'newman@6'], {
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    writeFileSync(collection, JSON.stringify(postmanCollection(bench.service.url)));
  }
  const program = join(home, 'node_modules/newman/bin/newman.js');
  const args = [program, 'run', collection, '-d', leads.path, '--silent'];
  return [contender('newman -d (--with-newman)', bench, leads, isWanted, process.execPath, args)];
}

function postmanCollection(url) {
  const fields = Object.entries(formOf((column) => `{{${column}}}`)).map(([key, value]) => ({ key, value }));
  const body = { mode: 'urlencoded', urlencoded: fields };
  const schema = 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json';
  const item = [{ name: 'create', request: { method: 'POST', url: `${url}/v1/request/create`, body } }];
  return { info: { name: 'bench', schema }, item };
}

/** The limit of the service: one request again and again. */
function wrk({ folder, service }) {
  const found = { name: 'wrk, the limit of the service', rows: 0, run: null };
  if (!isInstalled('wrk')) return [found];
  const script = join(folder, 'wrk.lua');
  const body = new URLSearchParams(formOf((column) => column));
  writeFileSync(
    script,
    `wrk.method = "POST"\nwrk.body = "${body}"\nwrk.headers["content-type"] = "application/x-www-form-urlencoded"\n`,
  );
  const args = ['-t1', '-c32', `-d${WRK_SECONDS}s`, '-s', script, `${service.url}/v1/request/create`];
  found.run = async () => {
    const took = await runMeasured('wrk', args);
    found.rows = (await service.take()).creates;
    return took;
  };
  return [found];
}

/** A row's parameters, from its cells by column. */
function formOf(cell) {
  return {
    country: cell('Country'),
    lang: 'pt',
    location: `${cell('Postal Code')} ${cell('City')}`,
    fullname: cell('Full Name'),
    email: cell('Email'),
    phone: cell('Phone Number'),
    request_text: cell('Message'),
  };
}

async function writeEach(path, leads, text) {
  const file = createWriteStream(path);
  let at = 0;
  for await (const row of createReadStream(leads.path).pipe(parse({ columns: true }))) {
    file.write(text(new URLSearchParams(formOf((column) => row[column])).toString(), at++));
  }
  file.end();
  await finished(file);
}
