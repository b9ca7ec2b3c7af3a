import type { Command } from 'commander';
import type { RunCommand } from '../../cli/command.ts';
import { addLogFilterOptions, addReadingOptions, examples } from '../options.ts';

export function addExport(program: Command, run: RunCommand): void {
  const command = program
    .command('export')
    .description('write identifiers for your CRM, from the log or beside a file')
    .argument('[file]', 'add srq_status, srq_id, srq_at to its columns (-: stdin)')
    .option('-o, --output <file>', 'write it there: .csv, .xlsx or .json')
    .option('--csv', 'as CSV (the default)');
  addReadingOptions(addLogFilterOptions(command))
    .addHelpText(
      'after',
      examples('srq export leads.csv -o leads.export.csv', 'srq export --since 24h --status created'),
    )
    .action(run(async () => (await import('./run.ts')).exportRequests));
}
