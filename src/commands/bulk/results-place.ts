import { lstat, realpath } from 'node:fs/promises';
import { basename, dirname, extname, join } from 'node:path';
import { commandLine, withoutOptions } from '../../cli/command-line.ts';
import type { Context } from '../../cli/context.ts';
import { inputName } from '../../cli/input.ts';
import { mapRow } from '../../delivery/prepare.ts';
import { type RowLookup, withRowsOutside } from '../../delivery/report-rows.ts';
import { onlyPath, requireOwnOrNew, requireWritable } from '../../report/output-file.ts';
import { isWorkbookName, streamResults, writeResults } from '../../report/results-file.ts';
import { parseMarket, usualDelimiter } from '../../request/lead/markets.ts';
import { RESULT_COLUMNS, resultColumnOf, resultPlaces, statesOutcomes, type Table } from '../../request/lead/table.ts';
import type { ImportPlan, RowReport } from '../../request/log/import-plan.ts';
import { SrqError } from '../../request/words/errors.ts';
import type { Occasion, WrittenFiles } from '../../settings/written-files.ts';

/** The value of `--results`, or false for `--no-results`. */
export type ResultsOption = string | false | undefined;

/** Matches the endings of files of leads. The name of a results file does not keep them. */
const INPUT_ENDING = /(?:\.(?:csv|tsv|txt|json|ndjson|jsonl|xlsx))?(?:\.gz)?$/i;
/** Matches the part of a name that marks a results file. */
const OF_RESULTS = /(\.sandbox)?\.results(?:-\d+)?$/i;

/** Returns the name of a file without its ending, and without the part that marks a results file. */
function stemOf(file: string): string {
  return basename(file).replace(INPUT_ENDING, '').replace(OF_RESULTS, '') || 'leads';
}

/** Returns a path beside the input file, such as `leads.mapping.json` for `leads.csv` and for `leads.results.csv`. */
export function beside(file: string, ending: string): string {
  if (file === '-') return `stdin.${ending}`;
  return join(dirname(file), `${stemOf(file)}.${ending}`);
}

/**
 * Throws `SrqError('usage')` if a results file of the sandbox is about to be sent to a service. Its rows state that
 * they were created, but the service has never seen them.
 */
export function refuseRehearsed({ options }: Context, file: string): void {
  const [, ofSandbox] = OF_RESULTS.exec(basename(file).replace(INPUT_ENDING, '')) ?? [];
  if (ofSandbox === undefined || options.sandbox) return;
  throw new SrqError(
    'results.of-sandbox',
    `${file} holds results of the sandbox, which say nothing about a real service. Nothing was sent.`,
    `Import the original file. If your corrections are in it, remove its columns ${RESULT_COLUMNS.join(', ')} and give it another name.`,
  );
}

/**
 * Throws `SrqError('input')` for a results file without a status column. Its rows would be judged only by their cells,
 * and a row that a spreadsheet has changed would be sent a second time. Also throws for a file with two status columns.
 */
export function requireOneStatus({ columns }: Pick<Table, 'columns'>, file: string): void {
  const own = columns.filter((name) => resultColumnOf(name) !== null);
  const statuses = own.filter((name) => resultColumnOf(name) === RESULT_COLUMNS[0]);
  if (statuses.length > 1) {
    throw new SrqError(
      'results.ambiguous',
      `${inputName(file)} has more than one column ${RESULT_COLUMNS[0]}: srq cannot know which one is right. Nothing was sent.`,
      'Remove the one that is not as srq wrote it.',
    );
  }
  if (own.length === 0 || statesOutcomes({ columns })) return;
  throw new SrqError(
    'results.ambiguous',
    `${inputName(file)} has ${own.join(', ')} but no ${RESULT_COLUMNS[0]}: it is a results file without the outcomes of its rows. Nothing was sent.`,
    `Put the column ${RESULT_COLUMNS[0]} back as srq wrote it. Only if its rows were never sent: remove ${own.join(', ')}.`,
  );
}

/** Matches the part of a name that marks a file which srq made from another file. */
const MADE_OF = /(?:(?:\.sandbox)?\.results(?:-\d+)?|\.export)$/i;

/**
 * Leaves out files that srq made from another file of the list, such as its results and exports, because a pattern such
 * as `*.csv` matches them as well. A single file is never left out.
 */
export function withoutOwnFiles(named: readonly string[]): {
  readonly files: readonly string[];
  readonly leftOut: readonly { readonly file: string; readonly of: string }[];
} {
  const bare = (file: string) => join(dirname(file), basename(file).replace(INPUT_ENDING, ''));
  const inputs = new Map(named.map((file) => [bare(file), file]));
  const leftOut = named.flatMap((file) => {
    const of = MADE_OF.test(bare(file)) ? inputs.get(bare(file).replace(MADE_OF, '')) : undefined;
    return of === undefined ? [] : [{ file, of }];
  });
  return { files: named.filter((file) => !leftOut.some((each) => each.file === file)), leftOut };
}

/**
 * Tells whether a file has the name of a results file of this kind of run, and its content differs from what srq wrote.
 */
export async function mayHoldCorrections(context: Context, file: string): Promise<boolean> {
  const [isResults, ofSandbox] = OF_RESULTS.exec(basename(file).replace(INPUT_ENDING, '')) ?? [];
  const isRehearsal = context.options.sandbox === true;
  if (isResults === undefined || (ofSandbox !== undefined) !== isRehearsal) return false;
  return !(await (await context.writtenFiles()).isUnchanged(file, isRehearsal ? 'rehearsal' : 'run'));
}

/** The paths of the files of a run and of their results. Each maps to the file that it belongs to. */
type TakenPaths = Map<string, string>;

/** The place of a file's results. */
export class ResultsPlace {
  /** The path, `-` for standard output, or null for none. It changes if the file there has been changed by a person. */
  path: string | null;
  readonly #written: WrittenFiles;
  readonly #of: Occasion;
  readonly #input: string;
  readonly #taken: TakenPaths;
  readonly #heldOpen = new Set<string>();

  private constructor(path: string | null, input: string, taken: TakenPaths, written: WrittenFiles, of: Occasion) {
    this.path = path;
    this.#input = input;
    this.#written = written;
    this.#of = of;
    this.#taken = taken;
  }

  /**
   * Finds the place before anything is sent. Throws `SrqError('usage')` if the file that `asked` names cannot be
   * written, or was not written by srq. By default the results are beside the input. If a person has changed the file
   * there, the next free number is used, with a message. A path that is found by default is added to those taken.
   */
  static async find(
    context: Context,
    input: string,
    { format }: Table,
    asked: ResultsOption,
    taken: TakenPaths,
  ): Promise<ResultsPlace> {
    const isRehearsal = context.options.sandbox === true;
    const written = await context.writtenFiles();
    const place = (path: string | null) =>
      new ResultsPlace(path, input, taken, written, isRehearsal ? 'rehearsal' : 'run');
    if (asked === false) return place(null);
    if (asked === '-') {
      if (!context.options.json) return place('-');
      const message = '--results - and --json would both write to standard output. Nothing was sent.';
      throw new SrqError('flags.contradict', message, 'Leave one of them out, or name a file: --results FILE');
    }
    if (asked !== undefined) {
      await place(null).#requireReplaceable(asked, input, context);
      await requireWritable(asked, 'results file', '--results');
      return place(asked);
    }
    const wanted = beside(input, `${isRehearsal ? 'sandbox.' : ''}results.${format === 'xlsx' ? 'xlsx' : 'csv'}`);
    const free = await place(null).#freePlace(wanted);
    await requireWritable(free, 'results file', '--results');
    if (free !== wanted && !taken.has(await onlyPath(wanted))) {
      (await context.reporter()).warn(keptMessage(wanted, free));
    }
    taken.set(await onlyPath(free), input);
    return place(free);
  }

  /**
   * Returns the path once the results are complete. A person may have changed the file during the run, or may have it
   * open (`heldOpen`) in a program that locks it. The file is then kept, and the next free number is used.
   */
  async settle(context: Context, path: string, heldOpen: string | null): Promise<string> {
    if (heldOpen !== null) this.#heldOpen.add(heldOpen);
    const free = await this.#freePlace(path);
    const message = this.#heldOpen.has(path)
      ? `${path} is open in another program, such as Excel, so it is kept; the results go to ${free}.`
      : keptMessage(path, free);
    if (free !== path) (await context.reporter()).warn(message);
    this.#taken.set(await onlyPath(free), this.#input);
    this.path = free;
    return free;
  }

  /** Records what was written, so that the next run knows whether anybody has changed it. */
  note(path: string, sha256: string): Promise<void> {
    return this.#written.note(path, sha256, this.#of);
  }

  /** Returns this path, or the next one with a number, so that no file is lost. */
  async #freePlace(path: string): Promise<string> {
    const ending = extname(path);
    const stem = path.slice(0, path.length - ending.length);
    for (let number = 2, candidate = path; ; candidate = `${stem}-${number++}${ending}`) {
      if (await this.#isFree(candidate)) return candidate;
    }
  }

  async #isFree(path: string): Promise<boolean> {
    if (this.#heldOpen.has(path)) return false;
    const holder = this.#taken.get(await onlyPath(path));
    if (holder !== undefined && holder !== this.#input) return false;
    const found = await lstat(path).catch(() => null);
    if (!found) return true;
    if (!found.isFile()) return false;
    return found.size === 0 || (await this.#written.isUnchanged(path, this.#of));
  }

  async #requireReplaceable(path: string, input: string, context: Context): Promise<void> {
    const [results, source] = await Promise.all([path, input].map((each) => realpath(each).catch(() => null)));
    if (results !== null && results === source) {
      throw new SrqError(
        'output.not-replaced',
        'The results file would replace the input.',
        'Name another one: --results FILE',
      );
    }
    const isResults = (head: string) =>
      resultPlaces((head.split(/\r?\n/, 1)[0] ?? '').split(/[,;\t]/)).size === RESULT_COLUMNS.length;
    const isOwn = (head: string) => (isWorkbookName(path) ? head.startsWith('PK') : isResults(head));
    await requireOwnOrNew(path, 'results file', '--results', isOwn);
    if (await this.#isFree(path)) return;
    const given = withoutOptions(context.process.argv.slice(2), ['--results', '--on-end']);
    throw new SrqError(
      'output.not-replaced',
      `${path} was changed since srq wrote it: it may contain corrections, so it is not replaced. Nothing was sent.`,
      `To write beside it: ${commandLine([...given, '--results', await this.#freePlace(path)])}`,
    );
  }
}

function keptMessage(path: string, free: string): string {
  return `${path} was changed since srq wrote it, so it is kept; the results go to ${free}.`;
}

/**
 * Writes the results of a run to their place: all rows of the input, including those outside of the range. If there is
 * no place, the rows are only read, for their other readers.
 */
export async function writeRunResults(
  context: Context,
  place: ResultsPlace,
  plan: ImportPlan,
  reports: AsyncIterable<RowReport>,
  lookup: RowLookup,
): Promise<void> {
  const { path } = place;
  if (path === null) {
    for await (const _ of reports);
    return;
  }
  const reporter = await context.reporter();
  const isWhole = plan.range.skip === 0 && plan.range.limit === null;
  const unread = ({ message }: SrqError) =>
    reporter.warn(`The results file ends where the input cannot be read: ${message}`);
  const rows = isWhole ? reports : withRowsOutside(plan, reports, lookup, unread);
  const results = { columns: plan.table.columns, delimiter: await delimiterOf(plan), rows };
  if (path === '-') return streamResults(context.process.stdout, results);
  const written = await writeResults(path, results, (heldOpen) => place.settle(context, path, heldOpen));
  await place.note(written.path, written.sha256);
}

/**
 * Returns the delimiter of the results. It is that of the input, so that the program that wrote the input can open
 * them, or else that of spreadsheets in the market of the first row. A TAB is not kept, because spreadsheets do not
 * split CSV in UTF-8 at TABs.
 */
async function delimiterOf({ table, mapping, first }: ImportPlan): Promise<string> {
  if (table.delimiter !== null && [',', ';'].includes(table.delimiter)) return table.delimiter;
  const country = first?.request.params['country'] ?? (await firstCountry({ table, mapping }));
  const market = country === undefined ? undefined : parseMarket(country);
  return market ? usualDelimiter(market) : ',';
}

async function firstCountry({ table, mapping }: Pick<ImportPlan, 'table' | 'mapping'>): Promise<string | undefined> {
  for await (const [row] of table.rows()) if (row) return mapRow(row, mapping).fields['country'];
  return undefined;
}
