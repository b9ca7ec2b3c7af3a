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
    stdio: ['ignore', 'pipe', 'pipe'],
    ...options,
  });
  const memory = watchMemory(child.pid);
  const [stdout, stderr, [code]] = await Promise.all([
    textOf(child.stdout),
    textOf(child.stderr),
    once(child, 'close'),
  ]);
  const seconds = (performance.now() - startedMs) / 1000;
  const peakMib = memory.end();
  if (code !== 0) throw new Error(`${command} ${args.join(' ')}\nended with ${code}: ${stderr.slice(-2000)}`);
  return { seconds, cpuMs: cpuBeforeMs === null ? null : cpuOfEndedMs() - cpuBeforeMs, peakMib, stdout };
}

async function textOf(stream) {
  let text = '';
  for await (const chunk of stream) text += chunk;
  return text;
}

/** CPU of all children of this process that have ended, with theirs. */
function cpuOfEndedMs() {
  const stat = readProc('self/stat');
  if (stat === null) return null;
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[13]) + Number(fields[14])) * TICK_MS;
}

/** The most memory that a process has held, as the system last told it before the end. */
function watchMemory(pid) {
  let peakKib = 0;
  const sample = () => {
    peakKib = Number(/VmHWM:\s+(\d+)/.exec(readProc(`${pid}/status`) ?? '')?.[1] ?? peakKib);
  };
  const timer = setInterval(sample, SAMPLE_MS);
  return {
    end() {
      clearInterval(timer);
      return peakKib === 0 ? null : peakKib / 1024;
    },
  };
}

function readProc(path) {
  try {
    return readFileSync(`/proc/${path}`, 'utf8');
  } catch {
    return null;
  }
}
