import { Argument, Command, CommanderError, Help, Option, type OutputConfiguration } from 'commander';
import { didYouMean } from '../request/words/did-you-mean.ts';
import { type ErrorCode, SrqError } from '../request/words/errors.ts';
import type { Context } from './context.ts';
import { EXIT_CODES, firstExitNumber } from './exit-codes.ts';
import { COMMANDS, commandOf, longName, pathIn, within } from './table/commands.ts';
import type { Flags } from './table/flags.ts';
import { EVERYWHERE, GLOBAL, type GlobalOptions } from './table/options.ts';
import type { CommandRow } from './table/row.ts';
import { HELP_TOPICS } from './table/surroundings.ts';

/** Runs one command with the arguments that commander has parsed. */
type Invoke = (globals: GlobalOptions, load: NonNullable<CommandRow['run']>, args: readonly unknown[]) => Promise<void>;

/** Runs the command that the arguments name and returns its exit code. All errors are caught and reported here. */
export async function runArguments(process: NodeJS.Process, version: string): Promise<number> {
  let exitCode = 0;
  let said = '';
  const invoke: Invoke = async (globals, load, args) => {
    exitCode = await runCommand(process, version, globals, async (context) => {
      const command = await load();
      return command(context as never, ...(args as never[]));
    });
  };
  if (process.platform === 'win32' && process.argv[2] === 'bulk') {
    const { filesOfPattern } = await import('./file-pattern.ts');
    process.argv = (await Promise.all(process.argv.map(filesOfPattern))).flat();
  }
  const words = process.argv.slice(2);
  const writeErr = (text: string) => (said += text);
  const program = await makeProgram(version, invoke, { ...helpOutput(process), writeErr });
  try {
    await program.parseAsync(words.length === 0 ? ['--help'] : words, { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode === 0) return 0;
    const failure = usage(words, error.code, said || error.message);
    // The arguments could not be parsed, so --json can only be recognised by its word.
    return runCommand(process, version, words.includes('--json') ? { json: true } : {}, () => Promise.reject(failure));
  }
  return exitCode;
}

/** The width for which the help is written. On a narrower screen it is wrapped. */
const HELP_COLUMNS = 80;

/** Returns where commander writes the help, and how wide. */
export function helpOutput({ stdout }: NodeJS.Process): OutputConfiguration {
  const width = () => Math.min(HELP_COLUMNS, (stdout.isTTY && stdout.columns) || HELP_COLUMNS);
  return { writeOut: (text) => stdout.write(text), getOutHelpWidth: width, getErrHelpWidth: width };
}

async function runCommand(
  process: NodeJS.Process,
  version: string,
  globals: GlobalOptions,
  command: (context: Context) => Promise<number>,
): Promise<number> {
  const { Context } = await import('./context.ts');
  const context = new Context(process, globals, version);
  let exitCode: number = EXIT_CODES.fault.number;
  try {
    exitCode = await command(context).catch(async (error: unknown) => {
      const code = await report(error, context, false);
      return EXIT_CODES[context.interruption.code ?? code].number;
    });
  } finally {
    await context.close().catch(async (error: unknown) => {
      // With --json, standard output has its one document already.
      const code = await report(error, context, context.options.json === true);
      exitCode = firstExitNumber([exitCode, EXIT_CODES[code].number]);
    });
  }
  return exitCode;
}

/** Reports an error and returns its code. */
async function report(error: unknown, context: Context, asWarning: boolean): Promise<ErrorCode> {
  const failure = context.failureOf(error instanceof SrqError ? error : fault(error, context));
  if (asWarning) context.reporter.warn(`${failure.message} ${failure.hint ?? ''}`.trim());
  else await context.reporter.fail(failure);
  if (!(error instanceof SrqError)) await context.showStack(error);
  return failure.code;
}

/** Returns the error for what commander says of the arguments, with a reference to the help of the command. */
function usage(words: readonly string[], code: string, said: string): SrqError {
  const path = pathIn(words);
  const hint = `See: ${['srq', ...path, '--help'].join(' ')}`;
  if (code === 'commander.help') {
    const below = within(path).filter(([own, row]) => !row.isHidden && own.split(' ').length === path.length + 1);
    const names = below.map(([own]) => own.split(' ').at(-1));
    return new SrqError('arguments.missing', `Name one of these: ${names.join(', ')}.`, hint);
  }
  const [, option] = /^error: unknown option '([^'=]+)/.exec(said) ?? [];
  if (option !== undefined) return new SrqError('option.unknown', unknownOption(option, commandOf(path)?.flags), hint);
  const sentence = said
    .replace(/^error: /, '')
    .trim()
    .replace(/\s*\n/g, ' ');
  return new SrqError('arguments.invalid', sentence.charAt(0).toUpperCase() + sentence.slice(1), hint);
}

/** Names an unknown option without its value, which may be a secret, and suggests a similar one, rare ones as well. */
function unknownOption(option: string, flags: Flags = {}): string {
  const known = Object.entries({ ...EVERYWHERE, ...flags }).map(([name, flag]) => longName(name, flag));
  return `Unknown option ${option}.${didYouMean(option, [...known, '--help'])}`;
}

/** Maximum length of the text of an unexpected error, which may quote a long value. */
const MAX_FAULT_TEXT = 200;

function fault(error: unknown, context: Context): SrqError {
  const text = context.redacted(error instanceof Error ? `${error.name}: ${error.message}` : String(error));
  const message = text.length > MAX_FAULT_TEXT ? `${text.slice(0, MAX_FAULT_TEXT)}…` : text;
  const hint = 'This is an error in srq. Run it with --verbose to see where it happened, and report it.';
  return new SrqError('srq.fault', message, hint, error);
}

/**
 * Builds the commander program that parses the arguments. `output` is where commander writes. Mistakes in the arguments are
 * thrown as `CommanderError`.
 */
export async function makeProgram(version: string, invoke: Invoke, output: OutputConfiguration): Promise<Command> {
  // The settings come before the commands are added, because commands inherit only earlier ones.
  const program = new Command('srq')
    .exitOverride()
    .configureOutput(output)
    .helpOption('-h, --help', 'print help')
    .helpCommand(false)
    .showSuggestionAfterError(true)
    .usage('COMMAND [options]   sends leads to the marketplace, never twice')
    .version(version, '--version', 'print the version')
    .configureHelp({
      // The blank line below the usage is removed, because the help must fit on a screen.
      formatHelp: (command, helper) => Help.prototype.formatHelp.call(helper, command, helper).replace('\n\n', '\n'),
      visibleOptions: ({ options }) => options.filter(({ hidden }) => !hidden) as Option[],
      optionDescription: describe,
      argumentDescription: ({ description }) => description,
      subcommandTerm: (command) => command.name(),
    });
  for (const [name, flag] of Object.entries(GLOBAL)) program.addOption(optionOf(name, flag).hideHelp());
  program.options.find(({ long }) => long === '--version')?.hideHelp();
  for (const [own, row] of Object.entries(COMMANDS)) addCommand(program, own, row, invoke);
  // The list of commands takes nearly the whole screen, so it has no heading.
  program.configureHelp({
    ...program.configureHelp(),
    formatItemList: (heading, items) => {
      const head = heading === 'Commands:' ? [] : [heading];
      return items.length === 0 ? [] : [...head, ...items, ''];
    },
  });
  return program.addHelpText('after', FURTHER);
}

/** Further help, in one line because the help screen has no room for more. */
const FURTHER = `Everywhere: --json --quiet   srq help --all|${HELP_TOPICS.join('|')}`;

function addCommand(program: Command, words: string, row: CommandRow, invoke: Invoke): void {
  const [name = '', group] = words.split(' ').reverse();
  const parent = program.commands.find((each) => each.name() === group) ?? program;
  const command = parent
    .command(name, { hidden: row.isHidden === true })
    .helpCommand(false)
    .description(row.about);
  for (const { name: placeholder, about = '', choices } of row.args ?? []) {
    const argument = new Argument(placeholder, about);
    command.addArgument(choices ? argument.choices([...choices]) : argument);
  }
  for (const [key, flag] of Object.entries(row.flags ?? {})) command.addOption(optionOf(key, flag));
  const { examples = [], run } = row;
  if (examples.length > 0) {
    const heading = examples.length > 1 ? 'Examples:' : 'Example:';
    command.addHelpText('after', ['', heading, ...examples.map((example) => `  ${example}`)].join('\n'));
  }
  if (parent === program)
    command.addHelpText('after', () => {
      const isAll = command.createHelp().visibleOptions(command).length >= command.options.length;
      return isAll ? '' : `More options: srq help ${name} --all`;
    });
  if (!run) return;
  command.action((...args: unknown[]) => {
    // Commander passes the command itself last.
    const load = async () => {
      requireFitting(words, row, command);
      return run();
    };
    return invoke(command.optsWithGlobals<GlobalOptions>(), load, args.slice(0, -1));
  });
}

function optionOf(name: string, flag: Flags[string]): Option {
  const { about, value, short, choices, read, initial, isRequired, isRare } = flag;
  const words = [...(short ? [`${short},`] : []), longName(name, flag), ...(value ? [value] : [])].join(' ');
  const option = new Option(words, about).hideHelp(isRare === true).makeOptionMandatory(isRequired === true);
  if (choices) option.choices([...choices]);
  if (read) option.argParser(read);
  return initial === undefined ? option : option.default(initial);
}

/** Throws `SrqError('usage')` for flags that the table does not let go together. */
function requireFitting(words: string, { flags = {}, uses, noSandbox }: CommandRow, command: Command): void {
  const isGiven = (name: string) => command.getOptionValueSourceWithGlobals(name) === 'cli';
  if ((uses === 'store' || noSandbox) && isGiven('sandbox')) throw noSandboxHere(words, uses);
  const all: Flags = { ...GLOBAL, ...flags };
  for (const [name, flag] of Object.entries(all).filter(([each]) => isGiven(each))) {
    const own = longName(name, flag);
    const { needs, not = {}, isForOne } = flag;
    if (isForOne && command.args.length > 1) {
      const message = `${own} works with one file, and ${command.args.length} were given. Nothing was sent.`;
      throw new SrqError('file.only-one', message, 'Name one file alone.');
    }
    if (needs !== undefined && !isGiven(needs)) {
      const needed = [nameOf(needs), all[needs]?.value].join(' ').trim();
      throw new SrqError('flags.incomplete', `${own} needs ${nameOf(needs)}.`, `Add: ${needed}`);
    }
    for (const [other, why] of Object.entries(not).filter(([each]) => isGiven(each))) {
      if (why === null) throw new SrqError('flags.contradict', `Choose either ${nameOf(other)} or ${own}.`);
      throw new SrqError('flags.contradict', why, `Leave ${own} or ${nameOf(other)} out.`);
    }
  }
  function nameOf(name: string): string {
    return longName(name, all[name] ?? { about: '' });
  }
}

function noSandboxHere(words: string, uses: CommandRow['uses']): SrqError {
  const message = `srq ${words} takes no --sandbox:`;
  if (uses === 'log') {
    const hint = 'Look at its results file, or rehearse with --report FILE.html to get the page.';
    return new SrqError('flags.contradict', `${message} a rehearsal keeps no log.`, hint);
  }
  if (uses !== 'store')
    return new SrqError('flags.contradict', `${message} the sandbox has no profile.`, `Leave it out: srq ${words}`);
  const why = `${message} other processes could not reach it.`;
  return new SrqError('sandbox.own-process', why, 'Start a sandbox in a process of its own: srq sandbox');
}

/** Describes an option more briefly than commander, so that it fits in one line. */
function describe({ description, argChoices, defaultValue }: Option): string {
  const usual = ['string', 'number'].includes(typeof defaultValue) ? `(default: ${defaultValue})` : '';
  return [argChoices ? `${description}: ${argChoices.join(', ')}` : description, usual].join(' ').trim();
}
