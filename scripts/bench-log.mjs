// How long a log of many records takes to open, and what its index weighs: node scripts/bench-log.mjs [RECORDS]
// Every second record is the outcome of the one before. All that it writes is removed again.
import { createHash } from 'node:crypto';
import { closeSync, mkdirSync, mkdtempSync, openSync, rmSync, statSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { rolldown } from 'rolldown';
import { embeddedText } from './embedded-text.mjs';

const records = Number(process.argv[2] ?? 1_000_000);
const mega = (bytes) => (bytes / 1e6).toFixed(1);
const keyOf = (row) => createHash('sha256').update(`row ${row}`).digest('hex').slice(0, 32);

// Below node_modules, where the bundle finds the package that cannot be bundled.
const cache = new URL('../node_modules/.cache/', import.meta.url).pathname;
mkdirSync(cache, { recursive: true });
const directory = mkdtempSync(join(cache, 'bench-log-'));
try {
  const path = join(directory, 'log.ndjson');
  writeLog(path);
  await measure(path, await loadFileLog());
} finally {
  rmSync(directory, { recursive: true });
}

function lineOf(number) {
  const row = Math.floor(number / 2) + 1;
  const at = new Date(1_760_000_000_000 + number).toISOString();
  const head = {
    key: keyOf(row),
    event: number % 2 ? 'created' : 'sending',
    at,
    run: '5f0c2a9e',
    row,
    ref: `lead-${row}`,
  };
  const tail = number % 2 ? { ids: { request_id: `${10n ** 19n + BigInt(row)}` }, http: 201, ms: 187 } : {};
  return `${JSON.stringify({ ...head, ...tail })}\n`;
}

function writeLog(path) {
  const fd = openSync(path, 'w');
  for (let from = 0; from < records; from += 10_000) {
    const count = Math.min(10_000, records - from);
    writeSync(fd, Array.from({ length: count }, (_, index) => lineOf(from + index)).join(''));
  }
  closeSync(fd);
}

// Node.js 20 does not run TypeScript.
async function loadFileLog() {
  const file = join(directory, 'file-log.mjs');
  const input = new URL('../src/store/file/file-log.ts', import.meta.url).pathname;
  const bundle = await rolldown({
    input,
    platform: 'node',
    plugins: [embeddedText()],
    external: ['fs-native-extensions'],
  });
  await bundle.write({ file, format: 'esm' });
  await bundle.close();
  return (await import(pathToFileURL(file).href)).FileLog;
}

async function measure(path, FileLog) {
  const clock = { nowMs: () => 0, monotonicMs: () => performance.now(), sleep: async () => {} };
  const before = process.memoryUsage().arrayBuffers;
  const start = performance.now();
  const log = await FileLog.open({ path, clock, run: 'bench', exclusive: true, holder: 'bench' });
  const seconds = (performance.now() - start) / 1000;
  const { arrayBuffers, rss } = process.memoryUsage();
  const lines = [
    `${records} records, ${mega(statSync(path).size)} MB, opened in ${seconds.toFixed(2)} s`,
    `buffers ${mega(arrayBuffers - before)} MB (index and one block of the file), process ${mega(rss)} MB`,
    `the last request is ${log.lookup(keyOf(Math.ceil(records / 2)))}`,
  ];
  process.stdout.write(`${lines.join('\n')}\n`);
  await log.close();
}
