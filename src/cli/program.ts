import { Command, Help, type Option, type OutputConfiguration } from 'commander';
import { positiveNumber, rare } from '../commands/options.ts';
import type { GlobalOptions, Invoke, RunCommand } from './command.ts';

type AddCommand = (program: Command, run: RunCommand) => void;

/**
 * The commands in the order of the help. The flags of a command are loaded when they are needed, and its code when it
 * is called.
 */
const COMMANDS: Readonly<Record<string, () => Promise<AddCommand>>> = {
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
  store: async () => (await import('../commands/store.ts')).addStore,
  enqueue: async () => (await import('../commands/enqueue/flags.ts')).addEnqueue,
  work: async () => (await import('../commands/work/flags.ts')).addWork,
  queue: async () => (await import('../commands/queue.ts')).addQueue,
  contract: async () => (await import('../commands/contract/flags.ts')).addContract,
  mapping: async () => (await import('../commands/mapping/flags.ts')).addMapping,
  sandbox: async () => (await import('../commands/sandbox/flags.ts')).addSandbox,
  template: async () => (await import('../commands/template/flags.ts')).addTemplate,
  markets: async () => (await import('../commands/markets.ts')).addMarkets,
  completion: async () => (await import('../commands/completion/flags.ts')).addCompletion,
  help: async () => (await import('../commands/help.ts')).addHelpCommand,
};

/** Commands that need the flags of all others. */
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
  // Commands inherit the settings that come before they are added.
  const program = new Command('srq')
    .exitOverride()
    .configureOutput(output)
    .helpOption('-h, --help', 'print help')
    .showSuggestionAfterError(true)
    .usage('COMMAND [options]   hands over service requests, and none twice')
    .version(version, '--version', 'print the version')
    .configureHelp({
      // A help that fits a screen has no room for a blank line below its usage.
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
  // The list of the commands takes nearly all of the screen, so it goes without a heading.
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

/** The help screen has no room for more. */
const EVERYWHERE = 'Everywhere: --profile NAME --sandbox --json --quiet --verbose  (srq help --all)';

/** Describes an option more briefly than commander, so that it fits in one line. */
function describe({ description, argChoices, defaultValue }: Option): string {
  const usual = ['string', 'number'].includes(typeof defaultValue) ? `(default: ${defaultValue})` : '';
  return [argChoices ? `${description}: ${argChoices.join(', ')}` : description, usual].join(' ').trim();
}

/** Adds the global options. The main help shows them in a single line, so that the commands fit on a screen. */
function addGlobalOptions(program: Command): void {
  const all = [
    rare('--profile <name>', 'use this profile (SRQ_PROFILE)'),
    rare('--sandbox', 'use a sandbox in this process, with state of its own'),
    rare('--json', 'print one JSON document on stdout'),
    rare('--quiet', 'no plan, no progress'),
    rare('--verbose', 'show every call to the service, masked'),
    rare('--no-color', 'no colours (NO_COLOR)'),
    rare('--no-input', 'never ask'),
    rare('--timeout <seconds>', 'longest wait for a whole answer (default: 120)').argParser(positiveNumber),
    rare('--log <file>', 'use this log'),
    rare('--store <url>', 'keep the log in this PostgreSQL, for several machines (SRQ_STORE)'),
    rare('--ca-file <file>', 'trust these certificate authorities (PEM), too'),
    rare('--cert <file>', 'client certificate (PEM)'),
    rare('--key <file>', 'its key (PEM); passphrase in SRQ_KEY_PASSPHRASE'),
  ];
  for (const option of all) program.addOption(option);
  program.options.find(({ long }) => long === '--version')?.hideHelp();
}
