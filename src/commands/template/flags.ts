import type { Command } from 'commander';
import type { RunCommand } from '../../cli/command.ts';
import { chosenArgument, examples } from '../options.ts';

export function addTemplate(program: Command, run: RunCommand): void {
  program
    .command('template')
    .description('write an example file of leads')
    .addArgument(chosenArgument('<format>', 'csv, as spreadsheets of the market write it, or json', ['csv', 'json']))
    .option('--market <code>', 'market for language and format', 'PT')
    .option('--output <file>', 'write it there; an existing file is not replaced')
    .addHelpText('after', examples('srq template csv --market DE --output leads.csv'))
    .action(run(async () => (await import('./run.ts')).template));
}
