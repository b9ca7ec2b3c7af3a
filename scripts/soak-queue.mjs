// The test of the workers at length: 20,000 rows, a worker killed and one stopped every few seconds, every doubt settled.
// npm run soak:queue [-- ROWS]. Needs PostgreSQL, as the test does. Prints what the sandbox and the store counted.
import { spawnSync } from 'node:child_process';

const rows = process.argv[2] ?? '20000';
const words = ['node_modules/vitest/vitest.mjs', 'run', 'test/delivery/workers.test.ts', '--reporter=dot'];
const env = { ...process.env, SRQ_TEST_QUEUE_ROWS: rows };
process.exitCode = spawnSync(process.execPath, words, { stdio: 'inherit', env }).status ?? 1;
