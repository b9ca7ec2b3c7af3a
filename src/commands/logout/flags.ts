import type { Command } from 'commander';
import type { RunCommand } from '../../cli/command.ts';
import { examples } from '../options.ts';

export function addLogout(program: Command, run: RunCommand): void {
  program
    .command('logout')
    .description('forget credentials and token; the log stays')
    .addHelpText('after', examples('srq logout --profile shop'))
    .action(run(async () => (await import('./run.ts')).logout));
}
