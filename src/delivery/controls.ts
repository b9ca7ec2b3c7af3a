import type { DeliveryLog, MarketplaceApi } from '../request/ports.ts';
import type { ServiceRequest } from '../request/service-request.ts';
import { MAX_CONTROLS, MIN_CONTROLS } from '../request/visibility.ts';
import { runConcurrently } from './run-concurrently.ts';
import type { Submission } from './submit.ts';
import { isAtLeastAsLong, requestKind } from './visibility-prober.ts';

/** A request that is known to be created, and when: validate has to call it a duplicate. */
export interface Control {
  readonly key: string;
  readonly request: ServiceRequest;
  /** When it was sent, by the log's clock; the service may have acted on it from then on. */
  readonly sentAtMs: number;
}

/** A request in doubt, for whoever looks for controls. */
export interface Doubted {
  readonly request: ServiceRequest;
  /** When it was sent at the latest, by the log's clock. */
  readonly sentAtMs: number;
}

/** As old as a doubt is a request whose age differs by no more than this, or by a tenth of the doubt's age. */
const MIN_TOLERANCE_MS = 60_000;
const TOLERANCE = 0.1;
/** A control that is younger than the doubt by more than this says nothing of whether the service still remembers the doubt. */
const MAX_YOUNGER_MS = 60_000;

/** Those of these requests that the log knows to be created, by the service's own word, with their times. */
export async function knownCreated(
  submissions: readonly Submission[],
  log: Pick<DeliveryLog, 'read'>,
): Promise<Control[]> {
  const records = await Promise.all(submissions.map(({ key }) => log.read(key)));
  return submissions.flatMap(({ key, request }, at) => {
    const record = records[at];
    // What validate or a person has said of a request is no measure for what validate says.
    if (record?.event !== 'created' || record.by !== null) return [];
    const sentAtMs = Date.parse(record.at) - (record.ms ?? 0);
    return Number.isNaN(sentAtMs) ? [] : [{ key, request, sentAtMs }];
  });
}

/** The controls for one doubt. */
export interface Controls {
  readonly all: readonly Control[];
  /** By how much the oldest is older than the doubt: so much later the doubt is as old as that was. */
  readonly olderMs: number;
  /** By how much all are younger than the doubt: so much later one of them is as old as the doubt was. */
  readonly youngerMs: number;
}

/**
 * The controls for a doubt that is so old by now: like it, as old as it, the nearest in time. Null if none could speak for
 * it: there are too few, or none that is as long, or none that is old enough.
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
  // A validate that cuts or ignores long texts sees every shorter request; that has nothing to do with when they were sent.
  const isLong = ({ request }: Control) => isAtLeastAsLong(request, doubted.request);
  const long = chosen.find(isLong) ?? alike.find(isLong);
  return long ? { all: [...new Set([...chosen, long])], olderMs, youngerMs } : null;
}

/** What validate said of controls: how many were asked about, and how many it called duplicates. */
export interface Round {
  readonly asked: number;
  readonly seen: number;
}

interface AwaitingRound {
  readonly controls: readonly Control[];
  readonly resolve: (round: Round) => void;
  readonly reject: (error: unknown) => void;
}

/** Questions about controls side by side; they take their turns at the account's pace all the same. */
const ASKED_AT_ONCE = 8;

/**
 * Asks about controls in rounds that all doubts share, like a group commit: who comes while a round is under way waits for
 * the next one, in which the controls of all who wait are asked about once each.
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

  /** The next round to begin. One that misses a single control is worth nothing to anybody in it. */
  next(controls: readonly Control[]): Promise<Round> {
    const joined = new Promise<Round>((resolve, reject) => {
      this.#waiting.push({ controls, resolve, reject });
    });
    this.#asking ??= this.#askAll();
    return joined;
  }

  async #askAll(): Promise<void> {
    // Whoever is ripe in this turn of the event loop is in the first round.
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

  async #ask(controls: ReadonlyMap<string, Control>): Promise<Round> {
    let seen = 0;
    const asked = runConcurrently(
      requestsOf(controls),
      () => ASKED_AT_ONCE,
      async (request) => !this.#stopping.aborted && (await this.#api.validate(request)).verdict === 'duplicate',
    );
    for await (const isSeen of asked) seen += isSeen ? 1 : 0;
    return { asked: controls.size, seen };
  }
}

async function* requestsOf(controls: ReadonlyMap<string, Control>): AsyncGenerator<ServiceRequest> {
  for (const { request } of controls.values()) yield request;
}

/** So many of one kind are enough for whatever doubt is near in time; and so many in all bound the memory. */
const MAX_OF_KIND = 64;
const MAX_COUNT = 256;

/** The last requests that a worker has created: controls for its doubts, as it has no file to read others from. */
export class RecentCreations {
  readonly #byKind = new Map<string, Submission[]>();

  add({ row, request, key }: Submission): void {
    const kind = requestKind(request);
    const alike = this.of(kind);
    this.#byKind.set(kind, [...alike.slice(1 - MAX_OF_KIND), { row, request, key }]);
    const all = [...this.#byKind.values()];
    if (all.reduce((sum, { length }) => sum + length, 0) <= MAX_COUNT) return;
    // What there is most of can spare one.
    all.reduce((most, each) => (each.length > most.length ? each : most)).shift();
  }

  of(kind: string): readonly Submission[] {
    return this.#byKind.get(kind) ?? [];
  }
}
