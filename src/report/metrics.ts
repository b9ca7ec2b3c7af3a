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

/** The metrics whose values are read at a scrape. They cost nothing per row, because srq keeps these counts anyway. */
const HELP = {
  srq_build_info: 'The version of srq; always 1.',
  srq_state: 'The state of the process: 1 for the one that it is in, 0 for the others.',
  srq_rows_total: 'Rows that left the queue, by their status.',
  srq_rows_put_back_total: 'Rows put back into the queue: for later, or for other workers.',
  srq_rows_in_hand: 'Rows that this worker is working on.',
  srq_queue_oldest_age_seconds: 'Age of the oldest row that waits in the queue; 0 if none does.',
  srq_queue_rows: 'Rows in the queue of the account.',
  srq_store_unknown_rows: 'Rows of the store whose outcome is unknown; srq resolve lists them.',
  srq_store_held: '1 while nothing is sent before a person says: srq store resume.',
  srq_requests_in_flight: 'Calls to the service that have begun and are not answered.',
  srq_requests_waiting: 'Calls to the service that wait for their turn.',
  srq_pace_requests_per_second:
    'Calls a second that the pace allows, of all processes that share it; +Inf without a limit.',
  srq_pace_bound_requests_per_second:
    'Calls a second near which the service has refused, or that --rate allows; +Inf if neither is known.',
  srq_pause_remaining_seconds: 'Time for which nobody sends any more.',
  srq_tokens_fetched_total: 'Tokens that this process has got from the service.',
  srq_refused_responses_total: 'Answers that refused a call because of the rate or the load, by their status.',
  srq_pauses_total:
    'Pauses of all sending that this process has caused: by a refusal, or by the breaker after many unknown outcomes.',
} as const;

const LABEL: { readonly [Name in keyof typeof HELP]?: string } = {
  srq_build_info: 'version',
  srq_state: 'state',
  srq_rows_total: 'status',
  srq_refused_responses_total: 'code',
  srq_pauses_total: 'cause',
};

/** A number, or one for each value of the label. A process may not have it, or not yet. */
type Value = number | Readonly<Record<string, number>> | null | undefined;

function valuesOf({ version, state, worker, connection }: ProcessView) {
  const pace = connection?.pace;
  const held = worker?.queue.held;
  return {
    srq_build_info: { [version]: 1 },
    srq_state: Object.fromEntries(STATES.map((each) => [each, each === state ? 1 : 0])),
    srq_rows_total: worker?.ended,
    srq_rows_put_back_total: worker?.putBack,
    srq_rows_in_hand: worker?.inHand,
    srq_queue_oldest_age_seconds: worker?.oldestMs == null ? null : worker.oldestMs / 1000,
    srq_queue_rows: worker?.queue.depth,
    srq_store_unknown_rows: worker?.queue.unknown,
    srq_store_held: held === undefined ? null : Number(held !== null),
    srq_requests_in_flight: connection?.inFlight,
    srq_requests_waiting: connection?.waiting,
    srq_pace_requests_per_second: pace && (pace.ratePerSecond ?? Number.POSITIVE_INFINITY),
    srq_pace_bound_requests_per_second: pace && (pace.boundPerSecond ?? Number.POSITIVE_INFINITY),
    srq_pause_remaining_seconds: pace && pace.pausedMs / 1000,
    srq_tokens_fetched_total: connection?.tokensFetched,
  };
}

/** Adds a metric to a registry. One that the process does not have is left out: a 0 would say that it stands still. */
function register(registry: Registry, name: keyof typeof HELP, value: Value): void {
  if (value == null) return;
  const label = LABEL[name];
  const Kind = name.endsWith('_total') ? Counter : Gauge;
  const metric = new Kind({ name, help: HELP[name], registers: [registry], labelNames: label ? [label] : [] });
  if (typeof value === 'number') metric.inc(value);
  else for (const [each, count] of Object.entries(value)) metric.inc({ [label ?? '']: each }, count);
}

/** The timed operations of the log (`intent`, `outcome`) and of the queue (`take`, `dispose`). */
type StoreOperation = 'intent' | 'outcome' | 'take' | 'dispose';

const BUCKETS_S = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

/** The metrics of this process, in the text format of Prometheus. They hold no personal data. */
export class Metrics {
  readonly #view: () => ProcessView;
  readonly #monotonicMs: Clock['monotonicMs'];
  // Each series begins with 0, because `rate()` does not see an event with which a series begins.
  readonly #refused: Record<string, number> = { 429: 0, 503: 0 };
  readonly #pauses = { refusal: 0, breaker: 0 };
  readonly #times = new Registry();
  readonly #store = new Histogram({
    name: 'srq_store_duration_seconds',
    help: 'Time until the store or the log has kept an intent or an outcome, or the queue has given or disposed of rows.',
    labelNames: ['operation'],
    buckets: BUCKETS_S,
    registers: [this.#times],
  });
  #pausedUntilMs = Number.NEGATIVE_INFINITY;

  constructor(view: () => ProcessView, { monotonicMs }: Clock) {
    this.#view = view;
    this.#monotonicMs = monotonicMs;
  }

  /** Counts an answer that refused, and the pause that it began, if none was going on. */
  refused(http: number, pauseMs: number): void {
    this.#refused[http] = (this.#refused[http] ?? 0) + 1;
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
    const registry = new Registry();
    const own = { srq_refused_responses_total: this.#refused, srq_pauses_total: this.#pauses };
    const values: Readonly<Record<string, Value>> = { ...valuesOf(this.#view()), ...own };
    for (const [name, value] of Object.entries(values)) register(registry, name as keyof typeof HELP, value);
    return { type: registry.contentType, text: (await registry.metrics()) + (await this.#times.metrics()) };
  }

  #paused(cause: 'refusal' | 'breaker', pauseMs: number): void {
    const nowMs = this.#monotonicMs();
    if (pauseMs > 0 && nowMs >= this.#pausedUntilMs) this.#pauses[cause] += 1;
    this.#pausedUntilMs = Math.max(this.#pausedUntilMs, nowMs + pauseMs);
  }
}
