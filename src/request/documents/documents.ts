import * as z from 'zod/mini';
import { event } from './events.ts';
import * as reference from './reference.ts';
import * as runs from './runs.ts';
import * as setup from './setup.ts';
import * as shapes from './shapes.ts';

/**
 * The JSON documents, by the command line that prints them (without `--json`). If a flag makes a command print another
 * document, that document has its own entry. The types of the program are inferred from these schemas (`types.ts`).
 */
export const DOCUMENTS = {
  demo: setup.demo,
  login: setup.loggedIn,
  logout: setup.loggedOut,
  status: setup.settings,
  'profile list': setup.profiles,
  'profile use': setup.profileUsed,
  doctor: setup.diagnosis,
  validate: runs.validated,
  create: runs.created,
  bulk: runs.imported,
  'bulk --dry-run': runs.planned,
  events: event,
  log: runs.logged,
  report: runs.reported,
  export: runs.exportedRow,
  'export --output': runs.exportWritten,
  resolve: runs.doubts,
  'resolve --created': runs.settled,
  'store migrate': setup.migrated,
  'store resume': setup.resumed,
  'store import': setup.takenOver,
  'store export --output': setup.movedOut,
  enqueue: runs.enqueued,
  'enqueue --dry-run': runs.planned,
  work: runs.worked,
  queue: runs.queue,
  'queue purge': runs.purged,
  'contract learn': setup.learned,
  'contract learn --taken-by': setup.answersLearned,
  'contract show': setup.contractShown,
  'contract forget': setup.contractForgotten,
  sandbox: setup.sandboxStarted,
  template: reference.template,
  markets: reference.markets,
  completion: reference.completion,
  __complete: reference.completionWords,
  version: reference.version,
  help: reference.commandMap,
  'help exit-codes': reference.exitCodes,
  'help errors': reference.errors,
  'help environment': reference.environment,
  schema: reference.schemas,
} as const;

/** The commands that print an array of their document if several requests may be meant. */
export const MAY_BE_MANY: ReadonlySet<keyof typeof DOCUMENTS> = new Set(['validate', 'create']);

const requests = z.union([runs.request, z.array(runs.request)]);

/** The documents that commands read. */
export const INPUTS = {
  create: requests,
  validate: requests,
} as const;

export const failed = z.object({
  error: shapes.failure,
});
