import { basename } from 'node:path';
import type { Context } from '../cli/context.ts';
import { type Input, inputName, planWithProgress, readInput, withReadingProgress } from '../cli/input.ts';
import { warnOfUnknownProfile } from '../cli/profiles.ts';
import { finishOnSignal, RequestSession, recordingsBeside } from '../cli/session.ts';
import type { BulkOptions, PlanOptions } from '../cli/table/options.ts';
import { optimizeForRows } from '../cli/v8-flags.ts';
import { type ImportDeps, type ImportFile, type ImportUi, type Pass, runImport } from '../delivery/import.ts';
import { type RowLookup, reportRows } from '../delivery/report-rows.ts';
import { operationsOf } from '../request/contract/operations.ts';
import type { ImportPlan, RowReport } from '../request/log/import-plan.ts';
import { type RunBegin, withListener } from '../request/log/log-store.ts';
import { countReason, type ReasonCounts } from '../request/log/outcome.ts';
import { agreedPlan, rangeOf, requireKnownFields, sayPlan } from './agree.ts';
import { askMeaning } from './ask-meaning.ts';
import { confirmImport, isAsked } from './consent.ts';
import type { RunEvents } from './events.ts';
import { Output, requireOwnPlaces, type TakenPaths } from './outputs.ts';
import { requireAnswers } from './questions.ts';
import { openResults, requireOneStatus, writeRunResults } from './results.ts';
import { type EndOfRun, finishDryRun, finishRun } from './summary.ts';
import { type Asides, showPass } from './watch.ts';

/** What the files of one command share. */
interface ImportSurroundings {
  readonly context: Context;
  readonly events: RunEvents;
  readonly taken: TakenPaths;
}

/**
 * Imports a file: reads and checks all of it, shows the plan, sends the requests once the user has agreed, and reports the
 * result of every row. `command` are the arguments that import this file alone.
 */
export async function importFile(
  { context, events, taken }: ImportSurroundings,
  file: string,
  command: readonly string[],
  asked: BulkOptions,
): Promise<EndOfRun> {
  const opened = await openImport(context, file, command, asked);
  const { input, session } = opened;
  const options = { ...asked, validate: session.validates };
  requireAnswers(context, input, command, options);
  const { report: reportPath, events: eventsPath } = options;
  const results = await openResults(context, file, input.table, options.results, taken);
  await requireOwnPlaces(context, [
    ['the results file', results.path],
    ['--report', reportPath],
    ['--events', eventsPath],
  ]);
  const hint = 'The log has all of it: srq report -o FILE writes it elsewhere.';
  const rule = { flag: '--report', kind: 'report', input: file, hint };
  const report = reportPath === undefined ? null : await Output.open(context, reportPath, rule);
  const log = await context.log.open(`bulk ${basename(file)}`, true);
  try {
    const run = new FileImport(opened, { results, report }, options, events);
    const deps = await importDeps(run, { ...opened, log, events, options });
    const { plan, stop } = await runImport(deps, run, {
      ...options,
      range: rangeOf(options),
      maxErrors: options.maxErrors ?? null,
      settleMs: options.settle === undefined ? null : options.settle * 1000,
    });
    const { asides, reasons, startedMs } = run;
    const told = { file, plan, asides, reasons, stop, startedMs, results: run.results, command: run.command };
    const end = await finishRun(context, { ...told, keepsStdout: eventsPath !== '-' });
    events.end(end);
    return end;
  } finally {
    await log.close();
  }
}

/** Shows what an import of a file would do, see {@link importFile}. Returns the exit code. */
export async function rehearseFile(
  context: Context,
  file: string,
  command: readonly string[],
  options: BulkOptions,
): Promise<number> {
  const startedMs = context.clock.monotonicMs();
  await warnOfUnknownProfile(context);
  const opened = await openImport(context, file, command, options);
  const { table } = opened.input;
  // A dry run writes results only where the user wants them.
  const { results: asked } = options;
  const results = asked === undefined ? null : await openResults(context, file, table, asked);
  return rehearse(opened, options, startedMs, results);
}

/** Plans an open file and shows the plan. Returns the exit code. */
export async function rehearse(
  { file, command, input, session }: OpenedFile,
  options: PlanOptions & Pick<BulkOptions, 'again'>,
  startedMs: number,
  results: Output | null = null,
): Promise<number> {
  const { context, preparation } = session;
  await context.warnOfUnknownLog();
  const log = await session.logReader();
  const plan = await planWithProgress(session, input, log, { ...options, range: rangeOf(options) });
  await sayPlan(session, plan, 'nobody: this is a dry run');
  if (results !== null) {
    const rows = reportRows(plan, log, preparation, 'It would be sent.', 'ready');
    await writeRunResults(context, results, plan, rows, { log, preparation });
  }
  return finishDryRun(context, { file, plan, results: results?.path ?? null, command, startedMs });
}

/** An open file. Nothing has been written or sent yet. */
interface OpenedFile {
  /** The input as the user named it. */
  readonly file: string;
  readonly command: readonly string[];
  readonly input: Input;
  readonly session: RequestSession;
}

async function openImport(
  context: Context,
  file: string,
  command: readonly string[],
  options: PlanOptions,
): Promise<OpenedFile> {
  const input = await readInput(context, file, options);
  requireOneStatus(input.table, file);
  const session = await RequestSession.open(context, {
    audio: recordingsBeside(file),
    operations: operationsOf(options),
    isAsOffered: true,
    strict: options.strict === true,
    needsNoLogin: options.dryRun === true,
  });
  requireKnownFields(input.mapping, options.strict);
  return { file, command, input, session };
}

/** The files that an import writes. */
interface RunOutputs {
  readonly results: Output;
  readonly report: Output | null;
}

/** A file as the import uses it: asks the user to agree, shows the progress, and writes results and report. */
class FileImport implements ImportFile, ImportUi {
  readonly ui = this;
  readonly file: string;
  /** The rows by the codes of their reasons. */
  readonly reasons: ReasonCounts = {};
  readonly asides: Asides = { withoutIdentifier: 0 };
  /** The arguments that import this file again. */
  command: readonly string[];
  /** When the user had agreed. The time for reading and asking is not counted. */
  startedMs = 0;
  /** Stores the mapping that was agreed to. */
  remember: () => Promise<void> = async () => {};
  readonly #opened: OpenedFile;
  readonly #options: BulkOptions;
  readonly #events: RunEvents;
  readonly #outputs: RunOutputs;
  #hasResults = true;

  constructor(opened: OpenedFile, outputs: RunOutputs, options: BulkOptions, events: RunEvents) {
    this.file = opened.file;
    this.command = opened.command;
    this.#opened = opened;
    this.#outputs = outputs;
    this.#options = options;
    this.#events = events;
  }

  get preparation() {
    return this.#opened.session.preparation;
  }

  /** The path of the results, or null if they could not be written. */
  get results(): string | null {
    return this.#hasResults ? this.#outputs.results.path : null;
  }

  async agree(plan: Parameters<ImportUi['agree']>[0]): Promise<ImportPlan> {
    const { input, session, command } = this.#opened;
    const { context, destinationText: where } = session;
    const planned = (now: Input) => withReadingProgress(context, (tick) => plan(now, tick));
    const enter = (await context.settings()).live ? 'asks' : 'sends';
    const agreed = await agreedPlan(session, { input, where, command, enter }, this.#options, planned);
    this.command = agreed.command;
    this.remember = agreed.remember;
    return agreed.plan;
  }

  get askMeaning(): ImportUi['askMeaning'] {
    const { context } = this.#opened.session;
    return isAsked(context, this.#options) ? (...asked) => askMeaning(context, ...asked) : undefined;
  }

  watch(pass: Pass) {
    return showPass(this.#opened.session.context, pass, this.asides, this.#events.observe(this.file, pass));
  }

  async report(plan: ImportPlan, reports: AsyncIterable<RowReport>, log: RowLookup['log']): Promise<void> {
    const rows = withReasons(this.#events.withRows(this.file, reports), this.reasons);
    const { report } = this.#outputs;
    if (report === null) return this.#writeResults(plan, rows, log);
    // The report's code is loaded only if it is needed, because it is large and few runs write a report.
    const { reportRun, RunFigures, withFigures } = await import('./run-report.ts');
    const figures = new RunFigures();
    await this.#writeResults(plan, withFigures(rows, figures, plan.mapping), log);
    await reportRun(this.#opened.session.context, report, figures);
  }

  async #writeResults(plan: ImportPlan, rows: AsyncIterable<RowReport>, log: RowLookup['log']): Promise<void> {
    const { session } = this.#opened;
    this.#hasResults = false;
    await writeRunResults(session.context, this.#outputs.results, plan, rows, {
      log,
      preparation: session.preparation,
    });
    this.#hasResults = true;
  }
}

/** Passes the reports on, and counts them by their reasons. */
async function* withReasons(reports: AsyncIterable<RowReport>, reasons: ReasonCounts): AsyncGenerator<RowReport> {
  for await (const report of reports) {
    countReason(reasons, report.reason);
    yield report;
  }
}

/** What an import needs beside the file: the notes, the agreement and, once it is needed, the connection. */
async function importDeps(
  run: FileImport,
  {
    session,
    file,
    log,
    events,
    options,
  }: OpenedFile & Pick<ImportDeps, 'log'> & { readonly events: RunEvents; readonly options: BulkOptions },
): Promise<ImportDeps> {
  const { context } = session;
  const notes = withListener((await context.log.store()).openNotes(context.run), events);
  const { clock, interruption } = context;
  return {
    ...{ log, notes, clock, halt: interruption.halt },
    created: () => session.createdBefore(),
    confirm: async (plan) => {
      events.plan(plan, file);
      await confirmImport(context, options, plan);
      run.startedMs = clock.monotonicMs();
      optimizeForRows(plan.rows);
      await run.remember();
      notes.note(await beginNote(context, plan, file, options));
    },
    connect: async (columnOf) => {
      const { concurrency } = options;
      const asking = { rate: rateOf(context, options), concurrency, columnOf, refused: notes.refused };
      const connection = await session.connect(asking);
      // From the first request on, the first signal lets requests in flight finish.
      await finishOnSignal(context);
      return connection;
    },
  };
}

/** Returns the rate in force. The default is adaptive, or unlimited for the sandbox in this process. */
function rateOf({ options: { sandbox } }: Context, { rate }: BulkOptions): 'auto' | 'max' | number {
  return rate ?? (sandbox ? 'max' : 'auto');
}

/** Returns the name of an input for the notes on a run, without its folder. */
export function noteName(file: string): string {
  return file === '-' ? inputName(file) : basename(file);
}

/**
 * Returns the note on the settings of a run. Values of --set and --map are left out, because they may be personal data.
 */
async function beginNote(context: Context, plan: ImportPlan, file: string, options: BulkOptions): Promise<RunBegin> {
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
  const { rows, counts } = plan;
  const { version } = context;
  return {
    event: 'begin',
    version,
    file: noteName(file),
    profile: profile.value,
    live,
    service,
    rows,
    counts,
    settings,
  };
}
