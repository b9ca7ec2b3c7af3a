// Runs a command and gives what it took: time, CPU and memory. The last two need Linux (/proc).
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';

const SAMPLE_MS = 25;
const TICK_MS = 10;
const hasTaskset = spawnSync('taskset', ['--version']).status === 0;

/** The service and what it is measured with do not share a core, where cores can be chosen. */
export const SERVICE_CORE = 0;
const CLIENT_CORE = 1;

/** A command as words for `spawn`, kept to one core where that can be done. */
export function onCore(core, command, args) {
  return hasTaskset ? ['taskset', ['-c', String(core), command, ...args]] : [command, args];
}

/** Node.js reads the file that this names before anything else: 33 ms that are none of ours. */
export function bareEnv() {
  const { NODE_EXTRA_CA_CERTS: _, ...env } = process.env;
  return env;
}

/** Runs a command to its end. Throws unless it ends with 0. `cpuMs` and `peakMib` are null where there is no /proc. */
export async function runMeasured(command, args, options = {}) {
  const cpuBeforeMs = cpuOfEndedMs();
  const startedMs = performance.now();
  const child = spawn(...onCore(CLIENT_CORE, command, args), {
    env: bareEnv(),
    stdio: ['ignore', 'ignore', 'pipe'],
    ...options,
  });
  let peakMib = null;
  const sampling = setInterval(() => (peakMib = peakOf(child.pid) ?? peakMib), SAMPLE_MS);
  const [said, [code]] = await Promise.all([child.stderr.toArray(), once(child, 'close')]);
  const seconds = (performance.now() - startedMs) / 1000;
  clearInterval(sampling);
  if (code !== 0) throw new Error(`${command} ${args.join(' ')}\nended with ${code}: ${said.join('').slice(-2000)}`);
  return { seconds, cpuMs: cpuBeforeMs === null ? null : cpuOfEndedMs() - cpuBeforeMs, peakMib };
}

/** CPU of all children of this process that have ended, with theirs. */
function cpuOfEndedMs() {
  const stat = readProc('self/stat');
  if (stat === null) return null;
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[13]) + Number(fields[14])) * TICK_MS;
}

/** The most memory that a process has held, as the system tells it before the end. */
function peakOf(pid) {
  const [, kib] = /VmHWM:\s+(\d+)/.exec(readProc(`${pid}/status`) ?? '') ?? [];
  return kib === undefined ? null : Number(kib) / 1024;
}

function readProc(path) {
  try {
    return readFileSync(`/proc/${path}`, 'utf8');
  } catch {
    return null;
  }
}
