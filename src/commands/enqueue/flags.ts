import type { Command } from 'commander';
import type { RunCommand } from '../../cli/command.ts';
import { addReadingOptions, choice, examples, rare, wholeNumber } from '../options.ts';

export function addEnqueue(program: Command, run: RunCommand): void {
  const enqueue = program.command('enqueue <file>').description('queue a file of leads for workers (-: stdin)');
  addReadingOptions(enqueue)
    .option('--dry-run', 'read, map, check; queue nothing')
    .option('--limit <n>', 'only the first N rows', wholeNumber(1, Number.MAX_SAFE_INTEGER))
    .addOption(
      rare('--skip <n>', 'leave out the first N rows').argParser(wholeNumber(0, Number.MAX_SAFE_INTEGER)).default(0),
    )
    .option('--strict', 'warnings make a row invalid')
    .addOption(rare('--no-validate', 'check only what create needs, for workers that do not validate'))
    .addOption(
      choice('--on-duplicate <what>', 'what the log has as a duplicate', ['skip', 'create']).default('skip').hideHelp(),
    )
    .option('--accept-likely', 'use columns that are only likely without asking')
    .option('-y, --yes', 'do not ask to confirm the plan and the columns')
    .addHelpText(
      'after',
      examples('srq enqueue leads.csv --store postgres://srq@db.example/leads', 'srq enqueue leads.csv --yes --json'),
    )
    .action(run(async () => (await import('./run.ts')).enqueue));
}
