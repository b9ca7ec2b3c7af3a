import type { Command, Option } from 'commander';
import type { RunCommand } from '../../cli/command.ts';
import { nearest } from '../../request/did-you-mean.ts';

const EXIT_CODES_TOPIC = 'exit-codes';

/** `srq help`: of a command, with all its options if wanted, or of a topic that is no command. */
export function addHelpCommand(program: Command, run: RunCommand): void {
  const exitCodes = run(async () => (await import('./run.ts')).exitCodes);
  program
    .helpCommand(false)
    .command('help [command...]', { hidden: true })
    .description(`print help of a command, or on ${EXIT_CODES_TOPIC}`)
    .option('--all', 'with the options that few need')
    .action((words: string[], { all }: { all?: boolean }, help: Command) => {
      if (words[0] === EXIT_CODES_TOPIC) return exitCodes(help);
      const wanted = words.reduce((command, word) => subcommand(command, word, help), program);
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
  const meant = nearest(word, [...command.commands.map((each) => each.name()), EXIT_CODES_TOPIC]);
  return help.error(`error: unknown command '${word}'${meant === null ? '' : `\n(Did you mean ${meant}?)`}`);
}
