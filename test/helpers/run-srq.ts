import { type ChildProcess, spawn } from 'node:child_process';
import { inject } from 'vitest';
import { requireDocuments } from '../doors/documents.ts';
import type { Ended } from './ended.ts';

export type { Ended };

export interface RunOptions {
  /** The complete environment except PATH. Nothing is inherited. */
  readonly env?: Readonly<Record<string, string>>;
  /** The input of the process. Default: empty. */
  readonly stdin?: string | Uint8Array;
  readonly cwd?: string;
  /** Time after which the process is killed. */
  readonly timeoutMs?: number;
  /** A program with arguments that starts srq: `['strace', '-f']`. */
  readonly under?: readonly string[];
}

/** An srq process that may still be running. */
export interface Running {
  readonly process: ChildProcess;
  /**
   * Resolves when the process has ended. If it takes too long, it is killed, and the promise rejects with its output.
   */
  readonly ended: Promise<Ended>;
  /** Resolves once stdout or stderr matches. */
  until(pattern: RegExp): Promise<string>;
}

const TIMEOUT_MS = 150_000;

/** Starts the built srq as a process. Its output with `--json` must match `srq schema`. */
export function startSrq(args: readonly string[], options: RunOptions = {}): Running {
  const running = startProgram([...(options.under ?? []), process.execPath, inject('srqProgram'), ...args], options);
  const ended = running.ended.then((end) => {
    requireDocuments(args, end);
    return end;
  });
  ended.catch(() => {});
  return { ...running, ended };
}

/** Starts any program with its arguments in the same way. */
export function startProgram(
  [program = '', ...words]: readonly string[],
  options: Omit<RunOptions, 'under'> = {},
): Running {
  const child = spawn(program, words, {
    env: { PATH: process.env['PATH'] ?? '', ...options.env },
    ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
    stdio: 'pipe',
  });
  // An error is ignored, because a program may end without reading its input.
  child.stdin?.on('error', () => {}).end(options.stdin ?? '');
  const said = { stdout: '', stderr: '' };
  for (const stream of ['stdout', 'stderr'] as const) {
    child[stream]?.setEncoding('utf8').on('data', (text: string) => {
      said[stream] += text;
    });
  }
  const ended = endOf(child, said, options.timeoutMs ?? TIMEOUT_MS);
  // A rejection is handled here, because a test that only waits for a text does not wait for the end.
  ended.catch(() => {});
  return { process: child, ended, until: (pattern) => saying(child, said, pattern, ended) };
}

function endOf(child: ChildProcess, said: { stdout: string; stderr: string }, timeoutMs: number): Promise<Ended> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      child.kill('SIGKILL');
      reject(new Error(`Still running after ${timeoutMs} ms: ${child.spawnargs.join(' ')}\n${JSON.stringify(said)}`));
    }, timeoutMs);
    child.once('error', reject);
    child.once('close', (code, signal) => {
      clearTimeout(timer);
      resolve({ code, signal, ...said });
    });
  });
}

async function saying(
  child: ChildProcess,
  said: { stdout: string; stderr: string },
  pattern: RegExp,
  ended: Promise<Ended>,
): Promise<string> {
  const heard = new Promise<string>((resolve) => {
    const listen = () => {
      const text = said.stdout + said.stderr;
      if (pattern.test(text)) resolve(text);
    };
    child.stdout?.on('data', listen);
    child.stderr?.on('data', listen);
    listen();
  });
  const silent = ended.then(() => {
    throw new Error(`It ended without saying ${pattern}: ${JSON.stringify(said)}`);
  });
  return Promise.race([heard, silent]);
}

/**
 * Returns the one JSON document on stdout, without the version that all documents have. Throws if there is anything
 * else.
 */
export function documentOf(ended: Ended): Record<string, unknown> {
  return withoutVersion(parsedOf(ended));
}

/** Returns the documents on stdout: one a line, or the items of an array. */
export function documentsOf({ stdout, ...ended }: Ended): Record<string, unknown>[] {
  const lines = stdout.split('\n').filter((line) => line !== '');
  return lines.flatMap((line) => {
    const documents: unknown = documentOf({ ...ended, stdout: line });
    return Array.isArray(documents) ? (documents as Record<string, unknown>[]) : [documents as Record<string, unknown>];
  });
}

function parsedOf({ stdout, stderr }: Ended) {
  try {
    return JSON.parse(stdout);
  } catch (error) {
    throw new Error(`stdout is not one JSON document: ${JSON.stringify({ stdout, stderr })}`, { cause: error });
  }
}

function withoutVersion(document: Record<string, unknown> | Record<string, unknown>[]) {
  if (Array.isArray(document)) return document.map(({ schemaVersion: _, ...each }) => each) as never;
  const { schemaVersion: _, ...rest } = document;
  return rest;
}
