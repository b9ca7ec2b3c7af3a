import { SrqError } from '../../model/errors.ts';
import type { Evidence } from '../../model/evidence.ts';
import type { ImportPlan } from '../../model/import-plan.ts';
import type { OpenLog, RunNotes } from '../../model/log-store.ts';
import { noCounts } from '../../model/status.ts';
import type { Mapping } from '../../model/table.ts';
import { lookAgain } from '../../pipeline/plan-as-logged.ts';
import type { Preparation } from '../../pipeline/prepare-row.ts';
import { reportRows } from '../../pipeline/report-rows.ts';
import { resumeLooks } from '../../pipeline/resume-looks.ts';
import {
  type ImportDeps,
  type ImportOptions,
  runAfterOthers,
  runImport,
  settleImport,
} from '../../pipeline/run-import.ts';
import type { Submitted } from '../../pipeline/submit-request.ts';
import { Witness } from '../../pipeline/witness.ts';
import type { Reporter } from '../../report/reporter.ts';
import { writeResults } from '../../report/results-file.ts';
import { type Connection, connect } from '../connect.ts';
import type { Context } from '../context.ts';
import type { Asides, BulkOptions, RunFiles } from './options.ts';
import { beginNote, figuresOf, noted, reportRun } from './run-report.ts';
import { finishRun } from './summary.ts';
import { tellWait } from './tell-wait.ts';

/** Sends what the plan found ready, settles what is in doubt, writes the results file and the summary. */
export async function runPlan(
  context: Context,
  plan: ImportPlan,
  log: OpenLog,
  preparation: Preparation,
  options: BulkOptions,
  files: RunFiles,
): Promise<number> {
  const { ready, unknown } = plan.counts;
  const notes = (await context.logStore()).openNotes(context.run);
  notes.note(beginNote(context, await context.settings(), plan, files.file, options));
  const asides: Asides = { withoutIdentifier: 0, withRemark: 0 };
  const stop = ready + unknown > 0 ? await deliver(context, plan, log, preparation, options, notes, asides) : null;
  if (plan.ledger.counts().unknown > 0) await lookAgain(plan, log).catch(unlessLog);
  notes.note({ event: 'end', stopped: stop?.message ?? (context.interruption.code ? 'Interrupted.' : null) });
  await notes.flush();
  const untried = `Not tried: ${stop?.message ?? 'the run was interrupted.'} The next run sends it.`;
  const { columns, delimiter } = plan.table;
  const figures = options.report === undefined ? null : figuresOf(plan, options.includeInput);
  const rows = reportRows(plan, log, preparation, untried);
  await writeResults(files.results, columns, delimiter ?? ',', figures ? noted(rows, figures, plan.mapping) : rows);
  if (figures) await reportRun(context, options.report ?? '', figures);
  return finishRun(context, plan, stop, files, asides);
}

/** A log that fails here is the reason why the run ended, or will be that of the next one: the rows stay as they are. */
function unlessLog(error: unknown): void {
  if (!(error instanceof SrqError)) throw error;
}

/** Returns why the run ended early, or null. */
async function deliver(
  context: Context,
  plan: ImportPlan,
  log: OpenLog,
  preparation: Preparation,
  options: BulkOptions,
  notes: RunNotes,
  asides: Asides,
): Promise<SrqError | null> {
  const { halt } = context.interruption;
  const { clock } = context;
  const { concurrency, maxErrors } = options;
  const rate = options.rate ?? (context.options.sandbox ? 'max' : 'auto');
  const { audio } = preparation;
  const fieldName = columnOf(plan.mapping);
  const connection = await connect(context, { rate, concurrency, audio, fieldName, refused: notes.refused });
  const { api } = connection;
  const keep = (evidence: Evidence) => void connection.keep(evidence).catch(unlessLog);
  // Ages count by the clock by which the log dates its records.
  const dated = { ...clock, nowMs: () => log.nowMs() };
  const witness = new Witness(api, dated, halt.signal, connection.evidence, keep);
  const broke = (pauseMs: number) => {
    connection.hold(pauseMs);
    notes.note({ event: 'breaker', pauseMs });
  };
  const deps: ImportDeps = { api, log, clock, witness, preparation, halt, broke };
  const budget = maxErrors ? { count: budgetCount(maxErrors, plan.rows) } : null;
  const importOptions = { ...options, budget };
  const reporter = await context.reporter();
  context.interruption.listen(() => reporter.warn('Finishing what is in flight; press Ctrl-C again to leave now.'));

  if (connection.mayValidate) await resumeLooks(plan, witness, { preparation, halt });
  const sending = runImport(plan, deps, importOptions);
  let stop = await follow(reporter, 'Sending', plan.counts.ready, counting(sending, asides));
  if (stop === null && log.intentLifeMs !== null) stop = await followOthers(context, plan, deps, importOptions);
  stop ??= await settle(context, plan, deps, options, connection);
  await witness.end();
  await connection.keep(witness.evidence);
  connection.keepRate();
  return stop;
}

/** Settles what is in doubt as far as that is wanted and may be possible. Returns why it ended early, or null. */
async function settle(
  context: Context,
  plan: ImportPlan,
  deps: ImportDeps,
  options: BulkOptions,
  { mayValidate, network }: Connection,
): Promise<SrqError | null> {
  const { api, clock, halt, witness } = deps;
  const doubtful = plan.ledger.counts().unknown;
  const mayAsk = mayValidate && witness.isHopeful();
  const isIdempotent = api.idempotencyWindowMs !== null;
  if (options.inDoubt === 'park' || doubtful === 0 || halt.signal.aborted || !(mayAsk || isIdempotent)) return null;
  const reporter = await context.reporter();
  reporter.say(() => `${doubtful} in doubt: ${settlingText(isIdempotent, mayAsk)}.`);
  const waiting = tellWait(reporter, clock, halt.signal, () => plan.ledger.counts().unknown);
  const chosenMs = options.settle === undefined ? null : options.settle * 1000;
  const believing = mayAsk ? { proof: witness, chosenMs, isProxied: network.proxy !== null, waiting } : null;
  const settling = settleImport(plan, deps, { concurrency: options.concurrency, believing, resend: options });
  return followSettling(reporter, 'Settling what is in doubt', doubtful, settling);
}

/** Other runs may have had rows of this file in hand. */
async function followOthers(
  context: Context,
  plan: ImportPlan,
  deps: ImportDeps,
  options: ImportOptions,
): Promise<SrqError | null> {
  const { unknown } = plan.ledger.counts();
  if (unknown === 0) return null;
  return follow(
    await context.reporter(),
    'Looking what other runs made of theirs',
    unknown,
    runAfterOthers(plan, deps, options),
  );
}

function settlingText(isIdempotent: boolean, mayAsk: boolean): string {
  if (!isIdempotent) return 'validate is asked about each once it is old enough';
  const repeated = 'each is sent once more under its idempotency key';
  return mayAsk ? `${repeated}; about those that are too old for that validate is asked` : repeated;
}

/** The same as `follow` for doubts: says why those stay that do, each reason once. */
export async function followSettling(
  reporter: Reporter,
  label: string,
  total: number,
  rows: AsyncGenerator<Submitted, SrqError | null>,
): Promise<SrqError | null> {
  const reasons = new Map<string, number>();
  const stop = await follow(reporter, label, total, countingReasons(rows, reasons));
  for (const [reason, count] of reasons)
    reporter.warn(`${count} ${count === 1 ? 'stays' : 'stay'} in doubt: ${reason}`);
  return stop;
}

async function* countingReasons(
  rows: AsyncGenerator<Submitted, SrqError | null>,
  reasons: Map<string, number>,
): AsyncGenerator<Submitted, SrqError | null> {
  for (;;) {
    const next = await rows.next();
    if (next.done) return next.value;
    const { status, message } = next.value.result;
    if (status === 'unknown' && message !== null) reasons.set(message, (reasons.get(message) ?? 0) + 1);
    yield next.value;
  }
}

/** Counts the creations that are told with less, or with more, than an identifier. */
async function* counting(
  rows: AsyncGenerator<Submitted, SrqError | null>,
  asides: Asides,
): AsyncGenerator<Submitted, SrqError | null> {
  for (;;) {
    const next = await rows.next();
    if (next.done) return next.value;
    const { result, hasRemark } = next.value;
    if (result.status === 'created' && Object.keys(result.ids).length === 0) asides.withoutIdentifier += 1;
    if (hasRemark) asides.withRemark += 1;
    yield next.value;
  }
}

/** Shows the progress of a pass over the rows and returns why it ended early, or null. */
async function follow(
  reporter: Reporter,
  label: string,
  total: number,
  rows: AsyncGenerator<Submitted, SrqError | null>,
): Promise<SrqError | null> {
  const progress = await reporter.progress(label);
  const counts = noCounts();
  try {
    for (let done = 0; ; done++) {
      const next = await rows.next();
      if (next.done) return next.value;
      const { result, unrecorded } = next.value;
      counts[result.status] += 1;
      if (unrecorded) reporter.warn(`Not in the log: ${JSON.stringify(result)}`);
      progress.update({ done: done + 1, total, counts });
    }
  } finally {
    progress.end();
  }
}

/** The name of the one column that a field was taken from, or null. */
function columnOf({ sources, columns }: Mapping): (field: string) => string | null {
  const names = new Map(
    sources.map(({ field, columns: at }) => [field, at.length === 1 ? (columns[at[0] ?? -1] ?? null) : null]),
  );
  return (field) => names.get(field) ?? null;
}

function budgetCount({ count, percent }: { count: number; percent: boolean }, rows: number): number {
  return Math.max(1, percent ? Math.ceil((rows * count) / 100) : count);
}
