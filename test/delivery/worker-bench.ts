import { CONTINUE } from '../../src/delivery/breaker.ts';
import { type QueueWorkerOptions, runWorker, type WorkerDeps } from '../../src/delivery/consume.ts';
import { VisibilityProber } from '../../src/delivery/visibility-prober.ts';
import type { SrqError } from '../../src/request/errors.ts';
import type { Outcome } from '../../src/request/outcome.ts';
import type { DeliveryLog, MarketplaceApi } from '../../src/request/ports.ts';
import type { JobDecision, Lane, RequestQueue, TakenRequest } from '../../src/request/request-queue.ts';
import type { LoggedState } from '../../src/request/status.ts';
import { VirtualClock } from '../helpers/virtual-clock.ts';
import { trustedEvidence } from './settling.ts';

export const BEGUN_MS = Date.UTC(2026, 0, 1);
export const PERSONAL = 'Inês Exemplo, +351912345678';
const OPTIONS: QueueWorkerOptions = {
  ...({ validate: false, onDuplicate: 'skip', again: false, concurrency: 4, untilEmpty: false } as const),
  ...{ settles: true, settleMs: null, missingMs: 60_000 },
};

export const taken = (row: number, lane: Lane = 'requests', mayTryAgain = true): TakenRequest => ({
  ...{
    key: `k${row}`,
    row,
    lane,
    mayTryAgain,
    hasExpired: false,
    isUnreadable: false,
    passedBy: [],
    isPassedOn: false,
  },
  request: { params: { request_text: String(row) }, audio: null, ref: null },
});

export const created = (row: number): Outcome => ({
  ...{ status: 'created', ids: { id: String(row) }, http: 201, message: null, raw: null, ms: 1 },
});

/** A fault of ours; what it says is somebody's. */
export const fault = (): never => {
  throw new TypeError(PERSONAL);
};

/** A worker with a queue, a log and a service in memory. Each create and validate takes a second. */
export class Bench {
  readonly clock = new VirtualClock();
  readonly halt = new AbortController();
  readonly waiting: TakenRequest[];
  readonly disposed = new Map<number, JobDecision['is']>();
  readonly decisions = new Map<number, JobDecision>();
  readonly passedOn: number[] = [];
  readonly states = new Map<string, LoggedState>();
  readonly began: number[] = [];
  readonly told: string[] = [];
  /** For how long the oldest of the other living processes has been working. */
  oldestProcessMs = Number.POSITIVE_INFINITY;
  /** How many requests it says that it has in hand. */
  inFlight = 0;
  create: (row: number) => Promise<void> = async () => {};
  validate: (row: number) => Promise<void> = async () => {};
  changes: Partial<WorkerDeps> = {};

  constructor(waiting: readonly TakenRequest[]) {
    this.waiting = [...waiting];
    for (const { key, lane } of waiting) if (lane === 'doubts') this.states.set(key, 'unknown');
  }

  readonly queue: RequestQueue = {
    add: async () => 0,
    take: async (lane, count) => {
      const found = this.waiting.filter((each) => each.lane === lane).slice(0, count);
      for (const each of found) this.waiting.splice(this.waiting.indexOf(each), 1);
      for (const { row } of found) this.told.push(`took ${row}`);
      return found;
    },
    dispose: async ({ row }, decision) => {
      this.disposed.set(row, decision.is);
      this.decisions.set(row, decision);
      if (decision.is === 'moved' && decision.isPassedOn) this.passedOn.push(row);
    },
    reclaim: async () => 0,
    depth: async () => fault(),
    hasOtherWitness: async (_, ageMs) => this.oldestProcessMs >= ageMs,
    isEmpty: async () => this.waiting.length === 0,
  };

  readonly log: DeliveryLog = {
    run: 'run',
    writeLeaseMs: null,
    nowMs: () => BEGUN_MS + this.clock.nowMs(),
    lookup: (key) => this.states.get(key) ?? 'none',
    prefetch: async () => {},
    sending: async ({ key }) => Boolean(this.states.set(key, 'sending')),
    outcome: async ({ key }, { status }) => Boolean(this.states.set(key, status)),
    licence: async ({ key }) => Boolean(this.states.set(key, 'licensed')),
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
    confirm: async () => null,
    slowDown: () => {},
    validate: async ({ params }) => {
      await this.clock.sleep(1_000);
      await this.validate(Number(params['request_text']));
      return { verdict: 'duplicate', ids: {}, http: 200, message: null, refused: null, raw: null };
    },
    create: async ({ params }, intend) => {
      const row = Number(params['request_text']);
      this.began.push(row);
      if (!(await intend())) return null;
      await this.clock.sleep(1_000);
      await this.create(row);
      return { outcome: created(row), stop: null, unproven: null, hasRemark: false };
    },
  };

  async run(options: Partial<QueueWorkerOptions> = {}): Promise<SrqError | null> {
    const { clock, halt, api, log, queue } = this;
    const deps: WorkerDeps = {
      ...{ api, log, queue, clock, halt },
      prober: new VisibilityProber(api, clock, halt.signal, trustedEvidence(BEGUN_MS, '--/0/text')),
      evidence: async () => trustedEvidence(BEGUN_MS, '--/0/text'),
      breaker: { observe: async () => CONTINUE },
      hold: () => {},
      isProxied: false,
      isFamiliar: false,
      refusal: () => null,
      watch: {
        began: () => (this.inFlight += 1),
        ended: () => (this.inFlight -= 1),
        gaveBack: () => (this.inFlight -= 1),
        ending: ({ code }) => this.told.push(`ending: ${code}, aborted ${halt.signal.aborted}`),
        reclaimed: () => {},
        breakerOpened: () => {},
      },
      ...this.changes,
    };
    return clock.until(runWorker(deps, { ...OPTIONS, ...options }));
  }

  /** The rows that were taken and of which nothing was told to the queue. */
  get kept(): number[] {
    const rows = this.told.flatMap((each) => (each.startsWith('took ') ? [Number(each.slice(5))] : []));
    return rows.filter((row) => !this.disposed.has(row));
  }
}

export const rows = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, at) => from + at);
