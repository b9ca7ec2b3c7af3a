import { type Command, Option } from 'commander';
import type { RunCommand } from '../../cli/command.ts';
import { examples, faultRate, pair, positiveNumber, wholeNumber } from '../options.ts';

export function addDemo(program: Command, run: RunCommand): void {
  program
    .command('demo')
    .description('kill an import half-way, and see that nothing is sent twice')
    .addHelpText('after', examples('srq demo'))
    .action(run(async () => (await import('./demo.ts')).demo));
}

export function addSandbox(program: Command, run: RunCommand): void {
  program
    .command('sandbox')
    .description('run a local marketplace to try everything on')
    .option('--port <port>', 'port on 127.0.0.1; 0 for a free one', wholeNumber(0, 65_535), 4010)
    .option('--latency <ms>', 'delay of each answer', wholeNumber(0, 600_000), 0)
    .addOption(new Option('--rate <n>', 'answer 429 above this many requests a second').argParser(positiveNumber))
    .option('--token-ttl <seconds>', 'lifetime of a token', wholeNumber(1, 31_536_000), 3600)
    .option('--fault <kind=probability>', 'inject faults (repeatable): 429, 500, reset-after', faultRate, {})
    .option('--seed <n>', 'the same seed gives the same faults', wholeNumber(0, 2 ** 32 - 1), 1)
    .option('--contract <file>', 'behave as this OpenAPI or Postman file says')
    .option(
      '--operation <name=path>',
      'which operation is create, token, validate (or none)',
      pair('OPERATION=PATH', 'first'),
      [],
    )
    .option('--client-id <id>', 'its client id, instead of a random one')
    .option('--client-secret-stdin', 'read its client secret from stdin, instead of a random one')
    .addHelpText('after', examples('srq sandbox --port 0 --json', 'srq sandbox --latency 200 --fault reset-after=0.01'))
    .action(run(async () => (await import('./run.ts')).sandbox));
}
