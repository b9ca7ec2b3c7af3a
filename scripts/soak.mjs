// The delivery tests at length: more seeds for the kills, a crash at every single call on the log, more races.
// npm run soak [-- MINUTES]: goes on with new seeds until the time is up (default 15), and ends with the first failure.
import { spawnSync } from 'node:child_process';

const minutes = Number(process.argv[2] ?? 15);
const deadline = Date.now() + minutes * 60_000;

/** Runs tests of test/delivery with these variables set; throws if one fails. */
function run(file, env, ...flags) {
  const started = Date.now();
  const words = ['node_modules/vitest/vitest.mjs', 'run', `test/delivery/${file}.test.ts`, '--reporter=dot', ...flags];
  const { status } = spawnSync(process.execPath, words, { stdio: 'inherit', env: { ...process.env, ...env } });
  const seconds = Math.round((Date.now() - started) / 1000);
  process.stdout.write(`${file} ${JSON.stringify(env)}: ${status === 0 ? 'passed' : 'FAILED'} in ${seconds} s\n`);
  if (status !== 0) process.exit(1);
}

run('crash', { SRQ_TEST_CRASHES: 'all' }, '--maxConcurrency=12', '--testTimeout=240000');
for (let seed = 2; Date.now() < deadline; seed++) {
  run('kills', { SRQ_TEST_SEED: String(seed) }, '--testTimeout=600000');
  if (seed % 4 === 0) run('two-processes', {});
}
