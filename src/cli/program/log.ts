import type { Command } from 'commander';
import { SENT_STATUSES } from '../../model/outcome.ts';
import type { RunCommand } from '../command.ts';
import { choice, settleSeconds, wholeNumber } from '../option-values.ts';
import { addReadingOptions } from './import-options.ts';
import { examples, rare } from './option.ts';

export function addLog(program: Command, run: RunCommand): void {
  program
    .command('log')
    .description('show what was sent and what came back')
    .option('--ref <ref>', 'only this reference')
    .option('--id <id>', 'only this identifier')
    .option('--since <time>', 'only since: 2026-11-21, or 90m, 24h, 7d ago')
    .option('--until <time>', 'only before, or to the end of a day')
    .addOption(choice('--status <status>', 'only this status', SENT_STATUSES))
    .option('--run <run>', 'only this run, by the beginning of its name')
    .option('--limit <n>', 'only the last so many', wholeNumber(0, 1_000_000))
    .option('--totals', 'count by day (UTC) and status')
    .option('--follow', 'go on with what is added, until Ctrl-C')
    .option('--csv', 'as CSV')
    .addHelpText(
      'after',
      examples(
        'srq log --since 24h --status rejected',
        'srq log --totals',
        'srq log --follow --json          one JSON document a line',
      ),
    )
    .action(run(async () => (await import('../commands/log.ts')).log));
}

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
    .action(run(async () => (await import('../commands/report.ts')).report));
}

export function addResolve(program: Command, run: RunCommand): void {
  const resolve = program
    .command('resolve [key...]')
    .description('list or settle requests that may have been taken')
    .option('--created [id]', 'you looked: it is there')
    .option('--not-created', 'you looked: it is not there; the next run sends it')
    .option('--validate', 'let validate decide, if it is proven; needs --file')
    .option('--ref <ref>', 'those with this reference')
    .option('--all', 'all of them')
    .option('--file <file>', 'with --validate: the file they came from')
    .addOption(rare('--settle <seconds>', 'with --validate: least age of a doubt').argParser(settleSeconds));
  addReadingOptions(resolve)
    .addHelpText(
      'after',
      examples(
        'srq resolve                                       list them',
        'srq resolve 3f9a1c22b0d4 --created 123456',
        'srq resolve --validate --file leads.csv',
      ),
    )
    .action(run(async () => (await import('../commands/resolve.ts')).resolve));
}

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
    .action(run(async () => (await import('../commands/store.ts')).storeMigrate));
}
