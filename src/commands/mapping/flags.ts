import type { Command } from 'commander';
import type { RunCommand } from '../../cli/command.ts';
import { examples } from '../options.ts';

export function addMapping(program: Command, run: RunCommand): void {
  const mapping = program
    .command('mapping')
    .helpCommand(false)
    .description('list, show and forget the column mappings you confirmed')
    .addHelpText('after', examples('srq mapping list', 'srq mapping show 3fa9', 'srq mapping forget 3fa9'));
  mapping
    .command('list')
    .description('list what is remembered for each header row')
    .addHelpText('after', examples('srq mapping list --json'))
    .action(run(async () => (await import('./run.ts')).mappingList));
  mapping
    .command('show <fingerprint>')
    .description('show one as JSON that --mapping reads')
    .addHelpText('after', examples('srq mapping show 3fa9 > leads.map.json'))
    .action(run(async () => (await import('./run.ts')).mappingShow));
  mapping
    .command('forget [fingerprint]')
    .description('read files with this header row as if for the first time')
    .option('--all', 'all mappings of this profile')
    .addHelpText('after', examples('srq mapping forget 3fa9', 'srq mapping forget --all'))
    .action(run(async () => (await import('./run.ts')).mappingForget));
}
