import { basename } from 'node:path';
import type { Context } from '../../cli/context.ts';
import { type Input, inputName, readInput, withReadingProgress } from '../../cli/input.ts';
import { warnOfUnknownProfile } from '../../cli/profiles.ts';
import { operationsOf, RequestSession, recordingsBeside } from '../../cli/session.ts';
import { keepHeapSmall } from '../../cli/v8-flags.ts';
import { type ImportUi, type Pass, runImport, type ServiceConnection } from '../../delivery/import.ts';
import type { SubmitOptions } from '../../delivery/submit.ts';
import { requireReportPlace } from '../../report/page/report-page.ts';
import { SrqError } from '../../request/errors.ts';
import type { ImportPlan, RowReport } from '../../request/import-plan.ts';
import type { OpenLog, RunBegin, RunNotes } from '../../request/log-store.ts';
import type { Mapping } from '../../request/table.ts';
import { agreedPlan, dryRun, type PlanOptions, rangeOf, requireConsent } from './agreement.ts';
import { beside, type ResultsOption, ResultsPlace, refuseRehearsed } from './results-place.ts';
import { figuresOf, reportRun, withFigures } from './run-report.ts';
import { type Asides, showPass } from './show-import.ts';
import { finishRun } from './summary.ts';
import { writeRunResults } from './write-results.ts';

/** The flags of `bulk`, as commander parses them. */
export interface BulkOptions extends PlanOptions, SubmitOptions {
  /** Adaptive by default. The sandbox inside this process is not rate limited. */
  readonly rate?: 'auto' | 'max' | number;
  readonly concurrency: number;
  readonly maxErrors?: { readonly count: number; readonly percent: boolean };
  /** Age in seconds that a request in doubt must have before validate is asked about it. */
  readonly settle?: number;
  readonly inDoubt: 'park' | 'validate';
  readonly results?: ResultsOption;
  /** File to which the report is written. */
  readonly report?: string;
  readonly includeInput?: boolean;
}

/**
 * Imports a file: reads and checks all of it, shows the plan, sends the requests, and reports the result of every row.
 */
export async function bulk(context: Context, file: string, asked: BulkOptions): Promise<number> {
  keepHeapSmall();
  const startedMs = context.clock.monotonicMs();
  requireReportable(asked);
  refuseRehearsed(context, file);
  requireConsent(context, await context.settings(), asked);
  const input = await readInput(context, file, asked);
  const session = await RequestSession.open(context, {
    audio: recordingsBeside(file),
    operations: operationsOf(asked),
    isAsOffered: true,
    strict: asked.strict === true,
    needsNoLogin: asked.dryRun === true,
  });
  const options = { ...asked, validate: session.validates };
  // A dry run has no results, unless they are asked for.
  const results = await ResultsPlace.find(
    context,
    file,
    input.table,
    options.results ?? (options.dryRun ? false : undefined),
  );
  if (options.dryRun) {
    await warnOfUnknownProfile(context);
    const verdicts = (plan: ImportPlan, rows: AsyncIterable<RowReport>) =>
      writeRunResults(context, results, plan, rows);
    return dryRun(session, input, options, { file, startedMs, results, verdicts });
  }
  if (options.report !== undefined) await requireReportPlace(options.report, '--report');
  const log = await context.openLog(`bulk ${basename(file)}`, true);
  const notes = (await context.logStore()).openNotes(context.run);
  const ui = new BulkUi(session, { input, file, results, keepAt: beside(file, 'mapping.json') }, options, notes);
  const { plan, stop } = await runImport(portsOf(session, log, ui), {
    ...options,
    range: rangeOf(options),
    maxErrors: options.maxErrors ?? null,
    settleMs: options.settle === undefined ? null : options.settle * 1000,
  });
  const { asides, command } = ui;
  const files = { file, results: results.path, exportTo: beside(file, 'export.csv'), command, startedMs };
  return finishRun(context, plan, stop, files, asides);
}

function portsOf({ context, preparation }: RequestSession, log: OpenLog, ui: BulkUi) {
  const { clock, interruption } = context;
  return {
    log,
    clock,
    preparation,
    halt: interruption.halt,
    connect: (plan: ImportPlan) => ui.connect(plan),
    ui,
  };
}

/** The files of one run. */
interface RunInput {
  readonly input: Input;
  /** The input as the user named it. */
  readonly file: string;
  readonly results: ResultsPlace;
  readonly keepAt: string;
}

/**
 * The user interface of `bulk`. It asks the user to agree to the plan, shows the progress, and writes notes, results
 * and report.
 */
class BulkUi implements ImportUi {
  readonly asides: Asides = { withoutIdentifier: 0, withRemark: 0 };
  /** The arguments that repeat this command, including corrections made to the plan. */
  command: readonly string[] = [];
  readonly #session: RequestSession;
  readonly #run: RunInput;
  readonly #options: BulkOptions;
  readonly #notes: RunNotes;

  constructor(session: RequestSession, run: RunInput, options: BulkOptions, notes: RunNotes) {
    this.#session = session;
    this.#run = run;
    this.#options = options;
    this.#notes = notes;
  }

  async agree(plan: Parameters<ImportUi['agree']>[0]): Promise<ImportPlan> {
    const { context, destinationText: where } = this.#session;
    const { input, keepAt, file } = this.#run;
    const planned = (now: Input) => withReadingProgress(context, (tick) => plan(now, tick));
    const agreed = await agreedPlan(this.#session, { input, where, keepAt }, this.#options, planned);
    this.command = agreed.command;
    this.#notes.note(await beginNote(context, agreed.plan, file, this.#options));
    return agreed.plan;
  }

  async connect({ mapping }: ImportPlan): Promise<ServiceConnection> {
    const { concurrency } = this.#options;
    const rate = rateOf(this.#session.context, this.#options);
    const { refused } = this.#notes;
    const connection = await this.#session.connect({ rate, concurrency, fieldName: columnOf(mapping), refused });
    await this.#session.finishOnSignal();
    return connection;
  }

  watch(pass: Pass) {
    return showPass(this.#session.context, pass, this.asides);
  }

  breakerOpened(pauseMs: number): void {
    this.#notes.note({ event: 'breaker', pauseMs });
  }

  async report(plan: ImportPlan, stop: SrqError | null, rows: AsyncIterable<RowReport>): Promise<void> {
    const { context } = this.#session;
    const { report, includeInput } = this.#options;
    const stopped = stop?.message ?? (context.interruption.code ? 'Interrupted.' : null);
    this.#notes.note({ event: 'end', stopped });
    await this.#notes.flush();
    const figures = report === undefined ? null : figuresOf(plan, includeInput);
    const shown = figures ? withFigures(rows, figures, plan.mapping) : rows;
    await writeRunResults(context, this.#run.results, plan, shown);
    if (figures) await reportRun(context, report ?? '', figures);
  }
}

/**
 * Returns the note on the settings of a run. Values of --set and --map are left out, because they may be personal data.
 */
async function beginNote(
  context: Context,
  { rows, counts }: ImportPlan,
  file: string,
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
  const name = file === '-' ? inputName(file) : basename(file);
  const { version } = context;
  return { event: 'begin', version, file: name, profile: profile.value, live, service, rows, counts, settings };
}

function rateOf({ options: { sandbox } }: Context, { rate }: BulkOptions): 'auto' | 'max' | number {
  return rate ?? (sandbox ? 'max' : 'auto');
}

/** Returns a function that gives the column of a field, or null if the field does not come from exactly one column. */
function columnOf({ sources, columns }: Mapping): (field: string) => string | null {
  const names = new Map(
    sources.map(({ field, columns: at }) => [field, at.length === 1 ? (columns[at[0] ?? -1] ?? null) : null]),
  );
  return (field) => names.get(field) ?? null;
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
