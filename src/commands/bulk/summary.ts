import { terminalColumns } from '../../cli/command.ts';
import { commandLine, withoutOptions, withProfileFlags } from '../../cli/command-line.ts';
import type { Context } from '../../cli/context.ts';
import { codesOfCounts, exitNumber } from '../../cli/exit-codes.ts';
import { folded } from '../../report/output.ts';
import { summaryText } from '../../report/terminal/summary-text.ts';
import type { SrqError } from '../../request/errors.ts';
import type { ImportPlan, ImportSummary } from '../../request/import-plan.ts';
import { type Counts, sumOfCounts, withUntriedAsFailed } from '../../request/status.ts';
import { columnLabel } from '../../request/table.ts';
import { adviceFor, type EndedFile, type EndedRun, exportCommand, nextCommand } from './next-steps.ts';
import { columnQuestions, decidingCommand, openQuestions } from './questions.ts';

/** Reports the end of a run and returns its exit code. */
export async function finishRun(
  context: Context,
  run: EndedRun,
  stop: SrqError | null,
  startedMs: number,
): Promise<number> {
  const { files } = run;
  const ended = sumOfCounts(files.map(({ plan }) => plan.ledger.counts()));
  const counts = withUntriedAsFailed(ended);
  const { code } = context.interruption;
  const asides = {
    withoutIdentifier: files.reduce((sum, file) => sum + file.asides.withoutIdentifier, 0),
    withRemark: files.reduce((sum, file) => sum + file.asides.withRemark, 0),
  };
  const summary = {
    ...(await shared(context, files, startedMs)),
    counts,
    notTried: ended.ready,
    asides,
    advice: stop ? stop.hint && withProfileFlags(stop.hint, context.options) : adviceFor(counts, files),
    exportCommand: stop === null && code === null ? exportCommand(context, counts, run) : null,
    stopped: stop ? stop.message : code ? 'Interrupted.' : null,
    next: nextCommand(context, counts, run, stop),
  };
  const each = ({ file, plan, results }: EndedFile) => ({
    ...{ file, rows: plan.rows, ...withoutReady(withUntriedAsFailed(plan.ledger.counts())), results },
  });
  const more = files.length > 1 ? { files: files.map(each) } : {};
  await report(context, summary, withoutReady(counts), more);
  return exitNumber([...(code ? [code] : []), ...(stop ? [stop.code] : []), ...codesOfCounts(counts)]);
}

/** One file of a dry run, with the arguments that import it alone. */
export type DryFile = PlannedEnd & Pick<EndedRun, 'command'>;

type PlannedEnd = Pick<EndedFile, 'file' | 'plan' | 'results'>;

/** Reports the result of a dry run and returns its exit code. `command` are the arguments of the dry run. */
export async function finishDryRun(
  context: Context,
  files: readonly DryFile[],
  command: readonly string[],
  startedMs: number,
): Promise<number> {
  const counts = sumOfCounts(files.map(({ plan }) => plan.counts));
  const accepts = command.includes('--accept-likely');
  const asked = files.map(({ file, plan, command: alone }) => {
    return { file, command: alone, open: openQuestions(columnQuestions(plan.mapping), accepts) };
  });
  const summary = {
    ...(await shared(context, files, startedMs)),
    counts,
    notTried: 0,
    asides: null,
    stopped: null,
    advice: null,
    exportCommand: null,
    // Rows without a phone are not ready, but are with the column that is still to be decided.
    next:
      counts.ready > 0 || asked.some(({ open }) => open.length > 0)
        ? commandLine(withoutDryRun(decidingCommand(asked, command)))
        : null,
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
  await report(context, summary, plannedCounts(counts), more);
  return exitNumber(codesOfCounts({ ...counts, unknown: 0 }));
}

function plannedCounts({ ready, repeated, duplicate, invalid, unknown }: Counts): Partial<Counts> {
  return { ready, repeated, duplicate, invalid, unknown };
}

/** Returns the plan of a file as programs read it. */
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
  return { rows, seconds, log: (await context.paths()).log, results };
}

async function report(context: Context, summary: ImportSummary, shown: Partial<Counts>, more: object): Promise<void> {
  const { rows, seconds, log, stopped, advice, next, asides } = summary;
  const reporter = await context.reporter();
  const sum = Object.values(summary.counts).reduce((total, count) => total + count, 0);
  if (sum !== rows) throw new Error(`${rows} rows were read, but ${sum} have a status`);
  const text: Parameters<typeof reporter.say>[0] = (paint) =>
    folded(summaryText(summary, paint), terminalColumns(context));
  // Standard output is the results, and nothing else.
  if (summary.results.includes('-')) return reporter.say(text);
  // Of several files, each has its own results.
  const results = 'files' in more ? null : (summary.results[0] ?? null);
  await reporter.result({ rows, ...shown, ...asides, seconds, log, results, stopped, advice, next, ...more }, text);
}

function withoutReady({ ready: _, ...counts }: Counts): Omit<Counts, 'ready'> {
  return counts;
}

/** Returns the words of a command without `--dry-run`, and without the place of its verdicts. */
function withoutDryRun(words: readonly string[]): string[] {
  return withoutOptions(words, ['--results']).filter((word) => word !== '--dry-run');
}
