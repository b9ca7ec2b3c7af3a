import type { Command } from 'commander';
import type { RunCommand } from '../../cli/command.ts';
import {
  addReadingOptions,
  addSubmitOptions,
  choice,
  errorBudget,
  examples,
  rare,
  rate,
  settleSeconds,
  wholeNumber,
} from '../options.ts';

export function addBulk(program: Command, run: RunCommand): void {
  const most = Number.MAX_SAFE_INTEGER;
  const bulk = program
    .command('bulk <files...>')
    .description('import files of leads (-: stdin); try it with --sandbox');
  addReadingOptions(bulk)
    .option('--dry-run', 'read, map, check; send nothing')
    .option('--limit <n>', 'only the first N rows', wholeNumber(1, most))
    .addOption(rare('--skip <n>', 'leave out the first N rows').argParser(wholeNumber(0, most)).default(0))
    .option('--strict', 'warnings make a row invalid');
  addSubmitOptions(bulk)
    .option('--rate <rate>', 'requests a second: auto (the default), max, a number', rate)
    .addOption(rare('--concurrency <n>', 'most requests at the same time').argParser(wholeNumber(1, 1000)).default(16))
    .option('--max-errors <n>', 'stop after so many refused rows: 50, or 2%', errorBudget)
    .addOption(
      rare('--settle <seconds>', 'wait before asking validate about an unknown outcome (60 or 240)').argParser(
        settleSeconds,
      ),
    )
    .addOption(
      choice('--in-doubt <what>', 'rows with an unknown outcome', ['park', 'validate']).default('validate').hideHelp(),
    )
    .option('--results <file>', 'write every row with its outcome there')
    .option('--report <file>', 'write the run as a page with charts (.html)')
    .addOption(rare('--events <file>', 'write what happens there, one JSON object a line (-: stdout)'))
    .addOption(rare('--keep', 'with --sandbox: keep its inbox open until Ctrl-C'))
    .option('--accept-likely', 'use columns that are only likely without asking')
    .option('-y, --yes', 'do not ask to confirm the plan and the columns')
    .addHelpText(
      'after',
      examples('srq bulk leads.csv --sandbox', "srq bulk leads.csv --map 'Telefon 2=phone' --set country=PT --dry-run"),
    )
    .action(run(async () => (await import('./run.ts')).bulk));
}
