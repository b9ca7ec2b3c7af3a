import type { Command, Option } from 'commander';
import type { RunCommand, TellingContext } from '../cli/command.ts';
import { nearest } from '../request/words/did-you-mean.ts';

/** The topics of the help, besides the commands. */
const TOPICS = {
  'exit-codes': async () => (await import('./help-topics.ts')).exitCodes,
  errors: async () => (await import('./help-topics.ts')).errors,
  environment: async () => (await import('./help-topics.ts')).environment,
  files: async () => (await import('./help-topics.ts')).files,
};

/**
 * Adds `srq help`. It prints the help of a command, with `--all` including its rare options, or the help on a topic.
 */
export function addHelpCommand(program: Command, run: RunCommand): void {
  const topics = new Map(Object.entries(TOPICS).map(([name, load]) => [name, run(load)]));
  const showMap = run(async () => {
    const { commandMap } = await import('./command-map.ts');
    return (context: TellingContext, wanted: Command) => commandMap(context, program, wanted);
  });
  program
    .helpCommand(false)
    .command('help [command...]', { hidden: true })
    .description(`print help of a command, or on ${[...topics.keys()].join(', ')}`)
    .option('--all', 'with the options that few need')
    .action((words: string[], { all }: { all?: boolean }, help: Command) => {
      const showTopic = topics.get(words[0] ?? '');
      if (showTopic) return showTopic(words.slice(1), help);
      const wanted = words.reduce((command, word) => subcommand(command, word, help), program);
      if (help.optsWithGlobals()['json']) return showMap(wanted, help);
      if (all)
        wanted.configureHelp({ ...wanted.configureHelp(), visibleOptions: ({ options }) => options as Option[] });
      wanted.outputHelp();
      return undefined;
    })
    .addHelpText('after', '\nExamples:\n  srq help bulk --all\n  srq help exit-codes');
}

function subcommand(command: Command, word: string, help: Command): Command {
  const found = command.commands.find((each) => each.name() === word);
  if (found) return found;
  const meant = nearest(word, [...command.commands.map((each) => each.name()), ...Object.keys(TOPICS)]);
  return help.error(`error: unknown command '${word}'${meant === null ? '' : `\n(Did you mean ${meant}?)`}`);
}
