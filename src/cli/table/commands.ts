import type { Flags } from './flags.ts';
import { REQUESTS, SEVERAL_MACHINES } from './requests.ts';
import type { CommandRow } from './row.ts';
import { AROUND, SETUP } from './surroundings.ts';

/** All commands, in the order of the help. */
export const COMMANDS: readonly CommandRow[] = [...SETUP, ...REQUESTS, ...SEVERAL_MACHINES, ...AROUND];

/** Finds the commands below some words: `store` has four, `srq` all. */
export function below(words: readonly string[]): readonly CommandRow[] {
  const start = words.join(' ');
  return start === '' ? COMMANDS : COMMANDS.filter(({ words: own }) => own.startsWith(`${start} `));
}

export function commandOf(words: readonly string[]): CommandRow | undefined {
  return COMMANDS.find((row) => row.words === words.join(' '));
}

/** The long name of a flag: `dryRun` is `--dry-run`. */
export function longName(name: string, { isOff }: Flags[string]): string {
  return `--${isOff ? 'no-' : ''}${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

/** Takes a placeholder apart: `[file...]` is an optional, repeatable `file`. */
export function placeholder(text: string): {
  readonly bare: string;
  readonly isOptional: boolean;
  readonly isRepeatable: boolean;
} {
  const [, bare = '', dots = ''] = /^[<[](.+?)(\.\.\.)?[>\]]$/.exec(text) ?? [];
  return { bare, isOptional: text.startsWith('['), isRepeatable: dots !== '' };
}
