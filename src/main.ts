import { CommanderError } from 'commander';
import { Context, type GlobalOptions } from './cli/context.ts';
import { EXIT_CODES } from './cli/exit-codes.ts';
import { makeProgram } from './cli/program.ts';
import { SrqError } from './model/errors.ts';

declare const SRQ_VERSION: string;

/** Runs one command and gives its exit code. Every failure ends here, as words and a number. */
export async function main(process: NodeJS.Process): Promise<number> {
  survivePipes(process);
  let exitCode = 0;
  const program = makeProgram(SRQ_VERSION, async (globals, load, args) => {
    exitCode = await runCommand(process, globals, async (context) => {
      const command = await load();
      return command(context as never, ...(args as never[]));
    });
  });
  // Before parsing there is no --json to look at but the word itself.
  const asJson = process.argv.includes('--json');
  let usageError = '';
  program.exitOverride().configureOutput({
    writeOut: (text) => process.stdout.write(text),
    writeErr: (text) => (usageError += text),
    outputError: (text, write) => write(text),
  });
  for (const command of program.commands.flatMap((each) => [each, ...each.commands])) {
    command.exitOverride().configureOutput(program.configureOutput());
  }
  if (process.argv.length <= 2) {
    program.outputHelp();
    return 0;
  }
  try {
    await program.parseAsync(process.argv);
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode === 0) return 0;
    return runCommand(process, asJson ? { json: true } : {}, () => Promise.reject(usage(usageError || error.message)));
  }
  return exitCode;
}

async function runCommand(
  process: NodeJS.Process,
  globals: GlobalOptions,
  command: (context: Context) => Promise<number>,
): Promise<number> {
  const context = new Context(process, globals);
  try {
    return await command(context);
  } catch (error) {
    const failure = error instanceof SrqError ? error : fault(error, context);
    await (await context.reporter()).fail(failure, failure.code);
    if (!(error instanceof SrqError) && globals.verbose)
      process.stderr.write(`${context.blotted(String((error as Error)?.stack))}\n`);
    const interrupted = context.interruption.code;
    return EXIT_CODES[interrupted ?? failure.code].number;
  } finally {
    await context.close();
  }
}

function usage(text: string): SrqError {
  // An unknown option is named without its value: it may be a secret.
  const message = text
    .replace(/^error: /, '')
    .replace(/^(unknown option '[^'=]+)=.*/s, "$1'")
    .trim();
  return new SrqError('usage', message.charAt(0).toUpperCase() + message.slice(1), 'See: srq --help');
}

function fault(error: unknown, context: Context): SrqError {
  const message = context.blotted(error instanceof Error ? `${error.name}: ${error.message}` : String(error));
  const hint = 'This is a fault of srq. Run it with --verbose for where it happened, and report it.';
  return new SrqError('fault', message, hint, error);
}

/** A reader or a terminal that goes away (`srq log | head`) must not end a command half-way. */
function survivePipes({ stdout, stderr }: NodeJS.Process): void {
  for (const stream of [stdout, stderr]) stream.on('error', () => {});
}
