import { terminalColumns } from '../../cli/command.ts';
import { commandLine, withoutOptions, withProfileFlags } from '../../cli/command-line.ts';
import type { Context } from '../../cli/context.ts';
import { codesOfCounts, exitNumber } from '../../cli/exit-codes.ts';
import { folded } from '../../report/output.ts';
import { summaryText } from '../../report/terminal/summary-text.ts';
import type { SrqError } from '../../request/errors.ts';
import type { ImportPlan, ImportSummary } from '../../request/import-plan.ts';
import { type Counts, countsLeft } from '../../request/status.ts';
import type { Asides } from './show-import.ts';

/** The files and the start of one run. */
export interface RunFiles {
  /** The input as the user named it. */
  readonly file: string;
  readonly results: string;
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
    advice: stop ? stop.hint && withProfileFlags(stop.hint, context.options) : adviceFor(counts),
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
  file: string,
  startedMs: number,
): Promise<number> {
  const { counts, problems, problemCount, mapping } = plan;
  const summary = {
    ...(await shared(context, plan, counts, startedMs)),
    notTried: 0,
    asides: null,
    results: null,
    stopped: null,
    advice: null,
    next: counts.ready > 0 ? commandLine(context.process.argv.slice(2).filter((word) => word !== '--dry-run')) : null,
  };
  const columns = mapping.sources.map(({ field, columns: at, because }) => ({
    field,
    columns: at.map((index) => mapping.columns[index] ?? ''),
    because,
  }));
  const { ready, repeated, duplicate, invalid, unknown } = counts;
  await report(
    context,
    summary,
    { ready, repeated, duplicate, invalid, unknown },
    {
      columns,
      ignored: mapping.ignored,
      problems,
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
  await reporter.result({ rows, ...shown, ...asides, seconds, log, results, stopped, advice, next, ...more }, (paint) =>
    folded(summaryText(summary, paint), terminalColumns(context)),
  );
}

function withoutReady({ ready: _, ...counts }: Counts): Omit<Counts, 'ready'> {
  return counts;
}

function adviceFor({ failed, unknown, invalid, rejected }: Counts): string | null {
  if (failed > 0) return null;
  if (unknown > 0) return 'Look the unknown requests up at the service.';
  return invalid + rejected > 0
    ? 'Correct the refused rows in the results file; srq_message says what is wrong.'
    : null;
}

/**
 * Flags that describe the input and its outputs. They do not apply when the results file is the next input, because
 * that is CSV in UTF-8.
 */
const OF_THE_INPUT = [
  '--format',
  '--encoding',
  '--delimiter',
  '--skip-lines',
  '--sheet',
  '--limit',
  '--skip',
  '--results',
];

/** Returns the command to run next, or null if nothing is left to do. */
function nextCommand(
  context: Context,
  counts: Counts,
  notTried: number,
  { file, results, command }: RunFiles,
  stop: SrqError | null,
): string | null {
  if (stop !== null || notTried > 0 || countsLeft(counts).send > 0) return file === '-' ? null : commandLine(command);
  const { log, store, profile, sandbox } = context.options;
  const globals = [
    ...(profile === undefined ? [] : ['--profile', profile]),
    ...(log === undefined ? [] : ['--log', log]),
    ...(store === undefined ? [] : ['--store', store]),
  ];
  if (counts.unknown > 0) return commandLine(['resolve', ...globals]);
  // The next sandbox in a process is a new marketplace, which would not know the requests of this one.
  if (counts.invalid + counts.rejected === 0 || sandbox) return null;
  const words = withoutOptions(command, OF_THE_INPUT);
  return commandLine(words.map((word) => (word === file ? results : word)));
}
