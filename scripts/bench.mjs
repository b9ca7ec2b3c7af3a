// Imports N generated leads (default 100,000) into a sandbox in a process of its own and prints time, rate and peak memory.
// Linux only: memory is read from /proc. Usage: npm run bench [-- ROWS]
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

const rows = Number(process.argv[2] ?? 100_000);
const folder = mkdtempSync(join(tmpdir(), 'srq-bench-'));
const leads = join(folder, 'leads.csv');
execFileSync(process.execPath, ['scripts/make-leads.mjs', String(rows), leads]);

const sandbox = spawn(process.execPath, ['dist/srq.js', 'sandbox', '--port', '0', '--json'], {
  stdio: ['ignore', 'pipe', 'inherit'],
});
try {
  const [ready] = await once(createInterface(sandbox.stdout), 'line');
  const { baseUrl, clientId, clientSecret } = JSON.parse(ready);
  const env = {
    ...process.env,
    SRQ_BASE_URL: baseUrl,
    SRQ_CLIENT_ID: clientId,
    SRQ_CLIENT_SECRET: clientSecret,
    SRQ_CONFIG_DIR: join(folder, 'config'),
    SRQ_STATE_DIR: join(folder, 'state'),
  };
  await measure('dry run', env, ['bulk', leads, '--dry-run']);
  await measure('validate and create', env, ['bulk', leads, '--rate', 'max']);
  await measure('run again, nothing to send', env, ['bulk', leads, '--rate', 'max']);
  const stats = await (await fetch(`${baseUrl}/_sandbox/stats`)).json();
  print(`the sandbox holds ${stats.created} creations of ${stats.distinct} requests, ${stats.doubled} doubled`);
} finally {
  sandbox.kill('SIGTERM');
  rmSync(folder, { recursive: true, force: true });
}

async function measure(name, env, args) {
  const started = performance.now();
  const child = spawn(process.execPath, ['dist/srq.js', ...args, '--json', '--quiet'], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let peakKib = 0;
  const watch = setInterval(() => {
    peakKib = Math.max(peakKib, peakOf(child.pid));
  }, 20);
  let text = '';
  child.stdout.on('data', (chunk) => {
    text += chunk;
  });
  await once(child, 'close');
  clearInterval(watch);
  const seconds = (performance.now() - started) / 1000;
  const { created, ready, repeated } = JSON.parse(text);
  const done = `${created ?? ready} ${created === undefined ? 'ready' : 'created'}, ${repeated} repeated`;
  print(
    `${name}: ${seconds.toFixed(1)} s, ${Math.round(rows / seconds)} rows/s, peak ${Math.round(peakKib / 1024)} MiB (${done})`,
  );
}

function peakOf(pid) {
  try {
    return Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0);
  } catch {
    return 0;
  }
}

function print(line) {
  process.stdout.write(`${line}\n`);
}
