import { Command, CommanderError, Help, type Option, type OutputConfiguration } from 'commander';
import { positiveNumber, rare } from '../commands/options.ts';
import { nearest } from '../request/words/did-you-mean.ts';
import { type ErrorCode, type Failure, failureOf, SrqError } from '../request/words/errors.ts';
import type { GlobalOptions, Invoke, RunCommand } from './command.ts';
import { withProfileFlags } from './command-line.ts';
import type { Context } from './context.ts';
import { EXIT_CODES, firstExitNumber } from './exit-codes.ts';

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
  let exitCode: number = EXIT_CODES.fault.number;
  try {
    exitCode = await runReported(context, command);
  } finally {
    try {
      await context.close();
    } catch (error) {
      exitCode = firstExitNumber([exitCode, EXIT_CODES[await reportOfClosing(error, context)].number]);
    }
  }
  return exitCode;
}

/** Runs a command and returns its exit code. The error that ends it is reported. */
async function runReported(context: Context, command: (context: Context) => Promise<number>): Promise<number> {
  try {
    return await command(context);
  } catch (error) {
    const failure = failureIn(error, context);
    await (await context.reporter()).fail(failure);
    if (!(error instanceof SrqError)) await context.showStack(error);
    return EXIT_CODES[context.interruption.code ?? failure.code].number;
  }
}

function failureIn(error: unknown, context: Context): Failure {
  const failure = error instanceof SrqError ? error : fault(error, context);
  return failureOf(failure, (hint) => withProfileFlags(hint, context.options));
}

/**
 * Reports an error that came after the command had told its result, and returns its code. Standard output has its one
 * document already.
 */
async function reportOfClosing(error: unknown, context: Context): Promise<ErrorCode> {
  const failure = failureIn(error, context);
  const reporter = await context.reporter();
  if (context.options.json) reporter.warn(`${failure.message} ${failure.hint ?? ''}`.trim());
  else await reporter.fail(failure);
  if (!(error instanceof SrqError)) await context.showStack(error);
  return failure.code;
}

/** Converts a parse error of commander into a sentence with a reference to the help of the command. */
function usage(program: NamedCommand, words: readonly string[], code: string, said: string): SrqError {
  const meant = commandIn(program, words);
  const hint = `See: ${[...meant.map((command) => command.name()), '--help'].join(' ')}`;
  if (code === 'commander.help') {
    const names = meant.at(-1)?.commands.map((command) => command.name()) ?? [];
    return new SrqError('arguments.missing', `Say which: ${names.join(', ')}.`, hint);
  }
  const [, option] = /^error: unknown option '([^'=]+)/.exec(said) ?? [];
  if (option !== undefined) return new SrqError('option.unknown', unknownOption(option, meant), hint);
  return new SrqError('arguments.invalid', inOurWords(said.replace(/^error: /, '').trim()), hint);
}

/** Rewrites commander's messages about mistakes in srq's words. */
const OUR_WORDS: readonly (readonly [RegExp, (...parts: string[]) => string])[] = [
  [/^missing required argument '(.+)'$/, (name) => `The argument <${name}> is missing.`],
  [
    /^option '(?:-\w, )?(\S+) (.+)' argument missing$/,
    (option, value) => `${option} needs a value: ${option} ${value}`,
  ],
  [/^required option '(?:-\w, )?(.+)' not specified$/, (option) => `${option} is missing.`],
  [
    /^option '(?:-\w, )?(\S+)[^']*' argument '(.*)' is invalid\. (.+)$/s,
    (option, value, rule) => `${option} does not take "${value}". ${rule}`,
  ],
  [
    /^command-argument value '(.*)' is invalid for argument '(.+?)'\. (.+)$/s,
    (value, name, rule) => `<${name}> cannot be "${value}". ${rule}`,
  ],
  [
    /^too many arguments(?: for '.+')?\. Expected (\d+) arguments? but got (\d+)\.$/,
    (most, given) => `Too many arguments: ${given} instead of ${most === '0' ? 'none' : most}.`,
  ],
  [
    /^unknown command '(.*?)'(?:\n\(Did you mean (.*)\))?$/s,
    (word, meant) => `There is no command "${word}".${meant ? ` Did you mean ${meant}` : ''}`,
  ],
];

function inOurWords(said: string): string {
  for (const [pattern, words] of OUR_WORDS) {
    const found = pattern.exec(said);
    if (found) return words(...found.slice(1));
  }
  return said.charAt(0).toUpperCase() + said.slice(1);
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

/** Maximum length of the text of an unexpected error, which may quote a long value. */
const MAX_FAULT_TEXT = 200;

function fault(error: unknown, context: Context): SrqError {
  const text = context.redacted(error instanceof Error ? `${error.name}: ${error.message}` : String(error));
  const message = text.length > MAX_FAULT_TEXT ? `${text.slice(0, MAX_FAULT_TEXT)}…` : text;
  const hint = 'This is an error in srq. Run it with --verbose to see where it happened, and report it.';
  return new SrqError('srq.fault', message, hint, error);
}

type AddCommand = (program: Command, run: RunCommand) => void;

/**
 * The commands in the order of the help. The flags of a command are loaded when they are needed, and its code when it
 * is called.
 */
const COMMANDS: Readonly<Record<string, () => Promise<AddCommand>>> = {
  demo: async () => (await import('../commands/sandbox/flags.ts')).addDemo,
  login: async () => (await import('../commands/login/flags.ts')).addLogin,
  logout: async () => (await import('../commands/logout.ts')).addLogout,
  status: async () => (await import('../commands/status.ts')).addStatus,
  profile: async () => (await import('../commands/profile/flags.ts')).addProfile,
  doctor: async () => (await import('../commands/doctor/flags.ts')).addDoctor,
  validate: async () => (await import('../commands/validate/flags.ts')).addValidate,
  create: async () => (await import('../commands/create/flags.ts')).addCreate,
  bulk: async () => (await import('../commands/bulk/flags.ts')).addBulk,
  log: async () => (await import('../commands/log/flags.ts')).addLog,
  report: async () => (await import('../commands/report/flags.ts')).addReport,
  export: async () => (await import('../commands/export/flags.ts')).addExport,
  resolve: async () => (await import('../commands/resolve/flags.ts')).addResolve,
  store: async () => (await import('../commands/store/flags.ts')).addStore,
  enqueue: async () => (await import('../commands/enqueue/flags.ts')).addEnqueue,
  work: async () => (await import('../commands/work/flags.ts')).addWork,
  queue: async () => (await import('../commands/queue.ts')).addQueue,
  contract: async () => (await import('../commands/contract/flags.ts')).addContract,
  sandbox: async () => (await import('../commands/sandbox/flags.ts')).addSandbox,
  template: async () => (await import('../commands/template/flags.ts')).addTemplate,
  markets: async () => (await import('../commands/markets.ts')).addMarkets,
  completion: async () => (await import('../commands/completion/flags.ts')).addCompletion,
  schema: async () => (await import('../commands/schema.ts')).addSchema,
  version: async () => (await import('../commands/version.ts')).addVersion,
  help: async () => (await import('../commands/help.ts')).addHelpCommand,
};

/** Commands that need the flags of all other commands. */
const NEEDS_ALL: ReadonlySet<string> = new Set(['help']);

/**
 * Builds the commander program that parses the arguments. If the first word is the name of a command, the program
 * contains only that command, which saves loading the flags of the others. `output` is where commander writes. Mistakes
 * in the arguments are thrown as `CommanderError`.
 */
export async function makeProgram(
  version: string,
  invoke: Invoke,
  output: OutputConfiguration,
  words: readonly string[] = [],
): Promise<Command> {
  // The settings come before the commands are added, because commands inherit only earlier ones.
  const program = new Command('srq')
    .exitOverride()
    .configureOutput(output)
    .helpOption('-h, --help', 'print help')
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
  addGlobalOptions(program);
  const run =
    (load: Parameters<Invoke>[1]) =>
    (...args: unknown[]): Promise<void> => {
      const command = args.pop() as Command;
      return invoke(command.optsWithGlobals<GlobalOptions>(), load, args);
    };
  for (const load of commandsFor(words[0])) (await load())(program, run);
  // The list of commands takes nearly the whole screen, so it has no heading.
  program.configureHelp({
    ...program.configureHelp(),
    formatItemList: (heading, items) => {
      const head = heading === 'Commands:' ? [] : [heading];
      return items.length === 0 ? [] : [...head, ...items, ''];
    },
  });
  program.addHelpText('after', EVERYWHERE);
  for (const command of program.commands) {
    command.addHelpText('after', () => {
      const isAll = command.createHelp().visibleOptions(command).length >= command.options.length;
      return isAll ? '' : `More options: srq help ${command.name()} --all`;
    });
  }
  return program;
}

function commandsFor(word = ''): readonly (() => Promise<AddCommand>)[] {
  const named = Object.hasOwn(COMMANDS, word) && !NEEDS_ALL.has(word) ? COMMANDS[word] : undefined;
  return named ? [named] : Object.values(COMMANDS);
}

/** Further help, in one line because the help screen has no room for more. */
const EVERYWHERE = 'Everywhere: --json --quiet   srq help --all|exit-codes|errors|environment|files';

/** Describes an option more briefly than commander, so that it fits in one line. */
function describe({ description, argChoices, defaultValue }: Option): string {
  const usual = ['string', 'number'].includes(typeof defaultValue) ? `(default: ${defaultValue})` : '';
  return [argChoices ? `${description}: ${argChoices.join(', ')}` : description, usual].join(' ').trim();
}

/** Adds the global options. The main help shows them in a single line, so that the commands fit on a screen. */
function addGlobalOptions(program: Command): void {
  const all = [
    rare('--profile <name>', 'use this profile (SRQ_PROFILE)'),
    rare('--sandbox', 'send to a local sandbox instead, with a log of its own'),
    rare('--json', 'print one JSON document on stdout'),
    rare('-q, --quiet', 'show no plan and no progress'),
    rare('-v, --verbose', 'show every call to the service, with personal data masked'),
    rare('--no-color', 'no colours (NO_COLOR); FORCE_COLOR does the opposite'),
    rare('--no-input', 'never ask a question'),
    rare('--timeout <seconds>', 'longest wait for a complete answer (default: 120)').argParser(positiveNumber),
    rare('--log <file>', 'use this log'),
    rare('--store <url>', 'keep the log in this PostgreSQL, for several machines (SRQ_STORE)'),
    rare('--fresh-store', 'begin with a store that does not know what the log in the file has'),
    rare('--ca-file <file>', 'also trust these certificate authorities (PEM)'),
    rare('--cert <file>', 'client certificate (PEM)'),
    rare('--key <file>', 'its key (PEM); passphrase in SRQ_KEY_PASSPHRASE'),
  ];
  for (const option of all) program.addOption(option);
  program.options.find(({ long }) => long === '--version')?.hideHelp();
}
