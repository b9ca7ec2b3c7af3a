import { writeFileSync } from 'node:fs';

declare const SRQ_VERSION: string;
/** The oldest version of Node.js on which srq runs. A test compares it with `engines` in package.json. */
const OLDEST_NODE = '20.18.1';

/** Runs one command and returns its exit code. Never rejects. */
export async function main(process: NodeJS.Process): Promise<number> {
  try {
    return await run(process);
  } catch (error) {
    return tellFault(process, error);
  }
}

async function run(process: NodeJS.Process): Promise<number> {
  survivePipe(process.stdout);
  failIfLost(process);
  // Loading the library that parses arguments would take longer than the answer.
  if (process.argv.slice(2).join(' ') === '--version') {
    process.stdout.write(`${SRQ_VERSION}\n`);
    return 0;
  }
  survivePipe(process.stderr);
  if (isOlder(process.versions.node, OLDEST_NODE)) return refuseNode(process);
  (await import('./cli/compile-cache.ts')).keepCompiledCode(process);
  return (await import('./cli/program.ts')).runArguments(process, SRQ_VERSION);
}

/** Compares versions of three numbers. Returns true if the first one is older. */
function isOlder(version: string, oldest: string): boolean {
  const [is = [], least = []] = [version, oldest].map((text) => text.split('.').map(Number.parseFloat));
  const at = least.findIndex((number, index) => number !== is[index]);
  return at >= 0 && Number(is[at]) < Number(least[at]);
}

/**
 * Refuses an older Node.js, and returns the exit code for settings. Nothing else is loaded, because it may need features
 * that an older Node.js lacks.
 */
function refuseNode(process: NodeJS.Process): number {
  const message = `srq needs Node.js ${OLDEST_NODE} or later; this is ${process.version}.`;
  const hint = 'Install a newer Node.js, or use the container image of srq.';
  tell(process, { code: 'platform.node', message, hint });
  return 2;
}

/**
 * Prints an error that came before a command could report it itself, or in reporting, and returns the exit code. Its
 * text may quote a secret, so only its name is printed.
 */
function tellFault(process: NodeJS.Process, error: unknown): number {
  const name = error instanceof Error ? error.name : 'unknown error';
  const [message, hint] = [`srq failed (${name}).`, 'This is an error in srq. Report it.'];
  tell(process, { code: 'fault', reason: 'srq.fault', message, hint });
  return 1;
}

function tell(
  { argv, stdout, stderr }: NodeJS.Process,
  error: { readonly code: string; readonly reason?: string; readonly message: string; readonly hint: string },
): void {
  if (argv.includes('--json')) stdout.write(`${JSON.stringify({ error })}\n`);
  else stderr.write(`✗ ${error.message}\n  → ${error.hint}\n`);
}

/**
 * Ignores errors of a stream, because a reader or a terminal that goes away (`srq log | head`) must not end a command
 * half-way.
 */
function survivePipe(stream: NodeJS.WriteStream): void {
  stream.on('error', () => {});
}

/** The errors of a file that takes no more. Other errors mean that the reader or the terminal has gone away. */
const TAKES_NO_MORE: readonly unknown[] = ['ENOSPC', 'EDQUOT', 'EFBIG'];

/**
 * Makes a command fail if standard output is a file that cannot take all of it, because an incomplete file would look
 * like a complete one. The command goes on, for it may be sending. An exit code other than 0 stays as it is.
 */
function failIfLost(process: NodeJS.Process): void {
  writeWholeChunks(process.stdout);
  process.stdout.once('error', ({ code }: NodeJS.ErrnoException) => {
    if (!TAKES_NO_MORE.includes(code)) return;
    process.stderr.write(`✗ Standard output could not be written completely (${code}).\n`);
    process.stderr.write('  → Make room, or write it to another disk. srq log shows what was sent.\n');
    process.once('exit', () => {
      process.exitCode ||= 1;
    });
  });
}

/** The file descriptor of standard output. */
const STDOUT = 1;

/**
 * Makes standard output write each chunk to the end if it is a file. Node.js takes a chunk as written even if the disk
 * had room for only a part of it.
 */
function writeWholeChunks(stdout: NodeJS.WriteStream): void {
  if (Reflect.get(stdout, '_type') !== 'fs') return;
  stdout._write = (chunk, _encoding, written) => {
    try {
      writeFileSync(STDOUT, chunk);
      written();
    } catch (error) {
      written(error as Error);
    }
  };
}
