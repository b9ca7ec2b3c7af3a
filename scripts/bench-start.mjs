// How long srq takes to start, as multiples of a Node.js that does nothing. All are run in turns, so that a busy moment of the
// machine meets them alike; the fastest tenth counts. Run with: npm run bench:start [ROUNDS]
import { spawnSync } from 'node:child_process';

const rounds = Number(process.argv[2] ?? 60);
const program = 'dist/srq.js';
const commands = {
  'node -e 0': ['-e', '0'],
  'srq --help': [program, '--help'],
  'srq --version': [program, '--version'],
  'srq bulk --help': [program, 'bulk', '--help'],
  'srq status': [program, 'status'],
};
// Node.js reads the file that it names before anything else: 33 ms that are none of ours.
const { NODE_EXTRA_CA_CERTS: _, ...env } = process.env;
const took = new Map(Object.keys(commands).map((name) => [name, []]));
for (let round = 0; round < rounds; round++) {
  for (const [name, args] of Object.entries(commands)) {
    const startedMs = performance.now();
    spawnSync(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
    took.get(name).push(performance.now() - startedMs);
  }
}
const fastMs = (name) => took.get(name).sort((a, b) => a - b)[Math.floor(rounds / 10)];
const bareMs = fastMs('node -e 0');
for (const name of took.keys()) {
  const ms = fastMs(name);
  process.stdout.write(`${name.padEnd(16)} ${ms.toFixed(1).padStart(6)} ms  ${(ms / bareMs).toFixed(2)} x\n`);
}
