import { basename, dirname, join } from 'node:path';
import type { Context } from '../cli/context.ts';
import { inputName } from '../cli/input.ts';
import { mapRow } from '../delivery/prepare.ts';
import { type RowLookup, withRowsOutside } from '../delivery/report-rows.ts';
import { onlyPath, requireFileName, requireWritable } from '../report/output-file.ts';
import { writeResults } from '../report/results-file.ts';
import { parseMarket, usualDelimiter } from '../request/lead/markets.ts';
import { RESULT_COLUMNS, resultColumnOf, statesOutcomes, type Table } from '../request/lead/table.ts';
import type { ImportPlan, RowReport } from '../request/log/import-plan.ts';
import { SrqError } from '../request/words/errors.ts';
import type { WrittenFiles } from '../settings/written-files.ts';
import { freePlace, requireFreePlace } from './outputs.ts';

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

/** The place of a file's results. */
export class ResultsPlace {
  /** The path. It changes if the file there has been changed by a person. */
  path: string;
  readonly #written: WrittenFiles;
  readonly #input: string;
  readonly #taken: TakenPaths;
  readonly #heldOpen = new Set<string>();

  private constructor(path: string, input: string, taken: TakenPaths, written: WrittenFiles) {
    this.path = path;
    this.#input = input;
    this.#written = written;
    this.#taken = taken;
  }

  /**
   * Finds the place before anything is sent. Throws `SrqError('usage')` if the file that `asked` names cannot be
   * written, or is not as srq wrote it. By default the results are beside the input. If a person has changed the file
   * there, the next free number is used, with a message. The path is added to those taken.
   */
  static async find(
    context: Context,
    input: string,
    { format }: Table,
    asked: string | undefined,
    taken: TakenPaths,
  ): Promise<ResultsPlace> {
    const written = await context.writtenFiles();
    const kind = 'results file';
    if (asked !== undefined) {
      requireFileName(asked, '--results');
      await requireFreePlace(context, asked, { flag: '--results', kind, input });
      return new ResultsPlace(asked, input, taken, written);
    }
    const ofSandbox = context.options.sandbox ? 'sandbox.' : '';
    const wanted = beside(input, `${ofSandbox}results.${format === 'xlsx' ? 'xlsx' : 'csv'}`);
    const place = new ResultsPlace(wanted, input, taken, written);
    const isInput = taken.has(await onlyPath(wanted));
    place.path = await place.#freePlace(wanted);
    await requireWritable(place.path, kind, '--results');
    if (place.path !== wanted && !isInput) (await context.reporter()).warn(keptMessage(wanted, place.path));
    taken.set(await onlyPath(place.path), input);
    return place;
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
  note(path: string): Promise<void> {
    return this.#written.note(path);
  }

  /** Returns this path, or the next one with a number, so that no file is lost. */
  #freePlace(path: string): Promise<string> {
    return freePlace(this.#written, path, (candidate) => this.#isTaken(candidate));
  }

  async #isTaken(path: string): Promise<boolean> {
    const holder = this.#taken.get(await onlyPath(path));
    return this.#heldOpen.has(path) || (holder !== undefined && holder !== this.#input);
  }
}

/** The paths of the files of a command and of their results. Each maps to the file that it belongs to. */
export type TakenPaths = Map<string, string>;

function keptMessage(path: string, free: string): string {
  return `${path} was changed since srq wrote it, so it is kept; the results go to ${free}.`;
}

/** Writes the results of a run to their place: all rows of the input, including those outside of the range. */
export async function writeRunResults(
  context: Context,
  place: ResultsPlace,
  plan: ImportPlan,
  reports: AsyncIterable<RowReport>,
  lookup: RowLookup,
): Promise<void> {
  const { path } = place;
  const reporter = await context.reporter();
  const isWhole = plan.range.skip === 0 && plan.range.limit === null;
  const unread = ({ message }: SrqError) =>
    reporter.warn(`The results file ends where the input cannot be read: ${message}`);
  const rows = isWhole ? reports : withRowsOutside(plan, reports, lookup, unread);
  const results = { columns: plan.table.columns, delimiter: await delimiterOf(plan), rows };
  await place.note(await writeResults(path, results, (heldOpen) => place.settle(context, path, heldOpen)));
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
