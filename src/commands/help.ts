import type { Command, Option } from 'commander';
import type { RunCommand, TellingContext } from '../cli/command.ts';
import { EXIT_CODES } from '../cli/exit-codes.ts';
import { tableText } from '../report/output.ts';
import { nearest } from '../request/did-you-mean.ts';

const EXIT_CODES_TOPIC = 'exit-codes';

/**
 * Adds `srq help`. It prints the help of a command, with `--all` including its rare options, or the help on a topic.
 */
export function addHelpCommand(program: Command, run: RunCommand): void {
  const showExitCodes = run(async () => exitCodes);
  program
    .helpCommand(false)
    .command('help [command...]', { hidden: true })
    .description(`print help of a command, or on ${EXIT_CODES_TOPIC}`)
    .option('--all', 'with the options that few need')
    .action((words: string[], { all }: { all?: boolean }, help: Command) => {
      if (words[0] === EXIT_CODES_TOPIC) return showExitCodes(help);
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

/** Prints the exit codes and their meanings. */
export async function exitCodes(context: TellingContext): Promise<number> {
  const meanings = new Map(Object.values(EXIT_CODES).map(({ number, meaning }) => [number, meaning]));
  const codes = [...meanings].map(([code, meaning]) => ({ code, meaning })).sort((a, b) => a.code - b.code);
  const reporter = await context.reporter();
  await reporter.result({ exitCodes: codes }, (paint) =>
    tableText(
      ['code', 'meaning'],
      codes.map(({ code, meaning }) => [{ text: String(code).padStart(4) }, { text: meaning }]),
      null,
      paint,
    ),
  );
  reporter.say(() => 'When several apply, the first of 1, 9, 4, 7, 6, 5, 3, 8; an interrupted run keeps 130 or 143.');
  return 0;
}
