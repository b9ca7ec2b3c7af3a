// Runs a command and gives what it took: time, CPU and memory of it and all its children. CPU and memory need Linux (/proc).
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

/** The most that a process and its children held at once, as far as samples can tell; exact for a process alone. */
function watchMemory(root) {
  let peakKib = 0;
  const sample = () => {
    const held = treeOf(root).reduce((sum, pid) => sum + kibOf(pid, 'VmRSS'), 0);
    peakKib = Math.max(peakKib, held, kibOf(root, 'VmHWM'));
  };
  const timer = setInterval(sample, SAMPLE_MS);
  return {
    end() {
      clearInterval(timer);
      return peakKib === 0 ? null : peakKib / 1024;
    },
  };
}

function treeOf(pid) {
  const children = readProc(`${pid}/task/${pid}/children`)?.trim().split(' ') ?? [];
  return [pid, ...children.filter((each) => each !== '').flatMap(treeOf)];
}

function kibOf(pid, name) {
  return Number(new RegExp(`${name}:\\s+(\\d+)`).exec(readProc(`${pid}/status`) ?? '')?.[1] ?? 0);
}

function readProc(path) {
  try {
    return readFileSync(`/proc/${path}`, 'utf8');
  } catch {
    return null;
  }
}
