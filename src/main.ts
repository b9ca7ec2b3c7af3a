import { readFileSync } from 'node:fs';

declare const SRQ_VERSION: string;
/** The oldest Node.js that srq runs on: `engines` of package.json, with which a test compares it. */
const OLDEST_NODE = '20.18.1';
/** The oldest one that can keep compiled code from one start to the next. */
const KEEPS_COMPILED_CODE = '22.1.0';

/** Runs one command and gives its exit code. */
export async function main(process: NodeJS.Process): Promise<number> {
  const columns = helpColumns(process.stdout);
  const known = answerAtOnce(process.argv.slice(2), columns);
  survivePipe(process.stdout);
  if (known !== null) {
    process.stdout.write(known);
    return 0;
  }
  survivePipe(process.stderr);
  if (isOlder(process.versions.node, OLDEST_NODE)) return refuseNode(process);
  if (!isOlder(process.versions.node, KEEPS_COMPILED_CODE)) {
    (await import('./cli/compile-cache.ts')).keepCompiledCode(process);
  }
  return (await import('./cli/program.ts')).runArguments(process, SRQ_VERSION, columns);
}

/** Help is written for a screen of so many columns, and broken anew for narrower ones. */
const HELP_COLUMNS = 80;

function helpColumns({ isTTY, columns }: NodeJS.WriteStream): number {
  return isTTY && columns > 0 ? Math.min(HELP_COLUMNS, columns) : HELP_COLUMNS;
}

/**
 * What people and scripts ask before anything else is answered without the library that reads arguments, which costs more than
 * all the rest of such an answer. The build writes the text of the help down. Null: not such a question.
 */
function answerAtOnce([word, ...more]: readonly string[], columns: number): string | null {
  if (more.length > 0) return null;
  if (word === '--version' || word === 'version') return `${SRQ_VERSION}\n`;
  const asked = word === undefined || ['--help', '-h', 'help'].includes(word);
  if (!asked || columns < HELP_COLUMNS) return null;
  try {
    return readFileSync(new URL('help.txt', import.meta.url), 'utf8');
  } catch {
    return null;
  }
}

/** Compares versions of three numbers. */
function isOlder(version: string, oldest: string): boolean {
  const [is = [], least = []] = [version, oldest].map((text) => text.split('.').map(Number.parseFloat));
  const at = least.findIndex((number, index) => number !== is[index]);
  return at >= 0 && Number(is[at]) < Number(least[at]);
}

/** Ends with the exit code for settings. Nothing else is loaded, because an older Node.js may lack what it needs. */
function refuseNode({ argv, stdout, stderr, version }: NodeJS.Process): number {
  const message = `srq needs Node.js ${OLDEST_NODE} or later; this is ${version}.`;
  const hint = 'Install a newer Node.js, or use the container image of srq.';
  const error = { code: 'platform.node', message, hint };
  if (argv.includes('--json')) stdout.write(`${JSON.stringify({ error })}\n`);
  else stderr.write(`✗ ${message}\n  → ${hint}\n`);
  return 2;
}

/** A reader or a terminal that goes away (`srq log | head`) must not end a command half-way. */
function survivePipe(stream: NodeJS.WriteStream): void {
  stream.on('error', () => {});
}
