import type { DeliveryLog, MarketplaceApi } from '../request/ports.ts';
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
const MAX_YOUNGER_MS = 60_000;

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
    const sentAtMs = Date.parse(record.at) - (record.ms ?? 0);
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
  const distanceMs = ({ sentAtMs }: Control) => Math.abs(sentAtMs - doubted.sentAtMs);
  const alike = known
    .filter(({ request }) => requestKind(request) === kind)
    .sort((a, b) => distanceMs(a) - distanceMs(b));
  const chosen = alike.slice(0, MAX_CONTROLS).filter((control) => distanceMs(control) <= toleranceMs);
  if (chosen.length < MIN_CONTROLS) return null;
  const youngerByMs = chosen.map(({ sentAtMs }) => sentAtMs - doubted.sentAtMs);
  const olderMs = Math.max(0, -Math.min(...youngerByMs));
  const youngerMs = Math.max(0, Math.min(...youngerByMs));
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

/**
 * Maximum number of created requests that are kept for each kind, and in total. The first limit is enough for any
 * request in doubt that is near in time, and the second bounds the memory.
 */
const MAX_PER_KIND = 64;
const MAX_TOTAL = 256;

/**
 * The latest requests that a worker has created. They serve as controls for its requests in doubt, because a worker has
 * no file to read others from.
 */
export class RecentCreations {
  readonly #byKind = new Map<string, Submission[]>();

  add({ row, request, key }: Submission): void {
    const kind = requestKind(request);
    const alike = this.of(kind);
    this.#byKind.set(kind, [...alike.slice(1 - MAX_PER_KIND), { row, request, key }]);
    const all = [...this.#byKind.values()];
    if (all.reduce((sum, { length }) => sum + length, 0) <= MAX_TOTAL) return;
    // One request of the most frequent kind is dropped.
    all.reduce((most, each) => (each.length > most.length ? each : most)).shift();
  }

  of(kind: string): readonly Submission[] {
    return this.#byKind.get(kind) ?? [];
  }
}
