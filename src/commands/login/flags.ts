import type { Command } from 'commander';
import type { RunCommand } from '../../cli/command.ts';
import { choice, examples, rare } from '../options.ts';

export function addLogin(program: Command, run: RunCommand): void {
  program
    .command('login')
    .description('check your credentials with the service, then store them')
    .option('--base-url <url>', 'https, except on this machine (SRQ_BASE_URL)')
    .option('--client-id <id>', 'client id (SRQ_CLIENT_ID)')
    .option('--client-secret-stdin', 'read the secret from stdin (SRQ_CLIENT_SECRET)')
    .option('--secret-command <command>', 'store a command that prints the secret')
    .option('--keychain', "store the secret in this system's keychain")
    .addOption(choice('--encoding <encoding>', 'how requests are sent (form)', ['form', 'json']))
    .option('--test', 'mark the service as a test: bulk does not ask first')
    .option('--use', 'make this the default profile (the first one is anyway)')
    .addOption(rare('--store-password-command <command>', 'with --store: store a command that prints its password'))
    .addHelpText(
      'after',
      examples(
        'srq login                            asks for what it needs',
        'srq login --profile shop --keychain',
        "srq login --secret-command 'pass show marketplace'",
      ),
    )
    .action(run(async () => (await import('./run.ts')).login));
}
