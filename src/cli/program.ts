import { Command, type Option, type OutputConfiguration } from 'commander';
import { addBulk } from '../commands/bulk/flags.ts';
import { addCompletion } from '../commands/completion/flags.ts';
import { addContract } from '../commands/contract/flags.ts';
import { addCreate } from '../commands/create/flags.ts';
import { addDoctor } from '../commands/doctor/flags.ts';
import { addEnqueue } from '../commands/enqueue/flags.ts';
import { addHelpCommand } from '../commands/help/flags.ts';
import { addLog } from '../commands/log/flags.ts';
import { addLogin } from '../commands/login/flags.ts';
import { addLogout } from '../commands/logout/flags.ts';
import { addMarkets } from '../commands/markets/flags.ts';
import { positiveNumber, rare } from '../commands/options.ts';
import { addProfile } from '../commands/profile/flags.ts';
import { addQueue } from '../commands/queue/flags.ts';
import { addReport } from '../commands/report/flags.ts';
import { addResolve } from '../commands/resolve/flags.ts';
import { addSandbox } from '../commands/sandbox/flags.ts';
import { addStatus } from '../commands/status/flags.ts';
import { addStore } from '../commands/store/flags.ts';
import { addTemplate } from '../commands/template/flags.ts';
import { addValidate } from '../commands/validate/flags.ts';
import { addWork } from '../commands/work/flags.ts';
import type { GlobalOptions, Invoke } from './command.ts';

/** In the order in which help names them. */
const COMMANDS = [
  addLogin,
  addLogout,
  addStatus,
  addProfile,
  addDoctor,
  addValidate,
  addCreate,
  addBulk,
  addLog,
  addReport,
  addResolve,
  addStore,
  addEnqueue,
  addWork,
  addQueue,
  addContract,
  addSandbox,
  addTemplate,
  addMarkets,
  addCompletion,
  addHelpCommand,
];

/**
 * The commands and their flags. Each command's code is loaded when it is called. `output` is where commander writes; a
 * mistake in the arguments is thrown as `CommanderError`.
 */
export function makeProgram(version: string, invoke: Invoke, output: OutputConfiguration): Command {
  // What follows the first lines is inherited by the commands.
  const program = new Command('srq')
    .exitOverride()
    .configureOutput(output)
    .helpOption('-h, --help', 'print help')
    .showSuggestionAfterError(true)
    .usage('COMMAND [options]   hands over service requests, and none twice')
    .version(version, '--version', 'print the version')
    .configureHelp({
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
  for (const add of COMMANDS) add(program, run);
  program.addHelpText('after', EVERYWHERE);
  for (const command of program.commands) {
    command.addHelpText('after', () => {
      const isAll = command.createHelp().visibleOptions(command).length >= command.options.length;
      return isAll ? '' : `More options: srq help ${command.name()} --all`;
    });
  }
  return program;
}

/** With the commands this is all that a screen has room for. */
const EVERYWHERE = 'Everywhere: --profile NAME --sandbox --json --quiet --verbose  (srq help --all)';

/** Shorter than commander's own: an option is to fit in a line. */
function describe({ description, argChoices, defaultValue }: Option): string {
  const usual = ['string', 'number'].includes(typeof defaultValue) ? `(default: ${defaultValue})` : '';
  return [argChoices ? `${description}: ${argChoices.join(', ')}` : description, usual].join(' ').trim();
}

/** In one line of the main help, so that the commands fit on a screen. */
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
