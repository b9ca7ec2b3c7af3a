// srq and the tight loop that it is measured against, on the same rows and the same service.
import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { bareEnv, runMeasured } from './run-measured.mjs';

const LOOP = new URL('undici-loop.mjs', import.meta.url).pathname;

/** Settings of an srq that knows of nothing yet: its folders are in `folder`. */
export function srqEnv(folder, url) {
  return {
    ...bareEnv(),
    SRQ_BASE_URL: url,
    SRQ_CLIENT_ID: 'bench',
    SRQ_CLIENT_SECRET: 'bench-secret',
    SRQ_CONFIG_DIR: join(folder, 'config'),
    SRQ_STATE_DIR: join(folder, 'state'),
  };
}

/** An import with a log of its own. `bench`: the program, its service, and a folder for what is written. */
export function srqBulk(name, bench, leads, words) {
  const run = async () => {
    const folder = mkdtempSync(join(bench.folder, 'srq-'));
    const took = await bulkIn(folder, bench, leads, words);
    rmSync(folder, { recursive: true });
    return { ...took, createsSeconds: (await everyRowOnce(bench.service, leads.rows)).createsSeconds };
  };
  return { name, rows: leads.rows, run };
}

/** One import with what is known in `folder`, as fast as it may be. */
export function bulkIn(folder, bench, leads, words) {
  return bulkWith(folder, bench, leads, ['--rate', 'max', ...words]);
}

/** One import with what is known in `folder`, at the pace that srq finds. */
export async function bulkWith(folder, { program, service }, leads, words) {
  const results = join(folder, 'results.csv');
  const args = [program, 'bulk', leads.path, '--results', results, '--json', ...words];
  const took = await runMeasured(process.execPath, args, { env: srqEnv(folder, service.url) });
  return { ...took, summary: JSON.parse(took.stdout) };
}

export function undiciLoop(name, bench, leads, concurrency, words) {
  const run = async () => {
    const folder = mkdtempSync(join(bench.folder, 'loop-'));
    const args = [LOOP, leads.path, bench.service.url, String(concurrency), '--intents', join(folder, 'log'), ...words];
    const took = await runMeasured(process.execPath, args);
    rmSync(folder, { recursive: true });
    return { ...took, createsSeconds: (await everyRowOnce(bench.service, leads.rows)).createsSeconds };
  };
  return { name, rows: leads.rows, run };
}

/** Throws unless the service saw each row once since it was asked last. Gives what the service has seen. */
export async function everyRowOnce(service, rows) {
  const seen = await service.take();
  const { creates, distinct, repeated } = seen;
  if (creates === rows && distinct === rows && repeated === 0) return seen;
  throw new Error(`Of ${rows} rows the service saw ${distinct}, ${repeated} of them again, in ${creates} creates.`);
}
