// The delivery tests at length: a million rows of services whose answers mean anything, a crash at every single call on the log,
// doubts at more services, other cases for every property, more seeds for the kills, more races.
// npm run soak [-- MINUTES [PART…]]: goes on with new seeds until the time is up (default 15), and ends with the first failure.
// PART: answers, crash, doubts, properties, kills; all of these if none is named. Only if it is named: queue, which needs PostgreSQL and
// pgbouncer, has workers killed and stopped every few seconds, 20,000 rows by a line that is cut, silent or forgetful, and two fail-overs.
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const [time = '15', ...parts] = process.argv.slice(2);
const minutes = Number(time);
const isWanted = (part) => parts.length === 0 || parts.includes(part);
const deadline = Date.now() + minutes * 60_000;

/** Runs a file of tests with these variables set; ends with the first that fails. */
function run(file, env, ...flags) {
  const started = Date.now();
  const words = ['node_modules/vitest/vitest.mjs', 'run', `test/${file}.test.ts`, '--reporter=dot', ...flags];
  const { status } = spawnSync(process.execPath, words, { stdio: 'inherit', env: { ...process.env, ...env } });
  const seconds = Math.round((Date.now() - started) / 1000);
  process.stdout.write(`${file} ${JSON.stringify(env)}: ${status === 0 ? 'passed' : 'FAILED'} in ${seconds} s\n`);
  if (status !== 0) process.exit(1);
}

/** 25 times 40,000 rows. */
if (isWanted('answers')) {
  for (let part = 1; part <= 25; part++) {
    run('doors/answer/oracle', { ORACLE_ROWS: '40000', ORACLE_SEED: String(part * 100_000) });
  }
}
if (isWanted('doubts')) {
  for (const seed of ['2000', '6000', '10000']) {
    run('doors/answer/lying-validate', { ORACLE_SEED: seed, ORACLE_SCENARIOS: '4000' });
  }
}
if (isWanted('properties')) {
  const withProperties = readdirSync('test', { recursive: true }).filter(
    (file) => file.endsWith('.test.ts') && readFileSync(join('test', file), 'utf8').includes('helpers/fast-check.ts'),
  );
  for (const seed of ['2', '3', '5', '8']) {
    for (const file of withProperties) run(file.replace('.test.ts', ''), { SRQ_TEST_SEED: seed });
  }
}
if (isWanted('crash')) {
  run('delivery/crash', { SRQ_TEST_CRASHES: 'all' }, '--maxConcurrency=12', '--testTimeout=240000');
}
if (parts.includes('queue')) {
  for (const file of ['queue-under-faults', 'workers-fail-over']) run(`e2e/${file}`, { SRQ_TEST_QUEUE_ROWS: '20000' });
}
for (let seed = 2; isWanted('kills') && Date.now() < deadline; seed++) {
  run('delivery/kills', { SRQ_TEST_SEED: String(seed), SRQ_TEST_KILLS_ROWS: '2000' }, '--testTimeout=600000');
  if (seed % 4 === 0) run('delivery/two-processes', { SRQ_TEST_RACES: '100' });
}
