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
      'read an OpenAPI file, a Postman collection, or the page of a contract that you edited; store what you agree to',
    )
    .option('--environment <file>', 'the environment of a Postman collection')
    .option(
      '--set <name=value>',
      'a value for every request, or {field} (repeatable); Idempotency-Key=24h: the service recognises a repeated create that long (default: no)',
      pair('NAME=VALUE', 'first'),
      [],
    )
    .option(
      '--operation <name=path>',
      'which operation is create, token, validate (or none); token also takes a path, a full URL, basic or key',
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
    .option('-y, --yes', 'agree to what is shown')
    .addHelpText(
      'after',
      examples(
        'srq contract learn api.yaml --set partner_id=42 --yes',
        "srq contract learn api.yaml --operation create='POST /v1/leads'",
        'srq contract learn contract.yaml',
      ),
    )
    .action(run(async () => (await import('./run.ts')).learn));
  contract
    .command('show')
    .description('print what is in force as a page, which can be edited and learned')
    .addHelpText('after', examples('srq contract show > contract.yaml'))
    .action(run(async () => (await import('./run.ts')).show));
  contract
    .command('forget')
    .description('go back to what the public document says')
    .addHelpText('after', examples('srq contract forget --profile shop'))
    .action(run(async () => (await import('./run.ts')).forget));
}
