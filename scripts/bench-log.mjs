// Measures how long a log of many records takes to open: npm run-free, `node scripts/bench-log.mjs [RECORDS]`.
// Bundles src/log, because Node 20 does not run TypeScript; everything it writes is removed again.
import { createHash } from 'node:crypto';
import { closeSync, mkdirSync, mkdtempSync, openSync, rmSync, statSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { rolldown } from 'rolldown';

const records = Number(process.argv[2] ?? 1_000_000);
// Inside node_modules, so that the bundle finds what it does not contain.
const cache = new URL('../node_modules/.cache/', import.meta.url).pathname;
mkdirSync(cache, { recursive: true });
const directory = mkdtempSync(join(cache, 'bench-log-'));
try {
  const log = join(directory, 'log.ndjson');
  writeLog(log);
  const { FileLog, LogIndex } = await loadSource();
  console.log(`${records} records, ${megabytes(statSync(log).size)} MB on disk`);
  const before = process.memoryUsage();
  const start = performance.now();
  const opened = await FileLog.open({ path: log, clock, run: 'bench', exclusive: true, holder: 'bench' });
  const seconds = (performance.now() - start) / 1000;
  const after = process.memoryUsage();
  console.log(`opened in ${seconds.toFixed(2)} s`);
  console.log(
    `index: ${megabytes(after.arrayBuffers - before.arrayBuffers)} MB; resident: ${megabytes(after.rss)} MB at the end`,
  );
  console.log(
    `first key: ${opened.lookup(keyOf(0))}, last key: ${opened.lookup(keyOf(Math.floor((records - 1) / 2)))}`,
  );
  await opened.close();
} finally {
  rmSync(directory, { recursive: true, force: true });
}
