import type { Command } from 'commander';
import type { RunCommand } from '../cli/command.ts';
import type { Context } from '../cli/context.ts';

/** Adds `srq version`, which does the same as `--version` and has a document as well. */
export function addVersion(program: Command, run: RunCommand): void {
  program
    .command('version', { hidden: true })
    .description('print the version')
    .action(run(async () => showVersion));
}

async function showVersion(context: Context): Promise<number> {
  const { version } = context;
  await (await context.reporter()).result('version', { version }, () => version);
  return 0;
}
