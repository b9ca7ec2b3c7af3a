import { type Command, Option } from 'commander';
import type { RunCommand } from '../command.ts';
import { SHELLS } from '../completion/shells.ts';
import type { Context } from '../context.ts';
import { chosenArgument, faultRate, positiveNumber, wholeNumber } from '../option-values.ts';
import { examples } from './option.ts';

export function addSandbox(program: Command, run: RunCommand): void {
  program
    .command('sandbox')
    .description('run a local marketplace to try everything against')
    .option('--port <port>', 'port on 127.0.0.1; 0 for a free one', wholeNumber(0, 65_535), 4010)
    .option('--latency <ms>', 'time each answer takes', wholeNumber(0, 600_000), 0)
    .addOption(new Option('--rate <n>', 'most requests a second; more are answered with 429').argParser(positiveNumber))
    .option('--token-ttl <seconds>', 'life of a token', wholeNumber(1, 31_536_000), 3600)
    .option('--fault <kind=probability>', 'go wrong now and then (repeatable)', faultRate, {})
    .option('--seed <n>', 'same seed, same faults', wholeNumber(0, 2 ** 32 - 1), 1)
    .option('--contract <file>', 'demand and answer what this document says')
    .option('--store <file>', 'keep received requests from one start to the next')
    .addHelpText('after', examples('srq sandbox --port 0 --json', 'srq sandbox --latency 200 --fault reset-after=0.01'))
    .action(run(async () => (await import('../commands/sandbox.ts')).sandbox));
}

export function addListings(program: Command, run: RunCommand): void {
  program
    .command('template')
    .description('write an example file of leads')
    .addArgument(chosenArgument('<format>', 'csv, as a spreadsheet of the market has it, or json', ['csv', 'json']))
    .option('--market <code>', 'market whose language and form it has', 'PT')
    .option('--output <file>', 'write it there; an existing file stays')
    .addHelpText('after', examples('srq template csv --market DE --output leads.csv'))
    .action(run(async () => (await import('../commands/template.ts')).template));
  program
    .command('markets')
    .description('list the 22 markets: code, name, calling code, languages')
    .addHelpText('after', examples('srq markets --json'))
    .action(run(async () => (await import('../commands/markets.ts')).markets));
}

export function addCompletion(program: Command, run: RunCommand): void {
  program
    .command('completion')
    .description('let a shell complete commands, options, profiles, files')
    .addArgument(chosenArgument('<shell>', '', SHELLS))
    .addHelpText(
      'after',
      examples(
        'eval "$(srq completion bash)"       in ~/.bashrc; for zsh the same in ~/.zshrc',
        'srq completion fish > ~/.config/fish/completions/srq.fish',
        'srq completion powershell | Out-String | Invoke-Expression',
      ),
    )
    .action(run(async () => (await import('../commands/completion.ts')).completion));
  program.command('__complete <count> [word...]', { hidden: true }).action(
    run(async () => {
      const { complete } = await import('../commands/completion.ts');
      return (context: Context, count: string, words: string[]) => complete(context, program, Number(count), words);
    }),
  );
}
