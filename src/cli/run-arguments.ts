import { CommanderError } from 'commander';
import { nearest } from '../request/did-you-mean.ts';
import { SrqError } from '../request/errors.ts';
import type { GlobalOptions, Invoke } from './command.ts';
import { withProfileFlags } from './command-line.ts';
import type { Context } from './context.ts';
import { EXIT_CODES } from './exit-codes.ts';
import { makeProgram } from './program.ts';

/**
 * Runs the command that the arguments name and returns its exit code. All errors are caught and reported here.
 * `columns` is the width of the help texts.
 */
export async function runArguments(process: NodeJS.Process, version: string, columns: number): Promise<number> {
  let exitCode = 0;
  let said = '';
  const invoke: Invoke = async (globals, load, args) => {
    exitCode = await runCommand(process, version, globals, async (context) => {
      const command = await load();
      return command(context as never, ...(args as never[]));
    });
  };
  const words = process.argv.slice(2);
  const output = {
    writeOut: (text: string) => process.stdout.write(text),
    writeErr: (text: string) => (said += text),
    outputError: (text: string, write: (text: string) => void) => write(text),
    getOutHelpWidth: () => columns,
    getErrHelpWidth: () => columns,
  };
  const program = await makeProgram(version, invoke, output, words);
  try {
    await program.parseAsync(words.length === 0 ? ['--help'] : words, { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode === 0) return 0;
    const failure = usage(program, words, error.code, said || error.message);
    // The arguments could not be parsed, so --json can only be recognised by its word.
    return runCommand(process, version, words.includes('--json') ? { json: true } : {}, () => Promise.reject(failure));
  }
  return exitCode;
}

async function runCommand(
  process: NodeJS.Process,
  version: string,
  globals: GlobalOptions,
  command: (context: Context) => Promise<number>,
): Promise<number> {
  const { Context } = await import('./context.ts');
  const context = new Context(process, globals, version);
  try {
    return await command(context);
  } catch (error) {
    const failure = error instanceof SrqError ? error : fault(error, context);
    const { code, message, hint } = failure;
    await (await context.reporter()).fail({ message, hint: hint && withProfileFlags(hint, globals) }, code);
    if (!(error instanceof SrqError)) await context.showStack(error);
    const interrupted = context.interruption.code;
    return EXIT_CODES[interrupted ?? failure.code].number;
  } finally {
    await context.close();
  }
}

/** Converts a parse error of commander into a sentence with a reference to the help of the command. */
function usage(program: NamedCommand, words: readonly string[], code: string, said: string): SrqError {
  const meant = commandIn(program, words);
  const hint = `See: ${[...meant.map((command) => command.name()), '--help'].join(' ')}`;
  if (code === 'commander.help') {
    const names = meant.at(-1)?.commands.map((command) => command.name()) ?? [];
    return new SrqError('usage', `Say which: ${names.join(', ')}.`, hint);
  }
  const [, option] = /^error: unknown option '([^'=]+)/.exec(said) ?? [];
  if (option !== undefined) return new SrqError('usage', unknownOption(option, meant), hint);
  const message = said
    .replace(/^error: /, '')
    .replace(/\n\(Did you mean ([^)]*)\)/, '. Did you mean $1')
    .trim();
  return new SrqError('usage', message.charAt(0).toUpperCase() + message.slice(1), hint);
}

/**
 * Names an unknown option without its value, which may be a secret, and suggests a similar one. Options that the help
 * hides are suggested as well.
 */
function unknownOption(option: string, meant: readonly NamedCommand[]): string {
  const known = meant.flatMap(({ options }) => options.flatMap(({ long }) => long ?? []));
  const near = nearest(option, known);
  return `Unknown option ${option}.${near === null ? '' : ` Did you mean ${near}?`}`;
}

interface NamedCommand {
  readonly commands: readonly NamedCommand[];
  readonly options: readonly { readonly long?: string | undefined }[];
  name(): string;
}

/** Returns the program and the nested commands that the words name. */
function commandIn(command: NamedCommand, words: readonly string[]): NamedCommand[] {
  for (const [at, word] of words.entries()) {
    const found = command.commands.find((each) => each.name() === word);
    if (found) return [command, ...commandIn(found, words.slice(at + 1))];
  }
  return [command];
}

/** Maximum length of an error's text. It may quote a long value that it failed on. */
const MAX_FAULT_TEXT = 200;

function fault(error: unknown, context: Context): SrqError {
  const text = context.blotted(error instanceof Error ? `${error.name}: ${error.message}` : String(error));
  const message = text.length > MAX_FAULT_TEXT ? `${text.slice(0, MAX_FAULT_TEXT)}…` : text;
  const hint = 'This is a fault of srq. Run it with --verbose for where it happened, and report it.';
  return new SrqError('fault', message, hint, error);
}
