// What takes minutes: the memory of a large import, and a second run of it.
import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { print } from './compare.mjs';
import { bulkIn, everyRowOnce } from './contenders.mjs';

const IMPORT_WORDS = ['--no-validate', '--concurrency', '32', '--quiet'];

/** Imports the rows, then runs the same again: nothing is left to send. */
export async function measureImportAndRerun(bench, leads) {
  const folder = mkdtempSync(join(bench.folder, 'large-'));
  const first = await bulkIn(folder, bench, leads, IMPORT_WORDS);
  await everyRowOnce(bench.service, leads.rows);
  tell(`import of ${count(leads.rows)} rows, ${first.summary.created} created`, first);
  const again = await bulkIn(folder, bench, leads, IMPORT_WORDS);
  const { creates } = await bench.service.take();
  if (creates > 0) throw new Error(`The second run sent ${creates} requests.`);
  tell(`the same again, ${again.summary.repeated} repeated`, again);
}

function tell(what, { seconds, cpuMs, peakMib }) {
  const cpu = cpuMs === null ? '' : `, ${(cpuMs / 1000).toFixed(1)} s of CPU`;
  print(`${what}: ${seconds.toFixed(1)} s${cpu}${peakMib === null ? '' : `, peak ${peakMib.toFixed(0)} MiB`}`);
}

function count(number) {
  return number.toLocaleString('en');
}
