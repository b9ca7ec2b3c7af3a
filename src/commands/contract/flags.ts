import type { Command } from 'commander';
import type { RunCommand } from '../../cli/command.ts';
import { examples, pair, rare } from '../options.ts';

export function addContract(program: Command, run: RunCommand): void {
  const contract = program
    .command('contract')
    .helpCommand(false)
    .description("learn the service's API from its OpenAPI or Postman file")
    .addHelpText(
      'after',
      examples('srq contract learn api.yaml', 'srq contract learn collection.json --environment sandbox.json'),
    );
  contract
    .command('learn [file...]')
    .description(
      'read an OpenAPI file (of several: their folder), a Postman collection, or both; store what you agree to',
    )
    .option('--environment <file>', 'the environment of a Postman collection')
    .option(
      '--set <name=value>',
      'a value for every request (repeatable); Idempotency-Key=24h: the service recognises a repeated create that long (default: no)',
      pair('NAME=VALUE', 'first'),
      [],
    )
    .option(
      '--operation <name=path>',
      'which operation is create, token, validate (or none); token also takes a path or a full URL',
      pair('OPERATION=PATH', 'first'),
      [],
    )
    .addOption(
      rare(
        '--taken-by <answer>',
        'such an answer means taken; form: the one that waits; id: any that names an identifier',
      ),
    )
    .addOption(rare('--refused-by <answer>', 'such an answer means refused; form: the one that waits'))
    .option('--dry-run', 'show what would be learned')
    .option('-y, --yes', 'agree to everything, including guesses')
    .addHelpText(
      'after',
      examples(
        'srq contract learn api.yaml collection.json --set partner_id=42 --yes',
        "srq contract learn api.yaml --operation create='POST /v1/leads'",
        'srq contract learn api/openapi.yaml api/',
      ),
    )
    .action(run(async () => (await import('./run.ts')).learn));
  contract
    .command('show')
    .description('show what is in force, where it comes from, and whether answers agree')
    .addHelpText('after', examples('srq contract show --json > contract.json'))
    .action(run(async () => (await import('./run.ts')).show));
  contract
    .command('forget')
    .description('go back to what the public document says')
    .addHelpText('after', examples('srq contract forget --profile shop'))
    .action(run(async () => (await import('./run.ts')).forget));
}
