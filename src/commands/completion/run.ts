import type { Command } from 'commander';
import type { Context } from '../../cli/context.ts';
import { printable } from '../../report/output.ts';
import { candidatesFor } from './candidates.ts';
import { COMPLETION_SCRIPTS } from './scripts.ts';
import type { Shell } from './shells.ts';

/** Prints what a shell must run to complete srq's words. */
export async function completion(context: Context, shell: Shell): Promise<number> {
  const script = COMPLETION_SCRIPTS[shell];
  await (await context.reporter()).result({ shell, script }, () => script);
  return 0;
}

/** Answers a shell's question. `count`: how many of the words stand before the cursor's. */
export async function complete(
  context: Context,
  program: Command,
  count: number,
  words: readonly string[],
): Promise<number> {
  const found = candidatesFor(program, words.slice(0, count), current(words[count]), await profileNames(context));
  const lines = found.words.map(({ word, description }) => `${word}\t${description}`);
  await (await context.reporter()).result(found, () => [...lines, ...(found.files ? [':files'] : [])].join('\n'));
  return 0;
}

/** bash takes the mark between an option and its value for a word. */
function current(word = ''): string {
  return word === '=' ? '' : word;
}

/** A settings file that cannot be used, or names nobody can type, are for other commands to complain about. */
async function profileNames(context: Context): Promise<string[]> {
  try {
    return Object.keys((await context.profiles()).all()).filter((name) => printable(name) === name);
  } catch {
    return [];
  }
}
