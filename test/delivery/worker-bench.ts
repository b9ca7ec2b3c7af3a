import { type QueueWorkerOptions, runWorker, type WorkerDeps } from '../../src/delivery/consume.ts';
import type { Outcome } from '../../src/request/log/outcome.ts';
import type { NextStep, RequestQueue, TakenRequest } from '../../src/request/log/request-queue.ts';
import type { LoggedState } from '../../src/request/log/status.ts';
import type { CreateResult, DeliveryLog, MarketplaceApi } from '../../src/request/ports.ts';
import type { SrqError } from '../../src/request/words/errors.ts';
import { VirtualClock } from '../helpers/virtual-clock.ts';

const BEGUN_MS = Date.UTC(2026, 0, 1);
export const PERSONAL = 'Inês Exemplo, +351912345678';
const OPTIONS: QueueWorkerOptions = {
  ...({ validate: false, onDuplicate: 'skip', again: false, concurrency: 4, untilEmpty: false } as const),
};

export const taken = (row: number, { isOver = false, isSpoilt = false } = {}): TakenRequest => ({
  ...{ key: `k${row}`, row, isOver, isSpoilt },
  request: { params: { request_text: String(row) }, audio: null, ref: null },
});

const created = (row: number): Outcome => ({
  ...{ status: 'created', ids: { id: String(row) }, http: 201, message: null, raw: null, ms: 1 },
});

/** What a create of a service ends with that does not answer. */
export const UNKNOWN: CreateResult = {
  outcome: { ...created(1), status: 'unknown', ids: {} },
  ...{ stop: null, unproven: null, sameAs: null },
};

/** A fault of ours; what it says is somebody's. */
export const fault = (): never => {
  throw new TypeError(PERSONAL);
};

/** A worker with a queue, a log and a service in memory. Each create and validate takes a second. */
export class Bench {
  readonly clock = new VirtualClock();
  readonly halt = new AbortController();
  readonly waiting: TakenRequest[];
  /** What the worker told of each row, and what it told the queue beside what is in the log. */
  readonly disposed = new Map<number, NextStep>();
  readonly toQueue = new Map<string, 'back' | 'later' | 'drop'>();
  readonly states = new Map<string, LoggedState>();
  /** What the worker knows of them. */
  readonly #known = new Map<string, LoggedState>();
  readonly began: number[] = [];
  readonly told: string[] = [];
  /** How many requests it says that it has in hand. */
  inFlight = 0;
  create: (row: number) => Promise<void> = async () => {};
  validate: (row: number) => Promise<void> = async () => {};
  changes: Partial<WorkerDeps> = {};

  constructor(waiting: readonly TakenRequest[]) {
    this.waiting = [...waiting];
  }

  readonly queue: RequestQueue = {
    add: async () => 0,
    take: async (count) => {
      const found = this.waiting.splice(0, count);
      for (const { row } of found) this.told.push(`took ${row}`);
      return found;
    },
    giveBack: async (keys, isTried) => {
      for (const key of keys) this.toQueue.set(key, isTried ? 'later' : 'back');
    },
    drop: async (keys) => {
      for (const key of keys) this.toQueue.set(key, 'drop');
    },
    depth: async () => fault(),
    isEmpty: async () => this.waiting.length === 0,
  };

  #record(key: string, state: LoggedState): boolean {
    this.states.set(key, state);
    this.#known.set(key, state);
    return true;
  }

  readonly log: DeliveryLog = {
    run: 'run',
    writeLeaseMs: null,
    nowMs: () => BEGUN_MS + this.clock.nowMs(),
    lookup: (key) => this.#known.get(key) ?? 'none',
    prefetch: async (keys) => {
      for (const key of keys) this.#known.set(key, this.states.get(key) ?? 'none');
    },
    sending: async ({ key }) => this.#record(key, 'sending'),
    outcome: async ({ key }, { status }) => this.#record(key, status),
    licence: async ({ key }) => this.#record(key, 'licensed'),
    mayBeUnderWay: () => false,
    read: (key) => ({
      ...{
        key,
        row: 0,
        ref: null,
        event: 'unknown',
        at: new Date(BEGUN_MS).toISOString(),
        run: 'r',
        ids: {},
        http: null,
      },
      ...{ ms: null, message: null, raw: null, by: null, again: false },
    }),
  };

  readonly api: MarketplaceApi = {
    idempotencyWindowMs: null,
    wireForm: null,
    slowDown: () => {},
    noteSent: () => {},
    prove: async () => null,
    look: async () => fault(),
    invented: fault,
    tellApart: fault,
    validate: async ({ params }) => {
      await this.clock.sleep(1_000);
      await this.validate(Number(params['request_text']));
      return { verdict: 'clear', form: null, ids: {}, http: 200, message: null, refused: null, raw: null };
    },
    create: async ({ params }, intend) => {
      const row = Number(params['request_text']);
      this.began.push(row);
      if (!(await intend())) return null;
      await this.clock.sleep(1_000);
      await this.create(row);
      return { outcome: created(row), stop: null, unproven: null, sameAs: null };
    },
  };

  async run(options: Partial<QueueWorkerOptions> = {}): Promise<SrqError | null> {
    const { clock, halt, api, log, queue } = this;
    const deps: WorkerDeps = {
      ...{ api, log, queue, clock, halt },
      isFamiliar: false,
      watch: {
        began: () => (this.inFlight += 1),
        ended: ({ row }, _, next) => {
          this.inFlight -= 1;
          this.disposed.set(row, next);
        },
        gaveBack: () => (this.inFlight -= 1),
        ending: ({ code }) => this.told.push(`ending: ${code}, aborted ${halt.signal.aborted}`),
        breakerOpened: () => {},
      },
      ...this.changes,
    };
    return clock.until(runWorker(deps, { ...OPTIONS, ...options }));
  }

  /** The rows that were taken and of which neither the log nor the queue was told anything. */
  get kept(): number[] {
    const rows = this.told.flatMap((each) => (each.startsWith('took ') ? [Number(each.slice(5))] : []));
    return rows.filter((row) => !this.toQueue.has(`k${row}`) && !this.states.has(`k${row}`));
  }
}

export const rows = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, at) => from + at);
