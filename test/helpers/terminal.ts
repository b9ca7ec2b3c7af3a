import { spawn } from 'node:child_process';
import { accessSync } from 'node:fs';
import { inject } from 'vitest';
import type { Desk } from './desk.ts';

/** util-linux's `script` gives a program a terminal; without it (macOS has another one) these tests are skipped. */
export const HAS_TERMINAL = process.platform === 'linux' && exists('/usr/bin/script');

function exists(path: string): boolean {
  try {
    accessSync(path);
    return true;
  } catch {
    return false;
  }
}

const TIMEOUT_MS = 45_000;
const quoted = (word: string) => `'${word.replaceAll("'", `'\\''`)}'`;

/** Runs srq on a terminal: says each answer once its question has appeared, and gives all that was shown, with the exit code. */
export async function onTerminal(
  desk: Desk,
  args: readonly string[],
  answers: readonly (readonly [question: RegExp, answer: string])[],
): Promise<{ shown: string; code: number | null }> {
  const line = [process.execPath, inject('srqProgram'), ...args].map(quoted).join(' ');
  const env = { PATH: process.env['PATH'] ?? '', TERM: 'dumb', ...desk.env };
  const child = spawn('script', ['-qefc', line, '/dev/null'], { cwd: desk.work, env });
  const timer = setTimeout(() => child.kill('SIGKILL'), TIMEOUT_MS);
  let shown = '';
  let seenTo = 0;
  const waiting = [...answers];
  child.stdin.on('error', () => {});
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    shown += text;
    for (let next = waiting[0]; next?.[0].test(shown.slice(seenTo)); next = waiting[0]) {
      seenTo = shown.length;
      child.stdin.write(`${next[1]}\r`);
      waiting.shift();
    }
  });
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  clearTimeout(timer);
  if (waiting.length > 0) throw new Error(`It ended (${code}) without asking ${waiting[0]?.[0]}: ${shown}`);
  return { shown, code };
}
