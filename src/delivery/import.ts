import type { Mapping } from '../request/lead/table.ts';
import type { ImportPlan, RowReport } from '../request/log/import-plan.ts';
import type { RunNotes } from '../request/log/log-store.ts';
import type { MarketplaceApi } from '../request/ports.ts';
import { expected, SrqError } from '../request/words/errors.ts';
import { refreshUnknown } from './plan.ts';
import { reportRows } from './report-rows.ts';
import { type PassDeps, sendRows } from './send-rows.ts';
import { settleRows } from './settle-rows.ts';
import { IN_DOUBT, type Sent, type SubmitOptions } from './submit.ts';
import { Supervisor } from './supervise.ts';

/**
 * Runs an import whose plan a person has agreed to: sends its rows, settles those whose outcome is unknown, and reports
 * every row. Returns the reason why it ended early, or null.
 *
 * The plan is made of the whole file, so nothing is sent of a file that cannot be read. The final status of each row is in
 * the plan's ledger, and the outcome of its request is in the log.
 */
export async function runImport(
  plan: ImportPlan,
  deps: ImportDeps,
  options: RunImportOptions,
): Promise<SrqError | null> {
  const { notes, halt } = deps;
  const isUnfinished = plan.counts.ready + plan.ledger.doubts() > 0;
  const stop = isUnfinished ? await deliver(plan, deps, options) : null;
  const stopped = stop?.message ?? (halt.signal.aborted ? 'Interrupted.' : null);
  notes.note({ event: 'end', stopped, counts: plan.ledger.counts() });
  await notes.flush();
  const failure = await report(plan, deps, stop);
  const reason = stop ?? failure;
  if (reason?.code !== 'input') return reason;
  // The file has changed after requests were sent. As an input error it would claim that nothing was sent.
  return new SrqError('file.changed-under-way', reason.message, reason.hint, reason);
}

/**
 * Sends the rows that are ready and settles those whose outcome is unknown. Returns the reason why the import ended
 * early, or null.
 */
async function deliver(plan: ImportPlan, deps: ImportDeps, options: RunImportOptions): Promise<SrqError | null> {
  const { notes, halt, ui, connect } = deps;
  if (halt.signal.aborted) return null;
  const connection = await connect((field) => columnOf(plan.mapping, field)).catch((error: unknown) => {
    // It was interrupted while it connected, so nothing was sent.
    if (error instanceof SrqError && error.code === 'interrupted') return null;
    throw error;
  });
  if (connection === null) return null;
  const { isFamiliar } = connection;
  const { rows, counts } = plan;
  const maxRefused = options.maxErrors && refusedLimit(options.maxErrors, rows);
  const supervisor = new Supervisor(maxRefused, counts.invalid, { isFamiliar });
  const breakerOpened = (pauseMs: number) => notes.note({ event: 'breaker', pauseMs });
  const pass: PassDeps = { ...deps, api: connection.api, breakerOpened };
  const sending = sendRows(plan, pass, { ...options, supervisor });
  const stop =
    (await runPass(sending, plan, halt, await ui.watch({ is: 'sending', rows: counts.ready }))) ??
    (await settle(plan, ui, pass, connection, options));
  connection.keepRate();
  return stop;
}

/** Settles the rows whose outcome is unknown, if the user wants that, and an idempotency key or validate can help. */
async function settle(
  plan: ImportPlan,
  ui: ImportUi,
  deps: PassDeps,
  { mayValidate: byValidate, isProxied }: ServiceConnection,
  options: RunImportOptions,
): Promise<SrqError | null> {
  const { api, halt } = deps;
  const rows = plan.ledger.doubts();
  const byKey = api.idempotencyWindowMs !== null;
  if (options.inDoubt === 'park' || rows === 0 || halt.signal.aborted || !(byValidate || byKey)) return null;
  const watch = await ui.watch({ is: 'settling', rows, byKey, byValidate });
  const { settleMs } = options;
  const { waiting } = watch;
  const settling = settleRows(plan, deps, { resend: options, byValidate, settleMs, isProxied, waiting });
  const stop = await runPass(settling, plan, halt, watch);
  // Who does not ask validate may know that there is none. The rows are left to a person then.
  return !options.validate && stop?.reason === 'service.wrong-address' ? null : stop;
}

/** Reports every row. Returns the error if that is not possible and there is another reason to tell, else throws it. */
async function report(plan: ImportPlan, deps: ImportDeps, stop: SrqError | null): Promise<SrqError | null> {
  const { log, preparation, ui } = deps;
  const untried = `Not tried: ${stop?.message ?? 'the run was interrupted.'} The next run sends it.`;
  try {
    // Another process that was sending some of these requests may have finished them meanwhile. An error of the log is
    // why the run ended, or the next run reports it, and the rows keep their status.
    if (plan.ledger.doubts() > 0) await refreshUnknown(plan, log).catch(expected);
    await ui.report(reportRows(plan, log, preparation, untried));
    return null;
  } catch (error) {
    const reason = expected(error);
    // The summary says why the run ended early, with its counts, even if the same full disk takes no results.
    if (reason.code !== 'input' && stop === null) throw error;
    return reason;
  }
}

/**
 * Runs a pass, keeps the ledger up to date and shows each row. Halts the run at the first reason to stop, and returns that
 * reason, or null.
 */
export async function runPass(
  rows: AsyncGenerator<Sent>,
  plan: ImportPlan,
  halt: AbortController,
  watch: PassWatch,
): Promise<SrqError | null> {
  let stop: SrqError | null = null;
  try {
    // If the watch fails, what is in flight is still finished and recorded.
    for await (const sent of rows) {
      noteResult(plan, sent);
      stop ??= sent.stop;
      if (stop) halt.abort();
      watch.row(sent);
    }
  } catch (error) {
    halt.abort();
    return expected(error);
  } finally {
    watch.end();
  }
  return stop;
}

/** Keeps the ledger up to date with a result, and with that of another row that is unknown because of it. */
function noteResult({ ledger, unsettled }: ImportPlan, { row, status, alsoUnknown, isFromLog, message }: Sent): void {
  ledger.setStatus(row, status);
  if (status === 'unknown' && isFromLog && message !== null && message !== IN_DOUBT) unsettled.set(row, message);
  const { row: other, key } = alsoUnknown ?? { row: 0, key: null };
  if (key !== null && ledger.has(other) && ledger.key(other) === key) ledger.setStatus(other, 'unknown');
}

/** Returns the number of refused rows at which an import of this many rows stops. It is at least one. */
function refusedLimit({ count, percent }: NonNullable<RunImportOptions['maxErrors']>, rows: number): number {
  return Math.max(1, percent ? Math.ceil((rows * count) / 100) : count);
}

/** Returns the column of a field, or null if the field does not come from exactly one column. */
function columnOf({ sources, columns }: Mapping, field: string): string | null {
  const [at, ...more] = sources.find((source) => source.field === field)?.columns ?? [];
  return at === undefined || more.length > 0 ? null : (columns[at] ?? null);
}

/** Options of an import, as chosen by the user. */
export interface RunImportOptions extends SubmitOptions {
  readonly concurrency: number;
  /** Number of refused rows, or their percentage of all rows, at which the import stops. Null means no limit. */
  readonly maxErrors: { readonly count: number; readonly percent: boolean } | null;
  readonly inDoubt: 'park' | 'validate';
  /**
   * Age in milliseconds that a request must have before validate is asked about it. Null uses the least waits.
   */
  readonly settleMs: number | null;
}

/** An open connection to the service, with what is known about the service. */
export interface ServiceConnection {
  readonly api: MarketplaceApi;
  readonly mayValidate: boolean;
  /** Whether there is a proxy in between. It may still deliver a request after srq has closed the connection. */
  readonly isProxied: boolean;
  /** Whether earlier runs have shown how the service answers when it has taken a request. */
  readonly isFamiliar: boolean;
  /** Stores the request rate that this run has arrived at. */
  keepRate(): void;
}

/** One pass over the rows, as it is shown to the user. */
export type Pass =
  | { readonly is: 'sending'; readonly rows: number }
  | {
      readonly is: 'settling';
      readonly rows: number;
      /** How the rows are settled: sent again under their idempotency keys, looked up by validate, or both. */
      readonly byKey: boolean;
      readonly byValidate: boolean;
    };

/** Receives the progress of one pass. */
export interface PassWatch {
  row(sent: Sent): void;
  /** Called when a row in doubt has to wait for this many milliseconds before it can be settled. */
  waiting(waitMs: number): void;
  end(): void;
}

/** The user interface of an import, as the delivery code sees it. */
export interface ImportUi {
  /** Starts to show a pass. */
  watch(pass: Pass): Promise<PassWatch>;
  /** Reports the result of every row. */
  report(rows: AsyncIterable<RowReport>): Promise<void>;
}

export interface ImportDeps extends Omit<PassDeps, 'api'> {
  /** The notes on this run. Its beginning is noted before. */
  readonly notes: Pick<RunNotes, 'note' | 'flush'>;
  readonly ui: ImportUi;
  /**
   * Connects to the service. Called once, and only if there are rows to send or to settle. `columnOf` returns the column
   * of a field in the file, for messages, or null.
   */
  readonly connect: (columnOf: (field: string) => string | null) => Promise<ServiceConnection>;
}
