import type { Command } from 'commander';
import type { RunCommand } from '../../cli/command.ts';
import { addReadingOptions, examples } from '../options.ts';

export function addReport(program: Command, run: RunCommand): void {
  const report = program
    .command('report')
    .description('write an import as a page with charts; also while it runs')
    .requiredOption('-o, --output <file>', 'write the page there (.html)')
    .option('--run <id>', 'the import whose id begins so, or "all" (the last one)')
    .option('--input <file>', 'list all rows of this file, not only what was sent')
    .option('--include-input', 'with --input: show its cells, which are personal data');
  addReadingOptions(report)
    .addHelpText('after', examples('srq report -o run.html', 'srq report --input leads.csv --run all -o all.html'))
    .action(run(async () => (await import('./run.ts')).report));
}
