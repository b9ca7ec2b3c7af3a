import { commandLine, fileWord, onlyOptions, withFlags, withoutOptions } from '../cli/command-line.ts';
import type { Context } from '../cli/context.ts';
import { codesOfCounts, exitNumber } from '../cli/exit-codes.ts';
import { longName } from '../cli/table/commands.ts';
import { READING } from '../cli/table/options.ts';
import { TEACH } from '../delivery/submit.ts';
import { mappingToKeep } from '../input/kept-mapping.ts';
import { type Paint, rowsText } from '../report/output.ts';
import { type ImportSummary, summaryText } from '../report/terminal/summary-text.ts';
import { columnLabel } from '../request/lead/table.ts';
import type { ImportPlan, ProblemGroup } from '../request/log/import-plan.ts';
import type { ReasonCounts } from '../request/log/outcome.ts';
import { type Counts, countsLeft, type PlannedStatus, withUntriedAsFailed } from '../request/log/status.ts';
import { type SrqError, shellWord } from '../request/words/errors.ts';
import { adviceOn } from '../request/words/finding.ts';
import { columnQuestions, decidingCommand } from './questions.ts';
import { beside } from './results.ts';

/** Numbers of sent rows that need a word. */
export interface Asides {
  /** Number of rows that the service created without naming an identifier. */
  withoutIdentifier: number;
  /** Number of rows whose answer proves nothing, and nobody has said what it means. */
  unproven: number;
}

/** A file that was read, and what became of it. */
interface ReadFile {
  /** The input as the user named it. */
  readonly file: string;
  readonly plan: ImportPlan;
  /** The path of the results, or null if there are none or they could not be written. */
  readonly results: string | null;
  /** The arguments that import this file again. */
  readonly command: readonly string[];
  /** When the service's time began. */
  readonly startedMs: number;
}

/** A run that has ended. */
interface EndedRun extends ReadFile {
  readonly asides: Asides;
  readonly reasons: ReasonCounts;
  /** Why it ended early, or null. A signal is no such reason. */
  readonly stop: SrqError | null;
  /** Whether the summary is written to standard output. */
  readonly keepsStdout: boolean;
}

/** The end of a run, with its figures. */
export type EndOfRun = Awaited<ReturnType<typeof finishRun>>;

/** Reports the end of a run and returns it. */
export async function finishRun(context: Context, run: EndedRun) {
  const { asides, stop } = run;
  const counts = withUntriedAsFailed(run.plan.ledger.counts());
  const { code } = context.interruption;
  const isRehearsed = context.options.sandbox === true && stop?.reason === 'answer.unproven';
  const next = isRehearsed ? null : nextCommand(context, counts, run);
  const stopped = stop ? context.failureOf(stop) : context.interruption.failure(next && `To go on: ${next}`);
  const advice = isRehearsed
    ? NAME_IDENTIFIERS
    : stop
      ? (stopped?.hint ?? null)
      : context.withProfile(adviceFor(context, counts, run) ?? '') || null;
  const crm = stop === null && code === null ? exportCommand(context, counts, run) : null;
  const summary = await summaryOf(context, run, { counts, asides, stopped, next, advice, exportCommand: crm });
  const { withoutIdentifier } = asides;
  const figures = { ...withoutReady(counts), withoutIdentifier, reasons: run.reasons };
  const document = { run: context.run, file: run.file, ...documentOf(summary), ...figures };
  const text = (paint: Paint) => summaryText(summary, paint);
  await (run.keepsStdout ? context.reporter.result('bulk', document, text) : context.reporter.say(text));
  const exitCode = exitNumber([code, stop?.code, ...codesOfCounts(counts)]);
  const { rows, seconds, log, results } = summary;
  return { exitCode, stopped, summary: { rows, seconds, log, results: results === null ? [] : [results], ...figures } };
}

/** Reports the result of a dry run and returns its exit code. */
export async function finishDryRun(context: Context, dry: ReadFile): Promise<number> {
  const { file, plan, command } = dry;
  const { counts } = plan;
  const open = columnQuestions(plan.mapping, { acceptLikely: command.includes('--accept-likely') });
  // Rows that lack a field may become ready once the questions about the columns are answered.
  const maySend = counts.ready > 0 || open.length > 0;
  const isToCorrect = !maySend && counts.invalid > 0;
  const again = file === '-' ? null : commandLine(withMissing(command, plan));
  const send = decidingCommand(open, command).filter((word) => word !== '--dry-run');
  const advice = `${rowsText(counts.invalid)} cannot be sent: correct what the plan names, then check again.`;
  const summary = await summaryOf(context, dry, {
    ...{ counts, asides: null, stopped: null, exportCommand: null, advice: isToCorrect ? advice : null },
    next: maySend ? commandLine(send) : isToCorrect ? again : null,
  });
  const document = { run: context.run, ...documentOf(summary), ...plannedCounts(counts), ...planDocument(dry) };
  await context.reporter.result('bulk --dry-run', document, (paint) => summaryText(summary, paint));
  return exitNumber(codesOfCounts({ ...counts, unknown: 0 }));
}

async function summaryOf(
  context: Context,
  { plan: { rows }, results, startedMs }: ReadFile,
  end: Omit<ImportSummary, 'rows' | 'seconds' | 'log' | 'results'>,
): Promise<ImportSummary> {
  const sum = Object.values(end.counts).reduce((total, count) => total + count, 0);
  if (sum !== rows) throw new Error(`${rows} rows were read, but ${sum} have a status`);
  const seconds = Math.round(context.clock.monotonicMs() - startedMs) / 1000;
  return { rows, seconds, log: await context.lastingLog(), results, ...end };
}

/** The members that the documents of runs and of plans share. */
function documentOf({ rows, seconds, log, results, stopped, advice, next }: ImportSummary) {
  const ending = stopped === null ? { stopped } : { stopped, error: stopped };
  return { rows, seconds, log, results, ...ending, advice, next };
}

/** Returns the counts that a plan can have. */
export function plannedCounts({ ready, repeated, duplicate, invalid, unknown }: Counts): Pick<Counts, PlannedStatus> {
  return { ready, repeated, duplicate, invalid, unknown };
}

/** Returns the plan of a file in the form for programs. */
function planDocument({ plan, file }: ReadFile) {
  const { table, mapping, problemGroups, rows } = plan;
  const label = (index: number) => columnLabel(mapping.columns, index);
  return {
    encoding: table.encoding,
    delimiter: table.delimiter,
    mapping: mappingToKeep(mapping),
    columns: mapping.sources.map(({ field, columns: at, because, level }) => ({
      ...{ field, columns: at.map(label), because, level },
    })),
    undecided: mapping.missed.map(({ index, field }) => ({ column: label(index), field })),
    remembered: mapping.remembered,
    ignored: mapping.ignored,
    findings: [
      // A warning about columns concerns all rows.
      ...mapping.warnings.map((each) => ({ ...each, rows, examples: [] })),
      ...problemGroups,
    ].map(findingDocument),
    file,
  };
}

function findingDocument(group: Omit<ProblemGroup, 'isOfPlan' | 'mend'> & { readonly mend?: string | null }) {
  const { code, severity, field, column, message, rows, examples, mend } = group;
  return { code, severity, field, column, message, rows, examples, advice: mend ?? adviceOn(group) };
}

export function withoutReady({ ready: _, ...counts }: Counts): Omit<Counts, 'ready'> {
  return counts;
}

/**
 * Returns the words of a command without the flags by which a request that the service has is sent again. They were meant
 * for this run: in the next one, every row that was created now would be created once more.
 */
function withoutSendingAgain(words: readonly string[]): string[] {
  return withoutOptions(words, ['--on-duplicate']).filter((word) => word !== '--again' && word !== '--no-validate');
}

/** Returns what a person should do next with the file, or null if there is nothing to do. */
function adviceFor(context: Context, { failed, unknown, ...counts }: Counts, run: EndedRun) {
  const { plan, results, reasons, asides } = run;
  if (failed > 0) return validateAdvice(reasons);
  const isInterrupted = context.interruption.code !== null;
  const it = unknown === 1 ? 'it' : 'them';
  const lookUp = `${rowsText(unknown)} may have been taken. ${isInterrupted ? `The next run settles ${it} if it can.` : `Look ${it} up at the service.`}`;
  const doubtful = asides.unproven > 0 ? `${lookUp} ${TEACH}` : lookUp;
  const notSent = notSentAdvice(context, plan);
  const refused = refusedAdvice(counts.invalid + counts.rejected, results, plan);
  return [...(unknown > 0 ? [doubtful] : []), ...notSent, ...(refused === null ? [] : [refused])].join(' ') || null;
}

/** Says why rows are not sent that the log does not know with their content. */
export function notSentAdvice(context: Context, plan: ImportPlan): readonly string[] {
  // A rehearsal begins with an empty log, so that it knows no row of the one before.
  const strangers = context.options.sandbox ? 0 : (plan.strangers ?? 0);
  const before = [...(plan.held?.values() ?? [])].filter(({ as }) => as !== 'unknown').length;
  const kept = [strangers, before, plan.altered?.size ?? 0];
  return kept.flatMap((count, at) => (count > 0 ? [`${rowsText(count)} not sent: ${NOT_SENT[at]}`] : []));
}

/** The sandbox ends with the run, so that nobody can look anything up there. */
const NAME_IDENTIFIERS =
  'Say on the page where a success names the request (identifiers), learn the page, and rehearse again. The page: srq contract show';

/** A next run is advised for rows that failed. It fails as well if validate never gives a clear answer. */
function validateAdvice({ 'service.no-verdict': unread = 0 }: ReasonCounts) {
  if (unread === 0) return null;
  return `${rowsText(unread)} failed because validate gave no clear answer. If it stays like that, look one up at the service, which may have them already; then write "duplicate" into its srq_status, and import the results file. If it has none of them, send without validate, by which a 201 with an identifier counts as created: --no-validate`;
}

/** Rows that only their own results file calls taken, those with a reference of before, and those that were changed. */
const NOT_SENT = [
  'srq_status says taken, but this log does not have that. Empty it in rows that are new leads. If another machine or profile has sent them, go on there: the original file, imported here, would send them again.',
  'the reference was sent or queued before, with other content. If these are new requests, send them in a file of their own: srq bulk FILE --again',
  'the cells differ from what was sent before (srq_message says so). To send one as a new request, empty its srq_status and import the file again.',
] as const;

function refusedAdvice(refused: number, results: string | null, plan: ImportPlan): string | null {
  if (refused === 0) return null;
  const need = `${rowsText(refused)} ${refused === 1 ? 'needs' : 'need'} correcting`;
  const missing = missingFields(plan);
  if (missing.length > 0)
    return `${need}: say which column gives the ${missing.join(', ')}, or a text for all rows (--set).`;
  return results === null
    ? `${need}. Correct ${refused === 1 ? 'it' : 'them'} in the input, and import that again.`
    : `${need}. Open ${results} and correct what srq_message names.`;
}

/** Returns the command that exports the input with its identifiers, or null if there is something else to do first. */
function exportCommand(context: Context, counts: Counts, { file, plan, command }: EndedRun): string | null {
  const { send, correct, settle } = countsLeft(counts);
  const isUnsure = (plan.strangers ?? 0) > 0 || (plan.held?.size ?? 0) > 0;
  if (send + correct + settle > 0 || plan.range.skip > 0 || plan.range.limit !== null || isUnsure) return null;
  // The log of a sandbox in this process ends with the process, and standard input cannot be read again.
  if (context.options.sandbox || file === '-') return null;
  const input = [fileWord(file), ...onlyOptions(command, OF_THE_REQUEST), '--output', beside(file, 'export.csv')];
  return [context.withProfile('srq export'), ...input.map((word) => shellWord(word))].join(' ');
}

/** Returns the command to run next, or null if nothing is left to do. */
function nextCommand(context: Context, counts: Counts, { file, plan, results, command: given, stop }: EndedRun) {
  const again = file === '-' ? null : commandLine(withoutSendingAgain(given));
  const resolve = context.withProfile('srq resolve');
  // A row that is unknown now has ended the run. The same command again would make one more row unknown.
  if (stop?.code === 'unknown') return resolve;
  if (stop !== null || countsLeft(counts).send > 0) return again;
  // What only the file calls unknown cannot be settled in this log.
  if (counts.unknown > (plan.unknownElsewhere ?? 0)) {
    if (context.options.sandbox) return null;
    const isInterrupted = context.interruption.code !== null;
    return (isInterrupted ? again : null) ?? resolve;
  }
  // The sandbox of the next process is a new marketplace, which does not know the requests of this one.
  if (counts.invalid + counts.rejected === 0 || context.options.sandbox) return null;
  if (results === null) return again;
  const words = withMissing(withoutOptions(withoutSendingAgain(given), OF_THE_INPUT), plan);
  const next = commandLine(words.map((word) => (word === file ? results : word)));
  // A program that follows the next command would run the same one for ever. People are told what to correct.
  return next === commandLine(given) ? null : next;
}

/** Returns the fields that every row must have and no column gives. */
function missingFields({ problemGroups }: Pick<ImportPlan, 'problemGroups'>): readonly string[] {
  return problemGroups.flatMap(({ isOfPlan, severity, field }) => (isOfPlan && severity === 'error' ? [field] : []));
}

/** The same command again would fail again without these fields. srq makes up nothing: a person replaces the words. */
function withMissing(command: readonly string[], plan: Pick<ImportPlan, 'problemGroups'>): readonly string[] {
  const said = (field: string) => (field === 'country' ? ['--set', 'country=CODE'] : ['--map', `COLUMN=${field}`]);
  return withFlags(command, missingFields(plan).flatMap(said));
}

/** Flags without which a row of the input would not become the same request again. */
const OF_THE_REQUEST = Object.entries(READING).map(([name, flag]) => longName(name, flag));

/**
 * Flags that describe the input and its outputs. They do not apply if the results file is the next input, because that
 * is CSV in UTF-8. It has the rows of the input in their order, so --skip and --limit still leave the same ones out.
 */
const OF_THE_INPUT = [...OF_THE_REQUEST.filter((flag) => !['--map', '--set', '--mapping'].includes(flag)), '--results'];
