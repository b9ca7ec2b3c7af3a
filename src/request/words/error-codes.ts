/** The kinds of failure of a command. Their exit codes are in `cli/exit-codes.ts`. */
export type ErrorCode =
  | 'fault'
  | 'usage'
  | 'settings'
  | 'input'
  | 'rejected'
  | 'auth'
  | 'unreachable'
  | 'service'
  | 'stopped'
  | 'unknown'
  | 'duplicate'
  | 'log'
  | 'platform.no-lock'
  | 'interrupted'
  | 'terminated';

/** The facts about one error. The hint of an error itself contains the literal command. */
interface ErrorFacts {
  /** The kind, which decides the exit code. */
  readonly kind: ErrorCode;
  readonly cause: string;
  readonly remedy: string;
}

const of =
  (kind: ErrorCode) =>
  (cause: string, remedy: string): ErrorFacts => ({ kind, cause, remedy });

const usage = of('usage');
const settings = of('settings');
const input = of('input');
const auth = of('auth');
const service = of('service');
const stopped = of('stopped');
const unknown = of('unknown');
const log = of('log');

/**
 * All errors by their codes. Codes never change, but messages may. `srq help errors` and docs/errors.md are generated
 * from this table. The codes of findings, which are about rows, are in `finding.ts`.
 */
export const ERRORS = {
  'srq.fault': of('fault')('There is an error in srq itself.', 'Report it, with the output of --verbose.'),

  'arguments.missing': usage('An argument or a part of the command is missing.', 'Give what the message names.'),
  'arguments.invalid': usage('A value is none that the option or argument takes.', 'Give one that the hint names.'),
  'option.unknown': usage('There is no such option.', 'Correct its name: srq help COMMAND --all'),
  'flags.contradict': usage('Two flags cannot be used together, or not here.', 'Leave one of them out.'),
  'flags.incomplete': usage('A flag needs another one.', 'Add the flag that the hint names.'),
  'live.not-confirmed': usage('The profile is live, and nobody could confirm.', 'Look at the plan, then add --yes.'),
  'plan.differs': usage('The plan is not the one of --plan.', 'Look at it again: --dry-run --json'),
  'prompt.declined': usage('A person did not confirm.', 'Run the command again, and confirm.'),
  'columns.undecided': usage('What a column holds has to be decided.', 'Decide by --map, or --accept-likely.'),
  'column.unknown': usage('The file has no such column.', 'Name one that the hint lists.'),
  'field.unknown': usage('There is no such field.', 'Name one that the hint lists.'),
  'field.constant-is-column': usage('A constant is the name of a column.', 'Write the column in braces: {Column}'),
  'mapping.unclear': usage('A correction of the columns cannot be read.', 'Write COLUMN=FIELD or FIELD=VALUE.'),
  'mapping.unknown': usage('No mapping, or more than one, is meant.', 'See: srq mapping list'),
  'mapping.unusable': usage('The mapping file cannot be used.', 'Write one with --save-mapping FILE.'),
  'mapping.unwritable': usage('The mapping file cannot be written.', 'Name another place for it.'),
  'file.twice': usage('A file is named twice.', 'Name each file once.'),
  'file.only-one': usage('A flag is for one file, and several were given.', 'Import the files one by one.'),
  'rows.sent-before': usage(
    'Such requests were sent before, read or addressed in another way.',
    'Compare with srq log. If they are new, add --again.',
  ),
  'results.of-sandbox': usage('The file holds results of the sandbox.', 'Import the original file.'),
  'output.not-replaced': usage('A file is there that srq does not replace.', 'Name another file.'),
  'output.unwritable': usage('A file cannot be written.', 'Name another place.'),
  'run.unknown': usage('The log has no such run.', 'Name one that the hint lists.'),
  'sheet.unknown': usage('The file has no such sheet.', 'Name one that the hint lists, or leave --sheet out.'),
  'market.unknown': usage('That is not one of the markets.', 'See: srq markets'),
  'profile.bad-name': usage('That cannot be the name of a profile.', 'Use letters, digits, "-", "_" and ".".'),
  'profile.unknown': usage('There is no such profile.', 'See: srq profile list'),
  'profile.leads-elsewhere': usage('A login would replace a live profile.', 'Name the profile with --profile.'),
  'login.incomplete': usage('The login lacks something.', 'Give all that the message names.'),
  'secret.in-arguments': usage('A secret stands among the arguments.', 'Give it by a file or on a terminal.'),
  'store.password-shown': usage('A password stands in an argument.', 'Set PGPASSWORD, or use a password file.'),
  'store.missing': usage('The command needs a store in PostgreSQL.', 'Name it with --store or SRQ_STORE.'),
  'store.log-unknown': usage(
    'The store does not know a log that the profile has.',
    'Take it over: srq store import FILE',
  ),
  'deletion.not-confirmed': usage('Nobody could confirm a deletion.', 'Look at what it is about, then add --yes.'),
  'sandbox.own-process': usage('The command cannot use a sandbox within it.', 'Start one of its own: srq sandbox'),
  'sandbox.bad-call': usage('A call to the sandbox is not as it must be.', 'Correct what the message names.'),
  'sandbox.store': usage('The store of the sandbox cannot be used.', 'Name another file with --store.'),
  'port.unavailable': usage('Nobody can listen on the port.', 'Choose another port.'),
  'contract.undecided': usage(
    'The documents leave something open.',
    'Answer the questions that --dry-run --json lists, by --set and --operation.',
  ),
  'contract.not-confirmed': usage('Nobody could agree to the contract.', 'Look with --dry-run, then add --yes.'),
  'operation.unknown': usage('That is not an operation of the service.', 'Name one that the hint lists.'),
  'answer.none-waiting': usage('No answer waits for a statement on its meaning.', 'Name one that the hint lists.'),
  'validate.missing': usage('The service has no validate.', 'If it has one now: srq contract learn FILE'),
  'doubt.unknown': usage('No request with an unknown outcome is meant.', 'List them: srq resolve'),
  'doubt.several': usage('Several requests cannot share an identifier.', 'Name one key.'),

  'address.invalid': settings('The base URL cannot be used.', 'Correct it: srq login --base-url URL'),
  'address.unencrypted': settings('The address is not encrypted.', 'Use https.'),
  'settings.unusable': settings('The settings file cannot be used.', 'Mend what the message names, or log in again.'),
  'settings.unwritable': settings('The settings cannot be written.', 'Check who may write to their folder.'),
  'keychain.unusable': settings('The keychain cannot be used.', 'Use --secret-command, or the settings file.'),
  'contract.unusable': settings('The learned contract cannot be used.', 'Learn it again, or forget it.'),
  'contract.other-service': settings('The contract is of another address.', 'Learn the contract of this one.'),
  'clock.wrong': settings('The clock of this machine is wrong.', 'Set it, preferably by NTP.'),
  'certificate.unusable': settings('A certificate or its key cannot be used.', 'Correct the file or its passphrase.'),
  'certificate.unchecked': settings('The check of certificates is turned off.', 'Unset NODE_TLS_REJECT_UNAUTHORIZED.'),
  'proxy.unusable': settings('The address of the proxy cannot be used.', 'Correct HTTPS_PROXY.'),
  'store.bad-address': settings('The URL of the store cannot be used.', 'Correct it.'),

  'file.missing': input('There is no such file.', 'Check the name and the folder.'),
  'file.unreadable': input('The file cannot be read.', 'Check what it is and who may read it.'),
  'file.wrong-kind': input('The file is none of leads.', 'Save it as CSV, JSON or .xlsx.'),
  'file.damaged': input('The file is damaged or cut off.', 'Fetch or export it again.'),
  'file.too-large': input('The file is larger than such a file can be.', 'Export only what describes the requests.'),
  'file.no-header': input('The file has no header.', 'Put a line above it that names the columns.'),
  'file.no-rows': input('There are no rows to import.', 'Export the file again, with its data.'),
  'file.changed': input('The file changed while it was read.', 'Wait until it is finished, and run again.'),
  'csv.unreadable': input('A line is not CSV.', 'Mend the line, or name the delimiter.'),
  'json.unreadable': input('The file is not JSON, or not whole.', 'Export the file again.'),
  'json.nested': input('The requests are in a list within an object.', 'Give that list alone.'),
  'encoding.mismatch': input('The bytes are none of the encoding.', 'Name the encoding: --encoding NAME'),
  'column.twice': input('Two columns have the same name.', 'Rename one, or say what they are with --map.'),
  'results.ambiguous': input('The outcomes in a results file cannot be told.', 'Import the results file unchanged.'),
  'request.malformed': input('A request of the file cannot be read.', 'Correct it.'),
  'request.too-many': input('The file has too many requests for this command.', 'Import it: srq bulk FILE'),
  'request.invalid': input('A request does not pass the local checks.', 'Correct what the message names.'),
  'recording.unusable': input('A recording cannot be used.', 'Correct what the message names.'),
  'recording.not-queued': input('A recording cannot be queued.', 'Import such rows with srq bulk.'),
  'document.missing': input('No document was given.', 'Name one: srq contract learn FILE'),
  'document.unreadable': input('The document cannot be read.', 'Give an OpenAPI description or Postman collection.'),
  'document.is-contract': input('The document is a learned contract.', 'Give it alone.'),
  'document.too-large': input(
    'The document, or what it refers to, is too large.',
    'Bundle it, or ask for a smaller one.',
  ),
  'document.undecided': input('The document leaves an operation open.', 'Name it: --operation NAME=OPERATION'),
  'document.bad-schema': input("The document's schema cannot be used.", 'Ask the service for a corrected one.'),
  'operation.not-found': input('The document has no such operation.', 'Name one that the hint lists.'),
  'operation.unusable': input('srq cannot write what the operation takes.', 'Name another: --operation'),
  'parameter.not-found': input('The document has no such parameter.', 'Name one that the hint lists.'),
  'parameter.not-allowed': input('The value of a parameter does not fit.', 'Give one that the document allows.'),
  'address.outside': input('An address is not one to send secrets to.', 'Correct it, or name another.'),

  'auth.missing': auth('Nobody is logged in.', 'Log in: srq login'),
  'auth.no-profile': auth('There is no such profile.', 'See: srq profile list'),
  'auth.no-secret': auth('The secret cannot be had.', 'Try the secret command, or log in again.'),
  'auth.refused': auth(
    'The service refused the credentials.',
    'Check them, and log in again: srq login. If its document says more on tokens: srq contract learn',
  ),
  'auth.token-refused': auth('The service refused a token that it had just issued.', 'Ask it whether this client may.'),
  'auth.denied': auth('The service denies these requests to this client.', 'Ask the marketplace for the right.'),

  'service.unreachable': of('unreachable')(
    'The service could not be reached.',
    'Find out why: srq doctor. Then run the same command again.',
  ),
  'service.closed': service('The service asks to wait for long.', 'Run the same command again after that time.'),
  'service.no-verdict': service('Validate gave no verdict.', 'Try later, or leave it out: --no-validate'),
  'service.redirects': service('The service redirects.', 'Log in with its new address.'),
  'service.wrong-address': service('The service does not know this address.', 'Check the base URL: srq status'),
  'service.failed': service('The service did not take a request.', 'Try later.'),
  'service.busy': service(
    'The service asks for fewer requests, or is not available.',
    'Run the same command again later.',
  ),
  'service.false-duplicate': service(
    'The service calls a made-up request a duplicate.',
    'See how it is read: srq contract show',
  ),
  'service.certificate-ends': service('The certificate of the service expires soon.', 'Tell the marketplace.'),
  'token.unusable-answer': service('The token endpoint gave no token.', 'Check the address: srq status'),

  'request.rejected': of('rejected')('The service refused the request.', 'Correct what it names.'),
  'request.denied': of('rejected')(
    'The service denied the request to this client.',
    'Ask the marketplace for the right.',
  ),
  'request.refused-here': of('rejected')(
    'A worker refused the request before it was sent.',
    'Queue the file again, under the contract of the workers.',
  ),
  'request.not-sent': service(
    'The request was not sent: there was no connection, no token or no answer.',
    'Run the same command again.',
  ),
  'request.not-tried': service('The command ended before the turn of the request.', 'Run the same command again.'),
  'request.not-taken': service(
    'The request was found not to have been taken.',
    'Import the file again: it is sent then.',
  ),
  'request.in-doubt': unknown('It is not known whether a request was taken.', 'Look it up, then: srq resolve'),
  'request.is-duplicate': of('duplicate')('The service has the request already.', 'Nothing to do.'),
  'answer.unproven': unknown(
    'A success proves nothing of the request.',
    'Look it up; then srq resolve, or srq contract learn --taken-by.',
  ),
  'answer.same-identifier': unknown('Two requests got the same identifier.', 'Look both up; then: srq resolve'),

  'answer.unreadable': stopped('The answers of the service cannot be read.', 'Check the base URL: srq status'),
  'file.changed-under-way': stopped('The file changed after requests were sent.', 'Run again on the finished file.'),
  'rows.error-budget': stopped('As many rows were refused as --max-errors allows.', 'Correct them, and run again.'),
  'rows.same-refusal': stopped('The first rows were refused for one reason.', 'Correct the mapping: --dry-run'),
  'rows.too-many-doubts': stopped('Too many outcomes are unknown.', 'Run the same command again later.'),

  'log.in-use': log('Another process uses the log.', 'Wait until it has ended.'),
  'log.under-way': log('Another process may be sending the same request.', 'Wait until it has ended.'),
  'log.unwritable': log('The log cannot be written.', 'Free space, or correct the rights.'),
  'log.unreadable': log('The log cannot be read.', 'Correct what the message names, or name another.'),
  'log.damaged': log('The log is damaged, or is none.', 'Mend the line, or put a backup back.'),
  'log.incomplete': log('The log is gone, or lacks its end.', 'Put it back: it prevents sending twice.'),
  'log.changed': log('The log was replaced while in use.', 'Put it back under its name.'),
  'log.not-own': log('Others may have written the log.', 'Take their rights away.'),
  'log.no-lock': log('The lock of the log cannot be used.', 'Correct the rights, or name another log.'),
  'platform.no-lock': of('platform.no-lock')(
    'This machine has no lock that holds between processes.',
    'Use a store: --store URL',
  ),
  'disk.nearly-full': log('There is little room on the disk.', 'Free some space.'),
  'log.closed': log('The log was closed too early.', 'Run the same command again.'),
  'results.unwritable': log('The results file cannot be written.', 'Name another place, and run again.'),
  'store.unavailable': log('The store cannot be used.', 'Check that the database runs and can be reached.'),
  'store.not-ready': log('The store lacks tables or rights.', 'Let its owner run: srq store migrate'),
  'store.unsafe': log('The store may lose records.', 'Change what the hint names.'),
  'store.version': log('The store is of another version.', 'Update the older one: srq, or the server.'),
  'store.read-only': log('The store cannot be written to.', 'Name the primary server.'),
  'store.failed-over': log('The store may have lost its last commits.', 'Wait, or: srq store resume'),

  'prompt.left': of('interrupted')('A person left at a question.', 'Run the same command again.'),
  'interrupted.signal': of('interrupted')('The command was interrupted.', 'Run the same command again.'),
  'interrupted.unfinished': of('interrupted')('A file was not finished.', 'Run the same command again.'),
  'terminated.signal': of('terminated')('The process was told to end.', 'Run the same command again.'),
} as const satisfies Readonly<Record<string, ErrorFacts>>;

/** The stable code of an error, such as `auth.refused`. docs/errors.md lists all of them, as `srq help errors` does. */
export type ErrorReason = keyof typeof ERRORS;
