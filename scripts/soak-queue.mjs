// The tests of the workers at length: 20,000 rows, a worker killed and one stopped every few seconds, every doubt settled; and as
// many by a line that is cut, silent or forgetful, and by two fail-overs, one of them to a standby that lacks the last commits.
// npm run soak:queue [-- ROWS [FILE]]. Needs PostgreSQL and pgbouncer, as the tests do. Prints what the sandbox and the store counted.
import { spawnSync } from 'node:child_process';

const rows = process.argv[2] ?? '20000';
const files = process.argv[3]
  ? [process.argv[3]]
  : ['test/e2e/queue-under-faults.test.ts', 'test/e2e/workers-fail-over.test.ts'];
const words = ['node_modules/vitest/vitest.mjs', 'run', ...files, '--reporter=dot', '--no-file-parallelism'];
const env = { ...process.env, SRQ_TEST_QUEUE_ROWS: rows };
process.exitCode = spawnSync(process.execPath, words, { stdio: 'inherit', env }).status ?? 1;
