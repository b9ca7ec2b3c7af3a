import type { Connection } from '../../account/connection.ts';
import type { Context } from '../../cli/context.ts';
import type { Metrics, ProcessState, ProcessView } from '../../report/metrics.ts';
import type { ImportPlan } from '../../request/import-plan.ts';
import type { RunNote, RunNotes } from '../../request/log-store.ts';
import type { DeliveryLog } from '../../request/ports.ts';
import { sumOfCounts } from '../../request/status.ts';
import { type Health, type HealthOptions, LOG_OPERATIONS, serveHealth, type WatchedProcess } from '../health.ts';

/** The health of a run and its metrics, for `--health-port`. Rows are counted from the plans when somebody asks. */
export class RunHealth implements WatchedProcess {
  /** What the run is about, once it is known. */
  plans: readonly ImportPlan[] = [];
  connection: Connection | null = null;
  #metrics: Metrics | null = null;
  readonly #context: Context;
  readonly #since: string;

  private constructor(context: Context) {
    this.#context = context;
    this.#since = new Date(context.clock.nowMs()).toISOString();
  }

  /** Throws `SrqError('usage')` if the port cannot be used. */
  static async open(context: Context, options: HealthOptions): Promise<RunHealth> {
    const health = new RunHealth(context);
    health.#metrics = await serveHealth(context, options, health);
    return health;
  }

  /** Returns the same log, which is timed if anybody can ask for metrics. */
  timed(log: DeliveryLog): DeliveryLog {
    return this.#metrics?.timed(log, LOG_OPERATIONS) ?? log;
  }

  /** Returns notes of which refusals and pauses are counted as well. */
  alsoCounting(notes: RunNotes): RunNotes {
    const note = (each: RunNote) => {
      if (each.event === 'breaker') this.#metrics?.breakerOpened(each.pauseMs);
      notes.note(each);
    };
    const refused = (http: number, pauseMs: number) => {
      this.#metrics?.refused(http, pauseMs);
      notes.refused(http, pauseMs);
    };
    return { note, refused, flush: () => notes.flush() };
  }

  get health(): Health {
    return {
      state: this.#state,
      at: new Date(this.#context.clock.nowMs()).toISOString(),
      since: this.#since,
      inFlight: this.connection?.view().inFlight ?? 0,
      reason: null,
    };
  }

  get view(): ProcessView {
    return {
      version: this.#context.version,
      state: this.#state,
      worker: null,
      imported: sumOfCounts(this.plans.map(({ ledger }) => ledger.counts())),
      connection: this.connection?.view() ?? null,
    };
  }

  get #state(): ProcessState {
    const { halt, isStoreAway } = this.#context;
    if (halt.signal.aborted) return 'stopping';
    if (isStoreAway) return 'waiting-for-database';
    return this.connection === null ? 'starting' : 'working';
  }
}
