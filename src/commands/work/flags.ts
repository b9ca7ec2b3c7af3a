import type { Command } from 'commander';
import type { RunCommand } from '../../cli/command.ts';
import { choice, examples, rare, rate, wholeNumber } from '../options.ts';

export function addWork(program: Command, run: RunCommand): void {
  program
    .command('work')
    .description('send what is queued; any number of workers can run')
    .option('--concurrency <n>', 'most requests at the same time, in this worker', wholeNumber(1, 1000), 64)
    .option('--rate <rate>', 'requests a second of the account: auto (the default), max, a number', rate)
    .option('--until-empty', 'end when the queue is empty')
    .addOption(rare('--no-validate', 'create without asking for duplicates first'))
    .addOption(
      choice('--on-duplicate <what>', 'what to do with a duplicate', ['skip', 'create']).default('skip').hideHelp(),
    )
    .option('--health-port <port>', 'answer /livez, /healthz and /metrics there', wholeNumber(1, 65_535))
    .addOption(rare('--health-host <address>', 'where to listen').default('127.0.0.1'))
    .addOption(rare('--events <file>', 'write what happens there, one JSON object a line (-: stdout)'))
    .addHelpText('after', examples('srq work', 'srq work --until-empty --json', 'srq work --health-port 8080'))
    .action(run(async () => (await import('./run.ts')).work));
}
