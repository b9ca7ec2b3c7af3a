// srq beside the tight loop, on the same rows and the same service. They run in turns, so that a busy moment of the machine meets
// both alike; the fastest of each counts.
import { join } from 'node:path';
import { runMeasured } from './run-measured.mjs';
import { startService } from './service-process.mjs';
import { bulk, everyRowOnce, newFolder } from './srq.mjs';

const LOOP = new URL('undici-loop.mjs', import.meta.url).pathname;
const IN_FLIGHT = '32';
const ROUNDS = 3;

export async function measureBesideLoop({ folder, leads, print }) {
  const service = await startService();
  try {
    for (const file of [leads(100_000), leads(1_000)]) {
      const runs = { srq: [], loop: [] };
      for (let round = 0; round < ROUNDS; round++) {
        const words = ['--rate', 'max', '--no-validate', '--concurrency', IN_FLIGHT];
        runs.srq.push(await bulk(newFolder(folder), service.url, file, words));
        await everyRowOnce(service, file.rows);
        const intents = join(newFolder(folder), 'log');
        const args = [LOOP, file.path, service.url, IN_FLIGHT, intents];
        runs.loop.push(await runMeasured(process.execPath, args));
        await everyRowOnce(service, file.rows);
      }
      const [srq, loop] = [runs.srq, runs.loop].map((each) => each.sort((a, b) => a.seconds - b.seconds)[0]);
      const told = ({ seconds, cpuMs }) =>
        `${Math.round(file.rows / seconds)} rows/s, ${((cpuMs / file.rows) * 1000).toFixed()} µs of CPU a row`;
      print(`${file.rows} creates: ${told(srq)}; loop ${told(loop)}: ${(srq.seconds / loop.seconds).toFixed(2)} times`);
    }
  } finally {
    await service.stop();
  }
}
