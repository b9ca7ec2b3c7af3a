import type { Admission, ChosenRate, LearnedPace, RateAnswer } from './permits.ts';

/** Maximum pause. For a longer one the run stops and can be resumed. */
export const MAX_PAUSE_MS = 15 * 60_000;

const START_PER_SECOND = 10;
const MIN_PER_SECOND = 1 / 60;
/** Number of first calls that are not spaced while no limit is known: validate, create, and one more. */
const UNSPACED = 3;
/** Maximum delay that may be caught up. Timers wake a millisecond or two late. */
const LATE_MS = 10;
/** Minimum time in which the rate doubles, before the first refusal. */
const DOUBLING_MS = 50;
/** A refusal cuts the rate to the first share. The climb flattens at the second one. */
const CUT = { to: 0.7, plateau: 0.92 };
/** The first refusal comes after a doubling, so the rate may be far too high. */
const FIRST_CUT = { to: 0.25, plateau: 0.5 };
/** Minimum time and number of sends from a cut back to the plateau. */
const CLIMB_MS = 15_000;
const CLIMB_SENDS = 100;
/** After this many taken requests a refusal is rare. At the harmless rate or below it is then no reason to go slower. */
const RARE_ONE_IN = 20;
const HARMLESS_PER_SECOND = 5;
/** A service that refuses for this long counts over a long time, so the rate that it took is the better measure. */
const LONG_REFUSAL_MS = 5_000;

/** Number of requests in flight at the start if the last run met no limit. */
const KNOWN_PLACES = 3;
/** Number of answers per place, and in all, after which the answer times are judged. */
const ANSWERS_PER_PLACE = 2;
const MIN_ANSWERS = 4;
const SHRINK = 0.8;
/** The number in flight is to blame for a refusal if fewer requests than this were taken at it or above. */
const BLAME_BELOW = 12;
/** Time after which one more may be in flight than the number that was blamed allows. */
const RAISE_MS = 20_000;
const MAX_RAISE_MS = 600_000;
/** Minimum time after which an unanswered request is a sign of overload, not of a broken connection. */
const OVERLOAD_MS = 5_000;

/** The pauses after one refusal, two, and so on. The first is short: most services have refilled a bucket by then. */
const BACKOFFS_MS = [1_000, 4_000, 8_000, 16_000, 32_000];
const MAX_BACKOFF_MS = 60_000;
const MIN_JITTER_MS = 100;
const MAX_JITTER_MS = 5_000;

export interface PaceOptions {
  readonly rate: ChosenRate;
  /** Maximum number of requests in flight. */
  readonly concurrency: number;
  /** Returns a random number from 0 (inclusive) to 1 (exclusive). */
  readonly random: () => number;
  readonly learned?: LearnedPace | null;
}

/** A request that was sent, or may be sent. */
export type Permit = ReturnType<Pace['sent']>;

/** The state of a pace. */
type PaceRecord = ReturnType<typeof firstRecord>;

/**
 * Controls how fast the calls of one account may go, validate among them. Only requests for tokens do not pass here.
 * Three limits apply together:
 * - a rate, which doubles until the first refusal and afterwards climbs like CUBIC (RFC 9438): fast at first, flat
 *   around the rate that was refused, and faster again beyond it;
 * - a number in flight, which grows as long as the answers do not become slower;
 * - a pause after a refusal. One request is then sent as a probe, and the others follow only if it is taken.
 *
 * With the rate `max` only the pause applies. The two others are kept, but not used.
 *
 * It has no timer and no clock; `nowMs` is a monotonic time in milliseconds. For each request call `ask` until it
 * returns `now`, `sent` in the same turn of the event loop, and `answered` with the permit exactly once.
 */
export class Pace {
  readonly record: PaceRecord;
  readonly #options: PaceOptions;

  constructor(options: PaceOptions) {
    this.#options = options;
    this.record = firstRecord(options);
  }

  ask(nowMs: number, waiting = 1): Admission {
    if (waiting === 0) return { is: 'after-answer' };
    const { places, plateau, nextMs, refusing, inFlight, lastNumber } = this.record;
    const { rate, concurrency } = this.#options;
    const holdMs = this.pausedMs(nowMs);
    if (holdMs > MAX_PAUSE_MS) return { is: 'too-late', waitMs: holdMs };
    const most = rate === 'max' ? concurrency : Math.min(concurrency, Math.floor(places));
    if (inFlight >= most || (refusing !== null && refusing.probe !== null)) return { is: 'after-answer' };
    const isOpening = rate === 'auto' && plateau === null && lastNumber < UNSPACED;
    const waitMs = Math.max(holdMs, rate === 'max' || isOpening ? 0 : nextMs - nowMs);
    return waitMs > 0 ? { is: 'later', waitMs } : { is: 'now' };
  }

  /** Records that a request is sent. Its level is the number in flight then, including itself. */
  sent(nowMs: number, operation: string) {
    const { record } = this;
    record.sinceMs ??= nowMs;
    record.inFlight += 1;
    const hasPlaces = record.places < 2 || record.inFlight < Math.floor(record.places);
    /** Whether the rate alone held it back, so that a higher rate would have been used. */
    const isPaced = hasPlaces && record.nextMs >= nowMs - LATE_MS;
    record.lastNumber += 1;
    record.nextMs = Math.max(record.nextMs, nowMs - LATE_MS) + 1000 / record.perSecond;
    if (record.refusing) record.refusing.probe = record.lastNumber;
    return { number: record.lastNumber, operation, sentMs: nowMs, level: record.inFlight, isPaced };
  }

  /** Records that a request was answered, or never will be. */
  answered(permit: Permit, nowMs: number, { kind, pauseMs }: RateAnswer): void {
    const { record } = this;
    const { number } = permit;
    record.inFlight -= 1;
    if (kind === 'ok' || kind === 'declined') this.#taken(permit, nowMs, kind === 'ok');
    else if (record.refusing?.probe === number) record.refusing.probe = null;
    const isSilent = kind === 'unanswered' && nowMs - permit.sentMs >= OVERLOAD_MS;
    // Those that were sent before the last cut are refused for the same reason.
    const isEcho = number <= record.cutNumber;
    if (!isEcho && (isSilent || kind === 'throttled' || kind === 'overloaded'))
      this.#refused(permit.level, nowMs, kind);
    if (pauseMs !== null) this.hold(nowMs, pauseMs);
  }

  /** Reduces the rate by this factor, for the caller's breaker. It climbs back to where it was, and that is remembered. */
  slowDown(share: number): void {
    const { record } = this;
    settle(record, record.perSecond * share, record.plateau ?? record.perSecond);
    record.cutNumber = record.lastNumber;
  }

  /**
   * Extends the pause to what the service or the breaker asks for, and a random part more, so that many clients do not
   * come back together. It never shortens a pause.
   */
  hold(nowMs: number, pauseMs: number): void {
    const jitterMs = this.#options.random() * Math.min(MAX_JITTER_MS, Math.max(MIN_JITTER_MS, pauseMs / 10));
    const spreadMs = pauseMs > MAX_PAUSE_MS ? pauseMs : Math.min(MAX_PAUSE_MS, pauseMs + jitterMs);
    this.record.untilMs = Math.max(this.record.untilMs, nowMs + spreadMs);
  }

  /** Returns how much longer all sending is paused, or 0. */
  pausedMs(nowMs: number): number {
    return Math.max(0, this.record.untilMs - nowMs);
  }

  /**
   * Returns the pace at one moment, for display: the allowed requests per second, or null if no limit applies; the rate that the
   * user has set, or near which the service has refused, or null if neither is known; and for how long all sending is paused.
   */
  pace(nowMs: number) {
    const { perSecond, plateau } = this.record;
    const isPaced = this.#options.rate !== 'max';
    const pausedMs = this.pausedMs(nowMs);
    return { ratePerSecond: isPaced ? perSecond : null, boundPerSecond: isPaced ? plateau : null, pausedMs };
  }

  /** Returns what was learned, for the next run, or null if the user chose the rate, so that nothing was learned. */
  learned(): LearnedPace | null {
    const { perSecond, plateau, ceiling } = this.record;
    if (this.#options.rate !== 'auto') return null;
    const concurrency = Math.min(this.#options.concurrency, ceiling ?? Number.POSITIVE_INFINITY);
    return { ratePerSecond: Math.max(plateau ?? 0, perSecond), concurrency, limited: plateau !== null };
  }

  #refused(level: number, nowMs: number, kind: RateAnswer['kind']): void {
    const { record } = this;
    const isOverload = kind !== 'throttled';
    // Nothing was taken since the last one: the service is down, and says 503 at any rate.
    const isDown = kind === 'overloaded' && record.shedAt === record.taken;
    if (kind === 'overloaded') record.shedAt = record.taken;
    const arePlacesToBlame = !isDown && this.#blamePlaces(level, nowMs);
    if (!arePlacesToBlame && !isDown && (isOverload || record.refusing === null)) cut(record, isOverload);
    if (isOverload) shrink(record);
    if (isDown || !isOverload) this.#backOff(nowMs, !isOverload);
    record.cutNumber = record.lastNumber;
  }

  /** Pauses after a refusal, for longer each time, however short a pause the service asks for. */
  #backOff(nowMs: number, isByCount: boolean): void {
    const { record } = this;
    const { fromMs, count } = record.refusing ?? { fromMs: nowMs, count: 0 };
    const fullMs = BACKOFFS_MS[count] ?? MAX_BACKOFF_MS;
    const backoffMs = (fullMs / 2) * (1 + this.#options.random());
    record.untilMs = Math.max(record.untilMs, nowMs + backoffMs);
    record.refusing = { fromMs, lastMs: nowMs, count: count + 1, probe: null, isByCount };
  }

  #taken(permit: Permit, nowMs: number, didItsWork: boolean): void {
    const { record } = this;
    record.taken += 1;
    record.takenAt[permit.level] = (record.takenAt[permit.level] ?? 0) + 1;
    if (didItsWork) this.#timed(permit.operation, nowMs - permit.sentMs, nowMs);
    if (permit.isPaced && permit.number > record.cutNumber) this.#climb(permit.level);
    if (record.refusing?.probe === permit.number) recover(record, record.refusing, nowMs);
  }

  /** Raises the rate by what a request stands for that was sent at it and taken. */
  #climb(level: number): void {
    const { record } = this;
    const { rate } = this.#options;
    const stepMs = 1000 / record.perSecond;
    record.climbedMs += stepMs;
    // It doubles about once while all that are in flight are answered.
    const doublings = Math.min(1 / (1 + level), stepMs / DOUBLING_MS);
    const goal =
      record.plateau === null ? record.perSecond * 2 ** doublings : climbed(record.plateau, record.climbedMs);
    record.perSecond = Math.min(typeof rate === 'number' ? rate : goal, Math.max(record.perSecond, goal));
  }

  /** Counts how slow an answer is, and changes the places once there are enough answers. */
  #timed(operation: string, tookMs: number, nowMs: number): void {
    const { record } = this;
    const bestMs = record.bestMs[operation] ?? tookMs;
    // A single answer may be luck. A service that answers one at a time more slowly has become slower for good.
    const weight = record.places < 2 || tookMs < bestMs ? 0.25 : 0;
    record.bestMs[operation] = bestMs + weight * (tookMs - bestMs);
    record.answers += 1;
    record.slowness += tookMs / slowFrom(bestMs);
    if (record.answers < Math.max(MIN_ANSWERS, ANSWERS_PER_PLACE * Math.floor(record.places))) return;
    const slowness = record.slowness / record.answers;
    if (slowness > 1) shrink(record);
    else this.#addPlaces(nowMs, slowness);
    record.answers = 0;
    record.slowness = 0;
  }

  /**
   * Adds places, twice as many until the first refusal, and by at most the factor by which answers may become slower:
   * requests may queue at the service.
   */
  #addPlaces(nowMs: number, slowness: number): void {
    const { record } = this;
    const { concurrency } = this.#options;
    if (record.ceiling !== null && nowMs >= record.raiseAtMs) {
      record.ceiling = record.ceiling + 1 < concurrency ? record.ceiling + 1 : null;
      record.raiseAtMs = nowMs + RAISE_MS;
    }
    const goal = record.cutNumber === 0 ? 2 * record.places : record.places + 1;
    record.places = Math.min(goal, record.places / slowness, record.ceiling ?? concurrency, concurrency);
  }

  /**
   * Keeps the number in flight below this one if hardly any request was ever taken at it or above. Returns true if that
   * is the likely cause of a refusal. If it was blamed not long ago, one more was too early and waits twice as long.
   */
  #blamePlaces(level: number, nowMs: number): boolean {
    const { record } = this;
    record.takenAt = record.takenAt.map((count) => (count ?? 0) / 2);
    const taken = record.takenAt.slice(level).reduce<number>((sum, count) => sum + (count ?? 0), 0);
    if (level < 2 || taken >= BLAME_BELOW) return false;
    record.raiseAtMs = nowMs + Math.min(MAX_RAISE_MS, Math.max(RAISE_MS, 2 * (nowMs - record.blamedMs)));
    record.blamedMs = nowMs;
    record.ceiling = level - 1;
    record.places = Math.min(record.places, record.ceiling);
    return true;
  }
}

/** Returns the first state. If the last run met a limit, it is as after a cut. */
function firstRecord({ rate, concurrency, learned = null }: PaceOptions) {
  const known = learned?.ratePerSecond ?? START_PER_SECOND;
  const isLimited = learned?.limited ?? false;
  const adaptive = isLimited ? known * CUT.to : Math.max(known, START_PER_SECOND);
  const places = learned === null || isLimited ? 1 : Math.min(KNOWN_PLACES, learned.concurrency);
  return {
    perSecond: typeof rate === 'number' ? rate : adaptive,
    /** The rate at which the climb flattens, or null before the first signal, when the rate doubles. */
    plateau: typeof rate === 'number' ? rate : isLimited ? known : (null as number | null),
    climbedMs: 0,
    /** Earliest time of the next send. */
    nextMs: 0,
    /** Number of requests taken since the first send, or since the end of the last refusal. */
    taken: 0,
    sinceMs: null as number | null,
    /** The number of requests taken when the service last said that it is overloaded. */
    shedAt: null as number | null,
    /** Number of requests that may be in flight. */
    places: Math.min(concurrency, places),
    /** Number of answers since the places were judged, and how slow they were. */
    answers: 0,
    slowness: 0,
    /** Shortest answer time by operation, smoothed. */
    bestMs: {} as Record<string, number>,
    /** One less than the number in flight that was blamed for a refusal, or null. */
    ceiling: null as number | null,
    blamedMs: 0,
    raiseAtMs: 0,
    /** Number of requests taken at each number in flight. They are halved at each refusal, since limits change. */
    takenAt: [] as (number | null)[],
    /** Nobody sends before this time. */
    untilMs: 0,
    /** The refusals until a probe is taken. The probe is the number of the request that is sent first after the pause. */
    refusing: null as {
      fromMs: number;
      lastMs: number;
      count: number;
      probe: number | null;
      isByCount: boolean;
    } | null,
    inFlight: 0,
    lastNumber: 0,
    /** Requests up to this number were sent before the last cut, so their refusals do not count again. */
    cutNumber: 0,
  };
}

/**
 * Returns the time from which answers count as slow. They are when requests queue up at the service, where they only
 * come closer to a timeout.
 */
const slowFrom = (bestMs: number): number => Math.max(2 * bestMs, bestMs + 250);

function shrink(record: PaceRecord): void {
  record.places = Math.max(1, record.places * SHRINK);
}

function climbed(plateau: number, climbedMs: number): number {
  const climbMs = Math.max(CLIMB_MS, (1000 * CLIMB_SENDS) / plateau);
  return plateau * (1 + (1 - CUT.to) * (climbedMs / climbMs - 1) ** 3);
}

/**
 * Reduces the rate after a signal. If refusals are rare, it stays at a harmless rate. Where the service is overloaded,
 * refusals do harm and the cut is always full.
 */
function cut(record: PaceRecord, isOverload: boolean): void {
  const { perSecond, plateau, taken } = record;
  const harmless = !isOverload && taken >= RARE_ONE_IN ? HARMLESS_PER_SECOND : 0;
  const share = plateau === null ? FIRST_CUT : CUT;
  if (perSecond > harmless) settle(record, Math.max(perSecond * share.to, harmless), perSecond * share.plateau);
}

/** Goes on after a refusal. It is taken to have ended a third of the way from the last one to now. */
function recover(record: PaceRecord, refusing: NonNullable<PaceRecord['refusing']>, nowMs: number): void {
  record.refusing = null;
  const toMs = (2 * refusing.lastMs + nowMs) / 3;
  const took = (1000 * record.taken) / (toMs - (record.sinceMs ?? refusing.fromMs));
  if (refusing.isByCount && toMs - refusing.fromMs >= LONG_REFUSAL_MS && took < record.perSecond)
    settle(record, took, took);
  record.nextMs = nowMs + 1000 / record.perSecond;
  Object.assign(record, { taken: 0, sinceMs: nowMs, shedAt: null });
}

function settle(record: PaceRecord, perSecond: number, plateau: number): void {
  record.perSecond = Math.max(MIN_PER_SECOND, perSecond);
  record.plateau = Math.max(MIN_PER_SECOND, plateau);
  record.climbedMs = 0;
}
