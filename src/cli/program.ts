import { Command, Option, type OutputConfiguration } from 'commander';
import { SENT_STATUSES } from '../model/outcome.ts';
import { SHELLS } from './completion/shells.ts';
import type { Context, GlobalOptions } from './context.ts';
import { addHelpCommand } from './help-command.ts';
import {
  choice,
  chosenArgument,
  errorBudget,
  faultRate,
  pair,
  positiveNumber,
  rate,
  wholeNumber,
} from './option-values.ts';

/** Runs one command with what commander made of its arguments; resolves to its exit code. */
export type Invoke = (
  globals: GlobalOptions,
  load: () => Promise<(context: never, ...args: never[]) => Promise<number>>,
  args: readonly unknown[],
) => Promise<void>;

/**
 * The commands and their flags. Each command's code is loaded when it is called. `output` is where commander writes; a
 * mistake in the arguments is thrown as `CommanderError`.
 */
export function makeProgram(version: string, invoke: Invoke, output: OutputConfiguration): Command {
  // What follows the first lines is inherited by the commands.
  const program = new Command('srq')
    .exitOverride()
    .configureOutput(output)
    .helpOption('-h, --help', 'print help')
    .showSuggestionAfterError(true)
    .usage('COMMAND [options]   hands over service requests, and none twice')
    .version(version, '--version', 'print the version')
    .configureHelp({
      visibleOptions: ({ options }) => options.filter(({ hidden }) => !hidden) as Option[],
      optionDescription: describe,
      argumentDescription: ({ description }) => description,
      subcommandTerm: (command) => command.name(),
    });
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
  addReport(program, run);
  addResolve(program, run);
  addStore(program, run);
  addQueue(program, run);
  addContract(program, run);
  addSandbox(program, run);
  addListings(program, run);
  addCompletion(program, run);
  addHelpCommand(program, run);
  program.addHelpText('after', EVERYWHERE);
  for (const command of program.commands) {
    if (command.options.some(({ hidden }) => hidden)) {
      command.addHelpText('after', `More options: srq help ${command.name()} --all`);
    }
  }
  return program;
}

export type Run = (load: Parameters<Invoke>[1]) => (...args: unknown[]) => Promise<void>;

/** With the commands this is all that a screen has room for. */
const EVERYWHERE = 'Everywhere: --profile NAME --sandbox --json --quiet --verbose  (srq help --all)';

/** Shorter than commander's own: an option is to fit in a line. */
function describe({ description, argChoices, defaultValue }: Option): string {
  const usual = ['string', 'number'].includes(typeof defaultValue) ? `(default: ${defaultValue})` : '';
  return [argChoices ? `${description}: ${argChoices.join(', ')}` : description, usual].join(' ').trim();
}

/** The examples that end a command's help. */
function examples(...lines: readonly string[]): string {
  return ['', lines.length > 1 ? 'Examples:' : 'Example:', ...lines.map((line) => `  ${line}`)].join('\n');
}

/** An option that few need: only `srq help COMMAND --all` shows it. */
function rare(flags: string, description: string): Option {
  return new Option(flags, description).hideHelp();
}

/** In one line of the main help, so that the commands fit on a screen. */
function addGlobalOptions(program: Command): void {
  const all = [
    rare('--profile <name>', 'use this profile (SRQ_PROFILE)'),
    rare('--sandbox', 'use a sandbox in this process, with state of its own'),
    rare('--json', 'print one JSON document on stdout'),
    rare('--quiet', 'no plan, no progress'),
    rare('--verbose', 'show every call to the service, masked'),
    rare('--no-color', 'no colours (NO_COLOR)'),
    rare('--no-input', 'never ask'),
    rare('--timeout <seconds>', 'longest wait for an answer of the service').argParser(positiveNumber),
    rare('--log <file>', 'use this log'),
    rare('--store <url>', 'keep the log in this PostgreSQL, for several machines (SRQ_STORE)'),
    rare('--ca-file <file>', 'trust these certificate authorities (PEM), too'),
    rare('--cert <file>', 'client certificate (PEM)'),
    rare('--key <file>', 'its key (PEM); passphrase in SRQ_KEY_PASSPHRASE'),
  ];
  for (const option of all) program.addOption(option);
  program.options.find(({ long }) => long === '--version')?.hideHelp();
}

function addAccountCommands(program: Command, run: Run): void {
  addLogin(program, run);
  program
    .command('logout')
    .description('forget credentials and token; the log stays')
    .addHelpText('after', examples('srq logout --profile shop'))
    .action(run(async () => (await import('./commands/logout.ts')).logout));
  program
    .command('status')
    .description('show who would send, where to, by which settings')
    .addHelpText('after', examples('srq status', 'srq status --json --profile shop'))
    .action(run(async () => (await import('./commands/status.ts')).status));
  addProfile(program, run);
  program
    .command('doctor')
    .description('try out settings, network, credentials and service')
    .option('--create', 'also send one test request, marked as such')
    .option('--yes', 'with --create: do not ask')
    .option('--output <file>', 'write a report to mail to support, without secrets')
    .addHelpText('after', examples('srq doctor', 'srq doctor --create --output report.json'))
    .action(run(async () => (await import('./commands/doctor.ts')).doctor));
}

function addLogin(program: Command, run: Run): void {
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
    .action(run(async () => (await import('./commands/login.ts')).login));
}

function addProfile(program: Command, run: Run): void {
  const profile = program
    .command('profile')
    .helpCommand(false)
    .description('list, choose and remove profiles')
    .addHelpText('after', examples('srq profile list', 'srq profile use shop', 'srq profile remove shop'));
  profile
    .command('list')
    .description('the stored profiles; * is in force')
    .addHelpText('after', examples('srq profile list --json'))
    .action(run(async () => (await import('./commands/profile.ts')).profileList));
  profile
    .command('use <name>')
    .description('use this one where none is named')
    .addHelpText('after', examples('srq profile use shop'))
    .action(run(async () => (await import('./commands/profile.ts')).profileUse));
  profile
    .command('remove <name>')
    .description('forget it, its token and contract; its log stays')
    .addHelpText('after', examples('srq profile remove shop'))
    .action(run(async () => (await import('./commands/profile.ts')).profileRemove));
}

function addRequestCommands(program: Command, run: Run): void {
  const validate = program.command('validate').description('ask whether a request, or each of a few, is a duplicate');
  addRequestOptions(validate)
    .addHelpText(
      'after',
      examples(
        'srq validate --country PT --phone +351912345678 --request-text "Tap"',
        'srq validate --file request.json',
      ),
    )
    .action(run(async () => (await import('./commands/validate.ts')).validate));
  const create = program.command('create').description('create one request, or a few from a JSON file');
  addSubmitOptions(addRequestOptions(create))
    .addHelpText(
      'after',
      examples('srq create --country PT --phone +351912345678 --request-text "Tap"', 'srq create --file request.json'),
    )
    .action(run(async () => (await import('./commands/create.ts')).create));
}

function addRequestOptions(command: Command): Command {
  return command
    .option('--country <code>', 'market, e.g. PT')
    .option('--lang <code>', "language, e.g. pt; left out: the market's usual one")
    .option('--location <text>', 'locality and postal code')
    .option('--fullname <name>', "the customer's name")
    .option('--email <address>', "the customer's e-mail address")
    .option('--phone <number>', "the customer's telephone number")
    .option('--request-text <text>', 'what is needed')
    .option('--category <category>', 'category of the need')
    .addOption(rare('--audio <file>', 'a recording in place of text, for approved partners'))
    .option('--ref <ref>', 'your own reference, kept in the log')
    .option('--field <name=value>', 'a further parameter (repeatable)', pair('NAME=VALUE', 'first'), [])
    .option('--file <file>', 'JSON object, array or NDJSON of the same names (-: stdin)');
}

function addSubmitOptions(command: Command): Command {
  return command
    .addOption(rare('--no-validate', 'create without asking for duplicates first'))
    .addOption(choice('--on-duplicate <what>', 'a duplicate', ['skip', 'create']).default('skip'))
    .addOption(rare('--again', 'send even what the log knows as created').default(false));
}

function addBulk(program: Command, run: Run): void {
  const most = Number.MAX_SAFE_INTEGER;
  const bulk = program.command('bulk <file>').description('import a file of leads (-: stdin); try it with --sandbox');
  addReadingOptions(bulk)
    .option('--dry-run', 'read, map, check; send nothing')
    .option('--limit <n>', 'only so many rows', wholeNumber(1, most))
    .addOption(rare('--skip <n>', 'after leaving out so many').argParser(wholeNumber(0, most)).default(0))
    .option('--strict', 'warnings make a row invalid');
  addSubmitOptions(bulk)
    .option('--rate <rate>', 'requests a second: auto (the default), max, a number', rate)
    .addOption(rare('--concurrency <n>', 'most requests in flight').argParser(wholeNumber(1, 1000)).default(16))
    .option('--max-errors <n>', 'stop after so many refused rows: 50, or 2%', errorBudget)
    .addOption(
      rare('--settle <seconds>', 'age of a doubt before validate is asked (learned, 60+)').argParser(positiveNumber),
    )
    .addOption(
      choice('--in-doubt <what>', 'rows that may have been taken', ['park', 'validate']).default('validate').hideHelp(),
    )
    .option('--results <file>', 'every row with its outcome (<name>.results.csv)')
    .option('--report <file>', 'the run as a page with charts, in one file (.html)')
    .addOption(rare('--include-input', 'with --report: show the cells of the input: personal data'))
    .option('--yes', 'do not ask whether plan and columns are right')
    .addHelpText(
      'after',
      examples(
        'srq bulk leads.csv --sandbox',
        "srq bulk leads.csv --map 'Telefon 2=phone' --set country=PT --dry-run",
        'srq bulk leads.csv --yes --json',
      ),
    )
    .action(run(async () => (await import('./commands/bulk.ts')).bulk));
}

function addReadingOptions(command: Command): Command {
  const most = Number.MAX_SAFE_INTEGER;
  return command
    .addOption(choice('--format <format>', 'format of the file (detected)', ['csv', 'json', 'ndjson']).hideHelp())
    .addOption(rare('--encoding <name>', 'encoding of the file (detected)'))
    .addOption(rare('--delimiter <mark>', 'delimiter of a CSV file: , ; TAB | (detected)'))
    .addOption(rare('--skip-lines <n>', 'leave out the first lines').argParser(wholeNumber(0, most)).default(0))
    .addOption(rare('--sheet <name>', 'sheet of a workbook (the first)'))
    .option('--map <column=field>', 'this column is that field; - leaves it out', pair('COLUMN=FIELD', 'last'), [])
    .option('--set <field=value>', "for all rows: a constant, or '{City} {Zip}'", pair('FIELD=VALUE', 'first'), [])
    .option('--mapping <file>', 'the same as JSON: {"map":{},"set":{}}')
    .addOption(rare('--save-mapping <file>', 'write the mapping that is used'));
}

function addResolve(program: Command, run: Run): void {
  const resolve = program
    .command('resolve [key...]')
    .description('list or settle requests that may have been taken')
    .option('--created [id]', 'you looked: it is there')
    .option('--not-created', 'you looked: it is not there; the next run sends it')
    .option('--validate', 'let validate decide, if it is proven; needs --file')
    .option('--ref <ref>', 'those with this reference')
    .option('--all', 'all of them')
    .option('--file <file>', 'with --validate: the file they came from')
    .addOption(rare('--settle <seconds>', 'with --validate: least age of a doubt').argParser(positiveNumber));
  addReadingOptions(resolve)
    .addHelpText(
      'after',
      examples(
        'srq resolve                                       list them',
        'srq resolve 3f9a1c22b0d4 --created 123456',
        'srq resolve --validate --file leads.csv',
      ),
    )
    .action(run(async () => (await import('./commands/resolve.ts')).resolve));
}

function addLog(program: Command, run: Run): void {
  program
    .command('log')
    .description('show what was sent and what came back')
    .option('--ref <ref>', 'only this reference')
    .option('--id <id>', 'only this identifier')
    .option('--since <time>', 'only since: 2026-11-21, or 90m, 24h, 7d ago')
    .option('--until <time>', 'only before, or to the end of a day')
    .addOption(choice('--status <status>', 'only this status', SENT_STATUSES))
    .option('--run <run>', 'only this run, by the beginning of its name')
    .option('--limit <n>', 'only the last so many', wholeNumber(0, 1_000_000))
    .option('--totals', 'count by day (UTC) and status')
    .option('--follow', 'go on with what is added, until Ctrl-C')
    .option('--csv', 'as CSV')
    .addHelpText(
      'after',
      examples(
        'srq log --since 24h --status rejected',
        'srq log --totals',
        'srq log --follow --json          one JSON document a line',
      ),
    )
    .action(run(async () => (await import('./commands/log.ts')).log));
}

function addStore(program: Command, run: Run): void {
  // Few need it by hand, and they are told so where they do.
  const store = program
    .command('store', { hidden: true })
    .helpCommand(false)
    .description('the log in PostgreSQL that several machines share')
    .addHelpText('after', examples('srq store migrate --store postgres://owner@db.example/leads'));
  store
    .command('migrate')
    .description('make its tables, or bring them up to date')
    .addHelpText('after', examples('srq store migrate --store postgres://owner@db.example/leads'))
    .action(run(async () => (await import('./commands/store.ts')).storeMigrate));
}

function addQueue(program: Command, run: Run): void {
  const enqueue = program.command('enqueue <file>').description('queue a file of leads for workers (-: stdin)');
  addReadingOptions(enqueue)
    .option('--dry-run', 'read, map, check; queue nothing')
    .option('--limit <n>', 'only so many rows', wholeNumber(1, Number.MAX_SAFE_INTEGER))
    .addOption(
      rare('--skip <n>', 'after leaving out so many').argParser(wholeNumber(0, Number.MAX_SAFE_INTEGER)).default(0),
    )
    .option('--strict', 'warnings make a row invalid')
    .addOption(rare('--no-validate', 'for workers that do not validate: ask for no more than create needs'))
    .addOption(
      choice('--on-duplicate <what>', 'what the log knows as duplicate', ['skip', 'create']).default('skip').hideHelp(),
    )
    .option('--yes', 'do not ask whether plan and columns are right')
    .addHelpText(
      'after',
      examples('srq enqueue leads.csv --store postgres://srq@db.example/leads', 'srq enqueue leads.csv --yes --json'),
    )
    .action(run(async () => (await import('./commands/enqueue.ts')).enqueue));
  addWork(program, run);
  program
    .command('queue')
    .description('show the queue, its workers and what they get done')
    .option('--watch', 'again every two seconds, until Ctrl-C')
    .addHelpText('after', examples('srq queue', 'srq queue --watch', 'srq queue --json'))
    .action(run(async () => (await import('./commands/queue.ts')).queue));
}

function addWork(program: Command, run: Run): void {
  program
    .command('work')
    .description('deliver what is queued, beside any number of other workers')
    .option('--concurrency <n>', 'most requests in flight here', wholeNumber(1, 1000), 16)
    .option('--rate <rate>', 'requests a second of the account: auto (the default), max, a number', rate)
    .option('--until-empty', 'end when the queue is empty')
    .addOption(rare('--no-validate', 'create without asking for duplicates first'))
    .addOption(choice('--on-duplicate <what>', 'a duplicate', ['skip', 'create']).default('skip').hideHelp())
    .addOption(
      choice('--in-doubt <what>', 'requests that may have been taken', ['park', 'validate'])
        .default('validate')
        .hideHelp(),
    )
    .addOption(
      rare('--settle <seconds>', 'age of a doubt before validate is asked (learned, 60+)').argParser(positiveNumber),
    )
    .addOption(
      rare('--missing <seconds>', "others' rows are taken after such silence")
        .argParser(wholeNumber(10, 86_400))
        .default(30),
    )
    .option('--health-file <file>', 'write the state there every few seconds, as JSON')
    .option('--health-port <port>', 'answer /healthz and /livez there', wholeNumber(1, 65_535))
    .addOption(rare('--health-host <address>', 'where to listen').default('127.0.0.1'))
    .addOption(choice('--log-format <format>', 'how to talk on stderr', ['text', 'json']).default('text'))
    .addHelpText(
      'after',
      examples('srq work', 'srq work --until-empty --json', 'srq work --log-format json --health-port 8080'),
    )
    .action(run(async () => (await import('./commands/work.ts')).work));
}

function addContract(program: Command, run: Run): void {
  const contract = program
    .command('contract')
    .helpCommand(false)
    .description("learn the service's interface from your own documents")
    .addHelpText(
      'after',
      examples('srq contract learn api.yaml', 'srq contract learn collection.json --environment sandbox.json'),
    );
  contract
    .command('learn <file...>')
    .description('read an OpenAPI description, a Postman collection, or both; ask; keep it')
    .option('--environment <file>', 'the environment of a Postman collection')
    .option('--set <name=value>', 'what every request holds (repeatable)', pair('NAME=VALUE', 'first'), [])
    .option(
      '--operation <name=path>',
      'which is create, token, validate (or none)',
      pair('OPERATION=PATH', 'first'),
      [],
    )
    .option('--dry-run', 'show what would be learned')
    .option('--yes', 'agree to it, guesses included')
    .addHelpText(
      'after',
      examples(
        'srq contract learn api.yaml --dry-run',
        'srq contract learn api.yaml collection.json --set partner_id=42 --yes',
        "srq contract learn api.yaml --operation create='POST /v1/leads'",
      ),
    )
    .action(run(async () => (await import('./commands/contract.ts')).learn));
  contract
    .command('show')
    .description('what is in force, where it comes from, and what answers said of it')
    .addHelpText('after', examples('srq contract show --json > contract.json'))
    .action(run(async () => (await import('./commands/contract.ts')).show));
  contract
    .command('forget')
    .description('go back to what the public document says')
    .addHelpText('after', examples('srq contract forget --profile shop'))
    .action(run(async () => (await import('./commands/contract.ts')).forget));
}

function addReport(program: Command, run: Run): void {
  const report = program
    .command('report')
    .description('write an import as a page with charts; also while it runs')
    .requiredOption('-o, --output <file>', 'write the page there (.html)')
    .option('--run <id>', 'the import whose id begins so, or "all" (the last one)')
    .option('--input <file>', 'list all rows of this file, not only what was sent')
    .option('--include-input', 'with --input: show its cells, which are personal data');
  addReadingOptions(report)
    .addHelpText('after', examples('srq report -o run.html', 'srq report --input leads.csv --run all -o all.html'))
    .action(run(async () => (await import('./commands/report.ts')).report));
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
    .option('--contract <file>', 'demand and answer what this document says')
    .option('--store <file>', 'keep received requests from one start to the next')
    .addHelpText('after', examples('srq sandbox --port 0 --json', 'srq sandbox --latency 200 --fault reset-after=0.01'))
    .action(run(async () => (await import('./commands/sandbox.ts')).sandbox));
}

function addListings(program: Command, run: Run): void {
  program
    .command('template')
    .description('write an example file of leads')
    .addArgument(chosenArgument('<format>', 'csv, as a spreadsheet of the market has it, or json', ['csv', 'json']))
    .option('--market <code>', 'market whose language and form it has', 'PT')
    .option('--output <file>', 'write it there; an existing file stays')
    .addHelpText('after', examples('srq template csv --market DE --output leads.csv'))
    .action(run(async () => (await import('./commands/template.ts')).template));
  program
    .command('markets')
    .description('list the 22 markets: code, name, calling code, languages')
    .addHelpText('after', examples('srq markets --json'))
    .action(run(async () => (await import('./commands/markets.ts')).markets));
}

function addCompletion(program: Command, run: Run): void {
  program
    .command('completion')
    .description('let a shell complete commands, options, profiles, files')
    .addArgument(chosenArgument('<shell>', '', SHELLS))
    .addHelpText(
      'after',
      examples(
        'eval "$(srq completion bash)"       in ~/.bashrc; for zsh the same in ~/.zshrc',
        'srq completion fish > ~/.config/fish/completions/srq.fish',
        'srq completion powershell | Out-String | Invoke-Expression',
      ),
    )
    .action(run(async () => (await import('./commands/completion.ts')).completion));
  program.command('__complete <count> [word...]', { hidden: true }).action(
    run(async () => {
      const { complete } = await import('./commands/completion.ts');
      return (context: Context, count: string, words: string[]) => complete(context, program, Number(count), words);
    }),
  );
}
