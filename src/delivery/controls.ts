import type { DeliveryLog, LogRecord, MarketplaceApi } from '../request/ports.ts';
import type { ServiceRequest } from '../request/service-request.ts';
import { MAX_CONTROLS, MIN_CONTROLS } from '../request/visibility.ts';
import { runConcurrently } from './run-concurrently.ts';
import type { Submission } from './submit.ts';
import { isAtLeastAsLong, requestKind } from './visibility-prober.ts';

/** A request that is known to be created, so that validate has to call it a duplicate. */
export interface Control {
  readonly key: string;
  readonly request: ServiceRequest;
  /** Time of sending by the log's clock. The service may have processed the request from then on. */
  readonly sentAtMs: number;
}

/** A request in doubt for which controls are searched. */
export interface Doubted {
  readonly request: ServiceRequest;
  /** The time of the first try, by the log's clock. The service may have processed the request from then on. */
  readonly firstTryMs: number;
  /** The latest time at which it may have been sent, by the log's clock. */
  readonly sentAtMs: number;
}

/**
 * Maximum age difference between a control and the request in doubt for both to count as equally old. It is the larger
 * of this time and a tenth of the age of the request in doubt.
 */
const MIN_TOLERANCE_MS = 60_000;
const TOLERANCE = 0.1;
/**
 * Maximum time by which a control may be younger than the request in doubt. A younger one does not show whether the
 * service still remembers that request.
 */
export const MAX_YOUNGER_MS = 60_000;

/** Returns the time of the first try of a request, given the last record of it, by the log's clock. */
export function firstTryMs({ at, ms }: Pick<LogRecord, 'at' | 'ms'>): number {
  return Date.parse(at) - (ms ?? 0);
}

/** Returns the requests that the service itself has confirmed as created, according to the log. */
export async function knownCreated(
  submissions: readonly Submission[],
  log: Pick<DeliveryLog, 'read'>,
): Promise<Control[]> {
  const records = await Promise.all(submissions.map(({ key }) => log.read(key)));
  return submissions.flatMap(({ key, request }, at) => {
    const record = records[at];
    // An outcome that was set by validate or by a person cannot be used to test validate.
    if (record?.event !== 'created' || record.by !== null) return [];
    const sentAtMs = firstTryMs(record);
    return Number.isNaN(sentAtMs) ? [] : [{ key, request, sentAtMs }];
  });
}

/** The controls for one request in doubt. */
export interface Controls {
  readonly all: readonly Control[];
  /**
   * How much older the oldest control is than the request in doubt. After this time, the request in doubt is as old as
   * that control is now.
   */
  readonly olderMs: number;
  /**
   * How much younger all controls are than the request in doubt. After this time, one of them is as old as that request
   * is now.
   */
  readonly youngerMs: number;
}

/**
 * Chooses the controls for a request in doubt: created requests of the same kind and about the same age, those nearest
 * in time. Returns null if there are too few, if none is at least as long as the request, or if all are too young.
 */
export function controlsFor(doubted: Doubted, known: readonly Control[], nowMs: number): Controls | null {
  const kind = requestKind(doubted.request);
  const toleranceMs = Math.max(MIN_TOLERANCE_MS, TOLERANCE * (nowMs - doubted.sentAtMs));
  const distanceMs = ({ sentAtMs }: Control) => Math.max(doubted.firstTryMs - sentAtMs, sentAtMs - doubted.sentAtMs, 0);
  const alike = known
    .filter(({ request }) => requestKind(request) === kind)
    .sort((a, b) => distanceMs(a) - distanceMs(b) || a.sentAtMs - b.sentAtMs);
  const chosen = alike.slice(0, MAX_CONTROLS).filter((control) => distanceMs(control) <= toleranceMs);
  if (chosen.length < MIN_CONTROLS) return null;
  // A lag is judged by the latest time at which the request may have been sent, and a short memory by the earliest.
  const oldestMs = Math.min(...chosen.map(({ sentAtMs }) => sentAtMs));
  const olderMs = Math.max(0, doubted.sentAtMs - oldestMs);
  const youngerMs = Math.max(0, oldestMs - doubted.firstTryMs);
  if (youngerMs > MAX_YOUNGER_MS) return null;
  // A validate that truncates or ignores long texts still sees every shorter request, however old. So one control must
  // be at least as long.
  const isLong = ({ request }: Control) => isAtLeastAsLong(request, doubted.request);
  const long = chosen.find(isLong) ?? alike.find(isLong);
  return long ? { all: [...new Set([...chosen, long])], olderMs, youngerMs } : null;
}

/** The result of a round of controls: how many were asked about, and how many validate called duplicates. */
export interface RoundResult {
  readonly asked: number;
  readonly seen: number;
}

interface AwaitingRound {
  readonly controls: readonly Control[];
  readonly resolve: (round: RoundResult) => void;
  readonly reject: (error: unknown) => void;
}

/** Number of controls asked about at once. The rate limit of the account applies as well. */
const MAX_CONCURRENT = 8;

/**
 * Asks about controls in rounds that all requests in doubt share, similar to a group commit. Callers that arrive during
 * a round wait for the next one, which asks about each of their controls once.
 */
export class ControlRounds {
  readonly #api: Pick<MarketplaceApi, 'validate'>;
  readonly #stopping: AbortSignal;
  #waiting: AwaitingRound[] = [];
  #asking: Promise<void> | null = null;

  constructor(api: Pick<MarketplaceApi, 'validate'>, stopping: AbortSignal) {
    this.#api = api;
    this.#stopping = stopping;
  }

  /** Joins the next round. A round that misses a single control is useless for all its callers. */
  next(controls: readonly Control[]): Promise<RoundResult> {
    const joined = new Promise<RoundResult>((resolve, reject) => {
      this.#waiting.push({ controls, resolve, reject });
    });
    this.#asking ??= this.#askAll();
    return joined;
  }

  async #askAll(): Promise<void> {
    // The loop begins one microtask later, so that all callers of this turn of the event loop join the first round.
    await Promise.resolve();
    while (this.#waiting.length > 0) {
      const joined = this.#waiting;
      this.#waiting = [];
      try {
        const round = await this.#ask(
          new Map(joined.flatMap(({ controls }) => controls.map((each) => [each.key, each]))),
        );
        for (const { resolve } of joined) resolve(round);
      } catch (error) {
        for (const { reject } of joined) reject(error);
      }
    }
    this.#asking = null;
  }

  async #ask(controls: ReadonlyMap<string, Control>): Promise<RoundResult> {
    let seen = 0;
    const asked = runConcurrently(
      requestsOf(controls),
      () => MAX_CONCURRENT,
      async (request) => !this.#stopping.aborted && (await this.#api.validate(request)).verdict === 'duplicate',
    );
    for await (const isSeen of asked) seen += isSeen ? 1 : 0;
    return { asked: controls.size, seen };
  }
}

async function* requestsOf(controls: ReadonlyMap<string, Control>): AsyncGenerator<ServiceRequest> {
  for (const { request } of controls.values()) yield request;
}

/** Number of the latest creations of each kind, all of which are kept. */
const MAX_LATEST = 64;
/**
 * Number of earlier creations that are kept of each minute. A doubt may be settled long after it arose, because the
 * worker that sent it was killed or the store was away, and its controls have to be of its own time.
 */
const MAX_PER_MINUTE = MAX_CONTROLS;
/** Maximum number of creations of all kinds. It is enough for an hour of one kind. */
const MAX_TOTAL = MAX_LATEST + 60 * MAX_PER_MINUTE;
const MINUTE_MS = 60_000;

interface RecordedCreation extends Submission {
  readonly minute: number;
}

/** Creations of one kind, in their order. */
interface Alike {
  readonly latest: RecordedCreation[];
  readonly earlier: RecordedCreation[];
}

/**
 * Remembers what a worker has created: all of the latest requests, and some of each minute before. They serve as
 * controls for doubts, because a worker has no file to read others from.
 */
export class RecentCreations {
  readonly #byKind = new Map<string, Alike>();
  #total = 0;

  /** Adds a request that was created at `atMs`, by any clock that is the same for all. */
  add({ row, request, key }: Submission, atMs: number): void {
    const kind = requestKind(request);
    const alike = this.#byKind.get(kind) ?? { latest: [], earlier: [] };
    this.#byKind.set(kind, alike);
    alike.latest.push({ row, request, key, minute: Math.floor(atMs / MINUTE_MS) });
    this.#total += 1;
    if (alike.latest.length > MAX_LATEST) this.#thin(alike);
    if (this.#total > MAX_TOTAL) this.#forgetOne();
  }

  /** Returns those of one kind, in their order. */
  of(kind: string): readonly Submission[] {
    const { earlier = [], latest = [] } = this.#byKind.get(kind) ?? {};
    return [...earlier, ...latest];
  }

  /** Moves the oldest of the latest to the earlier ones, if not enough of its minute are there. */
  #thin({ latest, earlier }: Alike): void {
    const oldest = latest.shift();
    const before = earlier.at(-MAX_PER_MINUTE);
    if (oldest && before?.minute !== oldest.minute) earlier.push(oldest);
    else this.#total -= 1;
  }

  /** Forgets the oldest of the kind that has most. */
  #forgetOne(): void {
    const sizeOf = ({ latest, earlier }: Alike) => latest.length + earlier.length;
    const most = [...this.#byKind.values()].reduce((one, other) => (sizeOf(other) > sizeOf(one) ? other : one));
    (most.earlier.length > 0 ? most.earlier : most.latest).shift();
    this.#total -= 1;
  }
}
