import { FIELD, type FieldOption } from '../../request/lead/fields.ts';
import { TEXT_FORMATS } from '../../request/lead/table.ts';
import { SENT_STATUSES } from '../../request/log/status.ts';
import {
  amount,
  budget,
  choice,
  count,
  type Flag,
  flag,
  forOne,
  initially,
  type OptionsOf,
  off,
  outputFile,
  pairs,
  rare,
  rate,
  text,
} from './flags.ts';

export const GLOBAL = {
  profile: text('<name>', 'use this profile (SRQ_PROFILE)'),
  sandbox: flag('send to a local sandbox instead, with a log of its own'),
  json: flag('print one JSON document on stdout'),
  quiet: flag('show no plan and no progress', { short: '-q' }),
  verbose: flag('show every call to the service, with personal data masked', { short: '-v' }),
  color: off('no colours (NO_COLOR); FORCE_COLOR does the opposite'),
  input: off('never ask a question'),
  timeout: amount('<seconds>', 'longest wait for a complete answer (default: 120)'),
  log: text('<file>', 'use this log'),
  store: text('<url>', 'keep the log in this store (PostgreSQL), for several machines (SRQ_STORE)', {
    not: { log: null },
  }),
  freshStore: flag('use a store although it lacks requests that the log file has'),
};
/** What all commands take; commander has `--version` by itself. */
export const EVERYWHERE = { version: flag('print the version'), ...GLOBAL };
/** The flags that all commands have, and `--keep` of `srq bulk`, which the sandbox asks for. */
export type GlobalOptions = Partial<OptionsOf<typeof GLOBAL & Pick<typeof BULK, 'keep'>>>;

const yes = (about: string) => flag(about, { short: '-y' });
const output = (about: string) => text('<file>', about, { short: '-o' });
const events = rare(
  text('<file>', 'write the events of the run there, one JSON object a line (-: stdout)', {
    not: { dryRun: '--events and --dry-run cannot be used together: a dry run sends nothing. Nothing was sent.' },
  }),
);
const noValidate = rare(off('create without asking for duplicates first'));
const onDuplicate = (about: string) => initially('skip', choice('<what>', about, ['skip', 'create']));

/** How a file of leads is read. */
export const READING = {
  format: rare(choice('<format>', 'format of the file (detected)', TEXT_FORMATS)),
  encoding: rare(text('<name>', 'encoding of the file (detected)')),
  delimiter: rare(text('<mark>', 'delimiter of a CSV file: , ; TAB | (detected)')),
  skipLines: rare(initially(0, count('<n>', 'leave out the first N lines of the file', 0))),
  sheet: rare(text('<name>', 'sheet of a workbook (default: the one with the most leads)')),
  map: pairs('<column=field>', 'use this column as that field; - leaves it out', 'last'),
  set: pairs('<field=value>', "give all rows a value: PT, or '{City} {Zip}'"),
  mapping: text('<file>', 'read --map and --set from JSON: {"map":{},"set":{}}'),
};
export type ReadingOptions = OptionsOf<typeof READING>;

const PLANNING = {
  limit: forOne(count('<n>', 'only the first N rows', 1)),
  skip: forOne(rare(initially(0, count('<n>', 'leave out the first N rows', 0)))),
};
const AGREEING = {
  acceptLikely: flag('take likely columns without asking'),
  yes: yes('do not ask to confirm the plan and the columns'),
};

export const BULK = {
  ...READING,
  dryRun: flag('read, map, check; send nothing'),
  ...PLANNING,
  validate: noValidate,
  onDuplicate: onDuplicate('what to do with a duplicate'),
  again: rare(initially(false, flag('send again what the log says was created'))),
  rate: rate('calls a second: auto (the default), max, a number'),
  concurrency: rare(initially(16, count('<n>', 'at most this many requests at the same time', 1, 1000))),
  maxErrors: budget('<n>', 'stop after this many refused rows: 50, or 2%'),
  settle: rare(
    amount(
      '<seconds>',
      'wait before asking validate about an unknown row (default: 60, or 240 if the process that sent it has ended or a proxy is used)',
    ),
  ),
  inDoubt: rare(
    initially(
      'validate',
      choice('<what>', 'what to do with unknown rows (park: leave them unknown)', ['park', 'validate']),
    ),
  ),
  results: outputFile('write every row with its outcome: .csv, .xlsx, .json'),
  report: outputFile('write the run as a page with charts (.html)', {
    not: { dryRun: 'A dry run sends nothing, so there is nothing to report.' },
  }),
  events,
  keep: rare(
    flag('with --sandbox: keep its inbox open until Ctrl-C', {
      needs: 'sandbox',
      not: { dryRun: 'A dry run sends nothing, so the inbox would be empty.' },
    }),
  ),
  ...AGREEING,
};
export type BulkOptions = OptionsOf<typeof BULK>;

export const ENQUEUE = {
  ...READING,
  dryRun: flag('read, map, check; queue nothing'),
  ...PLANNING,
  onDuplicate: rare(onDuplicate('what to do with a row that the log has as a duplicate')),
  ...AGREEING,
};
/** The options with which `bulk` and `enqueue` plan a file. */
export type PlanOptions = OptionsOf<typeof ENQUEUE>;

export const WORK = {
  concurrency: initially(64, count('<n>', 'at most this many requests at the same time, in this worker', 1, 1000)),
  rate: rate('calls a second for the whole account: auto (the default), max, a number'),
  untilEmpty: flag('end when the queue is empty'),
  validate: noValidate,
  onDuplicate: rare(onDuplicate('what to do with a duplicate')),
  healthPort: count('<port>', 'answer /livez, /healthz and /metrics there', 1, 65_535),
  healthHost: rare(initially('127.0.0.1', text('<address>', 'where to listen'))),
  events,
};
export type WorkOptions = OptionsOf<typeof WORK>;

const ofFields = Object.values(FIELD).map(({ option, value, help, isRare }) => {
  const given = text(`<${value}>`, help);
  return [option, isRare ? rare(given) : given] as const;
});
export const VALIDATE = {
  ...(Object.fromEntries(ofFields) as Readonly<Record<FieldOption, Flag<string>>>),
  field: pairs('<name=value>', 'another parameter (repeatable)'),
  file: text('<file>', 'JSON object, array or NDJSON with names such as request_text (-: stdin)'),
};
/** The options that describe one request. */
export type RequestOptions = OptionsOf<typeof VALIDATE>;

export const CREATE = {
  ...VALIDATE,
  validate: noValidate,
  onDuplicate: onDuplicate('what to do with a duplicate'),
  again: BULK.again,
};
export type CreateOptions = OptionsOf<typeof CREATE>;

export const LOG = {
  ref: text('<ref>', 'only this reference'),
  id: text('<id>', 'only this identifier'),
  since: text('<time>', 'from this time on (UTC): 2026-11-21, or 90m, 24h, 7d ago'),
  status: choice('<status>', 'only this status', SENT_STATUSES),
  run: text('<run>', 'only this run: its id, or how the id begins'),
  csv: flag('as CSV', { not: { json: null } }),
};
export type LogOptions = OptionsOf<typeof LOG>;

export const EXPORT = { output: output('write it there: .csv, .xlsx or .json'), ...READING };
export type ExportOptions = OptionsOf<typeof EXPORT>;

export const REPORT = {
  output: { ...outputFile('write the page there (.html)', { short: '-o' }), isRequired: true as const },
  run: text('<id>', 'run id, or how it begins, or "all" (default: the last run)'),
};
export type ReportOptions = OptionsOf<typeof REPORT>;

export const RESOLVE = {
  created: { about: 'you looked it up: the service has it', value: '[id]' } as Flag<string | true>,
  notCreated: flag('you looked it up: not there; the next run sends it', { not: { created: null } }),
  ref: text('<ref>', 'all with this reference'),
  run: text('<run>', 'all of this run'),
  all: flag('every request whose outcome is unknown'),
};
export type ResolveOptions = OptionsOf<typeof RESOLVE>;

export const LOGIN = {
  baseUrl: text('<url>', 'https, except on this machine (SRQ_BASE_URL)'),
  clientId: text('<id>', 'client id (SRQ_CLIENT_ID)'),
  clientSecretStdin: flag('read the secret from stdin (SRQ_CLIENT_SECRET)'),
  secretCommand: text('<command>', 'store a command that prints the secret', { not: { keychain: null } }),
  keychain: flag("take the secret from this system's keychain", { not: { clientSecretStdin: null } }),
  encoding: choice('<encoding>', 'how requests are sent (default: form)', ['form', 'json']),
  test: flag('mark the service as a test, so that srq asks less'),
};
export type LoginOptions = OptionsOf<typeof LOGIN>;

export const DOCTOR = {
  create: flag('also send one request that is marked as a test'),
  yes: yes('with --create: do not ask'),
};
export type DoctorOptions = OptionsOf<typeof DOCTOR>;

export const SANDBOX = {
  port: initially(4010, count('<port>', 'port on 127.0.0.1; 0 for a free one', 0, 65_535)),
  latency: initially(0, count('<ms>', 'delay of each answer', 0, 600_000)),
  rate: amount('<n>', 'answer 429 above this many calls a second'),
  tokenTtl: initially(3600, count('<seconds>', 'lifetime of a token', 1, 31_536_000)),
  fault: pairs('<kind=probability>', 'inject faults (repeatable): 429, 500, reset-after'),
  seed: initially(1, count('<n>', 'the same seed gives the same faults', 0, 2 ** 32 - 1)),
  clientId: text('<id>', 'its client id, instead of a random one'),
  clientSecretStdin: flag('read its client secret from stdin, instead of a random one'),
};
export type SandboxOptions = OptionsOf<typeof SANDBOX>;

export const LEARN = {
  environment: text('<file>', 'the environment of a Postman collection'),
  set: pairs(
    '<name=value>',
    'a value for every request, or {field} (repeatable); Idempotency-Key=24h says that the service recognises a repeated create for 24 hours',
  ),
  operation: pairs(
    '<name=path>',
    'the operation for create, token or validate (or none); token also takes a path or a full URL',
  ),
  takenBy: rare(
    text(
      '<answer>',
      'answer that means taken: its beginning, or form (the only unclear answer), or id (any answer that names an identifier, whatever else it says)',
    ),
  ),
  refusedBy: rare(text('<answer>', 'answer that means refused: its beginning, or form (the only unclear answer)')),
  dryRun: flag('show what would be learned'),
  yes: yes('agree to what is shown'),
};

export const TEMPLATE = {
  market: initially('PT', text('<code>', 'market for language and format')),
  output: text('<file>', 'write it there; an existing file is not replaced'),
};
export const PURGE = { yes: yes('do not ask') };
export const STORE_EXPORT = {
  output: {
    ...outputFile('write it there; an existing file is not replaced', { short: '-o' }),
    isRequired: true as const,
  },
};
export const HELP = { all: flag('with the options that few need') };
