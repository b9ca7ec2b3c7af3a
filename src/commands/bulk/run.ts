import { realpath } from 'node:fs/promises';
import { basename } from 'node:path';
import { commandLine } from '../../cli/command-line.ts';
import type { Context } from '../../cli/context.ts';
import { warnOfUnknownProfile } from '../../cli/profiles.ts';
import type { RequestSession } from '../../cli/session.ts';
import { keepHeapSmall } from '../../cli/v8-flags.ts';
import { runImport } from '../../delivery/import.ts';
import { requireReportPlace } from '../../report/page/report-page.ts';
import { SrqError } from '../../request/errors.ts';
import type { ImportPlan } from '../../request/import-plan.ts';
import type { RunBegin } from '../../request/log-store.ts';
import { sumOfCounts } from '../../request/status.ts';
import { confirmImport, rangeOf, requireConsent } from './agreement.ts';
import type { BulkOptions } from './bulk-options.ts';
import { dryRun } from './dry-run.ts';
import { FileImport, noteName, type OpenedFile, openFile, rateOf, type SharedRun } from './file-import.ts';
import { beside, refuseRehearsed, withoutOwnFiles } from './results-place.ts';
import { finishRun } from './summary.ts';

/**
 * Imports files: reads and checks all of them, shows their plans, sends the requests, and reports the result of every
 * row. Nothing is sent before every file is planned and the user has agreed to all plans.
 */
export async function bulk(context: Context, named: readonly string[], asked: BulkOptions): Promise<number> {
  keepHeapSmall();
  const startedMs = context.clock.monotonicMs();
  requireReportable(asked);
  const files = await chosenFiles(context, named);
  requireForOne(context, files, asked);
  for (const file of files) refuseRehearsed(context, file);
  requireConsent(context, await context.settings(), asked);
  const opened: OpenedFile[] = [];
  for (const file of files) opened.push(await openFile(context, file, asked));
  const validate = opened.every(({ session }) => session.validates);
  const options = { ...asked, validate };
  if (options.dryRun) {
    await warnOfUnknownProfile(context);
    return dryRun(context, opened, options, startedMs);
  }
  if (options.report !== undefined) await requireReportPlace(options.report, '--report');
  const log = await context.openLog(`bulk ${files.map((file) => basename(file)).join(' ')}`, true);
  const notes = (await context.logStore()).openNotes(context.run);
  const run = { options, notes, finishOnSignal: once(finishOnSignal) };
  const imports = opened.map((each) => new FileImport(each, run));
  const { clock, interruption } = context;
  const confirm = async (plans: readonly ImportPlan[]) => {
    await confirmImport(context, options, plans);
    notes.note(await beginNote(context, plans, files, options));
  };
  const { plans, stop } = await runImport({ log, clock, halt: interruption.halt, confirm }, imports, {
    ...options,
    range: rangeOf(options),
    maxErrors: options.maxErrors ?? null,
    settleMs: options.settle === undefined ? null : options.settle * 1000,
  });
  const ended = imports.flatMap(({ file, results, command, asides }, at) => {
    const plan = plans[at];
    return plan ? [{ file, plan, results, asides, command, exportTo: beside(file, 'export.csv') }] : [];
  });
  return finishRun(context, ended, stop, startedMs);
}

const finishOnSignal: SharedRun['finishOnSignal'] = (session: RequestSession) => session.finishOnSignal();

/** Returns a function that does something only when it is called first. */
function once(doIt: SharedRun['finishOnSignal']): SharedRun['finishOnSignal'] {
  let done: Promise<void> | null = null;
  return (session) => {
    done ??= doIt(session);
    return done;
  };
}

/**
 * Returns the files to import. Of several, as a pattern of the shell gives them, those that srq made of another one are left
 * out, and said. Throws `SrqError('usage')` if one is named twice.
 */
async function chosenFiles(context: Context, named: readonly string[]): Promise<readonly string[]> {
  const { files, leftOut } = withoutOwnFiles(named);
  if (leftOut.length > 0) {
    const reporter = await context.reporter();
    const list = leftOut.map(({ file, of }) => `${file} (made of ${of})`).join(', ');
    reporter.warn(`Left out: ${list}.`);
  }
  const paths = await Promise.all(files.map((file) => realpath(file).catch(() => file)));
  const twice = files.find((_, at) => paths.indexOf(paths[at] ?? '') !== at);
  if (twice === undefined) return files;
  throw new SrqError('usage', `${twice} is named twice. Nothing was sent.`, 'Name each file once.');
}

/** Flags that are about one file. */
const FOR_ONE = ['--results', '--report', '--save-mapping', '--limit', '--skip'] as const;

/** Throws `SrqError('usage')` for several files together with what is possible for one alone. */
function requireForOne({ process }: Context, files: readonly string[], options: BulkOptions): void {
  if (files.length < 2) return;
  const { results, report, saveMapping, limit, skip } = options;
  const given = [
    typeof results === 'string',
    report !== undefined,
    saveMapping !== undefined,
    limit !== undefined,
    skip > 0,
  ];
  const flag = FOR_ONE.find((_, at) => given[at]);
  const what = flag ?? (files.includes('-') ? 'Standard input (-)' : null);
  if (what === null) return;
  const [first = ''] = files;
  const words = process.argv.slice(2).filter((word) => !files.includes(word) || word === first);
  throw new SrqError(
    'usage',
    `${what} is for one file, and these are ${files.length}. Nothing was sent.`,
    `Import them one by one: ${commandLine(words)}`,
  );
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
    '--settle': options.settle === undefined ? 'learned, at least 60 s' : `${options.settle} s`,
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

/** Throws `SrqError('usage')` for report flags that would have no effect. */
function requireReportable({ report, includeInput, dryRun: isDry }: BulkOptions): void {
  if (includeInput && report === undefined) {
    throw new SrqError('usage', '--include-input is about a report.', 'Add: --report run.html');
  }
  if (isDry && report !== undefined) {
    throw new SrqError('usage', 'A dry run has nothing to report.', 'Leave --report out, or --dry-run.');
  }
}
