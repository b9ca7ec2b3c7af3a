import { Readable, Writable } from 'node:stream';
import { requireDocuments } from '../doors/documents.ts';
import type { Ended } from '../helpers/ended.ts';

export interface CallOptions {
  /** The complete environment of srq. */
  readonly env: Readonly<Record<string, string>>;
  /** The working folder, or null if all paths are absolute. */
  readonly cwd: string | null;
  /** What is piped into it. Default: nothing. */
  readonly stdin?: string;
}

class Written extends Writable {
  readonly #chunks: Buffer[] = [];

  override _write(chunk: Buffer, _: BufferEncoding, done: () => void): void {
    this.#chunks.push(chunk);
    done();
  }

  get text(): string {
    return Buffer.concat(this.#chunks).toString('utf8');
  }
}

let before: Promise<unknown> = Promise.resolve();

/**
 * Runs a command of srq in the process of the test, where its code is loaded only once and is already optimised. This
 * takes a twentieth of the time of a separate process. Everything but the process is real: arguments, environment,
 * working folder, files, the log and its lock, connections. Calls with a working folder run one after the other,
 * because a process has only one. Tests about signals, terminals, the folder for temporary files or the end of a
 * process need a separate process, see {@link startSrq}.
 */
export function callSrq(args: readonly string[], { env, cwd, stdin = '' }: CallOptions): Promise<Ended> {
  if (cwd === null) return call(args, env, stdin);
  const ended = before.then(() => callIn(cwd, args, env, stdin));
  before = ended.catch(() => {});
  return ended;
}

async function callIn(cwd: string, args: readonly string[], env: CallOptions['env'], stdin: string): Promise<Ended> {
  const back = process.cwd();
  process.chdir(cwd);
  return call(args, env, stdin).finally(() => process.chdir(back));
}

async function call(args: readonly string[], env: CallOptions['env'], stdin: string): Promise<Ended> {
  // The program is loaded only here, because tests that only start processes do not need it.
  const { runArguments } = await import('../../src/cli/program.ts');
  const [stdout, stderr] = [new Written(), new Written()];
  const code = await runArguments(
    processWith(args, env, Readable.from(stdin === '' ? [] : [Buffer.from(stdin)]), stdout, stderr),
    'of a test',
  );
  const ended = { code, signal: null, stdout: stdout.text, stderr: stderr.text };
  requireDocuments(args, ended);
  return ended;
}

/** Returns this process as a program would see it that was started with these arguments. It receives no signals. */
function processWith(
  args: readonly string[],
  env: CallOptions['env'],
  stdin: Readable,
  stdout: Writable,
  stderr: Writable,
): NodeJS.Process {
  const itself = () => here;
  const leave = () => {
    throw new Error('srq would have ended the process.');
  };
  const own = { argv: [process.execPath, 'srq', ...args], env, stdin, stdout, stderr };
  const methods = { on: itself, off: itself, exit: leave };
  const here: NodeJS.Process = Object.create(process, Object.getOwnPropertyDescriptors({ ...own, ...methods }));
  return here;
}
