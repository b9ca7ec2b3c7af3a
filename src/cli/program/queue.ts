import type { Command } from 'commander';
import type { RunCommand } from '../command.ts';
import { choice, rate, settleSeconds, wholeNumber } from '../option-values.ts';
import { addReadingOptions } from './import-options.ts';
import { examples, rare } from './option.ts';

export function addQueue(program: Command, run: RunCommand): void {
  const enqueue = program.command('enqueue <file>').description('queue a file of leads for workers (-: stdin)');
  addReadingOptions(enqueue)
    .option('--dry-run', 'read, map, check; queue nothing')
    .option('--limit <n>', 'only so many rows', wholeNumber(1, Number.MAX_SAFE_INTEGER))
    .addOption(
      rare('--skip <n>', 'after leaving out so many').argParser(wholeNumber(0, Number.MAX_SAFE_INTEGER)).default(0),
    )
    .option('--strict', 'warnings make a row invalid')
    .addOption(rare('--no-validate', 'for workers that do not validate: ask for no more than create needs'))
    .addOption(
      choice('--on-duplicate <what>', 'what the log knows as duplicate', ['skip', 'create']).default('skip').hideHelp(),
    )
    .option('--yes', 'do not ask whether plan and columns are right')
    .addHelpText(
      'after',
      examples('srq enqueue leads.csv --store postgres://srq@db.example/leads', 'srq enqueue leads.csv --yes --json'),
    )
    .action(run(async () => (await import('../commands/enqueue.ts')).enqueue));
  addWork(program, run);
  program
    .command('queue')
    .description('show the queue, its workers and what they get done')
    .option('--watch', 'again every two seconds, until Ctrl-C')
    .addHelpText('after', examples('srq queue', 'srq queue --watch', 'srq queue --json'))
    .action(run(async () => (await import('../commands/queue.ts')).queue));
}

function addWork(program: Command, run: RunCommand): void {
  program
    .command('work')
    .description('deliver what is queued, beside any number of other workers')
    .option('--concurrency <n>', 'most requests in flight here', wholeNumber(1, 1000), 16)
    .option('--rate <rate>', 'requests a second of the account: auto (the default), max, a number', rate)
    .option('--until-empty', 'end when the queue is empty')
    .addOption(rare('--no-validate', 'create without asking for duplicates first'))
    .addOption(choice('--on-duplicate <what>', 'a duplicate', ['skip', 'create']).default('skip').hideHelp())
    .addOption(
      choice('--in-doubt <what>', 'requests that may have been taken', ['park', 'validate'])
        .default('validate')
        .hideHelp(),
    )
    .addOption(
      rare('--settle <seconds>', 'age of a doubt before validate is asked (learned, 60+)').argParser(settleSeconds),
    )
    .addOption(
      rare('--missing <seconds>', "others' rows are taken after such silence")
        .argParser(wholeNumber(10, 86_400))
        .default(30),
    )
    .option('--health-file <file>', 'write the state there every few seconds, as JSON')
    .option('--health-port <port>', 'answer /healthz and /livez there', wholeNumber(1, 65_535))
    .addOption(rare('--health-host <address>', 'where to listen').default('127.0.0.1'))
    .addOption(choice('--log-format <format>', 'how to talk on stderr', ['text', 'json']).default('text'))
    .addHelpText(
      'after',
      examples('srq work', 'srq work --until-empty --json', 'srq work --log-format json --health-port 8080'),
    )
    .action(run(async () => (await import('../commands/work.ts')).work));
}
