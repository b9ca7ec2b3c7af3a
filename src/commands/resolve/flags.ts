import type { Command } from 'commander';
import type { RunCommand } from '../../cli/command.ts';
import { examples } from '../options.ts';

export function addResolve(program: Command, run: RunCommand): void {
  program
    .command('resolve [key...]')
    .description('list or settle requests whose outcome is unknown')
    .option('--created [id]', 'you looked it up: the service has it')
    .option('--not-created', 'you looked it up: not there; the next run sends it')
    .option('--ref <ref>', 'all with this reference')
    .option('--run <run>', 'all of this run')
    .option('--all', 'every request whose outcome is unknown')
    .addHelpText(
      'after',
      examples(
        'srq resolve                                       list them',
        'srq resolve 3f9a1c22b0d4 --created 123456',
        'srq resolve --not-created --run 3f9a',
      ),
    )
    .action(run(async () => (await import('./run.ts')).resolve));
}
