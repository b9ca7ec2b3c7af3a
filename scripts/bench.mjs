// What srq is as fast as, as ratios of one run: `npm run bench [-- --rows N] [--only NAME]`. The service is a process of its
// own; where there is taskset, it has one core and its client the other. An import of which the service does not see each
// row exactly once fails the bench. More options: --rounds N, --program FILE.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { compare } from './bench/compare.mjs';
import { srqBulk, undiciLoop } from './bench/contenders.mjs';
import { IMPORTED_ROWS, measureImports } from './bench/imports.mjs';
import { measureImportAndRerun } from './bench/large.mjs';
import { others } from './bench/others.mjs';
import { startService } from './bench/service-process.mjs';
import { measureStart } from './bench/start.mjs';

const LATENCY_MS = 50;
const LATENCY_SECONDS = 10;
const FEW_ROWS = 1000;
const START_ROUNDS = 40;

const PARTS = { throughput, latency, imports, small, others: besideOthers, start };
/** It takes minutes and is run only by its name. */
const LARGE_PARTS = { rerun };

const { values } = parseArgs({
  options: {
    rows: { type: 'string' },
    rounds: { type: 'string', default: '3' },
    only: { type: 'string', multiple: true, default: Object.keys(PARTS) },
    program: { type: 'string', default: 'dist/srq.js' },
  },
});
const rounds = Number(values.rounds);
const folder = mkdtempSync(join(tmpdir(), 'srq-bench-'));
const made = new Map();
try {
  for (const name of values.only) {
    const part = { ...PARTS, ...LARGE_PARTS }[name];
    if (!part) throw new Error(`--only takes ${Object.keys({ ...PARTS, ...LARGE_PARTS }).join(', ')}`);
    await part();
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}

async function throughput() {
  await withService(0, async (bench) => {
    for (const concurrency of [32, 128]) {
      for (const [title, srqWords, loopWords] of [
        ['create alone', ['--no-validate'], []],
        ['validate, then create', [], ['--validate']],
      ]) {
        await besideLoop(`${title}, ${concurrency} in flight`, bench, leads(100_000), concurrency, srqWords, loopWords);
      }
    }
  });
}

/** The time from the first create to the last counts: the start is the same at any latency. */
async function latency() {
  await withService(LATENCY_MS, async (bench) => {
    for (const concurrency of [16, 128]) {
      const rows = leads((concurrency * 1000 * LATENCY_SECONDS) / LATENCY_MS);
      const title = `create alone, answers after ${LATENCY_MS} ms, ${concurrency} in flight, first create to last`;
      await besideLoop(title, bench, rows, concurrency, ['--no-validate'], [], 'createsSeconds');
    }
  });
}

/** The first import of a profile and later ones, at the pace that srq finds. */
async function imports() {
  await measureImports({ program: values.program, folder }, leads(IMPORTED_ROWS, true), rounds);
}

/** The whole command: start, plan, send, results, summary. */
async function small() {
  await withService(0, (bench) =>
    besideLoop('1,000 rows, the whole command, 32 in flight', bench, leads(FEW_ROWS), 32, ['--no-validate'], []),
  );
}

async function besideLoop(title, bench, rows, concurrency, srqWords, loopWords, span) {
  const srq = srqBulk('srq bulk', bench, rows, ['--concurrency', String(concurrency), ...srqWords]);
  const loop = undiciLoop('undici loop, durable intents', bench, rows, concurrency, loopWords);
  await compare(title, [srq, loop], rounds, span);
}

async function besideOthers() {
  await withService(0, async (bench) => {
    const rows = leads(100_000);
    const srq = srqBulk('srq bulk, 32 in flight', bench, rows, ['--no-validate', '--concurrency', '32']);
    await compare('create alone, what people would use instead', [srq, ...(await others(bench, rows))], 1);
  });
}

async function start() {
  await measureStart({ program: values.program, folder }, START_ROUNDS);
}

async function rerun() {
  await withService(0, (bench) => measureImportAndRerun(bench, leads(1_000_000)));
}

async function withService(latencyMs, measure) {
  const service = await startService(latencyMs);
  try {
    await measure({ program: values.program, folder, service });
  } finally {
    await service.stop();
  }
}

/** A file of leads, made once for each number of rows. `usual` unless --rows says another, where it is not fixed. */
function leads(usual, isFixed = usual === FEW_ROWS) {
  const rows = values.rows === undefined || isFixed ? usual : Number(values.rows);
  if (!made.has(rows)) {
    const path = join(folder, `leads-${rows}.csv`);
    execFileSync(process.execPath, ['scripts/make-leads.mjs', String(rows), path]);
    made.set(rows, { path, rows });
  }
  return made.get(rows);
}
