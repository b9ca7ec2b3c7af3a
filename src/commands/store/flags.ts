import type { Command } from 'commander';
import type { RunCommand } from '../../cli/command.ts';
import { examples } from '../options.ts';

export function addStore(program: Command, run: RunCommand): void {
  // The command is hidden because few users need it, and messages name it where it is needed.
  const store = program
    .command('store', { hidden: true })
    .helpCommand(false)
    .description('the log in PostgreSQL that several machines share')
    .addHelpText('after', examples('srq store migrate --store postgres://owner@db.example/leads'));
  store
    .command('migrate')
    .description('create its tables')
    .addHelpText('after', examples('srq store migrate --store postgres://owner@db.example/leads'))
    .action(run(async () => (await import('./run.ts')).storeMigrate));
  store
    .command('resume')
    .description('send again after a fail-over, without processes that have not come back')
    .option('--nothing-lost', 'the server has each commit: list no row that only waited as unknown')
    .addHelpText('after', examples('srq store resume', 'srq store resume --nothing-lost'))
    .action(run(async () => (await import('./run.ts')).storeResume));
  store
    .command('import <file>')
    .description('take over what the log in a file says was sent; again is harmless')
    .addHelpText('after', examples('srq store import default.ndjson --store postgres://srq@db.example/leads'))
    .action(run(async () => (await import('./run.ts')).storeImport));
  store
    .command('export')
    .description('write the last record of each request as a log in a file')
    .option('-o, --output <file>', 'write it there (default: stdout)')
    .addHelpText('after', examples('srq store export -o leads.ndjson'))
    .action(run(async () => (await import('./run.ts')).storeExport));
}
