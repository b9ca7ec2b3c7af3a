// How fast srq is, part by part: npm run bench [-- --only PART …] (all). docs/performance.md has the figures. The service is a process
// of its own; where there is taskset, it has one core and its client the other. An import of which the service does not see each row
// exactly once fails the bench.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { measureBesideLoop } from './bench/beside-loop.mjs';
import { measureImports } from './bench/imports.mjs';
import { measureMillion } from './bench/million.mjs';
import { measureStart } from './bench/start.mjs';
import { measureStore } from './bench/store.mjs';

const PARTS = {
  start: measureStart,
  imports: measureImports,
  loop: measureBesideLoop,
  million: measureMillion,
  store: measureStore,
};
const { values } = parseArgs({ options: { only: { type: 'string', multiple: true, default: Object.keys(PARTS) } } });

const print = (line) => process.stdout.write(`${line}\n`);
const folder = mkdtempSync(join(tmpdir(), 'srq-bench-'));
try {
  for (const name of values.only) {
    if (!PARTS[name]) throw new Error(`--only takes ${Object.keys(PARTS).join(', ')}`);
    process.stdout.write(`\n${name}\n`);
    await PARTS[name]({ folder, leads, print });
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** A new file of so many invented leads. */
function leads(rows) {
  const path = join(mkdtempSync(join(folder, 'leads-')), 'leads.csv');
  execFileSync(process.execPath, ['scripts/make-leads.mjs', String(rows), path]);
  return { path, rows };
}
