import type { Command } from 'commander';
import type { RunCommand } from '../../cli/command.ts';
import { examples } from '../options.ts';

export function addProfile(program: Command, run: RunCommand): void {
  const profile = program
    .command('profile')
    .helpCommand(false)
    .description('list and choose profiles')
    .addHelpText('after', examples('srq profile list', 'srq profile use shop'));
  profile
    .command('list')
    .description('list the stored profiles; * marks the one in force')
    .addHelpText('after', examples('srq profile list --json'))
    .action(run(async () => (await import('./run.ts')).profileList));
  profile
    .command('use <name>')
    .description('make this the default profile')
    .addHelpText('after', examples('srq profile use shop'))
    .action(run(async () => (await import('./run.ts')).profileUse));
}
