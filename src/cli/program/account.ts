import type { Command } from 'commander';
import type { RunCommand } from '../command.ts';
import { choice } from '../option-values.ts';
import { examples, rare } from './option.ts';

export function addAccountCommands(program: Command, run: RunCommand): void {
  addLogin(program, run);
  program
    .command('logout')
    .description('forget credentials and token; the log stays')
    .addHelpText('after', examples('srq logout --profile shop'))
    .action(run(async () => (await import('../commands/logout.ts')).logout));
  program
    .command('status')
    .description('show who would send, where to, by which settings')
    .addHelpText('after', examples('srq status', 'srq status --json --profile shop'))
    .action(run(async () => (await import('../commands/status.ts')).status));
  addProfile(program, run);
  program
    .command('doctor')
    .description('try out settings, network, credentials and service')
    .option('--create', 'also send one test request, marked as such')
    .option('--yes', 'with --create: do not ask')
    .option('--output <file>', 'write a report to mail to support, without secrets')
    .addHelpText('after', examples('srq doctor', 'srq doctor --create --output report.json'))
    .action(run(async () => (await import('../commands/doctor.ts')).doctor));
}

function addLogin(program: Command, run: RunCommand): void {
  program
    .command('login')
    .description('prove credentials with a token, then store them')
    .option('--base-url <url>', 'https, except on this machine (SRQ_BASE_URL)')
    .option('--client-id <id>', 'client id (SRQ_CLIENT_ID)')
    .option('--client-secret-stdin', 'read the secret from stdin (SRQ_CLIENT_SECRET)')
    .option('--secret-command <command>', 'store a command that prints the secret')
    .option('--keychain', "store the secret in this system's keychain")
    .addOption(choice('--encoding <encoding>', 'how requests are sent (form)', ['form', 'json']))
    .option('--test', 'mark the service as a test: bulk does not ask')
    .addOption(rare('--store-password-command <command>', 'with --store: store a command that prints its password'))
    .addHelpText(
      'after',
      examples(
        'srq login                            asks for what it needs',
        'srq login --profile shop --keychain',
        "srq login --secret-command 'pass show marketplace'",
      ),
    )
    .action(run(async () => (await import('../commands/login.ts')).login));
}

function addProfile(program: Command, run: RunCommand): void {
  const profile = program
    .command('profile')
    .helpCommand(false)
    .description('list, choose and remove profiles')
    .addHelpText('after', examples('srq profile list', 'srq profile use shop', 'srq profile remove shop'));
  profile
    .command('list')
    .description('the stored profiles; * is in force')
    .addHelpText('after', examples('srq profile list --json'))
    .action(run(async () => (await import('../commands/profile.ts')).profileList));
  profile
    .command('use <name>')
    .description('use this one where none is named')
    .addHelpText('after', examples('srq profile use shop'))
    .action(run(async () => (await import('../commands/profile.ts')).profileUse));
  profile
    .command('remove <name>')
    .description('forget it, its token and contract; its log stays')
    .addHelpText('after', examples('srq profile remove shop'))
    .action(run(async () => (await import('../commands/profile.ts')).profileRemove));
}
