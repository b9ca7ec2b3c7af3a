import type { Command } from 'commander';
import type { Context } from '../../cli/context.ts';
import { printable } from '../../report/output.ts';
import { candidatesFor } from './candidates.ts';
import { COMPLETION_SCRIPTS } from './scripts.ts';
import type { Shell } from './shells.ts';

/** Prints the script with which a shell completes srq's commands. */
export async function completion(context: Context, shell: Shell): Promise<number> {
  const script = COMPLETION_SCRIPTS[shell];
  await (await context.reporter()).result({ shell, script }, () => script);
  return 0;
}

/** Answers a completion request of a shell. `count` is the number of words before the cursor's word. */
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

/** bash passes the `=` between an option and its value as a word. */
function current(word = ''): string {
  return word === '=' ? '' : word;
}

/**
 * Ignores a settings file that cannot be used, because other commands report that. Names that cannot be typed are left
 * out.
 */
async function profileNames(context: Context): Promise<string[]> {
  try {
    return Object.keys((await context.profiles()).all()).filter((name) => printable(name) === name);
  } catch {
    return [];
  }
}
