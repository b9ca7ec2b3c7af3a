import { SrqError } from '../request/errors.ts';
import type { ImportPlan, RowRange, RowReport } from '../request/import-plan.ts';
import type { Clock, DeliveryLog, MarketplaceApi } from '../request/ports.ts';
import type { VisibilityHistory } from '../request/visibility.ts';
import { type MappedTable, planImport, refreshUnknown } from './plan.ts';
import type { Preparation } from './prepare.ts';
import { reportRows } from './report-rows.ts';
import { type SendPorts, sendAfterOthers, sendRows } from './send-rows.ts';
import { resumeLooks, settleRows } from './settle-rows.ts';
import type { SubmitOptions, Submitted } from './submit.ts';
import type { ErrorBudget } from './supervise.ts';
import { datedBy, VisibilityProber } from './visibility-prober.ts';

/** Options of an import, as chosen by the user. */
export interface ImportOptions extends SubmitOptions {
  readonly range: RowRange;
  readonly concurrency: number;
  /** Number of refused rows at which the import stops, absolute or as a percentage of all rows. Null means no limit. */
  readonly maxErrors: { readonly count: number; readonly percent: boolean } | null;
  readonly inDoubt: 'park' | 'validate';
  /**
   * Age in milliseconds that a request in doubt must have before validate is asked about it. Null uses the age learned
   * from earlier answers.
   */
  readonly settleMs: number | null;
}

/** An open connection to the service, with what is known about the service. */
export interface ServiceLine {
  readonly api: MarketplaceApi;
  readonly mayValidate: boolean;
  /** True if a proxy lies in between. It may still deliver a request after srq has closed the connection. */
  readonly isProxied: boolean;
  /** What earlier runs have learned about whether validate sees created requests. */
  readonly evidence: VisibilityHistory;
  /** Stores what this run has learned about validate. */
  keep(evidence: VisibilityHistory): Promise<unknown>;
  /** Stores the request rate that this run has arrived at. */
  keepRate(): void;
}

/** One pass over the rows, as it is shown to the user. */
export type Pass =
  | { readonly is: 'sending' | 'looking after others'; readonly rows: number }
  | {
      readonly is: 'settling';
      readonly rows: number;
      /** How the rows are settled: sent again under their idempotency keys, looked up by validate, or both. */
      readonly byKey: boolean;
      readonly byValidate: boolean;
      readonly stillInDoubt: () => number;
    };

/** Receives the progress of one pass. */
export interface PassWatch {
  row(submitted: Submitted): void;
  /** Called when a row in doubt has to wait for this many milliseconds before it can be settled. */
  waiting(waitMs: number): void;
  end(): void;
}

/** The user interface of an import, as the delivery code sees it. */
export interface ImportDesk {
  /**
   * Shows the plan until the user agrees to it. `plan` is called again for each corrected mapping. Throws if the user
   * does not agree.
   */
  agree(plan: (input: MappedTable, tick: (rows: number) => void) => Promise<ImportPlan>): Promise<ImportPlan>;
  /** Starts to show a pass. */
  watch(pass: Pass): Promise<PassWatch>;
  /** Called when the breaker has paused all sending. */
  broke(pauseMs: number): void;
  /** Reports the result of every row. `stop` is the reason why the import ended early, or null. */
  account(plan: ImportPlan, stop: SrqError | null, rows: AsyncIterable<RowReport>): Promise<void>;
}

/** The dependencies of an import. */
export interface ImportPorts {
  readonly log: DeliveryLog;
  readonly clock: Clock;
  readonly preparation: Preparation;
  /** Aborted by the user or by the import itself. No new requests are started then; those in flight are finished. */
  readonly halt: AbortController;
  /** Connects to the service. Called only if there are rows to send or to settle. */
  connect(plan: ImportPlan): Promise<ServiceLine>;
  readonly desk: ImportDesk;
}

/** The result of an import. */
export interface Imported {
  readonly plan: ImportPlan;
  /** The reason why the import ended early, or null. */
  readonly stop: SrqError | null;
}

/**
 * Runs an import: plans it, sends its rows, settles those in doubt and reports the result of every row.
 *
 * Nothing is sent before the whole file has been read and the user has agreed to the plan. The final status of each row
 * is in the plan's ledger, and the outcome of its request is in the log.
 */
export async function runImport(ports: ImportPorts, options: ImportOptions): Promise<Imported> {
  const { log, preparation, desk } = ports;
  const plan = await desk.agree((input, tick) => planImport(input, options.range, preparation, log, options, tick));
  const { ready, unknown } = plan.counts;
  const stop = ready + unknown > 0 ? await deliver(plan, await ports.connect(plan), ports, options) : null;
  // Another process that was sending these requests may have finished them in the meantime.
  if (plan.ledger.counts().unknown > 0) await refreshUnknown(plan, log).catch(unlessLog);
  const untried = `Not tried: ${stop?.message ?? 'the run was interrupted.'} The next run sends it.`;
  await desk.account(plan, stop, reportRows(plan, log, preparation, untried));
  return { plan, stop };
}

/**
 * Sends the rows that are ready, waits for those that other processes are sending, and settles those in doubt. Returns
 * the reason why the import ended early, or null.
 */
async function deliver(
  plan: ImportPlan,
  line: ServiceLine,
  { log, clock, preparation, halt, desk }: ImportPorts,
  options: ImportOptions,
): Promise<SrqError | null> {
  const { api } = line;
  const keep = (evidence: VisibilityHistory) => void line.keep(evidence).catch(unlessLog);
  const witness = new VisibilityProber(api, datedBy(log, clock), halt.signal, line.evidence, keep);
  const ports: SendPorts = { api, log, clock, witness, preparation, halt, broke: (ms) => desk.broke(ms) };
  if (line.mayValidate) await resumeLooks(plan, witness, ports);
  const sending = sendRows(plan, ports, { ...options, budget: errorBudget(plan, options) });
  let stop = await followed(sending, await desk.watch({ is: 'sending', rows: plan.counts.ready }));
  stop ??= await lookAfterOthers(plan, ports, options, desk);
  stop ??= await settle(plan, ports, line, options, desk);
  await witness.end();
  await line.keep(witness.evidence);
  line.keepRate();
  return stop;
}

/** Waits for rows that other processes are sending. Those exist only if the processes share the log. */
async function lookAfterOthers(
  plan: ImportPlan,
  ports: SendPorts,
  options: ImportOptions,
  desk: ImportDesk,
): Promise<SrqError | null> {
  const { unknown } = plan.ledger.counts();
  if (ports.log.writeLeaseMs === null || unknown === 0) return null;
  const watch = await desk.watch({ is: 'looking after others', rows: unknown });
  return followed(sendAfterOthers(plan, ports, options), watch);
}

/**
 * Settles the rows in doubt if the user wants that and it is possible: the service still knows their idempotency keys,
 * or validate is trusted to see created requests, or may become so during this run.
 */
async function settle(
  plan: ImportPlan,
  ports: SendPorts,
  { mayValidate, isProxied }: ServiceLine,
  options: ImportOptions,
  desk: ImportDesk,
): Promise<SrqError | null> {
  const { api, halt, witness } = ports;
  const stillInDoubt = () => plan.ledger.counts().unknown;
  const rows = stillInDoubt();
  const byValidate = mayValidate && witness.isHopeful();
  const byKey = api.idempotencyWindowMs !== null;
  if (options.inDoubt === 'park' || rows === 0 || halt.signal.aborted || !(byValidate || byKey)) return null;
  const watch = await desk.watch({ is: 'settling', rows, byKey, byValidate, stillInDoubt });
  const { concurrency, settleMs: chosenMs } = options;
  const believing = byValidate ? { proof: witness, chosenMs, isProxied, waiting: watch.waiting } : null;
  return followed(settleRows(plan, ports, { concurrency, believing, resend: options }), watch);
}

/** Runs a pass, shows each of its rows, and returns the reason why it ended early, or null. */
export async function followed(
  rows: AsyncGenerator<Submitted, SrqError | null>,
  watch: PassWatch,
): Promise<SrqError | null> {
  try {
    for (;;) {
      const next = await rows.next();
      if (next.done) return next.value;
      watch.row(next.value);
    }
  } finally {
    watch.end();
  }
}

function errorBudget({ rows }: ImportPlan, { maxErrors }: ImportOptions): ErrorBudget | null {
  if (maxErrors === null) return null;
  const { count, percent } = maxErrors;
  return { count: Math.max(1, percent ? Math.ceil((rows * count) / 100) : count) };
}

/**
 * Ignores an error of the log. It is already the reason why the run ended, or the next run will report it. The rows
 * keep their status.
 */
function unlessLog(error: unknown): void {
  if (!(error instanceof SrqError)) throw error;
}
