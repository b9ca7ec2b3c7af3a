import { basename } from 'node:path';
import type { Context } from '../../cli/context.ts';
import { type Input, inputName, readInput, withReadingProgress } from '../../cli/input.ts';
import { operationsOf, RequestSession, recordingsBeside } from '../../cli/session.ts';
import type { ImportFile, ImportUi, Pass } from '../../delivery/import.ts';
import type { RowLookup } from '../../delivery/report-rows.ts';
import type { ImportPlan, RowReport } from '../../request/import-plan.ts';
import { type Agreed, agreedPlan } from './agreement.ts';
import type { BulkOptions } from './bulk-options.ts';
import { type ChosenFiles, commandForOne, withEachFile } from './chosen-files.ts';
import { beside, onlyPath, ResultsPlace, requireOneStatus } from './results-place.ts';
import { figuresOf, reportRun, withFigures } from './run-report.ts';
import { type Asides, showPass } from './show-import.ts';
import { writeRunResults } from './write-results.ts';

/** A file that was opened, and where its results go. Nothing is written or sent yet. */
export interface OpenedFile {
  /** The input as the user named it. */
  readonly file: string;
  /** The arguments that import this file alone. */
  readonly command: readonly string[];
  readonly input: Input;
  readonly session: RequestSession;
  readonly results: ResultsPlace;
}

/** Opens the files, their mappings, the session of the run and the places of the results. */
export async function openFiles(
  context: Context,
  chosen: ChosenFiles,
  options: BulkOptions,
): Promise<readonly OpenedFile[]> {
  const { files } = chosen;
  const inputs = await withEachFile(files, async (file) => {
    const input = await readInput(context, file, options);
    requireOneStatus(input.table, file);
    return input;
  });
  const session = await RequestSession.open(context, {
    audio: recordingsBeside(files[0] ?? '-'),
    operations: operationsOf(options),
    isAsOffered: true,
    strict: options.strict === true,
    needsNoLogin: options.dryRun === true,
  });
  // A dry run has no results, unless they are asked for.
  const wanted = options.results ?? (options.dryRun ? false : undefined);
  // The results of a file may replace it, where it is itself what srq wrote, but no other input.
  const taken = new Map<string, string>();
  for (const file of files) taken.set(await onlyPath(file), file);
  const opened: OpenedFile[] = [];
  for (const [at, input] of inputs.entries()) {
    const file = files[at] ?? '';
    const results = await ResultsPlace.find(context, file, input.table, wanted, taken);
    const command = commandForOne(chosen, file);
    opened.push({ file, command, input, session: session.withAudio(recordingsBeside(file)), results });
  }
  return opened;
}

/**
 * One file of `bulk`, as the import sees it. It asks the user to agree to the plan, shows the progress, and writes results and
 * report.
 */
export class FileImport implements ImportFile, ImportUi {
  readonly ui = this;
  readonly file: string;
  readonly asides: Asides = { withoutIdentifier: 0, withRemark: 0 };
  /** The arguments that import this file again, including corrections made to the plan. */
  command: readonly string[];
  readonly #opened: OpenedFile;
  readonly #options: BulkOptions;
  readonly #isOneOfSeveral: boolean;
  #hasResults = true;
  #remember: Agreed['remember'] = async () => {};

  constructor(opened: OpenedFile, options: BulkOptions, isOneOfSeveral: boolean) {
    this.file = opened.file;
    this.command = opened.command;
    this.#opened = opened;
    this.#options = options;
    this.#isOneOfSeveral = isOneOfSeveral;
  }

  get preparation() {
    return this.#opened.session.preparation;
  }

  /** Where the results are, `-` for standard output, or null for none or if they could not be written. */
  get results(): string | null {
    return this.#hasResults ? this.#opened.results.path : null;
  }

  async agree(plan: Parameters<ImportUi['agree']>[0]): Promise<ImportPlan> {
    const { input, session, file, command } = this.#opened;
    const { context, destinationText: where } = session;
    const planned = (now: Input) => withReadingProgress(context, (tick) => plan(now, tick));
    const oneOfSeveral = this.#isOneOfSeveral ? file : null;
    const proposal = { input, where, command, keepAt: beside(file, 'mapping.json'), oneOfSeveral };
    const agreed = await agreedPlan(session, proposal, this.#options, planned);
    this.command = agreed.command;
    this.#remember = agreed.remember;
    return agreed.plan;
  }

  /** Keeps the mapping that was agreed to, once all files are confirmed. */
  remember(): Promise<unknown> {
    return this.#remember();
  }

  watch(pass: Pass) {
    return showPass(this.#opened.session.context, pass, this.asides);
  }

  async report(plan: ImportPlan, rows: AsyncIterable<RowReport>, log: RowLookup['log']): Promise<void> {
    const { session, results } = this.#opened;
    const { context } = session;
    const { report, includeInput } = this.#options;
    const figures = report === undefined ? null : figuresOf(plan, includeInput);
    const shown = figures ? withFigures(rows, figures, plan.mapping) : rows;
    this.#hasResults = false;
    await writeRunResults(context, results, plan, shown, { log, preparation: session.preparation });
    this.#hasResults = true;
    if (figures) await reportRun(context, report ?? '', figures);
  }
}

/** Returns the rate in force: adaptive, but without limit for the sandbox in this process. */
export function rateOf({ options: { sandbox } }: Context, { rate }: BulkOptions): 'auto' | 'max' | number {
  return rate ?? (sandbox ? 'max' : 'auto');
}

/** Returns the name of an input for the notes on a run: without its folder. */
export function noteName(file: string): string {
  return file === '-' ? inputName(file) : basename(file);
}
