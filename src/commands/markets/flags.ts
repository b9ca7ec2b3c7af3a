import type { Command } from 'commander';
import type { RunCommand } from '../../cli/command.ts';
import { MARKETS } from '../../request/markets.ts';
import { examples } from '../options.ts';

export function addMarkets(program: Command, run: RunCommand): void {
  program
    .command('markets')
    .description(`list the ${MARKETS.length} markets: code, name, calling code, languages`)
    .addHelpText('after', examples('srq markets --json'))
    .action(run(async () => (await import('./run.ts')).markets));
}
