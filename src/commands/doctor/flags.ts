import type { Command } from 'commander';
import type { RunCommand } from '../../cli/command.ts';
import { examples } from '../options.ts';

export function addDoctor(program: Command, run: RunCommand): void {
  program
    .command('doctor')
    .description('check settings, network, service and this machine')
    .option('--create', 'also send one request that is marked as a test')
    .option('-y, --yes', 'with --create: do not ask')
    .addHelpText(
      'after',
      examples('srq doctor', 'srq doctor --create', 'srq doctor --json > report.json   for support; it has no secret'),
    )
    .action(run(async () => (await import('./run.ts')).doctor));
}
