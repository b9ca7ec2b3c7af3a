import { commandLine, onlyOptions, withoutOptions, withProfileFlags } from '../../cli/command-line.ts';
import type { Context } from '../../cli/context.ts';
import { codesOfCounts, exitNumber } from '../../cli/exit-codes.ts';
import { rowsText, thousands } from '../../report/output.ts';
import type { Reporter } from '../../report/reporter.ts';
import { summaryText } from '../../report/terminal/summary-text.ts';
import type { DocumentOf } from '../../request/documents/types.ts';
import { columnLabel } from '../../request/lead/table.ts';
import type { ImportPlan, ImportSummary } from '../../request/log/import-plan.ts';
import type { ReasonCounts, RowReason } from '../../request/log/outcome.ts';
import {
  type Counts,
  countsLeft,
  type PlannedStatus,
  sumOfCounts,
  withUntriedAsFailed,
} from '../../request/log/status.ts';
import { type Failure, failureOf, type SrqError } from '../../request/words/errors.ts';
import { columnQuestions, decidingCommand, openQuestions } from './questions.ts';
import type { Asides } from './show-import.ts';

/** Reports the end of a run and returns it. */
export async function finishRun(
  context: Context,
  run: EndedRun,
  stop: SrqError | null,
  startedMs: number,
): Promise<EndOfRun> {
  const { files } = run;
  const ended = sumOfCounts(files.map(({ plan }) => plan.ledger.counts()));
  const counts = withUntriedAsFailed(ended);
  const { code } = context.interruption;
  const asides = {
    withoutIdentifier: files.reduce((sum, file) => sum + file.asides.withoutIdentifier, 0),
  };
  const reasons = sumOfReasons(files.map((file) => file.reasons));
  const next = nextCommand(context, counts, run, stop);
  const summary = {
    ...(await shared(context, files, startedMs)),
    counts,
    asides,
    advice: stop ? stop.hint && withProfileFlags(stop.hint, context.options) : adviceFor(counts, files),
    exportCommand: stop === null && code === null ? exportCommand(context, counts, run) : null,
    stopped: endedBy(context, stop, next),
    next,
  };
  const each = ({ file, plan, results }: EndedFile) => ({
    ...{ file, rows: plan.rows, ...withoutReady(withUntriedAsFailed(plan.ledger.counts())), results },
  });
  const more = files.length > 1 ? { files: files.map(each) } : {};
  await report(context, summary, files.length > 1, (reporter, shared, text) =>
    run.keepsStdout
      ? reporter.result(
          'bulk',
          { run: context.run, ...shared, ...withoutReady(counts), ...asides, reasons, ...more },
          text,
        )
      : reporter.say(text),
  );
  const exitCode = exitNumber([...(code ? [code] : []), ...(stop ? [stop.code] : []), ...codesOfCounts(counts)]);
  const { rows, seconds, log, results, stopped } = summary;
  return { exitCode, stopped, summary: { rows, seconds, log, results, ...withoutReady(counts), ...asides, reasons } };
}

function sumOfReasons(all: readonly ReasonCounts[]): ReasonCounts {
  const sum: ReasonCounts = {};
  for (const counts of all)
    for (const [reason, rows] of Object.entries(counts) as [RowReason, number][])
      sum[reason] = (sum[reason] ?? 0) + rows;
  return sum;
}

/** Returns why a run ended early, or null if it did not. After a signal, the hint is the command that continues. */
function endedBy({ interruption, options }: Context, stop: SrqError | null, next: string | null): Failure | null {
  return stop
    ? failureOf(stop, (hint) => withProfileFlags(hint, options))
    : interruption.failure(next && `To go on: ${next}`);
}

/** One file of a dry run, with the arguments that import it alone. */
export type DryFile = PlannedEnd & Pick<EndedRun, 'command'>;

type PlannedEnd = Pick<EndedFile, 'file' | 'plan' | 'results'>;

/**
 * Reports the result of a dry run and returns its exit code. `command` are the arguments of the dry run, and `planId`
 * is the digest of its plan.
 */
export async function finishDryRun(
  context: Context,
  files: readonly DryFile[],
  { command, planId }: { readonly command: readonly string[]; readonly planId: string | null },
  startedMs: number,
): Promise<number> {
  const counts = sumOfCounts(files.map(({ plan }) => plan.counts));
  const accepts = command.includes('--accept-likely');
  const asked = files.map(({ file, plan, command: alone }) => {
    return { file, command: alone, open: openQuestions(columnQuestions(plan.mapping), accepts) };
  });
  // Rows that lack a field may become ready once the questions about the columns are answered.
  const maySend = counts.ready > 0 || asked.some(({ open }) => open.length > 0);
  const isToCorrect = !maySend && counts.invalid > 0;
  const again = files.some(({ file }) => file === '-') ? null : commandLine(command);
  const summary = {
    ...(await shared(context, files, startedMs)),
    counts,
    asides: null,
    stopped: null,
    advice: isToCorrect
      ? `${rowsText(counts.invalid)} cannot be sent: correct what the findings name, then check again.`
      : null,
    exportCommand: null,
    next: maySend ? commandLine(withoutDryRun(decidingCommand(asked, command))) : isToCorrect ? again : null,
  };
  const [one] = files;
  const more =
    files.length === 1 && one
      ? planDocument(one)
      : {
          files: files.map((each) => ({
            rows: each.plan.rows,
            ...plannedCounts(each.plan.counts),
            ...planDocument(each),
          })),
        };
  await report(context, summary, files.length > 1, (reporter, shared, text) =>
    reporter.result('bulk --dry-run', { run: context.run, planId, ...shared, ...plannedCounts(counts), ...more }, text),
  );
  return exitNumber(codesOfCounts({ ...counts, unknown: 0 }));
}

/** Returns the counts that a plan can have. */
export function plannedCounts({ ready, repeated, duplicate, invalid, unknown }: Counts): Pick<Counts, PlannedStatus> {
  return { ready, repeated, duplicate, invalid, unknown };
}

/** Returns the plan of a file in the form for programs. */
function planDocument({ plan: { table, mapping, problems, problemCount }, file }: PlannedEnd) {
  const label = (index: number) => columnLabel(mapping.columns, index);
  return {
    encoding: table.encoding,
    delimiter: table.delimiter,
    columns: mapping.sources.map(({ field, columns: at, because, level }) => ({
      ...{ field, columns: at.map(label), because, level },
    })),
    undecided: mapping.missed.map(({ index, field }) => ({ column: label(index), field })),
    remembered: mapping.remembered,
    ignored: mapping.ignored,
    problems,
    problemCount,
    problemsLeftOut: problemCount - problems.length,
    file,
  };
}

async function shared(context: Context, files: readonly PlannedEnd[], startedMs: number) {
  const seconds = Math.round(context.clock.monotonicMs() - startedMs) / 1000;
  const rows = files.reduce((sum, { plan }: { plan: ImportPlan }) => sum + plan.rows, 0);
  const results = files.flatMap((file) => file.results ?? []);
  return { rows, seconds, log: await context.lastingLog(), results };
}

/**
 * Writes the summary. `print` receives the members that the documents of runs and of plans share. If there are several
 * files, each has its own results.
 */
async function report(
  context: Context,
  summary: ImportSummary,
  isOfSeveral: boolean,
  print: (reporter: Reporter, shared: SummaryDocument, text: Words) => Promise<void> | void,
): Promise<void> {
  const { rows, seconds, log, stopped, advice, next } = summary;
  const reporter = await context.reporter();
  const sum = Object.values(summary.counts).reduce((total, count) => total + count, 0);
  if (sum !== rows) throw new Error(`${rows} rows were read, but ${sum} have a status`);
  const text: Words = (paint) => summaryText(summary, paint);
  // Standard output contains the results, so the summary goes to stderr.
  if (summary.results.includes('-')) return reporter.say(text);
  const results = isOfSeveral ? null : (summary.results[0] ?? null);
  const ending = stopped === null ? { stopped } : { stopped, error: stopped };
  await print(reporter, { rows, seconds, log, results, ...ending, advice, next }, text);
}

type Words = Parameters<Reporter['say']>[0];
type SummaryDocument = Pick<
  DocumentOf<'bulk'>,
  'rows' | 'seconds' | 'log' | 'results' | 'stopped' | 'error' | 'advice' | 'next'
>;

export function withoutReady({ ready: _, ...counts }: Counts): Omit<Counts, 'ready'> {
  return counts;
}

/** Returns the words of a command without `--dry-run` and without `--results`. */
function withoutDryRun(words: readonly string[]): string[] {
  return withoutOptions(words, ['--results']).filter((word) => word !== '--dry-run');
}

/**
 * Returns the words of a command without the flags by which a request that the service has is sent again. They were meant
 * for this run: in the next one, every row that was created now would be created once more.
 */
function withoutSendingAgain(words: readonly string[]): string[] {
  return withoutOptions(words, ['--on-duplicate']).filter((word) => word !== '--again' && word !== '--no-validate');
}

/** One file of a run that has ended. */
interface EndedFile {
  /** The input as the user named it. */
  readonly file: string;
  readonly plan: ImportPlan;
  /** The path of the results, `-` for standard output, or null for none. */
  readonly results: string | null;
  readonly asides: Asides;
  readonly reasons: ReasonCounts;
  /** The path to which an export of the input would be written. */
  readonly exportTo: string;
}

interface EndedRun {
  readonly files: readonly EndedFile[];
  /** The arguments that repeat this command, including corrections made to the plan of one file. */
  readonly command: readonly string[];
  /** Whether the summary is written to standard output. */
  readonly keepsStdout: boolean;
}

/** The figures of a run that has ended. */
interface EndOfRun {
  readonly exitCode: number;
  readonly stopped: Failure | null;
  readonly summary: Pick<ImportSummary, 'rows' | 'seconds' | 'log' | 'results'> &
    Omit<Counts, 'ready'> &
    Asides & { readonly reasons: ReasonCounts };
}

/** Returns what a person should do next with the files, or null if there is nothing to do. */
function adviceFor({ failed, unknown, ...counts }: Counts, files: readonly EndedFile[]): string | null {
  if (failed > 0) return null;
  const told = [strangersAdvice(files), heldAdvice(files), refusedAdvice(counts.invalid + counts.rejected, files)];
  const others = told.filter((each) => each !== null).join(' ') || null;
  if (unknown === 0) return others;
  const doubtful = `${rowsText(unknown)} may have been taken: look ${unknown === 1 ? 'it' : 'them'} up at the service.`;
  return others === null ? doubtful : `${doubtful} ${others}`;
}

/** Returns what to do about rows that only their own results file calls taken. */
function strangersAdvice(files: readonly EndedFile[]): string | null {
  const count = files.reduce((sum, { plan }) => sum + (plan.strangers ?? 0), 0);
  if (count === 0) return null;
  const were =
    count === 1
      ? '1 row was not sent. Its srq_status says that it was'
      : `${thousands(count)} rows were not sent. Their srq_status says that they were`;
  return `${were} taken, but this log does not have ${count === 1 ? 'it' : 'them'}. Was that another service or profile? To send them, import the original file.`;
}

/** Returns what to do about rows whose references were created before under other content. */
function heldAdvice(files: readonly EndedFile[]): string | null {
  const count = files.reduce((sum, { plan }) => sum + (plan.held?.size ?? 0), 0);
  if (count === 0) return null;
  const were =
    count === 1
      ? '1 row was not sent: its reference was'
      : `${thousands(count)} rows were not sent: their references were`;
  return `${were} created before, with other content (srq_message says when). If these are new requests, send them with --again, in a file of their own.`;
}

function refusedAdvice(refused: number, files: readonly EndedFile[]): string | null {
  if (refused === 0) return null;
  const need = `${rowsText(refused)} ${refused === 1 ? 'needs' : 'need'} correcting`;
  const results = files.filter(hasRefused).map(({ results }) => results);
  return results.every(isFile)
    ? `${need}: open ${results.join(', ')} and correct what srq_message names.`
    : `${need}: correct ${refused === 1 ? 'it' : 'them'} in the input, and import that again.`;
}

/** Returns the command that exports the input with its identifiers, or null if there is something else to do first. */
function exportCommand(context: Context, counts: Counts, { files, command }: EndedRun): string | null {
  const [one, ...more] = files;
  const { send, correct, settle } = countsLeft(counts);
  if (!one || more.length > 0 || send + correct + settle > 0) return null;
  const { file, plan, exportTo } = one;
  const isUnsure = (plan.strangers ?? 0) > 0 || (plan.held?.size ?? 0) > 0;
  if (plan.range.skip > 0 || plan.range.limit !== null || isUnsure) return null;
  // The log of a sandbox in this process ends with the process, and standard input cannot be read again.
  if (context.options.sandbox || file === '-') return null;
  const reading = onlyOptions(command, OF_THE_REQUEST);
  return commandLine(['export', ...globalFlags(context), file, ...reading, '--output', exportTo]);
}

/** Returns the command to run next, or null if nothing is left to do. */
function nextCommand(
  context: Context,
  counts: Counts,
  { files, command: given }: EndedRun,
  stop: SrqError | null,
): string | null {
  const command = withoutSendingAgain(given);
  const fromStdin = files.some(({ file }) => file === '-');
  if (stop !== null || countsLeft(counts).send > 0) return fromStdin ? null : commandLine(command);
  if (counts.unknown > 0) return commandLine(['resolve', ...globalFlags(context)]);
  // The sandbox of the next process is a new marketplace, which does not know the requests of this one.
  if (counts.invalid + counts.rejected === 0 || context.options.sandbox) return null;
  const refused = files.filter(hasRefused);
  if (!refused.every(({ results }) => isFile(results))) return fromStdin ? null : commandLine(command);
  const words = withoutOptions(command, OF_THE_INPUT);
  const next = commandLine(words.flatMap((word) => correctedFile(word, files)));
  // A program that follows the next command would run the same one for ever. People are told what to correct.
  return next === commandLine(given) ? null : next;
}

/**
 * Returns the words that replace a word of the command in the next one. A file is replaced by its results, and a file
 * that is done is removed.
 */
function correctedFile(word: string, files: readonly EndedFile[]): readonly string[] {
  const file = files.find((each) => each.file === word);
  if (!file) return [word];
  return hasRefused(file) ? [file.results ?? word] : [];
}

function hasRefused({ plan }: EndedFile): boolean {
  const { invalid, rejected } = withUntriedAsFailed(plan.ledger.counts());
  return invalid + rejected > 0;
}

function isFile(results: string | null): results is string {
  return results !== null && results !== '-';
}

function globalFlags({ options: { log, store, profile } }: Context): string[] {
  return [
    ...(profile === undefined ? [] : ['--profile', profile]),
    ...(log === undefined ? [] : ['--log', log]),
    ...(store === undefined ? [] : ['--store', store]),
  ];
}

/** Flags that say how to read the input. */
const OF_READING = ['--format', '--encoding', '--delimiter', '--skip-lines', '--sheet'];

/** Flags without which a row of the input would not become the same request again. */
const OF_THE_REQUEST = ['--map', '--set', '--mapping', ...OF_READING];

/**
 * Flags that describe the input and its outputs. They do not apply if the results file is the next input, because that
 * is CSV in UTF-8.
 */
const OF_THE_INPUT = [...OF_READING, '--limit', '--skip', '--results'];
