import type { Command } from 'commander';
import type { RunCommand } from '../../cli/command.ts';
import { examples } from '../options.ts';

export function addStore(program: Command, run: RunCommand): void {
  // Few need it by hand, and they are told so where they do.
  const store = program
    .command('store', { hidden: true })
    .helpCommand(false)
    .description('the log in PostgreSQL that several machines share')
    .addHelpText('after', examples('srq store migrate --store postgres://owner@db.example/leads'));
  store
    .command('migrate')
    .description('make its tables, or bring them up to date')
    .addHelpText('after', examples('srq store migrate --store postgres://owner@db.example/leads'))
    .action(run(async () => (await import('./run.ts')).storeMigrate));
}
