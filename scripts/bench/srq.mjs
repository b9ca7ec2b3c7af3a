// The program that is measured, and whether what it sent came once.
import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { bareEnv, runMeasured } from './run-measured.mjs';

export const SRQ = 'dist/srq.js';

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

export const newFolder = (folder) => mkdtempSync(join(folder, 'srq-'));

/** One import with what is known in `folder`, and what it took. */
export function bulk(folder, url, leads, words) {
  const args = [SRQ, 'bulk', leads.path, '--results', join(folder, 'results.csv'), '--json', ...words];
  return runMeasured(process.execPath, args, { env: srqEnv(folder, url) });
}

/** Throws unless the service saw each row once since it was asked last. Gives what the service has seen. */
export async function everyRowOnce(service, rows) {
  const seen = await service.take();
  const { creates, distinct, repeated } = seen;
  if (creates === rows && distinct === rows && repeated === 0) return seen;
  throw new Error(`Of ${rows} rows the service saw ${distinct}, ${repeated} of them again, in ${creates} creates.`);
}
