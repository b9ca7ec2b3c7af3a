import type { Command } from 'commander';
import type { RunCommand } from '../../cli/command.ts';
import { addReadingOptions, examples } from '../options.ts';

export function addReport(program: Command, run: RunCommand): void {
  const report = program
    .command('report')
    .description('write a page with charts about an import, even a running one')
    .requiredOption('-o, --output <file>', 'write the page there (.html)')
    .option('--run <id>', 'run id, or how it begins, or "all" (default: the last run)')
    .option('--input <file>', 'list all rows of this file, not only what was sent');
  addReadingOptions(report)
    .addHelpText('after', examples('srq report -o run.html', 'srq report --input leads.csv --run all -o all.html'))
    .action(run(async () => (await import('./run.ts')).report));
}
