import type { Context } from '../cli/context.ts';
import { warnOfWrongLog } from '../cli/profiles.ts';
import type { ResolveOptions } from '../cli/table/options.ts';
import {
  MIN_KEY_LETTERS,
  requireClear,
  requireOwnIdentifier,
  settleByWord,
  unknownRecords,
} from '../delivery/settle-by-word.ts';
import { columnsOf, printableLines } from '../report/output.ts';
import { doubtText } from '../report/terminal/log-text.ts';
import { logEntryOf } from '../request/log/log-store.ts';
import { SrqError } from '../request/words/errors.ts';
import { begunRuns, knownRun } from '../run/known-runs.ts';

/** Minimum length of the beginning of a run. A shorter one may be that of another run than the one that is meant. */
const MIN_RUN_LETTERS = 4;

/** Settles requests whose outcome is unknown, as the user states. Without a statement, it lists them. */
export async function resolve(context: Context, given: readonly string[], options: ResolveOptions): Promise<number> {
  // In a results file a key stands behind a letter.
  const keys = given.map((key) => key.replace(/^k(?=[0-9a-f]+$)/, ''));
  const short = keys.find((key) => key.length < MIN_KEY_LETTERS);
  if (short !== undefined) {
    const message = `"${short}" is too short for a key. Nothing was recorded.`;
    throw new SrqError('arguments.invalid', message, `Give at least its first ${MIN_KEY_LETTERS} letters.`);
  }
  const { created, notCreated, run } = options;
  const isList = created === undefined && !notCreated;
  if (!isList && run !== undefined && run.length < MIN_RUN_LETTERS) {
    throw new SrqError(
      'arguments.invalid',
      `--run "${run}" is too short. Nothing was recorded.`,
      `Give at least the first ${MIN_RUN_LETTERS} letters: srq log --json shows the run of each request.`,
    );
  }
  if ((await context.log.place()).kind === 'store') await (await context.log.postgresStore()).requireTables();
  const store = await context.log.store();
  const meant = run === undefined ? options : { ...options, run: await knownRun(store, run, 'srq resolve --all') };
  return isList ? list(context, keys, meant) : byPerson(context, keys, meant);
}

async function list(context: Context, keys: readonly string[], options: ResolveOptions): Promise<number> {
  const store = await context.log.store();
  const doubtful = await unknownRecords(store, keys, options);
  const files = new Map((await begunRuns(store)).map(({ run, file }) => [run, file]));
  const entries = doubtful.map((record) => ({ ...logEntryOf(record), file: files.get(record.run) ?? null }));
  const nowMs = context.clock.nowMs();
  await context.reporter.result(
    'resolve',
    {
      unknown: entries.map(({ key, at, run, file, row, ref, message, reason, raw }) => {
        return { key, at, run, file, row, ref, message, reason, answer: raw };
      }),
    },
    (paint) =>
      doubtful.length === 0
        ? `No ${keys.length === 0 && options.ref === undefined && options.run === undefined ? '' : 'such '}request has an unknown outcome.`
        : doubtText(entries, nowMs, columnsOf(context.process.stdout), paint),
  );
  if (doubtful.length === 0) await warnOfWrongLog(context);
  else context.reporter.say(() => printableLines(context.withProfile(HOW_TO)));
  return 0;
}

const HOW_TO = `Look each one up at the service, then say what you found. If it is there:
  srq resolve KEY --created [ID]
If it is not there (the next run then sends it):
  srq resolve KEY --not-created
To ask validate about each, import the file again: srq bulk FILE`;

/**
 * Settles requests as the user states. All requests must be selected explicitly, and an identifier can be given for
 * only one.
 */
async function byPerson(context: Context, keys: readonly string[], options: ResolveOptions): Promise<number> {
  if (keys.length === 0 && options.ref === undefined && options.run === undefined && !options.all) {
    throw new SrqError(
      'arguments.missing',
      'Say which requests to settle.',
      'Name keys (srq resolve lists them), --ref REF, --run RUN, or --all.',
    );
  }
  if (typeof options.created === 'string') await requireIdentifier(context, options.created);
  // The log is opened exclusively, because another run may still learn the outcome of what it has in flight.
  const log = await context.log.open('resolve', true);
  const doubtful = await unknownRecords(await context.log.store(), keys, options);
  const id = typeof options.created === 'string' ? options.created : null;
  const word = options.notCreated ? 'not-created' : { id };
  requireClear(doubtful, keys, word);
  await requireOwnIdentifier(await context.log.store(), word);
  await settleByWord(log, doubtful, word);
  const status = options.notCreated ? 'failed' : 'created';
  await context.reporter.result(
    'resolve --created',
    { run: context.run, resolved: doubtful.map(({ key, row, ref }) => ({ key, row, ref, status })) },
    () =>
      options.notCreated
        ? `${doubtful.length} noted as not created: the next run of the same import sends ${doubtful.length === 1 ? 'it' : 'them'}.`
        : `${doubtful.length} noted as created.`,
  );
  return 0;
}

/**
 * Throws `SrqError('usage')` for a text that cannot be an identifier of the service. An unset variable of a script
 * gives an empty one. A second key after `--created` is an unknown request, and was not meant as the identifier of the
 * first.
 */
async function requireIdentifier(context: Context, id: string): Promise<void> {
  if (id.trim() === '') {
    const hint = 'Name the one that the service shows, or leave it out: srq resolve KEY --created';
    throw new SrqError('arguments.invalid', 'The identifier after --created is empty. Nothing was recorded.', hint);
  }
  const [another] = await unknownRecords(await context.log.store(), [id]);
  if (another === undefined) return;
  throw new SrqError(
    'arguments.invalid',
    `"${id}" is the key of a request whose outcome is unknown, not an identifier of the service. Nothing was recorded.`,
    'Name all keys before the option: srq resolve KEY KEY --created',
  );
}
