import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { rolldown } from 'rolldown';

/** The bundled log-child.ts; Node.js 20 does not run TypeScript. */
export interface LogProgram {
  readonly file: string;
  remove(): void;
}

export async function buildLogProgram(): Promise<LogProgram> {
  // Below node_modules, where the bundle finds the package that cannot be bundled.
  const cache = new URL('../../node_modules/.cache/', import.meta.url).pathname;
  mkdirSync(cache, { recursive: true });
  const directory = mkdtempSync(join(cache, 'log-child-'));
  const file = join(directory, 'log-child.mjs');
  const input = new URL('log-child.ts', import.meta.url).pathname;
  const bundle = await rolldown({ input, platform: 'node', external: ['fs-native-extensions'] });
  await bundle.write({ file, format: 'esm' });
  await bundle.close();
  return { file, remove: () => rmSync(directory, { recursive: true, force: true }) };
}

export interface LogProcessOptions {
  readonly exclusive?: boolean;
  /** A command that runs the one it is followed by: strace, a shell with a limit. */
  readonly under?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

const started = new Set<LogProcess>();

/** A process with its own `FileLog`. */
export class LogProcess {
  /** Its last words tell how it ended: an exit code or a signal. */
  readonly ended: Promise<number | NodeJS.Signals>;
  /** Every line it said so far. */
  readonly said: string[] = [];
  readonly #child: ChildProcessWithoutNullStreams;
  #heard = 0;
  #over = false;
  #wake = () => {};

  constructor(
    program: LogProgram,
    logPath: string,
    { exclusive = false, under = [], env: more }: LogProcessOptions = {},
  ) {
    const holder = 'srq bulk in a test';
    const words = [...under, process.execPath, program.file, logPath, exclusive ? 'exclusive' : 'shared', holder];
    // strace counts the calls of each thread by itself: with one thread for syncs, the k-th is the k-th.
    const env = { ...process.env, UV_THREADPOOL_SIZE: '1', ...more };
    this.#child = spawn(words[0] ?? '', words.slice(1), { env });
    started.add(this);
    createInterface(this.#child.stdout).on('line', (line) => {
      this.said.push(line);
      this.#wake();
    });
    this.#child.stdin.on('error', () => {});
    this.#child.stderr.resume();
    this.ended = once(this.#child, 'close').then(([code, signal]) => {
      this.#over = true;
      this.#wake();
      return signal ?? code;
    });
  }

  tell(...commands: string[]): void {
    this.#child.stdin.write(commands.map((command) => `${command}\n`).join(''));
  }

  /** The next `count` lines; fewer if it ended before. */
  async hear(count: number): Promise<string[]> {
    while (this.said.length < this.#heard + count && !this.#over) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    const lines = this.said.slice(this.#heard, this.#heard + count);
    this.#heard += lines.length;
    return lines;
  }

  /** Waits until its log is open. Returns its process id. */
  async opened(): Promise<number> {
    const [line = 'nothing'] = await this.hear(1);
    if (!line.startsWith('open ')) throw new Error(`The process said: ${line}`);
    return Number(line.slice('open '.length));
  }

  async close(): Promise<void> {
    this.tell('close');
    await this.ended;
  }

  kill(signal: NodeJS.Signals = 'SIGKILL'): void {
    this.#child.kill(signal);
  }

  static async endAll(): Promise<void> {
    for (const each of started) {
      if (!each.#over) each.kill();
      await each.ended;
    }
    started.clear();
  }
}
