import { basename, dirname, join } from 'node:path';
import { fileWord } from '../cli/command-line.ts';
import type { Context } from '../cli/context.ts';
import { inputName } from '../cli/input.ts';
import { withRowsOutside } from '../delivery/report-rows.ts';
import { resultsChunks } from '../report/results-file.ts';
import { RESULT_COLUMNS, resultColumnOf, statesOutcomes, type Table } from '../request/lead/table.ts';
import type { ImportPlan, RowReport } from '../request/log/import-plan.ts';
import { SrqError } from '../request/words/errors.ts';
import { type Output, openOutput } from './outputs.ts';

/** Matches the endings of files of leads. The name of a results file does not keep them. */
const INPUT_ENDING = /(?:\.(?:csv|tsv|txt|json|ndjson|jsonl|xlsx))?$/i;
/** Matches the part of a name that marks a results file. */
const OF_RESULTS = /(\.sandbox)?\.results(?:-\d+)?$/i;

/** Returns a path beside the input file, such as `leads.mapping.json` for `leads.csv` and for `leads.results.csv`. */
export function beside(file: string, ending: string): string {
  if (file === '-') return `stdin.${ending}`;
  const stem = basename(file).replace(INPUT_ENDING, '').replace(OF_RESULTS, '') || 'leads';
  return fileWord(join(dirname(file), `${stem}.${ending}`));
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

/**
 * Finds the files that srq made from another file of the list, such as its results and exports, because a pattern such as
 * `*.csv` matches them as well. Each is returned with the file that it was made from.
 */
export function madeOfOthers(files: readonly string[]): ReadonlyMap<string, string> {
  const bare = (file: string) => join(dirname(file), basename(file).replace(INPUT_ENDING, ''));
  const inputs = new Map(files.map((file) => [bare(file), file]));
  const made = files.flatMap((file): [string, string][] => {
    const stem = bare(file).replace(MADE_OF, '');
    const of = stem === bare(file) ? undefined : inputs.get(stem);
    return of === undefined ? [] : [[file, of]];
  });
  return new Map(made);
}

/** Matches the part of a name that marks a file which srq made from another file. */
const MADE_OF = /(?:(?:\.sandbox)?\.results(?:-\d+)?|\.export)$/i;

/**
 * Finds the place of a file's results, before anything is sent: where a flag says, or beside the input. Throws
 * `SrqError('usage')` if they cannot be written there.
 */
export async function openResults(
  context: Context,
  input: string,
  { format }: Table,
  asked: string | undefined,
): Promise<Output> {
  const ofSandbox = context.options.sandbox ? 'sandbox.' : '';
  const path = asked ?? beside(input, `${ofSandbox}results.${format === 'xlsx' ? 'xlsx' : 'csv'}`);
  const rule = { flag: '--results', kind: 'results file', input, mayMove: asked === undefined, ...UNWRITTEN };
  return openOutput(context, path, rule);
}

/** Writes the results of a run to their place: all rows of the input, including those outside of the range. */
export async function writeRunResults(
  context: Context,
  output: Output,
  plan: ImportPlan,
  reports: AsyncIterable<RowReport>,
  lookup: Parameters<typeof withRowsOutside>[2],
): Promise<void> {
  const isWhole = plan.range.skip === 0 && plan.range.limit === null;
  const unread = ({ message }: SrqError) =>
    context.reporter.warn(`The results file ends where the input cannot be read: ${message}`);
  const rows = isWhole ? reports : withRowsOutside(plan, reports, lookup, unread);
  // A semicolon is kept, so that the spreadsheet that wrote the input can open the results. A TAB is not, because spreadsheets do
  // not split CSV in UTF-8 at TABs.
  const delimiter = plan.table.delimiter === ';' ? ';' : ',';
  const results = { columns: plan.table.columns, delimiter, rows };
  await output.write(resultsChunks(output.path, results));
}

const UNWRITTEN = {
  reason: 'results.unwritable',
  hint: 'Name another place with --results FILE and run the same command again: nothing is sent twice, and the outcomes are in the log.',
} as const;
