import { basename } from 'node:path';
import type { Context } from '../../cli/context.ts';
import { type Input, inputName, readInput, withReadingProgress } from '../../cli/input.ts';
import { operationsOf, RequestSession, recordingsBeside } from '../../cli/session.ts';
import type { ImportFile, ImportUi, Pass, ServiceConnection } from '../../delivery/import.ts';
import type { SrqError } from '../../request/errors.ts';
import type { ImportPlan, RowReport } from '../../request/import-plan.ts';
import type { RunNotes } from '../../request/log-store.ts';
import type { Mapping } from '../../request/table.ts';
import { agreedPlan } from './agreement.ts';
import type { BulkOptions } from './bulk-options.ts';
import { beside, ResultsPlace, requireOneStatus } from './results-place.ts';
import { figuresOf, reportRun, withFigures } from './run-report.ts';
import { type Asides, showPass } from './show-import.ts';
import { writeRunResults } from './write-results.ts';

/** A file that was opened, and where its results go. Nothing is written or sent yet. */
export interface OpenedFile {
  /** The input as the user named it. */
  readonly file: string;
  readonly input: Input;
  readonly session: RequestSession;
  readonly results: ResultsPlace;
}

/** Opens a file of requests, its mapping, its session and the place of its results. */
export async function openFile(context: Context, file: string, options: BulkOptions): Promise<OpenedFile> {
  const input = await readInput(context, file, options);
  requireOneStatus(input.table, file);
  const session = await RequestSession.open(context, {
    audio: recordingsBeside(file),
    operations: operationsOf(options),
    isAsOffered: true,
    strict: options.strict === true,
    needsNoLogin: options.dryRun === true,
  });
  // A dry run has no results, unless they are asked for.
  const wanted = options.results ?? (options.dryRun ? false : undefined);
  return { file, input, session, results: await ResultsPlace.find(context, file, input.table, wanted) };
}

/** What the files of one run share. */
export interface SharedRun {
  readonly options: BulkOptions;
  readonly notes: RunNotes;
  /** Handles signals from the first request on: the first signal lets requests in flight finish. */
  finishOnSignal(session: RequestSession): Promise<void>;
}

/**
 * One file of `bulk`, as the import sees it. It asks the user to agree to the plan, shows the progress, and writes notes,
 * results and report.
 */
export class FileImport implements ImportFile, ImportUi {
  readonly ui = this;
  readonly file: string;
  readonly asides: Asides = { withoutIdentifier: 0, withRemark: 0 };
  /** The arguments that repeat this command, including corrections made to the plan. */
  command: readonly string[] = [];
  readonly #opened: OpenedFile;
  readonly #run: SharedRun;

  constructor(opened: OpenedFile, run: SharedRun) {
    this.file = opened.file;
    this.#opened = opened;
    this.#run = run;
  }

  get preparation() {
    return this.#opened.session.preparation;
  }

  /** Where the results are, `-` for standard output, or null for none. */
  get results(): string | null {
    return this.#opened.results.path;
  }

  async agree(plan: Parameters<ImportUi['agree']>[0]): Promise<ImportPlan> {
    const { input, session, file } = this.#opened;
    const { context, destinationText: where } = session;
    const planned = (now: Input) => withReadingProgress(context, (tick) => plan(now, tick));
    const proposal = { input, where, keepAt: beside(file, 'mapping.json') };
    const agreed = await agreedPlan(session, proposal, this.#run.options, planned);
    this.command = agreed.command;
    return agreed.plan;
  }

  async connect({ mapping }: ImportPlan): Promise<ServiceConnection> {
    const { session } = this.#opened;
    const { options, notes } = this.#run;
    const { concurrency } = options;
    const { refused } = notes;
    const rate = rateOf(session.context, options);
    const connection = await session.connect({ rate, concurrency, fieldName: columnOf(mapping), refused });
    await this.#run.finishOnSignal(session);
    return connection;
  }

  watch(pass: Pass) {
    return showPass(this.#opened.session.context, pass, this.asides);
  }

  breakerOpened(pauseMs: number): void {
    this.#run.notes.note({ event: 'breaker', pauseMs });
  }

  async report(plan: ImportPlan, stop: SrqError | null, rows: AsyncIterable<RowReport>): Promise<void> {
    const { session, results } = this.#opened;
    const { context } = session;
    const { options, notes } = this.#run;
    const stopped = stop?.message ?? (context.interruption.code ? 'Interrupted.' : null);
    // Of several files each notes the end; the last note counts.
    notes.note({ event: 'end', stopped });
    await notes.flush();
    const figures = options.report === undefined ? null : figuresOf(plan, options.includeInput);
    const shown = figures ? withFigures(rows, figures, plan.mapping) : rows;
    await writeRunResults(context, results, plan, shown);
    if (figures) await reportRun(context, options.report ?? '', figures);
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

/** Returns a function that gives the column of a field, or null if the field does not come from exactly one column. */
function columnOf({ sources, columns }: Mapping): (field: string) => string | null {
  const names = new Map(
    sources.map(({ field, columns: at }) => [field, at.length === 1 ? (columns[at[0] ?? -1] ?? null) : null]),
  );
  return (field) => names.get(field) ?? null;
}
