import type { Command } from 'commander';
import type { RunCommand } from '../../cli/command.ts';
import { examples } from '../options.ts';

export function addStatus(program: Command, run: RunCommand): void {
  program
    .command('status')
    .description('show who would send, where to, by which settings')
    .addHelpText('after', examples('srq status', 'srq status --json --profile shop'))
    .action(run(async () => (await import('./run.ts')).status));
}
