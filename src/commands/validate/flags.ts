import type { Command } from 'commander';
import type { RunCommand } from '../../cli/command.ts';
import { addRequestOptions, examples } from '../options.ts';

export function addValidate(program: Command, run: RunCommand): void {
  const validate = program.command('validate').description('ask the service whether a request is a duplicate');
  addRequestOptions(validate)
    .addHelpText(
      'after',
      examples(
        'srq validate --country PT --phone +351912345678 --request-text "Tap"',
        'srq validate --file request.json',
      ),
    )
    .action(run(async () => (await import('./run.ts')).validate));
}
