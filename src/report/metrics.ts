import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { Counts } from '../request/log/status.ts';
import type { Clock } from '../request/ports.ts';

/** The state of a process that sends, for monitoring. */
export type ProcessState = (typeof STATES)[number];

const STATES = ['starting', 'working', 'idle', 'waiting-for-database', 'stopping'] as const;

/** The state of a process at the moment of a scrape. A part is null if the process does not have it, or not yet. */
export interface ProcessView {
  readonly version: string;
  readonly state: ProcessState;
  readonly worker: WorkerView | null;
  readonly connection: CallsView | null;
}

/** The rows of a worker. */
interface WorkerView {
  /** Rows that left the queue, by their status. */
  readonly ended: Partial<Counts>;
  readonly putBack: number;
  readonly inHand: number;
  /** Age of the oldest row of the queue, 0 if it is empty. Null as long as nobody has looked. */
  readonly oldestMs: number | null;
  /** The queue and the store at the last look. A part is missing as long as nobody has looked. */
  readonly queue: { readonly depth: number | null; readonly unknown?: number; readonly held?: string | null };
}

/** The calls to the service. */
interface CallsView {
  readonly inFlight: number;
  readonly waiting: number;
  readonly tokensFetched: number;
  readonly pace: {
    readonly ratePerSecond: number | null;
    readonly boundPerSecond: number | null;
    readonly pausedMs: number;
  } | null;
}

/** A value with the value of its label, which is empty if the metric has none. */
type Sample = readonly [label: string, value: number];

interface Metric {
  readonly kind: typeof Counter | typeof Gauge;
  readonly help: string;
  readonly label?: string;
  /** Returns no sample where the metric does not apply. */
  readonly read: (view: ProcessView) => readonly Sample[];
}

/** The metrics whose values are read at a scrape. They cost nothing per row, because srq keeps these counts anyway. */
const METRICS: Readonly<Record<`srq_${string}`, Metric>> = {
  srq_build_info: {
    kind: Gauge,
    help: 'The version of srq; always 1.',
    label: 'version',
    read: ({ version }) => [[version, 1]],
  },
  srq_state: {
    kind: Gauge,
    help: 'The state of the process: 1 for the one that it is in, 0 for the others.',
    label: 'state',
    read: ({ state }) => STATES.map((each) => [each, each === state ? 1 : 0]),
  },
  srq_rows_total: {
    kind: Counter,
    help: 'Rows that left the queue, by their status.',
    label: 'status',
    read: ({ worker }) => Object.entries(worker?.ended ?? {}),
  },
  srq_rows_put_back_total: {
    kind: Counter,
    help: 'Rows put back into the queue: for later, or for other workers.',
    read: ({ worker }) => one(worker?.putBack),
  },
  srq_rows_in_hand: {
    kind: Gauge,
    help: 'Rows that this worker is working on.',
    read: ({ worker }) => one(worker?.inHand),
  },
  srq_queue_oldest_age_seconds: {
    kind: Gauge,
    help: 'Age of the oldest row that waits in the queue; 0 if none does.',
    read: ({ worker }) => (worker?.oldestMs == null ? [] : one(worker.oldestMs / 1000)),
  },
  srq_queue_rows: {
    kind: Gauge,
    help: 'Rows in the queue of the account.',
    read: ({ worker }) => one(worker?.queue.depth ?? undefined),
  },
  srq_store_unknown_rows: {
    kind: Gauge,
    help: 'Rows of the store whose outcome is unknown; srq resolve lists them.',
    read: ({ worker }) => one(worker?.queue.unknown),
  },
  srq_store_held: {
    kind: Gauge,
    help: '1 while nothing is sent before a person says: srq store resume.',
    read: ({ worker }) => (worker?.queue.held === undefined ? [] : one(worker.queue.held === null ? 0 : 1)),
  },
  srq_requests_in_flight: {
    kind: Gauge,
    help: 'Calls to the service that have begun and are not answered.',
    read: ({ connection }) => one(connection?.inFlight),
  },
  srq_requests_waiting: {
    kind: Gauge,
    help: 'Calls to the service that wait for their turn.',
    read: ({ connection }) => one(connection?.waiting),
  },
  srq_pace_requests_per_second: {
    kind: Gauge,
    help: 'Calls a second that the pace allows, of all processes that share it; +Inf without a limit.',
    read: ({ connection }) => limit(connection?.pace, (pace) => pace.ratePerSecond),
  },
  srq_pace_bound_requests_per_second: {
    kind: Gauge,
    help: 'Calls a second near which the service has refused, or that --rate allows; +Inf if neither is known.',
    read: ({ connection }) => limit(connection?.pace, (pace) => pace.boundPerSecond),
  },
  srq_pause_remaining_seconds: {
    kind: Gauge,
    help: 'Time for which nobody sends any more.',
    read: ({ connection }) => one(connection?.pace && connection.pace.pausedMs / 1000),
  },
  srq_tokens_fetched_total: {
    kind: Counter,
    help: 'Tokens that this process has got from the service.',
    read: ({ connection }) => one(connection?.tokensFetched),
  },
};

function one(value: number | null | undefined): Sample[] {
  return value === null || value === undefined ? [] : [['', value]];
}

function limit<Pace>(pace: Pace | null | undefined, read: (pace: Pace) => number | null): Sample[] {
  return pace ? [['', read(pace) ?? Number.POSITIVE_INFINITY]] : [];
}

/** The timed operations of the log (`intent`, `outcome`) and of the queue (`take`, `dispose`). */
type StoreOperation = 'intent' | 'outcome' | 'take' | 'dispose';

const BUCKETS_S = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

/** The metrics of this process, in the text format of Prometheus. They hold no personal data. */
export class Metrics {
  readonly #registry = new Registry();
  readonly #monotonicMs: Clock['monotonicMs'];
  readonly #store: Histogram<'operation'>;
  readonly #refused: Counter<'code'>;
  readonly #pauses: Counter<'cause'>;
  #pausedUntilMs = Number.NEGATIVE_INFINITY;

  constructor(view: () => ProcessView, { monotonicMs }: Clock) {
    this.#monotonicMs = monotonicMs;
    const registers = [this.#registry];
    for (const [name, metric] of Object.entries(METRICS)) register(name, metric, view, registers);
    this.#store = new Histogram({
      name: 'srq_store_duration_seconds',
      help: 'Time until the store or the log has kept an intent or an outcome, or the queue has given or disposed of rows.',
      labelNames: ['operation'],
      buckets: BUCKETS_S,
      registers,
    });
    this.#refused = new Counter({
      name: 'srq_refused_responses_total',
      help: 'Answers that refused a call because of the rate or the load, by their status.',
      labelNames: ['code'],
      registers,
    });
    this.#pauses = new Counter({
      name: 'srq_pauses_total',
      help: 'Pauses of all sending that this process has caused: by a refusal, or by the breaker after many unknown outcomes.',
      labelNames: ['cause'],
      registers,
    });
    // Each series begins with 0, because `rate()` does not see an event with which a series begins.
    for (const code of [429, 503]) this.#refused.inc({ code }, 0);
    for (const cause of ['refusal', 'breaker']) this.#pauses.inc({ cause }, 0);
  }

  /** Counts an answer that refused, and the pause that it began, if none was going on. */
  refused(http: number, pauseMs: number): void {
    this.#refused.inc({ code: http });
    this.#paused('refusal', pauseMs);
  }

  breakerOpened(pauseMs: number): void {
    this.#paused('breaker', pauseMs);
  }

  /** Returns the same port, whose asynchronous methods named in `operations` are timed. */
  timed<Port extends object>(port: Port, operations: Partial<Record<keyof Port, StoreOperation>>): Port {
    const named = new Map<string | symbol, StoreOperation>(Object.entries(operations));
    return new Proxy(port, {
      get: (target, name) => {
        const member: unknown = Reflect.get(target, name);
        if (typeof member !== 'function') return member;
        const operation = named.get(name);
        if (operation === undefined) return member.bind(target);
        return async (...args: unknown[]) => {
          const startedMs = this.#monotonicMs();
          try {
            return await member.apply(target, args);
          } finally {
            this.#store.observe({ operation }, (this.#monotonicMs() - startedMs) / 1000);
          }
        };
      },
    });
  }

  /** Returns what a scrape gets. */
  async page(): Promise<{ readonly type: string; readonly text: string }> {
    return { type: this.#registry.contentType, text: await this.#registry.metrics() };
  }

  #paused(cause: 'refusal' | 'breaker', pauseMs: number): void {
    const nowMs = this.#monotonicMs();
    if (pauseMs > 0 && nowMs >= this.#pausedUntilMs) this.#pauses.inc({ cause });
    this.#pausedUntilMs = Math.max(this.#pausedUntilMs, nowMs + pauseMs);
  }
}

function register(name: string, metric: Metric, view: () => ProcessView, registers: Registry[]): void {
  const { kind: Kind, help, label, read } = metric;
  new Kind({
    name,
    help,
    registers,
    labelNames: label === undefined ? [] : [label],
    collect() {
      this.reset();
      // A metric without a label is 0 after a reset, also in a process that it does not apply to.
      if (label === undefined) this.remove();
      for (const [value, count] of read(view())) this.inc(label === undefined ? {} : { [label]: value }, count);
    },
  });
}
