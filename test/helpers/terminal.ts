import { createRequire } from 'node:module';
import type { IPty } from '@lydell/node-pty';
import { inject } from 'vitest';
import { secretsIn } from './canary-secret.ts';
import type { Desk } from './desk.ts';

const pty = load();

/** Whether the native library for terminals can be loaded. Tests that need it are skipped otherwise. */
export const HAS_TERMINAL = pty !== null;

function load(): typeof import('@lydell/node-pty') | null {
  try {
    return createRequire(import.meta.url)('@lydell/node-pty');
  } catch {
    return null;
  }
}

const TIMEOUT_MS = 150_000;

/**
 * A script that runs srq, writes its exit code after its output, and keeps running. The terminal's library stops
 * reading a fifth of a second after its process has ended, so on a busy machine the end of the output would be lost.
 */
const AND_STAY = 'trap : INT; "$@"; printf "\\036ended %d\\036" "$?"; exec sleep 200';
/**
 * A command that sets the size of the terminal to 0, which means unknown. The library opens no terminal without a size.
 */
const WITHOUT_SIZE = 'stty cols 0 rows 0; ';
const ENDED = /\x1eended (\d+)\x1e/;

export interface TerminalOptions {
  /** The width. 0 means a terminal that does not report its size. */
  readonly columns?: number;
  readonly rows?: number;
  /** The type of the terminal. `dumb` means that srq cannot redraw lines. */
  readonly term?: string;
  readonly env?: Readonly<Record<string, string>>;
}

export class Terminal {
  /** Everything that was shown so far, including escape sequences. */
  shown = '';
  /** Resolves to the exit code. If the process takes too long, it is killed, and the promise rejects. */
  readonly ended: Promise<number>;
  readonly #pty: IPty;
  #seenTo = 0;
  readonly #listeners = new Set<() => void>();

  constructor(desk: Desk, args: readonly string[], options: TerminalOptions = {}) {
    if (pty === null) throw new Error('There is no terminal here: see HAS_TERMINAL.');
    const { columns = 80, rows = 24, term = 'xterm-256color' } = options;
    const env = { PATH: process.env['PATH'] ?? '', ...desk.env, ...options.env };
    const size = { cols: columns || 80, rows, name: term, cwd: desk.work, env };
    const program = [process.execPath, inject('srqProgram'), ...args];
    const script = columns === 0 ? WITHOUT_SIZE + AND_STAY : AND_STAY;
    this.#pty = pty.spawn('/bin/sh', ['-c', script, 'sh', ...program], size);
    this.ended = new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#leave();
        reject(new Error(`Still running after ${TIMEOUT_MS} ms: ${JSON.stringify(this.shown)}`));
      }, TIMEOUT_MS);
      this.#pty.onData((text) => {
        const [shown = '', code] = (this.shown + text).split(ENDED);
        this.shown = shown;
        for (const listener of this.#listeners) listener();
        if (code === undefined) return;
        clearTimeout(timer);
        this.#leave();
        const secrets = secretsIn(this.shown);
        if (secrets.length > 0) reject(new Error(`srq showed the secret: ${JSON.stringify(this.shown)}`));
        else resolve(Number(code));
      });
    });
    // A rejection is handled here, because a test that only waits for a text does not wait for the end.
    this.ended.catch(() => {});
  }

  /** Continues what was stopped by Ctrl-Z, as `fg` does. */
  goOn(): void {
    process.kill(-this.#pty.pid, 'SIGCONT');
  }

  /** Waits until the output since the last such wait matches. */
  async until(pattern: RegExp): Promise<void> {
    const appeared = new Promise<'appeared'>((resolve) => {
      const look = () => {
        const found = pattern.exec(this.shown.slice(this.#seenTo));
        if (!found) return;
        this.#seenTo += found.index + found[0].length;
        this.#listeners.delete(look);
        resolve('appeared');
      };
      this.#listeners.add(look);
      look();
    });
    const first = await Promise.race([appeared, this.ended]);
    if (first !== 'appeared') throw new Error(`It ended (${first}) without showing ${pattern}: ${this.shown}`);
  }

  /** Types a text like a person. `\r` is Enter, and `\x03` is Ctrl-C. */
  type(text: string): void {
    this.#pty.write(text);
  }

  /** Ends everything that still runs on the terminal. Its processes are a group of their own. */
  #leave(): void {
    try {
      process.kill(-this.#pty.pid, 'SIGKILL');
    } catch {
      // The process group has ended already.
    }
  }

  resize(columns: number, rows: number): void {
    this.#pty.resize(columns, rows);
  }
}

/**
 * Runs srq on a terminal. Types each answer once its question has appeared, and returns everything that was shown, with
 * the exit code.
 */
export async function onTerminal(
  desk: Desk,
  args: readonly string[],
  answers: readonly (readonly [question: RegExp, answer: string])[],
  options: TerminalOptions = { term: 'dumb' },
): Promise<{ shown: string; code: number }> {
  const terminal = new Terminal(desk, args, options);
  for (const [question, answer] of answers) {
    await terminal.until(question);
    terminal.type(`${answer}\r`);
  }
  const code = await terminal.ended;
  return { shown: terminal.shown, code };
}
