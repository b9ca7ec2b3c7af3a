import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Desk } from './desk.ts';
import { STRACE, STRACE_WITH_SIGNALS } from './strace.ts';

/** The fault that strace injects into one call on the log. */
export interface Crash {
  readonly call: 'write' | 'fdatasync';
  readonly effect: 'signal=SIGKILL' | 'error=EIO' | 'error=ENOSPC';
  /** The number of the call, from 1. */
  readonly at: number;
}

/**
 * Returns the path of the log, and creates an empty one if there is none, because strace can only watch existing files.
 */
function logFile({ state }: Desk): string {
  mkdirSync(state, { recursive: true, mode: 0o700 });
  const path = join(state, 'default.ndjson');
  writeFileSync(path, '', { mode: 0o600, flag: 'a' });
  return path;
}

const tracePath = ({ folder }: Desk): string => join(folder, 'strace.txt');

/**
 * Returns how to start srq so that the crash happens. Only one thread handles files, because strace counts the calls of
 * each thread separately. Without a crash the calls are only recorded.
 */
export function crashing(desk: Desk, crash: Crash | null) {
  const inject = crash ? ['-e', `inject=${crash.call}:${crash.effect}:when=${crash.at}`] : [];
  const strace = crash?.effect.startsWith('signal') ? STRACE_WITH_SIGNALS : STRACE;
  const watch = ['-P', logFile(desk), '-e', 'trace=write,fdatasync', '-o', tracePath(desk)];
  return { under: [...strace, '-qq', ...watch, ...inject], env: { UV_THREADPOOL_SIZE: '1' } };
}

export interface LogCalls {
  readonly write: number;
  readonly fdatasync: number;
  /** Number of bytes of the log that a successful sync covers. */
  readonly durableBytes: number;
  /** Number of calls that were made to fail. */
  readonly injected: number;
}

export function logCalls(desk: Desk): LogCalls {
  const calls = { write: 0, fdatasync: 0, durableBytes: 0, injected: 0 };
  let written = 0;
  for (const line of readFileSync(tracePath(desk), 'utf8').split('\n')) {
    if (line.includes('INJECTED')) calls.injected += 1;
    const [, begun] = /^\d+ +(write|fdatasync)\(/.exec(line) ?? [];
    if (begun === 'write' || begun === 'fdatasync') calls[begun] += 1;
    // If another thread interrupts a call, it takes two lines: one for its beginning, and one for its result.
    const [, ended, result] = /^\d+ +(?:<\.\.\. )?(write|fdatasync)\b.* = (\d+)$/.exec(line) ?? [];
    if (ended === 'write') written += Number(result);
    else if (ended === 'fdatasync' && result === '0') calls.durableBytes = written;
  }
  return calls;
}

/** Returns the references of the requests whose intent is within this many first bytes of the log. */
export function intendedWithin(desk: Desk, bytes: number): Set<unknown> {
  const text = readFileSync(join(desk.state, 'default.ndjson')).subarray(0, bytes).toString('utf8');
  const lines = text.slice(0, text.lastIndexOf('\n')).split('\n').filter(Boolean);
  const records = lines.map((line) => JSON.parse(line));
  return new Set(records.flatMap(({ event, ref }) => (event === 'sending' ? [ref] : [])));
}
