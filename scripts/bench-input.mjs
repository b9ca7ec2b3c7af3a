// Prints how many rows a second are read, mapped and checked, and what a dry run of the whole file takes, with its peak memory.
// Usage: npm run bench:input [-- ROWS]   (default 1,000,000)
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { rolldown } from 'rolldown';
import { bareEnv, runMeasured } from './bench/run-measured.mjs';
import { embeddedText } from './embedded-text.mjs';

const rows = Number(process.argv[2] ?? 1_000_000);
const folder = mkdtempSync(join(tmpdir(), 'srq-bench-input-'));
// Where the program finds its libraries.
const built = resolve(`node_modules/.cache/bench-input-${process.pid}`);
try {
  const leads = join(folder, 'leads.csv');
  execFileSync(process.execPath, ['scripts/make-leads.mjs', String(rows), leads]);
  print(`${rows} rows, ${Math.round(statSync(leads).size / 1024 / 1024)} MiB of CSV, Node ${process.version}`);
  await measureSteps(leads);
  await measureDryRun(leads);
} finally {
  rmSync(folder, { recursive: true, force: true });
  rmSync(built, { recursive: true, force: true });
}

/** Each step does all that the one before does, so its own time is the difference. */
async function measureSteps(leads) {
  const { openTable, planMapping, mapRow, checkRequest } = await parts();
  const options = { format: null, encoding: null, delimiter: null, skipLines: 0, sheet: null };
  const started = performance.now();
  const table = await openTable(leads, options);
  print(`opening (encoding, dialect, header): ${((performance.now() - started) / 1000).toFixed(2)} s`);
  const mapping = planMapping(table.columns, { map: {}, set: {} });
  let before = 0;
  for (const [name, step] of [
    ['reading', () => {}],
    ['mapping', (row) => mapRow(row, mapping)],
    ['checking', (row) => checkRequest(mapRow(row, mapping), mapping)],
  ]) {
    const from = performance.now();
    for await (const batch of table.rows()) for (const row of batch) step(row);
    const seconds = (performance.now() - from) / 1000;
    print(`${name}: ${Math.round(rows / Math.max(seconds - before, 0.001))} rows/s`);
    before = seconds;
  }
}

async function parts() {
  mkdirSync(built, { recursive: true });
  const files = ['input/open-table', 'input/mapping', 'delivery/prepare', 'delivery/check/check-request'];
  const input = Object.fromEntries(files.map((file) => [file.replaceAll('/', '-'), `src/${file}.ts`]));
  const bundle = await rolldown({ input, platform: 'node', plugins: [embeddedText()] });
  await bundle.write({ dir: built, format: 'esm', entryFileNames: '[name].mjs' });
  await bundle.close();
  const modules = await Promise.all(
    Object.keys(input).map((name) => import(pathToFileURL(join(built, `${name}.mjs`)))),
  );
  return Object.assign({}, ...modules);
}

async function measureDryRun(leads) {
  const env = { ...bareEnv(), SRQ_CONFIG_DIR: join(folder, 'config'), SRQ_STATE_DIR: join(folder, 'state') };
  const words = ['dist/srq.js', 'bulk', leads, '--dry-run', '--json', '--quiet'];
  const { seconds, peakMib, stdout } = await runMeasured(process.execPath, words, { env });
  const { ready, problemCount } = JSON.parse(stdout);
  print(
    `dry run: ${seconds.toFixed(1)} s, ${Math.round(rows / seconds)} rows/s, peak ${peakMib?.toFixed(0) ?? '?'} MiB (${ready} ready, ${problemCount} findings)`,
  );
}

function print(line) {
  process.stdout.write(`${line}\n`);
}
