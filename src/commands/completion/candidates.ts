import type { Command, Option } from 'commander';
import { MARKETS } from '../../request/markets.ts';

/** The candidates for the word at the cursor. */
export interface Candidates {
  readonly words: readonly CompletionWord[];
  /** If true, file names fit as well; the shell completes those itself. */
  readonly files: boolean;
}

interface CompletionWord {
  readonly word: string;
  /** A single line, which may be empty. */
  readonly description: string;
}

const NONE: Candidates = { words: [], files: false };

/**
 * Returns the candidates for the word at the cursor. `before` are the words between `srq` and that word, and `current`
 * is the part of it that has been typed.
 */
export function candidatesFor(
  program: Command,
  before: readonly string[],
  current: string,
  profiles: readonly string[],
): Candidates {
  const { command, operands, awaiting } = read(program, before);
  const [, flag = '', typed] = /^(--[^=]+)=(.*)$/s.exec(current) ?? [];
  if (awaiting) return startingWith(current, valuesOf(awaiting.flags, awaiting, profiles));
  if (typed !== undefined) {
    const option = optionOf(command, flag);
    const values = option ? startingWith(typed, valuesOf(option.flags, option, profiles)).words : [];
    return { words: values.map(({ word, description }) => ({ word: `${flag}=${word}`, description })), files: false };
  }
  if (current.startsWith('-')) return startingWith(current, { words: optionWords(command), files: false });
  const argument =
    command.registeredArguments[operands] ?? command.registeredArguments.find(({ variadic }) => variadic);
  const values = argument ? valuesOf(`${command.name()} <${argument.name()}>`, argument, profiles) : NONE;
  const subcommands = operands === 0 ? visible(command).map(described) : [];
  return startingWith(current, { words: [...subcommands, ...values.words], files: values.files });
}

/**
 * Finds the command that the words lead to, the number of its arguments so far, and the option whose value comes next.
 */
function read(program: Command, words: readonly string[]) {
  let command = program;
  let operands = 0;
  let awaiting: Option | null = null;
  for (const word of words) {
    // bash passes `--profile=x` as three words.
    if (word === '=') continue;
    if (awaiting) {
      awaiting = null;
    } else if (word.startsWith('-')) {
      const option = word.includes('=') ? undefined : optionOf(command, word);
      awaiting = option?.required ? option : null;
    } else {
      const next = operands === 0 ? command.commands.find((each) => each.name() === word) : undefined;
      command = next ?? command;
      operands = next ? 0 : operands + 1;
    }
  }
  return { command, operands, awaiting };
}

function optionOf(command: Command, flag: string): Option | undefined {
  const own = command.options.find(({ long, short }) => long === flag || short === flag);
  return own ?? (command.parent ? optionOf(command.parent, flag) : undefined);
}

function optionWords(command: Command): CompletionWord[] {
  const own = command.options.map(({ long, description }) => ({ word: long ?? '', description }));
  return [...own, ...(command.parent ? optionWords(command.parent) : [{ word: '--help', description: 'print help' }])];
}

function visible(command: Command): readonly Command[] {
  return command.createHelp().visibleCommands(command);
}

function described(command: Command): CompletionWord {
  return { word: command.name(), description: command.description() };
}

/** Returns the values of an option or argument, by its choices or by its name in the usage. */
function valuesOf(usage: string, { argChoices }: { argChoices?: string[] }, profiles: readonly string[]): Candidates {
  if (argChoices) return { words: argChoices.map((word) => ({ word, description: '' })), files: false };
  if (/^--profile |^(?:use|remove) </.test(usage)) {
    return { words: profiles.map((word) => ({ word, description: 'profile' })), files: false };
  }
  if (/^--(?:country|market) /.test(usage)) {
    return { words: MARKETS.map(({ code, name }) => ({ word: code, description: name })), files: false };
  }
  return /<files?>|<request>/.test(usage) ? { words: [], files: true } : NONE;
}

function startingWith(prefix: string, { words, files }: Candidates): Candidates {
  const wanted = prefix.toLowerCase();
  return { words: words.filter(({ word }) => word.toLowerCase().startsWith(wanted)), files };
}
