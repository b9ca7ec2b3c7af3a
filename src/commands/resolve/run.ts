import { terminalColumns } from '../../cli/command.ts';
import { commandLine, withProfileFlags } from '../../cli/command-line.ts';
import type { Context } from '../../cli/context.ts';
import { exitNumber } from '../../cli/exit-codes.ts';
import { planWithProgress, type ReadingOptions, readInput, requireNoReading } from '../../cli/input.ts';
import { warnOfUnknownProfile } from '../../cli/profiles.ts';
import { finishOnSignal, RequestSession, recordingsBeside } from '../../cli/session.ts';
import { runPass, type ServiceConnection } from '../../delivery/import.ts';
import { recordsInDoubt, settleByWord } from '../../delivery/settle-by-word.ts';
import { settleRows } from '../../delivery/settle-rows.ts';
import { storedProof } from '../../delivery/visibility-prober.ts';
import { printableLines } from '../../report/output.ts';
import { doubtText } from '../../report/terminal/log-text.ts';
import { type ErrorCode, failureOf, SrqError } from '../../request/errors.ts';
import { logEntryOf } from '../../request/log-store.ts';
import { isTrusted, visibilityStats } from '../../request/visibility.ts';
import { showSettling } from '../bulk/show-import.ts';

/** The flags of `resolve`, as commander parses them. */
export interface ResolveOptions extends ReadingOptions {
  /** Whether the user says that the requests were created. A text is the identifier. */
  readonly created?: string | true;
  readonly notCreated?: boolean;
  readonly validate?: boolean;
  readonly file?: string;
  readonly ref?: string;
  readonly all?: boolean;
  readonly settle?: number;
}

/** Settles requests in doubt, either as the user states or by asking validate. With neither flag, it lists them. */
export async function resolve(context: Context, keys: readonly string[], options: ResolveOptions): Promise<number> {
  const actions = [options.created !== undefined, options.notCreated, options.validate].filter(Boolean).length;
  if (actions > 1) throw new SrqError('flags.contradict', 'Choose one of --created, --not-created and --validate.');
  if (!options.validate) requireNoInput(options, actions > 0);
  if (actions === 0) return list(context, keys, options);
  return options.validate ? byValidate(context, keys, options) : byPerson(context, keys, options);
}

/** Throws `SrqError('usage')` for flags that only --validate uses. `isByPerson` tells whether the user states the outcome. */
function requireNoInput(options: ResolveOptions, isByPerson: boolean): void {
  const hint = () =>
    isByPerson ? 'Leave it out: nothing is read for --created and --not-created.' : 'Add: --validate --file FILE';
  requireNoReading(options, hint);
  const flag = options.file !== undefined ? '--file' : options.settle !== undefined ? '--settle' : null;
  if (flag === null) return;
  throw new SrqError('flags.incomplete', `${flag} works with --validate.`, hint());
}

async function list(context: Context, keys: readonly string[], options: ResolveOptions): Promise<number> {
  const reporter = await context.reporter();
  const doubtful = await recordsInDoubt(await context.logStore(), keys, options.ref);
  const entries = doubtful.map(logEntryOf);
  const nowMs = context.clock.nowMs();
  await reporter.result(
    'resolve',
    { unknown: entries.map(({ key, at, row, ref, message, reason }) => ({ key, at, row, ref, message, reason })) },
    (paint) =>
      doubtful.length === 0
        ? 'No request has an unknown outcome.'
        : doubtText(doubtful, nowMs, terminalColumns(context), paint),
  );
  if (doubtful.length === 0) await warnOfUnknownProfile(context);
  else reporter.say(() => printableLines(withProfileFlags(HOW_TO, context.options)));
  return 0;
}

const HOW_TO = `Look each one up at the service, then say what you found. It is there:
  srq resolve KEY --created [ID]
It is not there, and the next run sends it:
  srq resolve KEY --not-created
Or let validate decide: srq resolve --validate --file FILE`;

/**
 * Settles requests as the user states. All requests must be selected explicitly, and an identifier can be given for
 * only one.
 */
async function byPerson(context: Context, keys: readonly string[], options: ResolveOptions): Promise<number> {
  if (keys.length === 0 && options.ref === undefined && !options.all) {
    throw new SrqError(
      'arguments.missing',
      'Say which requests to settle.',
      'Name keys (srq resolve lists them), --ref REF, or --all.',
    );
  }
  if (typeof options.created === 'string') await requireIdentifier(context, options.created);
  // The log is opened exclusively, because the requests in flight of another run are not in doubt yet.
  const log = await context.openLog('resolve', true);
  const doubtful = await recordsInDoubt(await context.logStore(), keys, options.ref);
  const idle = keys.find((given) => !doubtful.some(({ key }) => key.startsWith(given)));
  if (idle !== undefined && doubtful.length > 0) {
    throw new SrqError(
      'doubt.unknown',
      `No request with an unknown outcome has the key "${idle}". Nothing was recorded.`,
      'List them with: srq resolve',
    );
  }
  if (doubtful.length === 0)
    throw new SrqError(
      'doubt.unknown',
      'That names no request with an unknown outcome.',
      'List them with: srq resolve',
    );
  if (typeof options.created === 'string' && doubtful.length > 1) {
    throw new SrqError(
      'doubt.several',
      `${doubtful.length} requests are meant; they cannot share one identifier.`,
      'Name one key.',
    );
  }
  await settleByWord(log, doubtful, options.notCreated ? 'not-created' : { id: idOf(options) });
  const status = options.notCreated ? 'failed' : 'created';
  const reporter = await context.reporter();
  await reporter.result(
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
 * Throws `SrqError('usage')` for a text that is no identifier of the service: an empty one, as an unset variable of a
 * script gives, or the key of another request in doubt, which `--created` takes for the identifier of the one before.
 */
async function requireIdentifier(context: Context, id: string): Promise<void> {
  if (id.trim() === '') {
    const hint = 'Name the one that the service shows, or leave it out: srq resolve KEY --created';
    throw new SrqError('arguments.invalid', 'The identifier after --created is empty. Nothing was recorded.', hint);
  }
  const [another] = await recordsInDoubt(await context.logStore(), [id]);
  if (another === undefined) return;
  throw new SrqError(
    'arguments.invalid',
    `"${id}" is the key of a request whose outcome is unknown, not an identifier of the service. Nothing was recorded.`,
    'Name all keys before the option: srq resolve KEY KEY --created',
  );
}

/** Returns the identifier that the user gave, or null if it is not known. */
function idOf({ created }: ResolveOptions): string | null {
  return typeof created === 'string' ? created : null;
}

/**
 * Settles requests by asking validate. The log holds no personal data, so the requests are read from the file again.
 * Nothing is created.
 */
async function byValidate(context: Context, keys: readonly string[], options: ResolveOptions): Promise<number> {
  const { file, ref, all } = options;
  if (keys.length > 0 || ref !== undefined || all) {
    throw new SrqError(
      'flags.contradict',
      '--validate settles all requests of the file; it takes no key, --ref or --all.',
    );
  }
  if (file === undefined) {
    const hint = 'Name the file they came from, with the same mapping: srq resolve --validate --file leads.csv';
    throw new SrqError(
      'flags.incomplete',
      'To ask validate, srq needs the requests themselves, which the log does not contain.',
      hint,
    );
  }
  // The requests were sent before, so they need not be valid for any operation.
  const session = await RequestSession.open(context, { audio: recordingsBeside(file), operations: [] });
  const connection = await session.connect({ rate: 'auto', concurrency: CONCURRENCY });
  await session.sayDestination();
  const { clock, interruption } = context;
  requireProven(connection, clock.nowMs());
  const log = await context.openLog('resolve', true);
  const input = await readInput(context, file, options);
  const plan = await planWithProgress(session, input, log);
  const before = plan.counts.unknown;
  const reporter = await context.reporter();
  await finishOnSignal(context);
  const { api, evidence, isProxied } = connection;
  const deps = { api, log, clock, preparation: session.preparation, halt: interruption.halt };
  const proof = storedProof(
    () => evidence,
    () => log.nowMs(),
  );
  const settleMs = options.settle === undefined ? null : options.settle * 1000;
  const watch = await showSettling(context, 'Settling', before, () => plan.ledger.counts().unknown);
  const validation = { proof, settleMs, isProxied, waiting: watch.waiting };
  const settling = settleRows(plan, deps, { concurrency: CONCURRENCY, validation, resend: null });
  const stop = await runPass(settling, watch);
  const { created, failed, unknown } = plan.ledger.counts();
  const again = unknown > 0 ? `To go on: ${commandLine(context.process.argv.slice(2))}` : null;
  const stopped = stop
    ? failureOf(stop, (hint) => withProfileFlags(hint, context.options))
    : interruption.failure(again);
  // What was settled before that is told all the same, and what was not is unknown, not failed.
  if (stopped) reporter.warn(`${stopped.message} ${stopped.hint ?? ''}`.trim());
  const ending = stopped === null ? { stopped } : { stopped, error: stopped };
  await reporter.result(
    'resolve --validate',
    { run: context.run, asked: before, created, notCreated: failed, unknown, ...ending },
    () =>
      `${before} asked about: ${created} created, ${failed} not created (the next run sends them), ${unknown} still unknown.`,
  );
  return exitNumber([...endedBy(interruption, stop), ...(unknown > 0 ? (['unknown'] as const) : [])]);
}

/** Returns the codes of what ended the command early. */
function endedBy({ code }: Context['interruption'], stop: SrqError | null): readonly ErrorCode[] {
  return [...(code ? [code] : []), ...(stop ? [stop.code] : [])];
}

const CONCURRENCY = 16;

/** Throws `SrqError('unknown')` if validate has not proven, for any kind of requests, that it sees created ones. */
function requireProven(
  { mayValidate, evidence }: Pick<ServiceConnection, 'mayValidate' | 'evidence'>,
  nowMs: number,
): void {
  const kinds = new Set(evidence.looks.map(({ kind }) => kind));
  if (mayValidate && [...kinds].some((kind) => isTrusted(visibilityStats(evidence, kind, nowMs)))) return;
  throw new SrqError(
    'validate.unproven',
    'Validate has not yet proven that it sees what was created: within 30 days it must have been asked about at least 3 similar requests that were created, and must have found all of them.',
    'Look the requests up at the service, then: srq resolve KEY --created [ID] or --not-created',
  );
}
