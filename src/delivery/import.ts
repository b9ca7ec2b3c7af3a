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

export interface ImportOptions extends SubmitOptions {
  readonly range: RowRange;
  readonly concurrency: number;
  /** Refused rows at which the import stops: a number, or a share of the rows. Null: it does not. */
  readonly maxErrors: { readonly count: number; readonly percent: boolean } | null;
  readonly inDoubt: 'park' | 'validate';
  /** Age of a doubt before validate is asked, if somebody chose it. */
  readonly settleMs: number | null;
}

/** The service, once the way to it is open, and what is known of it. */
export interface ServiceLine {
  readonly api: MarketplaceApi;
  readonly mayValidate: boolean;
  /** A proxy may still deliver what was cut off here. */
  readonly isProxied: boolean;
  /** What earlier runs found out about how well validate sees. */
  readonly evidence: VisibilityHistory;
  keep(evidence: VisibilityHistory): Promise<unknown>;
  keepRate(): void;
}

/** A pass over the rows, as it is shown. */
export type Pass =
  | { readonly is: 'sending' | 'looking after others'; readonly rows: number }
  | {
      readonly is: 'settling';
      readonly rows: number;
      /** They are sent once more under their idempotency keys, or validate is asked about them, or both. */
      readonly byKey: boolean;
      readonly byValidate: boolean;
      readonly stillInDoubt: () => number;
    };

/** The watch is told how one pass goes. */
export interface PassWatch {
  row(submitted: Submitted): void;
  /** A doubt is going to wait for so long from now. */
  waiting(waitMs: number): void;
  end(): void;
}

/** The import's way to the person who ordered it. */
export interface ImportDesk {
  /** Has the file planned, as often as its mapping is corrected, until the plan is agreed to. Throws if it is not. */
  agree(plan: (input: MappedTable, tick: (rows: number) => void) => Promise<ImportPlan>): Promise<ImportPlan>;
  watch(pass: Pass): Promise<PassWatch>;
  /** The breaker holds everything back. */
  broke(pauseMs: number): void;
  /** Accounts for every row. `stop`: why the import ended early, or null. */
  account(plan: ImportPlan, stop: SrqError | null, rows: AsyncIterable<RowReport>): Promise<void>;
}

export interface ImportPorts {
  readonly log: DeliveryLog;
  readonly clock: Clock;
  readonly preparation: Preparation;
  /** Aborted by the user, or here: nothing new is started, what is in flight is finished. */
  readonly halt: AbortController;
  /** Opens the way to the service; called only where there is something to send or to settle. */
  connect(plan: ImportPlan): Promise<ServiceLine>;
  readonly desk: ImportDesk;
}

/** How an import ended. */
export interface Imported {
  readonly plan: ImportPlan;
  /** Why it ended early, or null. */
  readonly stop: SrqError | null;
}

/**
 * The import, from the file to the account of its rows. Nothing is sent before the whole file was read and the plan agreed to;
 * what a row's status is in the end stands in the plan's ledger, and what became of its request in the log.
 */
export async function runImport(ports: ImportPorts, options: ImportOptions): Promise<Imported> {
  const { log, preparation, desk } = ports;
  const plan = await desk.agree((input, tick) => planImport(input, options.range, preparation, log, options, tick));
  const { ready, unknown } = plan.counts;
  const stop = ready + unknown > 0 ? await deliver(plan, await ports.connect(plan), ports, options) : null;
  // Another process, which had them in hand, may have ended with them since.
  if (plan.ledger.counts().unknown > 0) await refreshUnknown(plan, log).catch(unlessLog);
  const untried = `Not tried: ${stop?.message ?? 'the run was interrupted.'} The next run sends it.`;
  await desk.account(plan, stop, reportRows(plan, log, preparation, untried));
  return { plan, stop };
}

/** Sends what is ready, then what others had in hand, and settles what is in doubt. Returns why it ended early, or null. */
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

/** Other runs may have had rows of this file in hand, where they share the log. */
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
 * Settles what is in doubt, if that is wanted and something may do it: an idempotency key that the service still remembers,
 * or a validate that has proven that it sees creations, or may yet.
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

/** Shows a pass row by row and returns why it ended early, or null. */
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

/** A log that fails here is the reason why the run ended, or will be that of the next one: the rows stay as they are. */
function unlessLog(error: unknown): void {
  if (!(error instanceof SrqError)) throw error;
}
