import type { Command } from 'commander';
import type { RunCommand } from '../../cli/command.ts';
import { addReadingOptions, examples, rare, settleSeconds } from '../options.ts';

export function addResolve(program: Command, run: RunCommand): void {
  const resolve = program
    .command('resolve [key...]')
    .description('list or settle requests whose outcome is unknown')
    .option('--created [id]', 'you looked it up: the service has it')
    .option('--not-created', 'you looked it up: not there; the next run sends it')
    .option('--validate', 'let validate decide, where it has proven reliable; needs --file')
    .option('--ref <ref>', 'all with this reference')
    .option('--all', 'every request whose outcome is unknown')
    .option('--file <file>', 'with --validate: the file they came from')
    .addOption(
      rare('--settle <seconds>', 'with --validate: wait before asking about an outcome').argParser(settleSeconds),
    );
  addReadingOptions(resolve)
    .addHelpText(
      'after',
      examples(
        'srq resolve                                       list them',
        'srq resolve 3f9a1c22b0d4 --created 123456',
        'srq resolve --validate --file leads.csv',
      ),
    )
    .action(run(async () => (await import('./run.ts')).resolve));
}
