import { terminalColumns } from '../../cli/command.ts';
import { commandLine, onlyOptions, withoutOptions, withProfileFlags } from '../../cli/command-line.ts';
import type { Context } from '../../cli/context.ts';
import { codesOfCounts, exitNumber } from '../../cli/exit-codes.ts';
import { folded, thousands } from '../../report/output.ts';
import { adviceOn } from '../../report/problem-advice.ts';
import { summaryText } from '../../report/terminal/summary-text.ts';
import type { SrqError } from '../../request/errors.ts';
import type { ImportPlan, ImportSummary } from '../../request/import-plan.ts';
import { type Counts, countsLeft } from '../../request/status.ts';
import { columnLabel } from '../../request/table.ts';
import { columnQuestions, flagsFor, openQuestions, withFlags } from './questions.ts';
import type { Asides } from './show-import.ts';

/** The files and the start of one run. */
export interface RunFiles {
  /** The input as the user named it. */
  readonly file: string;
  /** The path of the results, `-` for standard output, or null for none. */
  readonly results: string | null;
  /** Where an export of the input would be written. */
  readonly exportTo: string;
  /** The arguments that repeat this command, including corrections made to the plan. */
  readonly command: readonly string[];
  /** Monotonic time at which the command began. */
  readonly startedMs: number;
}

/** Reports the end of a run and returns its exit code. */
export async function finishRun(
  context: Context,
  plan: ImportPlan,
  stop: SrqError | null,
  files: RunFiles,
  asides: Asides,
): Promise<number> {
  const ended = plan.ledger.counts();
  const counts: Counts = { ...ended, failed: ended.failed + ended.ready, ready: 0 };
  const { code } = context.interruption;
  const summary = {
    ...(await shared(context, plan, counts, files.startedMs)),
    notTried: ended.ready,
    asides,
    results: files.results,
    advice: stop ? stop.hint && withProfileFlags(stop.hint, context.options) : adviceFor(counts, files.results),
    exportCommand: stop === null && code === null ? exportCommand(context, plan, counts, files) : null,
    stopped: stop ? stop.message : code ? 'Interrupted.' : null,
    next: nextCommand(context, counts, ended.ready, files, stop),
  };
  await report(context, summary, withoutReady(counts));
  return exitNumber([...(code ? [code] : []), ...(stop ? [stop.code] : []), ...codesOfCounts(counts)]);
}

/** Reports the result of a dry run and returns its exit code. */
export async function finishDryRun(
  context: Context,
  plan: ImportPlan,
  { file, startedMs, results }: Pick<RunFiles, 'file' | 'startedMs' | 'results'>,
): Promise<number> {
  const { counts, problems, problemCount, mapping } = plan;
  const words = context.process.argv.slice(2);
  const open = openQuestions(columnQuestions(mapping), words.includes('--accept-likely'));
  const summary = {
    ...(await shared(context, plan, counts, startedMs)),
    notTried: 0,
    asides: null,
    results,
    stopped: null,
    advice: null,
    exportCommand: null,
    // Rows without a phone are not ready, but are with the column that is still to be decided.
    next: counts.ready > 0 || open.length > 0 ? commandLine(withFlags(withoutDryRun(words), flagsFor(open))) : null,
  };
  const columns = mapping.sources.map(({ field, columns: at, because, level }) => ({
    field,
    columns: at.map((index) => columnLabel(mapping.columns, index)),
    because,
    level,
  }));
  const undecided = mapping.missed.map(({ index, field }) => ({ column: columnLabel(mapping.columns, index), field }));
  const { ready, repeated, duplicate, invalid, unknown } = counts;
  await report(
    context,
    summary,
    { ready, repeated, duplicate, invalid, unknown },
    {
      encoding: plan.table.encoding,
      delimiter: plan.table.delimiter,
      columns,
      undecided,
      remembered: mapping.remembered,
      ignored: mapping.ignored,
      problems: problems.map((problem) => ({ ...problem, advice: adviceOn(problem) })),
      problemCount,
      problemsLeftOut: problemCount - problems.length,
      file,
    },
  );
  return exitNumber(codesOfCounts({ ...counts, unknown: 0 }));
}

async function shared(context: Context, plan: ImportPlan, counts: Counts, startedMs: number) {
  const seconds = Math.round(context.clock.monotonicMs() - startedMs) / 1000;
  return { rows: plan.rows, counts, seconds, log: (await context.paths()).log };
}

async function report(
  context: Context,
  summary: ImportSummary,
  shown: Partial<Counts>,
  more: object = {},
): Promise<void> {
  const { rows, seconds, log, results, stopped, advice, next, asides } = summary;
  const reporter = await context.reporter();
  const sum = Object.values(summary.counts).reduce((total, count) => total + count, 0);
  if (sum !== rows) throw new Error(`${rows} rows were read, but ${sum} have a status`);
  const text: Parameters<typeof reporter.say>[0] = (paint) =>
    folded(summaryText(summary, paint), terminalColumns(context));
  // Standard output is the results, and nothing else.
  if (results === '-') return reporter.say(text);
  await reporter.result({ rows, ...shown, ...asides, seconds, log, results, stopped, advice, next, ...more }, text);
}

function withoutReady({ ready: _, ...counts }: Counts): Omit<Counts, 'ready'> {
  return counts;
}

/** Returns the words of a command without `--dry-run`, and without the place of its verdicts. */
function withoutDryRun(words: readonly string[]): string[] {
  return withoutOptions(words, ['--results']).filter((word) => word !== '--dry-run');
}

function adviceFor({ failed, unknown, invalid, rejected }: Counts, results: RunFiles['results']): string | null {
  if (failed > 0) return null;
  if (unknown > 0)
    return `${rowsText(unknown)} may have been taken: look ${unknown === 1 ? 'it' : 'them'} up at the service.`;
  const refused = invalid + rejected;
  if (refused === 0) return null;
  const were = refused === 1 ? 'was' : 'were';
  return isFile(results)
    ? `${rowsText(refused)} ${were} refused: open ${results} and correct the cells that srq_message names.`
    : `${rowsText(refused)} ${were} refused: correct them in the input, and import it again.`;
}

function isFile(results: string | null): results is string {
  return results !== null && results !== '-';
}

function rowsText(count: number): string {
  return count === 1 ? '1 row' : `${thousands(count)} rows`;
}

/** Flags that say how to read the input. */
const OF_READING = ['--format', '--encoding', '--delimiter', '--skip-lines', '--sheet'];

/** Flags by which a row of the input becomes the same request again. */
const OF_THE_REQUEST = ['--map', '--set', '--mapping', ...OF_READING];

/** Returns the command that exports the input with its identifiers, or null if there is something else to do first. */
function exportCommand(
  context: Context,
  { range }: ImportPlan,
  counts: Counts,
  { file, exportTo, command }: RunFiles,
): string | null {
  const { send, correct, settle } = countsLeft(counts);
  if (range.skip > 0 || range.limit !== null) return null;
  // The log of a sandbox in this process ends with it, and standard input cannot be read again.
  if (send + correct + settle > 0 || context.options.sandbox || file === '-') return null;
  const reading = onlyOptions(command, OF_THE_REQUEST);
  return commandLine(['export', ...globalFlags(context), file, ...reading, '--output', exportTo]);
}

function globalFlags({ options: { log, store, profile } }: Context): string[] {
  return [
    ...(profile === undefined ? [] : ['--profile', profile]),
    ...(log === undefined ? [] : ['--log', log]),
    ...(store === undefined ? [] : ['--store', store]),
  ];
}

/**
 * Flags that describe the input and its outputs. They do not apply when the results file is the next input, because
 * that is CSV in UTF-8.
 */
const OF_THE_INPUT = [...OF_READING, '--limit', '--skip', '--results'];

/** Returns the command to run next, or null if nothing is left to do. */
function nextCommand(
  context: Context,
  counts: Counts,
  notTried: number,
  { file, results, command }: RunFiles,
  stop: SrqError | null,
): string | null {
  if (stop !== null || notTried > 0 || countsLeft(counts).send > 0) return file === '-' ? null : commandLine(command);
  if (counts.unknown > 0) return commandLine(['resolve', ...globalFlags(context)]);
  // The next sandbox in a process is a new marketplace, which would not know the requests of this one.
  if (counts.invalid + counts.rejected === 0 || context.options.sandbox) return null;
  if (!isFile(results)) return file === '-' ? null : commandLine(command);
  const words = withoutOptions(command, OF_THE_INPUT);
  return commandLine(words.map((word) => (word === file ? results : word)));
}
