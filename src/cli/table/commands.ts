import type { Flags } from './flags.ts';
import { REQUESTS, SEVERAL_MACHINES } from './requests.ts';
import type { CommandRow, CommandTable } from './row.ts';
import { AROUND, SETUP } from './surroundings.ts';

/** All commands, in the order of the help. */
export const COMMANDS: CommandTable = { ...SETUP, ...REQUESTS, ...SEVERAL_MACHINES, ...AROUND };

export function commandOf(words: readonly string[]): CommandRow | undefined {
  return COMMANDS[words.join(' ')];
}

/** Returns the words that name a command, without those before, between and after them. */
export function pathIn(words: readonly string[]): string[] {
  const path: string[] = [];
  for (const word of words) if (commandOf([...path, word])) path.push(word);
  return path;
}

/** Finds the command that the words name, and those below it. No words name all. */
export function within(words: readonly string[]): [string, CommandRow][] {
  const start = words.join(' ');
  return Object.entries(COMMANDS).filter(([own]) => start === '' || own === start || own.startsWith(`${start} `));
}

/** The long name of a flag: `dryRun` is `--dry-run`. */
export function longName(name: string, { isOff }: Flags[string]): string {
  return `--${isOff ? 'no-' : ''}${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

/** Takes a placeholder apart: `[file...]` is an optional, repeatable `file`. */
export function placeholder(text: string) {
  const [, bare = '', dots = ''] = /^[<[](.+?)(\.\.\.)?[>\]]$/.exec(text) ?? [];
  return { bare, isOptional: text.startsWith('['), isRepeatable: dots !== '' };
}
