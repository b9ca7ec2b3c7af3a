import { readdir, realpath } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { commandLine, withoutOptions } from '../../cli/command-line.ts';
import type { Context } from '../../cli/context.ts';
import { type Input, inputName, readInput, withReadingProgress } from '../../cli/input.ts';
import { RequestSession, recordingsBeside } from '../../cli/session.ts';
import type { ImportFile, ImportUi, Pass } from '../../delivery/import.ts';
import type { RowLookup } from '../../delivery/report-rows.ts';
import { onlyPath } from '../../report/output-file.ts';
import { operationsOf } from '../../request/contract/operations.ts';
import type { ImportPlan, RowReport } from '../../request/log/import-plan.ts';
import { countReason, type ReasonCounts } from '../../request/log/outcome.ts';
import { SrqError } from '../../request/words/errors.ts';
import { type Agreed, agreedPlan } from './agreement.ts';
import { askMeaning } from './ask-meaning.ts';
import { isAsked } from './consent.ts';
import type { RunEvents } from './events.ts';
import type { BulkOptions } from './flags.ts';
import {
  beside,
  mayHoldCorrections,
  ResultsPlace,
  requireOneStatus,
  withoutOwnFiles,
  writeRunResults,
} from './results-place.ts';
import { type Asides, showPass } from './show-import.ts';

/** An open file and the place of its results. Nothing has been written or sent yet. */
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
  // A dry run writes no results unless the user asks for them.
  const wanted = options.results ?? (options.dryRun ? false : undefined);
  // The results of a file may replace the file itself, if srq wrote it, but no other input.
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
 * One file of `bulk` as the import uses it. It asks the user to agree to the plan, shows the progress, and writes
 * results and report.
 */
export class FileImport implements ImportFile, ImportUi {
  readonly ui = this;
  readonly file: string;
  /** The rows by the codes of their reasons. */
  readonly reasons: ReasonCounts = {};
  readonly asides: Asides = { withoutIdentifier: 0 };
  /** The arguments that import this file again, including corrections made to the plan. */
  command: readonly string[];
  readonly #opened: OpenedFile;
  readonly #options: BulkOptions;
  readonly #isOneOfSeveral: boolean;
  readonly #events: RunEvents;
  #hasResults = true;
  #remember: Agreed['remember'] = async () => {};

  constructor(opened: OpenedFile, options: BulkOptions, isOneOfSeveral: boolean, events: RunEvents) {
    this.file = opened.file;
    this.command = opened.command;
    this.#opened = opened;
    this.#options = options;
    this.#isOneOfSeveral = isOneOfSeveral;
    this.#events = events;
  }

  get preparation() {
    return this.#opened.session.preparation;
  }

  /** The path of the results, or `-` for standard output. Null if there are none or they could not be written. */
  get results(): string | null {
    return this.#hasResults ? this.#opened.results.path : null;
  }

  async agree(plan: Parameters<ImportUi['agree']>[0]): Promise<ImportPlan> {
    const { input, session, file, command } = this.#opened;
    const { context, destinationText: where } = session;
    const planned = (now: Input) => withReadingProgress(context, (tick) => plan(now, tick));
    const oneOfSeveral = this.#isOneOfSeveral ? file : null;
    const enter = (await context.settings()).live ? 'asks' : 'sends';
    const proposal = { input, where, command, keepAt: beside(file, 'mapping.json'), enter, oneOfSeveral } as const;
    const agreed = await agreedPlan(session, proposal, this.#options, planned);
    this.command = agreed.command;
    this.#remember = agreed.remember;
    return agreed.plan;
  }

  /** Stores the mapping that was agreed to, once all files are confirmed. */
  remember(): Promise<unknown> {
    return this.#remember();
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
    const { report, includeInput } = this.#options;
    if (report === undefined) return this.#writeResults(plan, rows, log);
    // The report's code is loaded only if it is needed, because it is large and few runs write a report.
    const { figuresOf, reportRun, withFigures } = await import('./run-report.ts');
    const figures = figuresOf(plan, includeInput);
    await this.#writeResults(plan, withFigures(rows, figures, plan.mapping), log);
    await reportRun(this.#opened.session.context, report, figures);
  }

  async #writeResults(plan: ImportPlan, rows: AsyncIterable<RowReport>, log: RowLookup['log']): Promise<void> {
    const { session, results } = this.#opened;
    this.#hasResults = false;
    await writeRunResults(session.context, results, plan, rows, { log, preparation: session.preparation });
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

/** Returns the rate in force. The default is adaptive, or unlimited for the sandbox in this process. */
export function rateOf({ options: { sandbox } }: Context, { rate }: BulkOptions): 'auto' | 'max' | number {
  return rate ?? (sandbox ? 'max' : 'auto');
}

/** Returns the name of an input for the notes on a run, without its folder. */
export function noteName(file: string): string {
  return file === '-' ? inputName(file) : basename(file);
}

/** The files of a run, and the command that names them. */
interface ChosenFiles {
  readonly files: readonly string[];
  /**
   * The arguments of this command, without files that are left out, and without the command of `--on-end`. srq prints
   * them and writes them to files, and that command may contain a password.
   */
  readonly command: readonly string[];
}

/**
 * Returns the files to import. A pattern of the shell may name files that srq made from another file of the list. These
 * are left out, with a message. Throws `SrqError('usage')` if a file is named twice.
 */
export async function chosenFiles(context: Context, asked: readonly string[]): Promise<ChosenFiles> {
  const { platform, argv } = context.process;
  const meant = new Map(
    await Promise.all(asked.map(async (name) => [name, await filesOfPattern(name, platform)] as const)),
  );
  const named = asked.flatMap((name) => meant.get(name) ?? []);
  const words = withoutOptions(argv.slice(2), ['--on-end']).flatMap((word) => meant.get(word) ?? [word]);
  const { files, leftOut } = withoutOwnFiles(named);
  const reporter = await context.reporter();
  const unchanged: string[] = [];
  for (const { file, of } of leftOut) {
    const name = `${file} (made of ${of})`;
    if (!(await mayHoldCorrections(context, file))) unchanged.push(name);
    else {
      const alone = commandLine(commandForOne({ files: named, command: words }, file));
      reporter.warn(
        `Left out: ${name}, although it was changed since: it may contain corrections. To send them: ${alone}`,
      );
    }
  }
  if (unchanged.length > 0) reporter.warn(`Left out: ${unchanged.join(', ')}.`);
  const paths = await Promise.all(files.map((file) => realpath(file).catch(() => file)));
  const twice = files.find((_, at) => paths.indexOf(paths[at] ?? '') !== at);
  if (twice !== undefined) {
    throw new SrqError('file.twice', `${twice} is named twice. Nothing was sent.`, 'Name each file once.');
  }
  return { files, command: words.filter((word) => !leftOut.some(({ file }) => file === word)) };
}

/** Returns the arguments that import one of the files alone. */
function commandForOne({ files, command }: ChosenFiles, file: string): readonly string[] {
  return command.filter((word) => word === file || !files.includes(word));
}

/** Throws `SrqError('usage')` if several files are combined with a flag that only works for one. */
export function requireForOne(chosen: ChosenFiles, options: BulkOptions): void {
  const { files } = chosen;
  const [first = '', ...others] = files;
  if (others.length === 0) return;
  const { results, report, saveMapping, limit, skip } = options;
  const forOne: readonly (readonly [what: string, isGiven: boolean])[] = [
    ['--results', typeof results === 'string'],
    ['--report', report !== undefined],
    ['--save-mapping', saveMapping !== undefined],
    ['--limit', limit !== undefined],
    ['--skip', skip > 0],
    ['Standard input (-)', files.includes('-')],
  ];
  const [what] = forOne.find(([, isGiven]) => isGiven) ?? [];
  if (what === undefined) return;
  throw new SrqError(
    'file.only-one',
    `${what} works with one file, and ${files.length} were given. Nothing was sent.`,
    `Import them one by one: ${commandLine(commandForOne(chosen, first))}`,
  );
}

/**
 * Runs `work` for every file, one after another, and returns the results. All files are processed even if one fails,
 * and a single `SrqError` is thrown about all files that cannot be used.
 */
export async function withEachFile<Result>(
  files: readonly string[],
  work: (file: string, at: number) => Result | Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  const failures: { readonly file: string; readonly error: SrqError }[] = [];
  for (const [at, file] of files.entries()) {
    try {
      results.push(await work(file, at));
    } catch (error) {
      if (!(error instanceof SrqError) || (error.code !== 'input' && error.code !== 'usage')) throw error;
      failures.push({ file, error });
    }
  }
  const [first] = failures;
  if (!first) return results;
  if (files.length === 1) throw first.error;
  const told = failures.map(({ file, error: { message } }) =>
    message.includes(file) ? message : `${file}: ${message}`,
  );
  const hints = new Set(failures.flatMap(({ error: { hint } }) => hint ?? []));
  const nothing = told.some((message) => message.includes('Nothing was sent.')) ? [] : ['Nothing was sent.'];
  throw new SrqError(first.error.reason, [...told, ...nothing].join(' '), [...hints].join(' ') || null, first.error);
}

/**
 * Returns the files that match a name with `*` or `?` in its last part, in the order of their names. The shells of
 * Windows leave this to the program. On other systems such a name is that of a file. A pattern without a match is
 * returned unchanged.
 */
export async function filesOfPattern(name: string, system: string): Promise<readonly string[]> {
  if (system !== 'win32' || !/[*?]/.test(basename(name))) return [name];
  const plain = basename(name).replace(/[\\^$.+()[\]{}|]/g, '\\$&');
  const pattern = new RegExp(`^${plain.replaceAll('*', '.*').replaceAll('?', '.')}$`, 'i');
  const entries = await readdir(dirname(name), { withFileTypes: true }).catch(() => []);
  const found = entries.filter((entry) => entry.isFile() && pattern.test(entry.name));
  return found.length === 0 ? [name] : found.map((entry) => join(dirname(name), entry.name)).sort();
}
