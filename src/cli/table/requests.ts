import * as flags from './options.ts';
import type { CommandTable } from './row.ts';

/** What works on requests and on the log of them. */
export const REQUESTS: CommandTable = {
  validate: {
    about: 'ask the service whether a request is a duplicate',
    flags: flags.VALIDATE,
    examples: [
      'srq validate --country PT --phone +351912345678 --request-text "Tap"',
      'srq validate --file request.json',
    ],
    uses: 'profile',
    sends: 'asks',
    run: async () => (await import('../../commands/validate.ts')).validate,
  },
  create: {
    about: 'create one request, or a few from a JSON file',
    flags: flags.CREATE,
    examples: ['srq create --country PT --phone +351912345678 --request-text "Tap"', 'srq create --file request.json'],
    uses: 'log',
    sends: 'creates',
    run: async () => (await import('../../commands/create.ts')).create,
  },
  bulk: {
    about: 'import files of leads (-: stdin); try it with --sandbox',
    args: [{ name: '<files...>' }],
    flags: flags.BULK,
    examples: ['srq bulk leads.csv --sandbox', "srq bulk leads.csv --map 'Telefon 2=phone' --set country=PT --dry-run"],
    uses: 'log',
    sends: 'creates',
    run: async () => (await import('../../commands/bulk.ts')).bulk,
  },
  log: {
    about: 'show what was sent and what came back',
    flags: flags.LOG,
    examples: ['srq log --since 24h --status rejected', 'srq log --json                   one JSON document a line'],
    uses: 'log',
    noSandbox: true,
    run: async () => (await import('../../commands/log.ts')).log,
  },
  report: {
    about: 'write a page with charts about an import, even a running one',
    flags: flags.REPORT,
    examples: ['srq report -o run.html', 'srq report --run all -o all.html'],
    uses: 'log',
    noSandbox: true,
    run: async () => (await import('../../commands/report.ts')).report,
  },
  export: {
    about: 'write your file with the identifiers, for your CRM',
    args: [{ name: '<file>', about: 'add srq_status, srq_id, srq_at to its columns (-: stdin)' }],
    flags: flags.EXPORT,
    examples: ['srq export leads.csv -o leads.export.csv'],
    uses: 'log',
    noSandbox: true,
    run: async () => (await import('../../commands/export.ts')).exportFile,
  },
  resolve: {
    about: 'list or settle requests whose outcome is unknown',
    args: [{ name: '[key...]' }],
    flags: flags.RESOLVE,
    examples: [
      'srq resolve                                       list them',
      'srq resolve 3f9a1c22b0d4 --created 123456',
      'srq resolve --not-created --run 3f9a',
    ],
    uses: 'log',
    run: async () => (await import('../../commands/resolve.ts')).resolve,
  },
};

/** What needs a store that several machines share. */
export const SEVERAL_MACHINES: CommandTable = {
  store: {
    about: 'the log in PostgreSQL that several machines share',
    examples: ['srq store migrate --store postgres://owner@db.example/leads'],
    isHidden: true,
  },
  'store migrate': {
    about: 'create the tables of the store',
    examples: ['srq store migrate --store postgres://owner@db.example/leads'],
    uses: 'store',
    run: async () => (await import('../../commands/store/run.ts')).storeMigrate,
  },
  'store resume': {
    about: 'go on sending after a fail-over, without waiting for processes that have not come back',
    examples: ['srq store resume'],
    uses: 'store',
    run: async () => (await import('../../commands/store/run.ts')).storeResume,
  },
  'store import': {
    about: 'take over the requests of a log in a file; running it again does no harm',
    args: [{ name: '<file>' }],
    examples: ['srq store import default.ndjson --store postgres://srq@db.example/leads'],
    uses: 'store',
    run: async () => (await import('../../commands/store/run.ts')).storeImport,
  },
  'store export': {
    about: 'write the last record of each request to a log file',
    flags: flags.STORE_EXPORT,
    examples: ['srq store export -o leads.ndjson'],
    uses: 'store',
    run: async () => (await import('../../commands/store/run.ts')).storeExport,
  },
  enqueue: {
    about: 'queue a file of leads for workers (-: stdin)',
    args: [{ name: '<file>' }],
    flags: flags.ENQUEUE,
    examples: ['srq enqueue leads.csv --store postgres://srq@db.example/leads', 'srq enqueue leads.csv --yes --json'],
    uses: 'store',
    run: async () => (await import('../../commands/enqueue.ts')).enqueue,
  },
  work: {
    about: 'send what is queued; any number of workers can run',
    flags: flags.WORK,
    examples: ['srq work', 'srq work --until-empty --json', 'srq work --health-port 8080'],
    uses: 'store',
    sends: 'creates',
    run: async () => (await import('../../commands/work/run.ts')).work,
  },
  queue: {
    about: 'show the queue, its workers and their progress',
    examples: ['srq queue', 'srq queue --json'],
    uses: 'store',
    run: async () => (await import('../../commands/queue.ts')).queue,
  },
  'queue purge': {
    about: 'forget the rows that wait to be sent',
    flags: flags.PURGE,
    examples: ['srq queue purge', 'srq queue purge --yes --json'],
    uses: 'store',
    run: async () => (await import('../../commands/queue.ts')).queuePurge,
  },
};
