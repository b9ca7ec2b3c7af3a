import { setMaxListeners } from 'node:events';
import { memoize } from '../request/memoize.ts';
import type { Clock, DeliveryLog, MarketplaceApi, ValidateResult } from '../request/ports.ts';
import type { ServiceRequest } from '../request/service-request.ts';
import {
  isTrusted,
  MAX_VISIBILITY_LAG_MS,
  mayContinue,
  mergeVisibilityHistories,
  NO_VISIBILITY_HISTORY,
  type VisibilityHistory,
  type VisibilityProbe,
  type VisibilityStats,
  visibilityStats,
  wouldBeTrusted,
} from '../request/visibility.ts';
import { AUDIO_PARAMETER } from '../request/wire.ts';
import type { Submission } from './submit.ts';

/** The first creations of each kind are looked at, fewer where validate is trusted, and then one in so many. */
const FIRST_LOOKS = 3;
const FIRST_LOOKS_TRUSTED = 1;
const LOOK_EVERY = 500;
/** Looks under way at once: they are asked at the pace of the run itself. */
const MAX_UNDER_WAY = 32;
/** Asked after 0, 1, 2, 4, … seconds, but not more rarely than this. */
const MAX_PAUSE_MS = 64_000;
/** A finished run waits so long for answers that are due; what is not answered then stays open. */
const FAREWELL_MS = 2_000;

/** What validate is known to see, for whoever wants to believe it. */
export interface Proof {
  sight(kind: string): VisibilityStats;
  /** Whether it is not trusted yet, but may be once the looks under way have ended. */
  mayComeYet(kind: string): boolean;
}

/** What is proven by now, for whoever does not wait for more. */
export function keptProof(evidence: () => VisibilityHistory, nowMs: () => number): Proof {
  return { sight: (kind) => visibilityStats(evidence(), kind, nowMs()), mayComeYet: () => false };
}

/** The clock with the time by which the log dates its records: ages of records count by that. */
export function datedBy(log: Pick<DeliveryLog, 'nowMs'>, clock: Clock): Clock {
  return { ...clock, nowMs: () => log.nowMs() };
}

/**
 * Finds out whether validate sees what was created, by asking about created requests again, beside the run. Only requests
 * that validate called clear before tell anything: one that calls everything a duplicate must not be believed.
 */
export class VisibilityProber implements Proof {
  readonly #api: Pick<MarketplaceApi, 'validate'>;
  readonly #clock: Clock;
  readonly #stopping: AbortSignal;
  readonly #keep: (evidence: VisibilityHistory) => void;
  readonly #leaving = new AbortController();
  readonly #created = new Map<string, number>();
  readonly #underWay = new Map<string, VisibilityProbe>();
  readonly #looking = new Set<Promise<unknown>>();
  #evidence: VisibilityHistory;

  /** `keep` is told of every look as it begins and ends, so that a killed run hides none. */
  constructor(
    api: Pick<MarketplaceApi, 'validate'>,
    clock: Clock,
    stopping: AbortSignal,
    known: VisibilityHistory | null,
    keep: (evidence: VisibilityHistory) => void = () => {},
  ) {
    this.#api = api;
    this.#clock = clock;
    this.#stopping = stopping;
    this.#evidence = known ?? NO_VISIBILITY_HISTORY;
    this.#keep = keep;
    // Every look under way may be sleeping.
    setMaxListeners(0, this.#leaving.signal);
  }

  get evidence(): VisibilityHistory {
    return this.#evidence;
  }

  /** Looks of earlier runs that this one could go on with, by the keys of their requests. */
  get leftOpen(): ReadonlySet<string> {
    const nowMs = this.#clock.nowMs();
    return new Set(this.#evidence.looks.filter((look) => mayContinue(look, nowMs)).map(({ key }) => key));
  }

  sight(kind: string): VisibilityStats {
    return visibilityStats(this.#evidence, kind, this.#clock.nowMs());
  }

  mayComeYet(kind: string): boolean {
    if (this.#left()) return false;
    const sight = this.sight(kind);
    const underWay = [...this.#underWay.values()].filter((look) => look.kind === kind).length;
    return !isTrusted(sight) && wouldBeTrusted(sight, underWay);
  }

  /** Whether there is a kind of requests for which validate is trusted, or may yet be. */
  isHopeful(): boolean {
    const kinds = new Set(this.#evidence.looks.map(({ kind }) => kind));
    return [...kinds].some((kind) => isTrusted(this.sight(kind)) || this.mayComeYet(kind));
  }

  /** Notes a creation that validate had called clear before. Looks at some of them in the background. */
  created({ key, request }: Pick<Submission, 'key' | 'request'>): void {
    const kind = requestKind(request);
    const count = (this.#created.get(kind) ?? 0) + 1;
    this.#created.set(kind, count);
    if (count % LOOK_EVERY !== 0 && !this.#isOneOfTheFirst(kind, count)) return;
    this.#begin(request, { key, kind, createdAtMs: this.#clock.nowMs(), end: 'open', afterMs: 0 });
  }

  /** Goes on with the look of an earlier run at this request, if there is one. */
  resume({ key, request }: Pick<Submission, 'key' | 'request'>): void {
    const nowMs = this.#clock.nowMs();
    const look = this.#evidence.looks.findLast((each) => each.key === key && mayContinue(each, nowMs));
    if (look && look.createdAtMs <= nowMs) this.#begin(request, look);
  }

  /** Ends the looking. What was not found yet stays open, for a later run. */
  async end(): Promise<void> {
    this.#leaving.abort();
    const answered = new AbortController();
    const asking = Promise.allSettled(this.#looking).then(() => answered.abort());
    await Promise.race([asking, this.#clock.sleep(FAREWELL_MS, answered.signal)]);
  }

  #isOneOfTheFirst(kind: string, count: number): boolean {
    if (count > FIRST_LOOKS) return false;
    return count <= (isTrusted(this.sight(kind)) ? FIRST_LOOKS_TRUSTED : FIRST_LOOKS);
  }

  #begin(request: ServiceRequest, look: VisibilityProbe): void {
    if (this.#underWay.size >= MAX_UNDER_WAY || this.#underWay.has(look.key)) return;
    this.#note(look);
    const looking: Promise<void> = this.#look(request, look).finally(() => {
      this.#looking.delete(looking);
      this.#underWay.delete(look.key);
      this.#keep(this.#evidence);
    });
    this.#looking.add(looking);
    this.#keep(this.#evidence);
  }

  async #look(request: ServiceRequest, begun: VisibilityProbe): Promise<void> {
    const beganMs = this.#clock.monotonicMs() - (this.#clock.nowMs() - begun.createdAtMs);
    let look = begun;
    for (let pauseMs = 1000; look.end === 'open'; pauseMs = Math.min(2 * pauseMs, MAX_PAUSE_MS)) {
      // A service that cannot be asked any more is the run's to tell about.
      const answer = await this.#api.validate(request).catch(() => null);
      if (!answer || this.#stopping.aborted) return;
      const tookMs = Math.max(0, Math.round(this.#clock.monotonicMs() - beganMs));
      look = lookedAt(look, answer, tookMs);
      this.#note(look);
      // Nobody could read an answer for so long: a later run may.
      if (this.#leaving.signal.aborted || tookMs > MAX_VISIBILITY_LAG_MS) return;
      if (look.end === 'open') await this.#clock.sleep(pauseMs, this.#leaving.signal);
      if (this.#left()) return;
    }
  }

  /** The state of a look under way. */
  #note(look: VisibilityProbe): void {
    this.#underWay.set(look.key, look);
    this.#evidence = mergeVisibilityHistories(this.#evidence, { looks: [look] });
  }

  #left(): boolean {
    return this.#leaving.signal.aborted || this.#stopping.aborted;
  }
}

/** What a look has come to by one more answer, so long after the creation. Pure. */
function lookedAt(look: VisibilityProbe, { verdict }: ValidateResult, tookMs: number): VisibilityProbe {
  if (verdict === 'unknown') return look;
  if (verdict === 'clear') return { ...look, end: tookMs > MAX_VISIBILITY_LAG_MS ? 'unseen' : 'open', afterMs: tookMs };
  if (tookMs <= MAX_VISIBILITY_LAG_MS) return { ...look, end: 'seen', afterMs: tookMs };
  return { ...look, end: look.afterMs < MAX_VISIBILITY_LAG_MS ? 'late' : 'unseen', afterMs: tookMs };
}

/**
 * Lower bounds of the length classes in bytes, powers of four. Texts of one class go through the same fields, forms and
 * indexes.
 */
const CLASS_BOUNDS = [256, 1024, 4096] as const;

interface Likeness {
  readonly kind: string;
  /** Size of the part that may be cut on its way: the text, or the recording in its place. */
  readonly bytes: number;
  readonly letters: number;
}

const likenessOf = memoize(({ params, audio }: ServiceRequest): Likeness => {
  const recording = params[AUDIO_PARAMETER];
  const isRecorded = audio !== null || recording !== undefined;
  const text = (isRecorded ? recording : params['request_text']) ?? '';
  const bytes = audio ? audio.sizeBytes : Buffer.byteLength(text);
  const lengthClass = CLASS_BOUNDS.filter((bound) => bytes >= bound).length;
  // A market that is not a code is foreign text, and is not kept.
  const market = /^[A-Z]{2}$/.exec(params['country'] ?? '')?.[0] ?? '--';
  return { kind: `${market}/${lengthClass}/${isRecorded ? 'audio' : 'text'}`, bytes, letters: text.length };
});

/**
 * Returns the kind of a request: its market, its length class, and whether it is a recording. A service may treat
 * requests of one kind alike, and what validate has shown of one kind says nothing about another.
 */
export function requestKind(request: ServiceRequest): string {
  return likenessOf(request).kind;
}

/**
 * Tells whether anything that cuts or ignores the longer of two requests would do so to the first one, too. Both bytes
 * and letters are compared, because some services count one and some the other.
 */
export function isAtLeastAsLong(request: ServiceRequest, other: ServiceRequest): boolean {
  const [one, two] = [likenessOf(request), likenessOf(other)];
  return one.bytes >= two.bytes && one.letters >= two.letters;
}
