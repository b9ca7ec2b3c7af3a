import type { Command, Option } from 'commander';
import type { Context } from '../cli/context.ts';
import { helpOutput, makeProgram } from '../cli/program.ts';
import { HELP_TOPICS } from '../cli/table/surroundings.ts';
import { didYouMean } from '../request/words/did-you-mean.ts';
import { SrqError } from '../request/words/errors.ts';

/** Prints the help of a command, with `--all` including its rare options, or the help on a topic. */
export async function help(
  context: Context,
  words: readonly string[],
  { all }: { readonly all?: boolean },
): Promise<number> {
  const topic = HELP_TOPICS.find((name) => name === words[0]);
  if (topic) return (await import('./help-topics.ts')).TOPICS[topic](context);
  const program = await makeProgram(context.version, async () => {}, helpOutput(context.process));
  const wanted = words.reduce(subcommand, program);
  if (context.options.json) return (await import('./command-map.ts')).commandMap(context, words);
  if (all) wanted.configureHelp({ ...wanted.configureHelp(), visibleOptions: ({ options }) => options as Option[] });
  wanted.outputHelp();
  return 0;
}

function subcommand(command: Command, word: string): Command {
  const found = command.commands.find((each) => each.name() === word);
  if (found) return found;
  const guess = didYouMean(word, [...command.commands.map((each) => each.name()), ...HELP_TOPICS]);
  throw new SrqError('arguments.invalid', `There is no command "${word}".${guess}`, 'See: srq help --help');
}
