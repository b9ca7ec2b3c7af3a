import type { Command } from 'commander';
import type { RunCommand } from '../command.ts';
import { addRequestOptions, addSubmitOptions } from './import-options.ts';
import { examples } from './option.ts';

export function addRequestCommands(program: Command, run: RunCommand): void {
  const validate = program.command('validate').description('ask whether a request, or each of a few, is a duplicate');
  addRequestOptions(validate)
    .addHelpText(
      'after',
      examples(
        'srq validate --country PT --phone +351912345678 --request-text "Tap"',
        'srq validate --file request.json',
      ),
    )
    .action(run(async () => (await import('../commands/validate.ts')).validate));
  const create = program.command('create').description('create one request, or a few from a JSON file');
  addSubmitOptions(addRequestOptions(create))
    .addHelpText(
      'after',
      examples('srq create --country PT --phone +351912345678 --request-text "Tap"', 'srq create --file request.json'),
    )
    .action(run(async () => (await import('../commands/create.ts')).create));
}
