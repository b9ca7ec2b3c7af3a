import type { Command } from 'commander';
import type { RunCommand } from '../../cli/command.ts';
import { examples } from '../options.ts';

export function addQueue(program: Command, run: RunCommand): void {
  program
    .command('queue')
    .description('show the queue, its workers and what they get done')
    .option('--watch', 'again every two seconds, until Ctrl-C')
    .addHelpText('after', examples('srq queue', 'srq queue --watch', 'srq queue --json'))
    .action(run(async () => (await import('./run.ts')).queue));
}
