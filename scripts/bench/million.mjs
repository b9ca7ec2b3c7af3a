// A million rows: what a dry run takes, an import, and the same import again, of which nothing is left to send.
import { startService } from './service-process.mjs';
import { bulk, everyRowOnce, newFolder } from './srq.mjs';

const WORDS = ['--rate', 'max', '--no-validate', '--concurrency', '32', '--quiet'];

export async function measureMillion({ folder, leads, print }) {
  const file = leads(1_000_000);
  const profile = newFolder(folder);
  const service = await startService();
  const tell = (what, { seconds, cpuMs, peakMib }) =>
    print(`${what}: ${seconds.toFixed(1)} s, ${cpuMs / 1000} s of CPU, peak ${peakMib?.toFixed()} MiB`);
  try {
    tell('dry run', await bulk(profile, service.url, file, ['--dry-run', '--quiet']));
    tell('import', await bulk(profile, service.url, file, WORDS));
    await everyRowOnce(service, file.rows);
    tell('the same again', await bulk(profile, service.url, file, WORDS));
    const { creates } = await service.take();
    if (creates > 0) throw new Error(`The second run sent ${creates} requests.`);
  } finally {
    await service.stop();
  }
}
