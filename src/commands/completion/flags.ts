import type { Command } from 'commander';
import type { RunCommand } from '../../cli/command.ts';
import type { Context } from '../../cli/context.ts';
import { chosenArgument, examples } from '../options.ts';

const SHELLS = ['bash', 'zsh', 'fish', 'powershell'] as const;
export type Shell = (typeof SHELLS)[number];

export function addCompletion(program: Command, run: RunCommand): void {
  program
    .command('completion')
    .description('make your shell complete commands, options and profiles')
    .addArgument(chosenArgument('<shell>', '', SHELLS))
    .addHelpText(
      'after',
      examples(
        'eval "$(srq completion bash)"       in ~/.bashrc; for zsh the same in ~/.zshrc',
        'srq completion fish > ~/.config/fish/completions/srq.fish',
        'srq completion powershell | Out-String | Invoke-Expression',
      ),
    )
    .action(run(async () => (await import('./run.ts')).completion));
  program.command('__complete <count> [word...]', { hidden: true }).action(
    run(async () => {
      const { complete } = await import('./run.ts');
      return (context: Context, count: string, words: string[]) => complete(context, program, Number(count), words);
    }),
  );
}
