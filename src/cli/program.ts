import { Argument, Command, Option } from 'commander';
import type { GlobalOptions } from './context.ts';
import { errorBudget, faultRate, pair, positiveNumber, rate, wholeNumber } from './option-values.ts';

/** Runs one command with what commander made of its arguments; resolves to its exit code. */
export type Invoke = (
  globals: GlobalOptions,
  load: () => Promise<(context: never, ...args: never[]) => Promise<number>>,
  args: readonly unknown[],
) => Promise<void>;

/** The commands and their flags. Each command's code is loaded when it is called. */
export function makeProgram(version: string, invoke: Invoke): Command {
  const program = new Command('srq')
    .description(
      'Hand service requests over to the marketplace. A request is never sent twice unless the first try was certainly not taken.',
    )
    .version(version, '--version', 'print the version')
    .helpOption('-h, --help', 'print help')
    .helpCommand('help [command]', 'print help for a command')
    .showSuggestionAfterError(true)
    .configureHelp({ sortSubcommands: false });
  addGlobalOptions(program);
  const run =
    (load: Parameters<Invoke>[1]) =>
    (...args: unknown[]): Promise<void> => {
      const command = args.pop() as Command;
      return invoke(command.optsWithGlobals<GlobalOptions>(), load, args);
    };
  addAccountCommands(program, run);
  addRequestCommands(program, run);
  addBulk(program, run);
  addLog(program, run);
  addResolve(program, run);
  addContract(program, run);
  addSandbox(program, run);
  program
    .command('template')
    .description('write an example file of leads')
    .addArgument(
      new Argument('<format>', 'csv, as a spreadsheet of the market writes it, or json').choices(['csv', 'json']),
    )
    .option('--market <code>', 'market whose language and form it has', 'PT')
    .option('--output <file>', 'write it there instead of standard output; an existing file stays')
    .action(run(async () => (await import('./commands/template.ts')).template));
  program
    .command('markets')
    .description('list the 22 markets: code, name, calling code, usual languages')
    .action(run(async () => (await import('./commands/markets.ts')).markets));
  program.addHelpText('after', EXAMPLES);
  return program;
}

type Run = (load: Parameters<Invoke>[1]) => (...args: unknown[]) => Promise<void>;

const EXAMPLES = `
Examples:
  srq bulk leads.csv --sandbox      try an import with nothing set up
  srq login                         store credentials, once they are proven
  srq bulk leads.csv --dry-run      read, map and check a file; send nothing
  srq bulk leads.csv                import it; the same command again goes on where it stopped`;

function addGlobalOptions(program: Command): void {
  program
    .option('--profile <name>', 'use this profile (SRQ_PROFILE)')
    .option('--sandbox', 'use a sandbox inside this process, with throw-away credentials, log and state')
    .option('--json', 'print one JSON document on stdout')
    .option('--quiet', 'no plan, no progress')
    .option('--verbose', 'a line for every call to the service')
    .option('--no-color', 'no colours (NO_COLOR)')
    .option('--no-input', 'never ask')
    .addOption(new Option('--timeout <seconds>', 'longest wait for an answer of the service').argParser(positiveNumber))
    .option('--log <file>', 'use this log');
}

function addAccountCommands(program: Command, run: Run): void {
  program
    .command('login')
    .description('prove credentials with a token, then store them')
    .option('--base-url <url>', 'address of the service; https, except on this machine (SRQ_BASE_URL)')
    .option('--client-id <id>', 'client id (SRQ_CLIENT_ID)')
    .option('--client-secret-stdin', 'read the client secret from standard input (or set SRQ_CLIENT_SECRET)')
    .option('--secret-command <command>', 'store a command that prints the secret, instead of the secret')
    .addOption(new Option('--encoding <encoding>', 'how requests are sent').choices(['form', 'json']))
    .option('--test', 'mark the service as a test: bulk does not ask')
    .action(run(async () => (await import('./commands/login.ts')).login));
  program
    .command('logout')
    .description('forget credentials and token of a profile; the log stays')
    .action(run(async () => (await import('./commands/logout.ts')).logout));
  program
    .command('status')
    .description('show who would send, where to, and where each value came from')
    .action(run(async () => (await import('./commands/status.ts')).status));
}

function addRequestCommands(program: Command, run: Run): void {
  const validate = program.command('validate').description('ask whether a request, or each of a few, is a duplicate');
  addRequestOptions(validate).action(run(async () => (await import('./commands/validate.ts')).validate));
  const create = program.command('create').description('create one request, or a few from a JSON file');
  addSubmitOptions(addRequestOptions(create))
    .addHelpText(
      'after',
      `
Example:
  srq create --country PT --location "Lisboa 1200-109" --fullname "Ana Exemplo" \\
    --phone +351912345678 --request-text "A dripping tap"`,
    )
    .action(run(async () => (await import('./commands/create.ts')).create));
}

function addRequestOptions(command: Command): Command {
  return command
    .option('--country <code>', 'market, e.g. PT')
    .option('--lang <code>', "language, e.g. pt; the market's usual one if left out")
    .option('--location <text>', 'locality and postal code')
    .option('--fullname <name>', "the customer's name")
    .option('--email <address>', "the customer's e-mail address")
    .option('--phone <number>', "the customer's telephone number")
    .option('--request-text <text>', 'what is needed')
    .option('--category <category>', 'category of the need')
    .option('--audio <file>', 'a recording in place of text, for approved partners')
    .option('--ref <ref>', 'your own reference, kept in the log')
    .option('--field <name=value>', 'a further parameter (repeatable)', pair('NAME=VALUE', 'first'), [])
    .option('--file <file>', 'JSON object, JSON array or NDJSON with the same names (- is standard input)');
}

function addSubmitOptions(command: Command): Command {
  return command
    .option('--no-validate', 'create without asking for duplicates first')
    .addOption(
      new Option('--on-duplicate <what>', 'what to do with a duplicate').choices(['skip', 'create']).default('skip'),
    )
    .option('--again', 'send even what the log knows as created or duplicate', false);
}

function addBulk(program: Command, run: Run): void {
  const most = Number.MAX_SAFE_INTEGER;
  const bulk = program.command('bulk <file>').description('import a file of leads (- is standard input)');
  addReadingOptions(bulk)
    .option('--dry-run', 'read, map, check; send nothing')
    .option('--limit <n>', 'only so many rows', wholeNumber(1, most))
    .option('--skip <n>', 'after leaving out so many', wholeNumber(0, most), 0)
    .option('--strict', 'warnings make a row invalid');
  addSubmitOptions(bulk)
    .addOption(new Option('--rate <rate>', 'requests a second: auto (the default), max, or a number').argParser(rate))
    .option('--concurrency <n>', 'most requests in flight', wholeNumber(1, 1000), 16)
    .addOption(
      new Option('--max-errors <n>', 'stop after so many rejected or invalid rows: 50, or 2%').argParser(errorBudget),
    )
    .addOption(
      new Option(
        '--settle <seconds>',
        'wait after a doubtful send before asking validate (default: learned, at least 60)',
      ).argParser(positiveNumber),
    )
    .addOption(
      new Option(
        '--in-doubt <what>',
        'rows that may have been taken: list them, or let validate decide where it has proven itself',
      )
        .choices(['park', 'validate'])
        .default('validate'),
    )
    .option('--results <file>', 'every row with its outcome (default: <name>.results.csv beside the file)')
    .option('--yes', 'do not ask whether plan and columns are right')
    .action(run(async () => (await import('./commands/bulk.ts')).bulk));
}

function addReadingOptions(command: Command): Command {
  return command
    .addOption(
      new Option('--format <format>', 'format of the file (default: detected)').choices(['csv', 'json', 'ndjson']),
    )
    .option('--encoding <name>', 'encoding of the file (default: detected)')
    .option('--delimiter <mark>', 'delimiter of a CSV file: , ; TAB | (default: detected)')
    .option('--skip-lines <n>', 'leave out the first lines of the file', wholeNumber(0, Number.MAX_SAFE_INTEGER), 0)
    .option('--sheet <name>', 'sheet of a workbook (default: the first)')
    .option(
      '--map <column=field>',
      'this column is that field; "-" leaves it out (repeatable)',
      pair('COLUMN=FIELD', 'last'),
      [],
    )
    .option(
      '--set <field=value>',
      "a constant, or a text with columns: 'location={City} {Zip}' (repeatable)",
      pair('FIELD=VALUE', 'first'),
      [],
    )
    .option('--mapping <file>', 'the same as JSON: {"map":{},"set":{}}')
    .option('--save-mapping <file>', 'write the mapping that is used');
}

function addResolve(program: Command, run: Run): void {
  const resolve = program
    .command('resolve [key...]')
    .description('settle requests that may have been taken; without an option, list them')
    .option('--created [id]', 'you looked: it is there')
    .option('--not-created', 'you looked: it is not there; the next run sends it')
    .option('--validate', 'let validate decide, where it has proven itself; needs --file')
    .option('--ref <ref>', 'those with this reference')
    .option('--all', 'all of them')
    .option('--file <file>', 'with --validate: the file they came from')
    .addOption(new Option('--settle <seconds>', 'with --validate: how old a doubt must be').argParser(positiveNumber));
  addReadingOptions(resolve).action(run(async () => (await import('./commands/resolve.ts')).resolve));
}

function addLog(program: Command, run: Run): void {
  program
    .command('log')
    .description('show what was sent and what came back')
    .option('--ref <ref>', 'only this reference')
    .option('--id <id>', 'only this identifier')
    .option('--since <time>', 'only since: 2026-11-21, or 90m, 24h, 7d ago')
    .option('--status <status>', 'only this status')
    .option('--csv', 'as CSV')
    .action(run(async () => (await import('./commands/log.ts')).log));
}

function addContract(program: Command, run: Run): void {
  const contract = program
    .command('contract')
    .description("what your own documents say about the service's interface, for the profile in use");
  contract
    .command('learn <file...>')
    .description('learn it from an OpenAPI description, a Postman collection, or both; asks before it is kept')
    .option('--environment <file>', 'the environment of a Postman collection')
    .option(
      '--set <name=value>',
      'what every request holds and the documents do not tell: partner_id=42 (repeatable)',
      pair('NAME=VALUE', 'first'),
      [],
    )
    .option(
      '--operation <operation=path>',
      "which one is create, validate or token: create='POST /v1/leads' (repeatable)",
      pair('OPERATION=PATH', 'first'),
      [],
    )
    .option('--dry-run', 'show what would be learned')
    .option('--yes', 'agree to it, guesses included, without being asked')
    .action(run(async () => (await import('./commands/contract.ts')).learn));
  contract
    .command('show')
    .description('show what is in force, where it comes from, and what live answers said of it')
    .action(run(async () => (await import('./commands/contract.ts')).show));
  contract
    .command('forget')
    .description('go back to what the public document says')
    .action(run(async () => (await import('./commands/contract.ts')).forget));
}

function addSandbox(program: Command, run: Run): void {
  program
    .command('sandbox')
    .description('run a local marketplace to try everything against')
    .option('--port <port>', 'port on 127.0.0.1; 0 for a free one', wholeNumber(0, 65_535), 4010)
    .option('--latency <ms>', 'time each answer takes', wholeNumber(0, 600_000), 0)
    .addOption(new Option('--rate <n>', 'most requests a second; more are answered with 429').argParser(positiveNumber))
    .option('--token-ttl <seconds>', 'life of a token', wholeNumber(1, 31_536_000), 3600)
    .option('--fault <kind=probability>', 'go wrong now and then (repeatable)', faultRate, {})
    .option('--seed <n>', 'same seed, same faults', wholeNumber(0, 2 ** 32 - 1), 1)
    .option('--contract <file>', 'demand and answer what this OpenAPI description, collection or contract says')
    .option('--store <file>', 'keep received requests from one start to the next')
    .action(run(async () => (await import('./commands/sandbox.ts')).sandbox));
}
