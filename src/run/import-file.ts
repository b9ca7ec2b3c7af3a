import { basename } from 'node:path';
import type { Context } from '../cli/context.ts';
import { type Input, inputName, planWithProgress, readInput, withReadingProgress } from '../cli/input.ts';
import { warnOfUnknownProfile } from '../cli/profiles.ts';
import { finishOnSignal, RequestSession, recordingsBeside } from '../cli/session.ts';
import { longName } from '../cli/table/commands.ts';
import { BULK, type BulkOptions, type PlanOptions } from '../cli/table/options.ts';
import { optimizeForRows } from '../cli/v8-flags.ts';
import { type ImportDeps, type ImportFile, type ImportUi, type Pass, runImport } from '../delivery/import.ts';
import type { Preparation } from '../delivery/prepare.ts';
import { type RowLookup, reportRows, runRowOf } from '../delivery/report-rows.ts';
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
  const results = await openResults(context, file, input.table, options.results, taken);
  await requireOwnPlaces(context, [
    ['the results file', results.path],
    ['--report', options.report],
    ['--events', options.events],
  ]);
  const hint = 'The log has all of it: srq report -o FILE writes it elsewhere.';
  const rule = { flag: '--report', kind: 'report', input: file, hint };
  const report = options.report === undefined ? null : await Output.open(context, options.report, rule);
  const log = await context.log.open(`bulk ${basename(file)}`, true);
  try {
    const run = new FileImport({ ...opened, options, events, results, report });
    const { plan, stop } = await runImport(await run.deps(log), run, {
      ...options,
      range: rangeOf(options),
      maxErrors: options.maxErrors ?? null,
      settleMs: options.settle === undefined ? null : options.settle * 1000,
    });
    const end = await finishRun(context, { ...run.told, plan, stop });
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

/** An open file that is about to be sent, and what its import writes. */
interface SentFile extends OpenedFile {
  readonly options: BulkOptions;
  readonly events: RunEvents;
  readonly results: Output;
  readonly report: Output | null;
}

/** The import of a file: asks the user to agree, connects, shows the progress, and writes results and report. */
class FileImport implements ImportFile, ImportUi {
  readonly ui = this;
  readonly preparation: Preparation;
  readonly #of: SentFile;
  /** The rows by the codes of their reasons. */
  readonly #reasons: ReasonCounts = {};
  readonly #asides: Asides = { withoutIdentifier: 0 };
  #agreed: Awaited<ReturnType<typeof agreedPlan>> | null = null;
  /** When the user had agreed. The time for reading and asking is not counted. */
  #startedMs = 0;
  #hasResults = true;

  constructor(of: SentFile) {
    this.#of = of;
    this.preparation = of.session.preparation;
  }

  /** What is told of the import at its end. */
  get told() {
    const { file, results, options } = this.#of;
    return {
      ...{ file, asides: this.#asides, reasons: this.#reasons, startedMs: this.#startedMs },
      results: this.#hasResults ? results.path : null,
      command: this.#agreed?.command ?? this.#of.command,
      keepsStdout: options.events !== '-',
    };
  }

  async agree(plan: Parameters<ImportUi['agree']>[0]): Promise<ImportPlan> {
    const { input, session, command, options } = this.#of;
    const { context, destinationText: where } = session;
    const planned = (now: Input) => withReadingProgress(context, (tick) => plan(now, tick));
    const enter = (await context.settings()).live ? 'asks' : 'sends';
    this.#agreed = await agreedPlan(session, { input, where, command, enter }, options, planned);
    return this.#agreed.plan;
  }

  get askMeaning(): ImportUi['askMeaning'] {
    const { context } = this.#of.session;
    return isAsked(context, this.#of.options) ? (...asked) => askMeaning(context, ...asked) : undefined;
  }

  watch(pass: Pass) {
    return showPass(this.#of.session.context, pass, this.#asides, this.#of.events.observe(this.#of.file, pass));
  }

  async report(plan: ImportPlan, reports: AsyncIterable<RowReport>, log: RowLookup['log']): Promise<void> {
    const { file, session, events, results, report } = this.#of;
    // The report's code is loaded only if it is needed, because it is large and few runs write a report.
    const page = report && (await import('./run-report.ts'));
    const figures = page && new page.RunFigures();
    const reasons = this.#reasons;
    const counted = async function* () {
      for await (const row of events.withRows(file, reports)) {
        countReason(reasons, row.reason);
        figures?.add(runRowOf(row, plan.mapping, false));
        yield row;
      }
    };
    this.#hasResults = false;
    await writeRunResults(session.context, results, plan, counted(), { log, preparation: this.preparation });
    this.#hasResults = true;
    if (report && figures) await page.reportRun(session.context, report, figures);
  }

  /** What an import needs beside the file: the notes, the agreement and, once it is needed, the connection. */
  async deps(log: ImportDeps['log']): Promise<ImportDeps> {
    const { session, file, events, options } = this.#of;
    const { context } = session;
    const notes = withListener((await context.log.store()).openNotes(context.run), events);
    const { clock, halt } = context;
    return {
      ...{ log, notes, clock, halt },
      created: () => session.createdBefore(),
      confirm: async (plan) => {
        events.plan(plan, file);
        await confirmImport(context, options, plan);
        this.#startedMs = clock.monotonicMs();
        optimizeForRows(plan.rows);
        await this.#agreed?.remember();
        notes.note(await beginNote(context, plan, file, options));
      },
      connect: async (columnOf) => {
        const rate = rateOf(context, options);
        const { concurrency } = options;
        const connection = await session.connect({ rate, concurrency, columnOf, refused: notes.refused });
        // From the first request on, the first signal lets requests in flight finish.
        await finishOnSignal(context);
        return connection;
      },
    };
  }
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
    ...Object.fromEntries(NOTED.flatMap((name) => notedSetting(name, options[name]))),
    '--rate': String(rateOf(context, options)),
    '--max-errors': maxErrors === undefined ? 'off' : `${maxErrors.count}${maxErrors.percent ? '%' : ''}`,
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

const NOTED = [
  'concurrency',
  'onDuplicate',
  'inDoubt',
  'settle',
  'limit',
  'skip',
  'validate',
  'again',
  'strict',
] as const;

/** A flag with its value, unless that is what a run does anyway. */
function notedSetting(name: (typeof NOTED)[number], value: BulkOptions[typeof name]): [string, string][] {
  const isUsual = value === undefined || value === 0 || value === (name === 'validate');
  return isUsual ? [] : [[longName(name, BULK[name]), typeof value === 'boolean' ? 'on' : String(value)]];
}
