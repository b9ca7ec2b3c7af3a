import type { Command } from 'commander';
import type { RunCommand } from '../../cli/command.ts';
import { addRequestOptions, addSubmitOptions, examples } from '../options.ts';

export function addCreate(program: Command, run: RunCommand): void {
  const create = program.command('create').description('create one request, or a few from a JSON file');
  addSubmitOptions(addRequestOptions(create))
    .addHelpText(
      'after',
      examples('srq create --country PT --phone +351912345678 --request-text "Tap"', 'srq create --file request.json'),
    )
    .action(run(async () => (await import('./run.ts')).create));
}
