import type { Command } from 'commander';
import type { RunCommand } from '../../cli/command.ts';
import { chosenArgument, examples } from '../options.ts';

export function addTemplate(program: Command, run: RunCommand): void {
  program
    .command('template')
    .description('write an example file of leads')
    .addArgument(chosenArgument('<format>', 'csv, as a spreadsheet of the market has it, or json', ['csv', 'json']))
    .option('--market <code>', 'market whose language and form it has', 'PT')
    .option('--output <file>', 'write it there; an existing file stays')
    .addHelpText('after', examples('srq template csv --market DE --output leads.csv'))
    .action(run(async () => (await import('./run.ts')).template));
}
