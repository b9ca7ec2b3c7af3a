import { createRequire } from 'node:module';
import type { IPty } from '@lydell/node-pty';
import { inject } from 'vitest';
import { secretsIn } from './canary-secret.ts';
import type { Desk } from './desk.ts';

const pty = load();

/** A real terminal comes from a native library; where it cannot be loaded, these tests are skipped. */
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
 * Runs srq, writes how it ended behind all that srq wrote, and stays. The terminal's library stops reading a fifth of a second
 * after its process has ended, whatever is still to be read: on a busy machine the end of the output was lost.
 */
const AND_STAY = 'trap : INT; "$@"; printf "\\036ended %d\\036" "$?"; exec sleep 200';
/** Takes the size from the terminal, as terminals are that nobody gave one. The library opens none without. */
const WITHOUT_SIZE = 'stty cols 0 rows 0; ';
const ENDED = /\x1eended (\d+)\x1e/;

export interface TerminalOptions {
  /** 0 is a terminal that does not say its size. */
  readonly columns?: number;
  readonly rows?: number;
  /** `dumb` lets srq draw no line twice. */
  readonly term?: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** srq on a terminal. */
export class Terminal {
  /** All that was shown so far, escape sequences included. */
  shown = '';
  /** Its exit code. Rejects when it takes too long; it is killed then. */
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
    // Whoever only waits for a text need not wait for the end as well.
    this.ended.catch(() => {});
  }

  /** Waits until what was shown since the last such wait matches. */
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

  /** Types as a person does: `\r` is Enter, `\x03` is Ctrl-C. */
  type(text: string): void {
    this.#pty.write(text);
  }

  /** Ends whatever still runs on the terminal: its processes are a group of their own. */
  #leave(): void {
    try {
      process.kill(-this.#pty.pid, 'SIGKILL');
    } catch {
      // It has gone already.
    }
  }

  resize(columns: number, rows: number): void {
    this.#pty.resize(columns, rows);
  }
}

/** Runs srq on a terminal: says each answer once its question has appeared, and gives all that was shown, with the exit code. */
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
