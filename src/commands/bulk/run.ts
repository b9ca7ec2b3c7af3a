import { basename } from 'node:path';
import { onlyOptions, withoutOptions } from '../../cli/command-line.ts';
import type { Context } from '../../cli/context.ts';
import { warnOfUnknownProfile } from '../../cli/profiles.ts';
import { finishOnSignal } from '../../cli/session.ts';
import { keepHeapSmall, optimizeForRows } from '../../cli/v8-flags.ts';
import { type ImportDeps, runImport } from '../../delivery/import.ts';
import { requireFileName } from '../../report/output-file.ts';
import type { ImportPlan } from '../../request/log/import-plan.ts';
import { type RunBegin, withListener } from '../../request/log/log-store.ts';
import { sumOfCounts } from '../../request/log/status.ts';
import { SrqError } from '../../request/words/errors.ts';
import { RunHealth } from '../health.ts';
import { type Output, requireDistinct, requireOwnPlaces } from '../output-places.ts';
import { rangeOf, requireAnswers, requireKnownFields } from './agreement.ts';
import { confirmImport, planId, requireConsent, requireHoldable, requirePlan } from './consent.ts';
import { dryRun } from './dry-run.ts';
import { RunEvents } from './events.ts';
import {
  chosenFiles,
  FileImport,
  noteName,
  type OpenedFile,
  openFiles,
  rateOf,
  requireForOne,
  withEachFile,
} from './file-import.ts';
import type { BulkOptions } from './flags.ts';
import { beside, refuseRehearsed } from './results-place.ts';
import { finishRun } from './summary.ts';

/**
 * Imports files. It reads and checks all of them, shows their plans, sends the requests, and reports the result of
 * every row. Nothing is sent before every file is planned and the user has agreed to all plans.
 */
export async function bulk(context: Context, named: readonly string[], asked: BulkOptions): Promise<number> {
  keepHeapSmall();
  const events = await RunEvents.open(context, asked);
  return events.during(context, () => importFiles(context, named, asked, events));
}

async function importFiles(
  context: Context,
  named: readonly string[],
  asked: BulkOptions,
  events: RunEvents,
): Promise<number> {
  // The time for reading and confirming is not counted as time of the service.
  const started = { ms: context.clock.monotonicMs() };
  const outputs = outputsOf(asked);
  await requireSound(context, asked, outputs);
  const given = await chosenFiles(context, named);
  // What remains after this run is another plan, so the next command must not name this one.
  const chosen = { ...given, command: withoutOptions(given.command, ['--plan']) };
  const { files } = chosen;
  requireForOne(chosen, asked);
  for (const file of files) refuseRehearsed(context, file);
  requireConsent(context, await context.settings(), asked);
  const opened = await openFiles(context, chosen, asked);
  const found = opened.map(({ results }): Output => ['the results file', results.path]);
  await requireDistinct([...found, ...outputs.filter(([flag]) => flag !== '--results')]);
  const validate = opened.every(({ session }) => session.validates);
  const options = { ...asked, validate };
  await withEachFile(files, (_, at) => requireKnownFields(opened[at]?.input.mapping, options.strict));
  if (options.dryRun) {
    await warnOfUnknownProfile(context);
    return dryRun(context, opened, chosen.command, options, started.ms);
  }
  requireAnswers(context, opened, chosen.command, options);
  if (options.report !== undefined) {
    const { requireReportPlace } = await import('../../report/page/report-page.ts');
    await requireReportPlace(options.report, '--report');
  }
  const health = await RunHealth.open(context, options);
  const imports = opened.map((each) => new FileImport(each, options, opened.length > 1, events));
  const deps = await importDeps(context, opened, imports, options, { events, health }, () => {
    started.ms = context.clock.monotonicMs();
  });
  const { plans, stop } = await runImport(deps, imports, {
    ...options,
    range: rangeOf(options),
    maxErrors: options.maxErrors ?? null,
    settleMs: options.settle === undefined ? null : options.settle * 1000,
  });
  const ended = imports.flatMap(({ file, results, asides, reasons }, at) => {
    const plan = plans[at];
    return plan ? [{ file, plan, results, asides, reasons, exportTo: beside(file, 'export.csv') }] : [];
  });
  // If there are several files, a correction of one is remembered by its header and need not be repeated in the
  // command.
  const [one, ...more] = imports;
  const command = one && more.length === 0 ? one.command : chosen.command;
  const keepsStdout = options.events !== '-';
  const end = await finishRun(context, { files: ended, command, keepsStdout }, stop, started.ms);
  events.end(end);
  if (options.keep) await keepInbox(context);
  return end.exitCode;
}

/** Throws `SrqError('usage')` for flags that contradict each other, before anything is read. */
async function requireSound(context: Context, asked: BulkOptions, outputs: readonly Output[]): Promise<void> {
  requireReportable(asked);
  requireKeepable(context, asked);
  requireOneAnswer(context.process.argv);
  requireHoldable(context, asked);
  requireFileName(asked.report, '--report');
  await requireOwnPlaces(context, outputs);
}

/** Returns the outputs that the flags name. */
function outputsOf({ saveMapping, results, report, events }: BulkOptions): readonly Output[] {
  return [
    ['--save-mapping', saveMapping],
    ['--results', results],
    ['--report', report],
    ['--events', events],
  ];
}

/** Keeps the sandbox of this process and its inbox open until Ctrl-C. */
async function keepInbox(context: Context): Promise<void> {
  const { interruption } = context;
  if (interruption.code !== null) return;
  const { baseUrl } = await context.settings();
  (await context.reporter()).say(
    () => `The inbox shows what was sent: ${baseUrl?.value}/\nIt stays open until Ctrl-C.`,
  );
  await new Promise<void>((resolve) => interruption.listen(resolve));
}

/** Opens what the files of a run share: the log, the notes and, once it is needed, the connection. */
async function importDeps(
  context: Context,
  opened: readonly OpenedFile[],
  imports: readonly FileImport[],
  options: BulkOptions,
  { events, health }: { readonly events: RunEvents; readonly health: RunHealth },
  confirmed: () => void,
): Promise<ImportDeps> {
  const files = opened.map(({ file }) => file);
  const [first] = opened;
  if (!first) throw new Error('a run without a file');
  const { session } = first;
  const log = health.timed(await context.openLog(`bulk ${files.map((file) => basename(file)).join(' ')}`, true));
  const notes = health.counted(withListener((await context.logStore()).openNotes(context.run), events));
  const { clock, interruption } = context;
  return {
    ...{ log, notes, clock, halt: interruption.halt },
    created: () => session.createdBefore(),
    confirm: async (plans) => {
      events.plan(plans, files);
      health.plans = plans;
      const prepared = plans.flatMap((plan, at) => {
        const session = opened[at]?.session;
        return session ? [{ plan, preparation: session.preparation }] : [];
      });
      requirePlan(options.plan, () => planId(prepared, options));
      await confirmImport(context, options, plans);
      confirmed();
      optimizeForRows(plans.reduce((sum, { rows }) => sum + rows, 0));
      for (const each of imports) await each.remember();
      notes.note(await beginNote(context, plans, files, options));
    },
    connect: async (columnOf) => {
      const { concurrency } = options;
      const asking = { rate: rateOf(context, options), concurrency, columnOf, refused: notes.refused };
      const connection = await session.connect(asking);
      health.connection = connection;
      // From the first request on, the first signal lets requests in flight finish.
      await finishOnSignal(context);
      return connection;
    },
  };
}

/**
 * Returns the note on the settings of a run. Values of --set and --map are left out, because they may be personal data.
 */
async function beginNote(
  context: Context,
  plans: readonly ImportPlan[],
  files: readonly string[],
  options: BulkOptions,
): Promise<RunBegin> {
  const { profile, live, baseUrl } = await context.settings();
  const { maxErrors } = options;
  const settings = {
    '--rate': String(rateOf(context, options)),
    '--concurrency': String(options.concurrency),
    '--on-duplicate': options.onDuplicate,
    '--in-doubt': options.inDoubt,
    '--settle': options.settle === undefined ? '60 s, 240 s after a process that died' : `${options.settle} s`,
    '--max-errors': maxErrors === undefined ? 'off' : `${maxErrors.count}${maxErrors.percent ? '%' : ''}`,
    ...(options.limit === undefined ? {} : { '--limit': String(options.limit) }),
    ...(options.skip === 0 ? {} : { '--skip': String(options.skip) }),
    ...(options.validate ? {} : { '--no-validate': 'on' }),
    ...(options.again ? { '--again': 'on' } : {}),
    ...(options.strict ? { '--strict': 'on' } : {}),
  };
  const service = baseUrl === null ? '' : new URL(baseUrl.value).host;
  const rows = plans.reduce((sum, plan) => sum + plan.rows, 0);
  const counts = sumOfCounts(plans.map((plan) => plan.counts));
  const name = files.map(noteName).join(', ');
  const { version } = context;
  return { event: 'begin', version, file: name, profile: profile.value, live, service, rows, counts, settings };
}

/** Throws `SrqError('usage')` if --results and --no-results are combined, because the last flag would silently win. */
function requireOneAnswer(words: readonly string[]): void {
  if (!words.includes('--no-results') || onlyOptions(words, ['--results']).length === 0) return;
  throw new SrqError(
    'flags.contradict',
    '--results and --no-results contradict each other. Nothing was sent.',
    'Leave one out.',
  );
}

/** Throws `SrqError('usage')` for --keep if there is no inbox, or if nothing is sent to it. */
function requireKeepable({ options: { sandbox } }: Context, { keep, dryRun: isDry }: BulkOptions): void {
  if (!keep || (sandbox && !isDry)) return;
  const message = sandbox ? 'A dry run sends nothing, so the inbox would be empty.' : '--keep needs --sandbox.';
  throw new SrqError('flags.incomplete', message, sandbox ? 'Leave --keep or --dry-run out.' : 'Add: --sandbox');
}

/** Throws `SrqError('usage')` for report flags that would have no effect. */
function requireReportable({ report, includeInput, dryRun: isDry }: BulkOptions): void {
  if (includeInput && report === undefined) {
    throw new SrqError('flags.incomplete', '--include-input needs --report.', 'Add: --report run.html');
  }
  if (isDry && report !== undefined) {
    throw new SrqError(
      'flags.contradict',
      'A dry run sends nothing, so there is nothing to report.',
      'Leave --report out, or --dry-run.',
    );
  }
}
