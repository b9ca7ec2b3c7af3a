import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { rolldown } from 'rolldown';
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest';
import { embeddedText } from '../../scripts/embedded-text.mjs';

/** The bundled doors/log-child.ts, because Node.js 20 does not run TypeScript. */
export interface LogProgram {
  readonly file: string;
}

/** Builds the program for the tests of a file. */
export function logProgram(): LogProgram {
  let built: (LogProgram & { remove(): void }) | null = null;
  beforeAll(async () => {
    built = await buildLogProgram();
  });
  afterAll(() => built?.remove());
  return {
    get file() {
      return built?.file ?? '';
    },
  };
}

/** The folder for a log, new for each test of a file. Processes that use the log end with the test. */
export function logFolder(): { readonly directory: string; readonly path: string } {
  const directory = join(tmpdir(), `srq-log-${randomUUID()}`);
  beforeEach(() => {
    mkdirSync(directory, { mode: 0o700 });
  });
  afterEach(async () => {
    await LogProcess.endAll();
    rmSync(directory, { recursive: true });
  });
  return { directory, path: join(directory, 'log.ndjson') };
}

async function buildLogProgram(): Promise<LogProgram & { remove(): void }> {
  // The bundle is below node_modules, where it finds the package that cannot be bundled.
  const cache = new URL('../../node_modules/.cache/', import.meta.url).pathname;
  mkdirSync(cache, { recursive: true });
  const directory = mkdtempSync(join(cache, 'log-child-'));
  const file = join(directory, 'log-child.mjs');
  const input = new URL('../doors/log-child.ts', import.meta.url).pathname;
  const bundle = await rolldown({
    input,
    platform: 'node',
    plugins: [embeddedText()],
    external: ['fs-native-extensions'],
  });
  await bundle.write({ file, format: 'esm' });
  await bundle.close();
  return { file, remove: () => rmSync(directory, { recursive: true, force: true }) };
}

export interface LogProcessOptions {
  readonly exclusive?: boolean;
  /** A command that runs another command, such as strace or a shell with a limit. */
  readonly under?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

const started = new Set<LogProcess>();

/** A separate process with its own `FileLog`. */
export class LogProcess {
  /** Resolves to the exit code or the signal with which the process ended. */
  readonly ended: Promise<number | NodeJS.Signals>;
  /** All lines that it has printed so far. */
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
    // strace counts the calls of each thread separately. With a single thread for file operations, the k-th call is the
    // k-th of the process.
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

  /** Returns the next `count` lines, or fewer if the process ends before. */
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

  /** Waits until the process has opened its log. Returns its process id. */
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
