import { basename } from 'node:path';
import type { Context } from '../cli/context.ts';
import { type Input, inputName, planWithProgress, readInput, withReadingProgress } from '../cli/input.ts';
import { warnOfUnknownProfile } from '../cli/profiles.ts';
import { finishOnSignal, RequestSession, recordingsBeside } from '../cli/session.ts';
import { longName } from '../cli/table/commands.ts';
import { BULK, type BulkOptions, type PlanOptions } from '../cli/table/options.ts';
import { optimizeForRows } from '../cli/v8-flags.ts';
import { type ImportDeps, type ImportUi, runImport } from '../delivery/import.ts';
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
    [options.results === undefined ? 'the results file' : '--results', results.path],
    ['--report', options.report],
    ['--events', options.events],
  ]);
  const hint = 'The log has all of it: srq report -o FILE writes it elsewhere.';
  const rule = { flag: '--report', kind: 'report', input: file, hint };
  const report = options.report === undefined ? null : await Output.open(context, options.report, rule);
  const log = await context.log.open(`bulk ${basename(file)}`, true);
  try {
    const told = { file, command, reasons: {}, asides: { withoutIdentifier: 0 }, startedMs: 0, hasResults: true };
    const run: SentFile = { ...opened, options, events, results, report, told };
    const { preparation } = session;
    const { plan, stop } = await runImport(
      await depsOf(run, log),
      { preparation, ui: uiOf(run) },
      {
        ...options,
        range: rangeOf(options),
        maxErrors: options.maxErrors ?? null,
        settleMs: options.settle === undefined ? null : options.settle * 1000,
      },
    );
    const written = told.hasResults ? results.path : null;
    const keepsStdout = options.events !== '-';
    const end = await finishRun(context, { ...told, results: written, keepsStdout, plan, stop });
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
  /** The result of the import, for the summary. */
  readonly told: {
    /** The rows by the codes of their reasons. */
    readonly reasons: ReasonCounts;
    readonly asides: Asides;
    /** The arguments that import the file again as the user has agreed to it. */
    command: readonly string[];
    /** When the user had agreed. The time for reading and asking is not counted. */
    startedMs: number;
    hasResults: boolean;
  };
  /** Stores the mapping that the user has agreed to. */
  remember?: () => Promise<void>;
}

/** Asks the user to agree, shows the progress, and writes results and report. */
function uiOf(run: SentFile): ImportUi {
  const { input, session, command, options, file, events, told } = run;
  const { context, destinationText: where } = session;
  return {
    ...(isAsked(context, options) ? { askMeaning: (...asked) => askMeaning(context, ...asked) } : {}),
    async agree(plan) {
      const planned = (now: Input) => withReadingProgress(context, (tick) => plan(now, tick));
      const enter = (await context.settings()).live ? 'asks' : 'sends';
      const agreed = await agreedPlan(session, { input, where, command, enter }, options, planned);
      told.command = agreed.command;
      run.remember = agreed.remember;
      return agreed.plan;
    },
    watch: (pass) => showPass(context, pass, told.asides, events.observe(file, pass)),
    report: (plan, reports, log) => reportImport(run, plan, reports, log),
  };
}

async function reportImport(
  { file, session, events, results, report, told }: SentFile,
  plan: ImportPlan,
  reports: AsyncIterable<RowReport>,
  log: RowLookup['log'],
): Promise<void> {
  const { context, preparation } = session;
  // The report's code is loaded only if it is needed, because it is large and few runs write a report.
  const page = report && (await import('./run-report.ts'));
  const figures = page && new page.RunFigures();
  const counted = async function* () {
    for await (const row of events.withRows(file, reports)) {
      countReason(told.reasons, row.reason);
      figures?.add(runRowOf(row, plan.mapping, false));
      yield row;
    }
  };
  told.hasResults = false;
  await writeRunResults(context, results, plan, counted(), { log, preparation });
  told.hasResults = true;
  if (report && figures) await page.reportRun(context, report, figures);
}

/** What an import needs beside the file: the notes, the agreement and, once it is needed, the connection. */
async function depsOf(run: SentFile, log: ImportDeps['log']): Promise<ImportDeps> {
  const { session, file, events, options, told } = run;
  const { context } = session;
  const notes = withListener((await context.log.store()).openNotes(context.run), events);
  const { clock, halt } = context;
  return {
    ...{ log, notes, clock, halt },
    created: () => session.createdBefore(),
    confirm: async (plan) => {
      events.plan(plan, file);
      await confirmImport(context, options, plan);
      told.startedMs = clock.monotonicMs();
      optimizeForRows(plan.rows);
      await run.remember?.();
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

/** Returns the rate in force. The default is adaptive, or unlimited for the sandbox in this process. */
function rateOf({ options: { sandbox } }: Context, { rate }: BulkOptions): 'auto' | 'max' | number {
  return rate ?? (sandbox ? 'max' : 'auto');
}

/** Settings of a run that its report shows. Values of --set and --map are left out, because they may be personal data. */
const NOTED = [
  ...(['rate', 'concurrency', 'maxErrors', 'onDuplicate', 'inDoubt', 'settle'] as const),
  ...(['limit', 'skip', 'validate', 'again', 'strict'] as const),
];

async function beginNote(context: Context, plan: ImportPlan, file: string, options: BulkOptions): Promise<RunBegin> {
  const { profile, live, baseUrl } = await context.settings();
  const given = { ...options, rate: rateOf(context, options) };
  const settings = NOTED.flatMap((name): [string, string][] => {
    const value = given[name];
    // What a run does anyway is not noted.
    if (value === undefined || value === 0 || value === (name === 'validate')) return [];
    const text = typeof value === 'object' ? `${value.count}${value.percent ? '%' : ''}` : String(value);
    return [[longName(name, BULK[name]), typeof value === 'boolean' ? 'on' : text]];
  });
  const { rows, counts } = plan;
  return {
    ...{ event: 'begin', version: context.version, profile: profile.value, live, rows, counts },
    // Its folder may name people.
    file: basename(inputName(file)),
    service: baseUrl === null ? '' : new URL(baseUrl.value).host,
    settings: Object.fromEntries(settings),
  };
}
