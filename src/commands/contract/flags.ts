import type { Command } from 'commander';
import type { RunCommand } from '../../cli/command.ts';
import { examples, pair, rare } from '../options.ts';

export function addContract(program: Command, run: RunCommand): void {
  const contract = program
    .command('contract')
    .helpCommand(false)
    .description("learn the service's interface from your own documents")
    .addHelpText(
      'after',
      examples('srq contract learn api.yaml', 'srq contract learn collection.json --environment sandbox.json'),
    );
  contract
    .command('learn [file...]')
    .description(
      'read an OpenAPI description (of several files: their folder), a Postman collection, or both; ask; keep it',
    )
    .option('--environment <file>', 'the environment of a Postman collection')
    .option(
      '--set <name=value>',
      'what every request holds (repeatable); Idempotency-Key=24h: so long the service recognises a repeated create by it (default: no)',
      pair('NAME=VALUE', 'first'),
      [],
    )
    .option(
      '--operation <name=path>',
      'which is create, token, validate (or none); token also takes a path or a whole address',
      pair('OPERATION=PATH', 'first'),
      [],
    )
    .addOption(rare('--taken-by <answer>', 'such an answer of success means taken; status: all that srq asked about'))
    .addOption(rare('--refused-by <answer>', 'such an answer of success means refused'))
    .option('--dry-run', 'show what would be learned')
    .option('-y, --yes', 'agree to it, guesses included')
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
    .description('what is in force, where it comes from, and what answers said of it')
    .addHelpText('after', examples('srq contract show --json > contract.json'))
    .action(run(async () => (await import('./run.ts')).show));
  contract
    .command('forget')
    .description('go back to what the public document says')
    .addHelpText('after', examples('srq contract forget --profile shop'))
    .action(run(async () => (await import('./run.ts')).forget));
}
