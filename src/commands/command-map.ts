import type { Argument, Command, Option } from 'commander';
import type { TellingContext } from '../cli/command.ts';
import { ENVIRONMENT } from '../cli/environment.ts';
import { EXIT_CODES } from '../cli/exit-codes.ts';
import type { DocumentOf } from '../request/documents/types.ts';
import { ERRORS } from '../request/words/error-codes.ts';
import type { ErrorCode } from '../request/words/errors.ts';
import { takesNumber } from './options.ts';

type MappedCommand = DocumentOf<'help'>['commands'][number];
type MappedOption = MappedCommand['options'][number];

/**
 * Prints what a program needs to call srq: the commands below `wanted` with their options. They come from the same
 * table as the help.
 */
export async function commandMap(context: TellingContext, program: Command, wanted: Command): Promise<number> {
  const commands = leavesOf(wanted, wordsTo(wanted, program)).map(([words, command]) => mapped(words, command));
  const globalOptions = program.options.map(mappedOption);
  const document = { version: program.version() ?? '', commands, globalOptions };
  await (await context.reporter()).result('help', document, () => JSON.stringify(document, null, 2));
  return 0;
}

function wordsTo(command: Command, program: Command): readonly string[] {
  return command === program || command.parent === null ? [] : [...wordsTo(command.parent, program), command.name()];
}

/** Returns the commands that can be run, with their words. Commands that only shells call are left out. */
export function leavesOf(command: Command, words: readonly string[] = []): [readonly string[], Command][] {
  const below = command.commands
    .filter((each) => !each.name().startsWith('__'))
    .flatMap((each) => leavesOf(each, [...words, each.name()]));
  // One may do something by itself and have commands below it.
  const isLeaf = below.length === 0 || words.join(' ') in COMMAND_FACTS;
  return isLeaf ? [[words, command], ...below] : below;
}

function mapped(words: readonly string[], command: Command): MappedCommand {
  const name = words.join(' ');
  const { sends, fails } = COMMAND_FACTS[name] ?? { sends: 'nothing', fails: [] };
  const errors = [...ALWAYS, ...fails];
  const exitCodes = new Set([EXIT_CODES.ok, ...errors.map((code) => EXIT_CODES[code])].map(({ number }) => number));
  return {
    name,
    description: command.description(),
    arguments: command.registeredArguments.map(mappedArgument),
    options: command.options.map(mappedOption),
    sends,
    exitCodes: [...exitCodes].sort((a, b) => a - b),
    errors,
    reasons: Object.entries(ERRORS).flatMap(([reason, { kind }]) => (errors.includes(kind) ? [reason] : [])),
  };
}

function mappedArgument(argument: Argument): MappedCommand['arguments'][number] {
  const { argChoices, description, required: isRequired, variadic: isRepeatable } = argument;
  return { name: argument.name(), isRequired, isRepeatable, choices: argChoices ?? null, description };
}

function mappedOption(option: Option): MappedOption {
  const { flags, long, short, argChoices, defaultValue, description, required, optional, mandatory, hidden } = option;
  const [, value = null] = /[<[](.+?)(?:\.\.\.)?[>\]]/.exec(flags) ?? [];
  const name = long ?? flags;
  return {
    name,
    short: short ?? null,
    value,
    type: !required && !optional ? 'flag' : argChoices ? 'choice' : takesNumber(option) ? 'number' : 'text',
    isValueOptional: optional,
    isRequired: mandatory,
    isRepeatable: option.variadic || typeof defaultValue === 'object',
    choices: argChoices ?? null,
    default: ['string', 'number', 'boolean'].includes(typeof defaultValue) ? defaultValue : null,
    environment: ENVIRONMENT.find((entry) => entry.option === name)?.names[0] ?? null,
    isRare: hidden,
    description,
  };
}

/** The external effects of a command, and the errors that it may have besides those of all commands. */
interface CommandFacts {
  /** `creates` means that requests may be created. `asks` means that the service is called and nothing is created. */
  readonly sends: 'creates' | 'asks' | 'nothing';
  readonly fails: readonly ErrorCode[];
}

/** The errors that every command may have. */
const ALWAYS: readonly ErrorCode[] = ['fault', 'usage', 'settings', 'interrupted', 'terminated'];

const SERVICE: readonly ErrorCode[] = ['auth', 'unreachable', 'service'];
const local = (...fails: readonly ErrorCode[]): CommandFacts => ({ sends: 'nothing', fails });
const asking = (...fails: readonly ErrorCode[]): CommandFacts => ({ sends: 'asks', fails: [...SERVICE, ...fails] });
const creating = (...fails: readonly ErrorCode[]): CommandFacts => ({
  sends: 'creates',
  fails: [...SERVICE, 'log', 'unknown', ...fails],
});

/**
 * The facts about each command that a program needs to know before it calls it. A test compares the names with the
 * commands.
 */
export const COMMAND_FACTS: Readonly<Record<string, CommandFacts>> = {
  login: asking(),
  logout: local(),
  status: local('auth'),
  'profile list': local(),
  'profile use': local(),
  'profile remove': local(),
  doctor: creating('rejected', 'platform.no-lock'),
  validate: asking('input', 'rejected', 'unknown', 'duplicate'),
  create: creating('input', 'rejected', 'duplicate', 'platform.no-lock'),
  bulk: creating('input', 'rejected', 'stopped', 'platform.no-lock'),
  log: local('log'),
  report: local('log', 'input', 'auth'),
  export: local('log', 'input', 'auth'),
  resolve: asking('log', 'input', 'unknown', 'platform.no-lock'),
  'store migrate': local('log'),
  'store resume': local('log'),
  'store import': local('log', 'platform.no-lock'),
  'store export': local('log'),
  enqueue: local('input', 'log', 'rejected', 'auth'),
  work: creating('rejected', 'stopped'),
  queue: local('log', 'auth'),
  'queue purge': local('log', 'auth'),
  'contract learn': local('input', 'auth', 'log'),
  'contract show': local(),
  'contract forget': local(),
  'mapping list': local(),
  'mapping show': local(),
  'mapping forget': local(),
  sandbox: local('input'),
  template: local(),
  markets: local(),
  completion: local(),
  schema: local(),
  version: local(),
  help: local(),
};
