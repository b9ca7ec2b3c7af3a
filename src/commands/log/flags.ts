import type { Command } from 'commander';
import type { RunCommand } from '../../cli/command.ts';
import { addLogFilterOptions, examples, wholeNumber } from '../options.ts';

export function addLog(program: Command, run: RunCommand): void {
  const log = program
    .command('log')
    .description('show what was sent and what came back')
    .option('--ref <ref>', 'only this reference')
    .option('--id <id>', 'only this identifier');
  addLogFilterOptions(log)
    .option('--limit <n>', 'only the last N', wholeNumber(0, 1_000_000))
    .option('--follow', 'keep showing what is added, until Ctrl-C')
    .option('--csv', 'as CSV')
    .addHelpText(
      'after',
      examples('srq log --since 24h --status rejected', 'srq log --follow --json          one JSON document a line'),
    )
    .action(run(async () => (await import('./run.ts')).log));
}
