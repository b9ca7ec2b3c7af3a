import type { Command } from 'commander';
import type { RunCommand } from '../../cli/command.ts';
import { choice, examples, rare, rate, settleSeconds, wholeNumber } from '../options.ts';

export function addWork(program: Command, run: RunCommand): void {
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
      rare('--settle <seconds>', 'wait before asking validate about an unknown outcome (learned, 60+)').argParser(
        settleSeconds,
      ),
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
    .action(run(async () => (await import('./run.ts')).work));
}
