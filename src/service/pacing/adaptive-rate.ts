import type { Headroom } from './rate-headers.ts';

/** Maximum pause. For a longer one the run stops and can be resumed. */
export const MAX_PAUSE_MS = 15 * 60_000;

const START_PER_SECOND = 10;
/** Number of requests in flight at the start if the last run met no limit. */
const KNOWN_PLACES = 3;
/** Number of first calls that are not spaced while no limit is known: validate, create, and one more. */
const UNSPACED = 3;
/** Maximum delay that may be caught up. Timers wake a millisecond or two late. */
const LATE_MS = 10;
/** Range of the window after which the rate grows. It is as long as four answers. */
const MIN_WINDOW_MS = 50;
const MAX_WINDOW_MS = 200;
const ANSWERS_PER_WINDOW = 4;
/** Minimum share of the rate that must be used in a window. Otherwise the window says nothing about a higher rate. */
const USED_SHARE = 0.8;
const CUT = 0.7;
/** The first refusal comes after a doubling, so the rate may be far too high. */
const FIRST_CUT = 0.25;
/**
 * The rate at which the climb flattens, as a share of the rate that was cut. A service that allows bursts refuses only
 * some time after its limit is exceeded.
 */
const PLATEAU = 0.92;
const FIRST_PLATEAU = 0.5;
/** Minimum time and number of sends from a cut back to the plateau. */
const CLIMB_MS = 15_000;
const CLIMB_SENDS = 100;
/** Time after which the rate of the requests that were taken limits a cut, which is then at least this deep. */
const PROOF_MS = 5_000;
const PROVEN_CUT = 0.9;
const MIN_PER_SECOND = 1 / 60;
/** After this many taken requests a refusal is rare. At the harmless rate or below it is then no reason to go slower. */
const RARE_ONE_IN = 20;
const HARMLESS_PER_SECOND = 5;
/** A service that refuses for this long counts over a long time, so the rate that it took is the better measure. */
const LONG_REFUSAL_MS = 5_000;

/** Number of answers per place after which the answer times are judged. */
const ANSWERS_PER_PLACE = 2;
const MIN_ANSWERS = 4;
const SHRINK = 0.8;
/** The number in flight is to blame for a refusal if fewer requests than this were taken at it or above. */
const BLAME_BELOW = 12;
/** Up to this number in flight, the rate may be to blame as well. */
const FEW_IN_FLIGHT = 3;
/** Time after which one more may be in flight than the number that was blamed allows. It doubles if that was too early. */
const FIRST_RAISE_MS = 20_000;
const MAX_RAISE_MS = 600_000;
/** Minimum time after which an unanswered request is a sign of overload, not of a broken connection. */
const OVERLOAD_MS = 5_000;

/** The first backoff is short, because most services have refilled a bucket by then. */
const FIRST_BACKOFF_MS = 1_000;
const SECOND_BACKOFF_MS = 4_000;
const MAX_BACKOFF_MS = 60_000;
const MIN_JITTER_MS = 100;
const MAX_JITTER_MS = 5_000;

/**
 * The rate chosen by the user: adaptive, unlimited except for pauses that the service asks for, or a maximum per
 * second, evenly spaced.
 */
export type ChosenRate = 'auto' | 'max' | number;

export interface AdaptiveRateOptions {
  readonly rate: ChosenRate;
  /** Maximum number of requests in flight. */
  readonly concurrency: number;
  /** Returns a random number from 0 (inclusive) to 1 (exclusive). */
  readonly random: () => number;
  readonly learned?: LearnedRate | null;
}

/** What a run has learned, as the starting point of the next one. */
export interface LearnedRate {
  readonly ratePerSecond: number;
  /** Maximum number of requests in flight that the service has not refused. */
  readonly concurrency: number;
  /** True if the service has shown where its limit is. */
  readonly limited: boolean;
}

/** The rate of sending, in the form stored as JSON. */
interface SendRate {
  perSecond: number;
  /** The rate at which the climb flattens, or null before the first signal, when the rate doubles. */
  plateau: number | null;
  /** Maximum rate, or null. */
  readonly cap: number | null;
  climbedMs: number;
  /** Earliest time of the next send. */
  nextMs: number;
  windowMs: number;
  sentInWindow: number;
  takenInWindow: number;
  /** Start of the count of taken requests: the first send, or the end of the last refusal. */
  sinceMs: number | null;
  taken: number;
}

/** The places for requests in flight, in the form stored as JSON. */
interface Places {
  count: number;
  /** Whether the number doubles. It does until something slows it down. */
  doubling: boolean;
  fullest: number;
  /** One less than the number that was blamed for a refusal, or null. */
  ceiling: number | null;
  raiseAtMs: number;
  raiseAfterMs: number;
  /** Whether the ceiling was raised since it was last lowered. */
  raised: boolean;
  /** Number of requests taken at each number in flight. They are halved at each refusal, since limits change. */
  taken: (number | null)[];
  /** Answer times by operation. `bestMs` is the lowest mean. */
  readonly times: Record<string, { bestMs: number; count: number; sumMs: number }>;
}

/** A period of refusals, from the first one until a probe is taken. */
interface Refusals {
  readonly fromMs: number;
  lastMs: number;
  count: number;
  /** True if the service said how long to wait. */
  wasAsked: boolean;
  /** The number of the request that is sent first after the pause. */
  probe: number | null;
}

/** The state of an adaptive rate in the form stored as JSON, from which another process can continue. */
export interface AdaptiveRateRecord {
  /** Both are null if no limit applies. */
  readonly rate: SendRate | null;
  readonly places: Places | null;
  /** Nobody sends before this time. */
  untilMs: number;
  refusing: Refusals | null;
  /** The latest quota that the service has announced, and the number of the request whose answer announced it. */
  quota: { readonly remaining: number; readonly number: number; readonly untilMs: number } | null;
  inFlight: number;
  lastNumber: number;
  /** Requests up to this number were sent before the last cut, so their refusals do not count again. */
  cutNumber: number;
}

/** Tells whether a request may be sent now. */
export type Admission =
  | { readonly is: 'now' }
  /** The caller asks again after this time, or after the next answer if that comes first. */
  | { readonly is: 'later'; readonly waitMs: number }
  /** The caller asks again after the next answer. At least one request is in flight. */
  | { readonly is: 'after-answer' }
  /** The service asks for a pause of over 15 minutes, so the run stops and can be resumed. */
  | { readonly is: 'too-late'; readonly waitMs: number };

/** The pace at one moment, for display. */
export interface Pace {
  /** The allowed requests per second, or null if no limit applies. */
  readonly ratePerSecond: number | null;
  /** The rate that the user has set, or near which the service has refused. Null if neither is known. */
  readonly boundPerSecond: number | null;
  /** Milliseconds for which all sending is still paused. */
  readonly pausedMs: number;
}

/** A request that was sent, or may be sent. */
export interface Permit {
  readonly number: number;
  readonly operation: string;
  readonly sentMs: number;
  /** Number of requests in flight when it was sent, including itself. */
  readonly level: number;
}

/** What an answer means for the rate. */
export interface RateAnswer {
  /**
   * `ok` means that the work was done, `throttled` 429, `overloaded` 503, and `unanswered` no status. `declined` is any
   * other status: the service may answer so before it does the work, so that its time is not measured. `unsent` says nothing
   * of the service: srq did not send the request, since it had waited too long for its log or its token, or another process
   * was faster.
   */
  readonly kind: 'ok' | 'declined' | 'throttled' | 'overloaded' | 'unanswered' | 'unsent';
  readonly pauseMs: number | null;
  readonly headroom: Headroom | null;
}

/**
 * Controls how fast the calls of one account may go, validate among them. Only requests for tokens do not pass here.
 * Three limits apply together:
 * - a rate, which doubles until the first refusal and afterwards climbs like CUBIC (RFC 9438): fast at first, flat
 *   around the rate that was refused, and faster again beyond it;
 * - a number in flight, which grows as long as the answers do not become slower;
 * - a pause after a refusal. One request is then sent as a probe, and the others follow only if it is taken.
 *
 * It has no timer and no clock; `nowMs` is a monotonic time in milliseconds. For each request call `ask` until it
 * returns `now`, `sent` in the same turn of the event loop, and `answered` with the permit exactly once.
 */
export class AdaptiveRate {
  readonly record: AdaptiveRateRecord;
  readonly #options: AdaptiveRateOptions;

  /** `record` is the state of another process with the same `rate`. It is updated in place. */
  constructor(options: AdaptiveRateOptions, record: AdaptiveRateRecord = firstRecord(options)) {
    this.#options = options;
    this.record = record;
  }

  ask(nowMs: number): Admission {
    const { rate, places, refusing, inFlight, lastNumber } = this.record;
    const pausedMs = this.pausedMs(nowMs);
    const holdMs = Math.max(pausedMs, this.#quotaWaitMs(nowMs));
    if (holdMs > MAX_PAUSE_MS) return { is: 'too-late', waitMs: holdMs };
    if (pausedMs > 0) return { is: 'later', waitMs: pausedMs };
    const isProbing = refusing !== null && refusing.probe !== null;
    const most = Math.min(this.#options.concurrency, Math.floor(places?.count ?? Number.POSITIVE_INFINITY));
    if (isProbing || inFlight >= most) return { is: 'after-answer' };
    const isOpening = this.#options.rate === 'auto' && rate?.plateau === null && lastNumber < UNSPACED;
    const waitMs = Math.max(holdMs, rate === null || isOpening ? 0 : rate.nextMs - nowMs);
    return waitMs > 0 ? { is: 'later', waitMs } : { is: 'now' };
  }

  /** Records that a request is sent. */
  sent(nowMs: number, operation: string): Permit {
    const { record } = this;
    const { rate, places, refusing } = record;
    record.inFlight += 1;
    record.lastNumber += 1;
    if (refusing) refusing.probe = record.lastNumber;
    if (places) places.fullest = Math.max(places.fullest, record.inFlight);
    if (rate) {
      if (rate.sinceMs === null) countAnew(rate, nowMs);
      rate.nextMs = Math.max(rate.nextMs, nowMs - LATE_MS) + 1000 / rate.perSecond;
      rate.sentInWindow += 1;
    }
    return { number: record.lastNumber, operation, sentMs: nowMs, level: record.inFlight };
  }

  /** Records that a request was answered, or never will be. */
  answered(permit: Permit, nowMs: number, { kind, pauseMs, headroom }: RateAnswer): void {
    const { record } = this;
    const { rate, places, refusing } = record;
    record.inFlight -= 1;
    if (headroom && rate) this.#noteQuota(nowMs, permit.number, headroom);
    if (kind === 'ok' || kind === 'declined') this.#taken(permit, nowMs, kind === 'ok');
    else if (kind !== 'throttled' && refusing?.probe === permit.number) refusing.probe = null;
    const gaveUpMs = Math.max(OVERLOAD_MS, slowFrom(places?.times[permit.operation]?.bestMs ?? 0));
    const isOverload = kind === 'overloaded' || (kind === 'unanswered' && nowMs - permit.sentMs >= gaveUpMs);
    const isEcho = permit.number <= record.cutNumber;
    if (pauseMs !== null && (isEcho || kind !== 'throttled')) this.hold(nowMs, pauseMs);
    if (isEcho || !(isOverload || kind === 'throttled')) return;
    const isRateToBlame = !this.#blamePlaces(permit.level, nowMs);
    if (rate && isRateToBlame && (isOverload || refusing === null)) cut(rate, nowMs, isOverload);
    if (kind === 'throttled') this.#pause(nowMs, pauseMs);
    else if (places) shrink(places);
    record.cutNumber = record.lastNumber;
  }

  /** Reduces the rate by this factor, for the caller's breaker. */
  slowDown(share: number): void {
    const { rate } = this.record;
    if (rate) settle(rate, rate.perSecond * share, rate.perSecond * share);
    this.record.cutNumber = this.record.lastNumber;
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

  /** The allowed number of requests per second, or Infinity without a limit. */
  get ratePerSecond(): number {
    return this.record.rate?.perSecond ?? Number.POSITIVE_INFINITY;
  }

  pace(nowMs: number): Pace {
    const { rate } = this.record;
    return {
      ratePerSecond: rate?.perSecond ?? null,
      boundPerSecond: rate?.plateau ?? null,
      pausedMs: this.pausedMs(nowMs),
    };
  }

  /** Returns what was learned, for the next run, or null if the user chose the rate, so that nothing was learned. */
  learned(): LearnedRate | null {
    const { rate, places } = this.record;
    if (this.#options.rate !== 'auto' || !rate || !places) return null;
    const concurrency = Math.min(this.#options.concurrency, places.ceiling ?? Number.POSITIVE_INFINITY);
    return { ratePerSecond: rate.plateau ?? rate.perSecond, concurrency, limited: rate.plateau !== null };
  }

  /** Answers may overtake each other, so the quota announced to the latest request counts. */
  #noteQuota(nowMs: number, number: number, { remaining, resetMs }: Headroom): void {
    const { quota } = this.record;
    const isOvertaken = quota !== null && nowMs < quota.untilMs && number < quota.number;
    if (!isOvertaken) this.record.quota = { remaining, number, untilMs: nowMs + resetMs };
  }

  /**
   * Returns the time until the service resets its quota if the quota is used up, or 0. The service counts in the order of
   * sending, so requests sent after the one whose answer announced the quota are not yet included in it.
   */
  #quotaWaitMs(nowMs: number): number {
    const { quota, lastNumber } = this.record;
    if (quota === null || lastNumber - quota.number < quota.remaining) return 0;
    return Math.max(0, quota.untilMs - nowMs);
  }

  /**
   * Pauses after a refusal. The pause that the service asks for is used alone the first time; after that, a backoff with
   * equal jitter applies as well. Its second step is four times the first, because a service that refuses again counts
   * over a longer time.
   */
  #pause(nowMs: number, askedMs: number | null): void {
    const { record } = this;
    record.refusing ??= { fromMs: nowMs, lastMs: nowMs, count: 0, wasAsked: false, probe: null };
    const step = record.refusing.count - (askedMs === null ? 0 : 1);
    const doubledMs = Math.min(MAX_BACKOFF_MS, SECOND_BACKOFF_MS * 2 ** (step - 1));
    const backoffMs = ((step === 0 ? FIRST_BACKOFF_MS : doubledMs) / 2) * (1 + this.#options.random());
    if (askedMs !== null) this.hold(nowMs, askedMs);
    if (step >= 0) record.untilMs = Math.max(record.untilMs, nowMs + backoffMs);
    record.refusing.count += 1;
    Object.assign(record.refusing, { lastMs: nowMs, wasAsked: askedMs !== null, probe: null });
  }

  #taken(permit: Permit, nowMs: number, didItsWork: boolean): void {
    const { rate, places, refusing } = this.record;
    // By the time of a store, which a process knows by its last turn alone, an answer may seem to come before its request.
    const tookMs = Math.max(0, nowMs - permit.sentMs);
    if (places) {
      places.taken[permit.level] = (places.taken[permit.level] ?? 0) + 1;
      if (didItsWork) this.#timed(places, permit.operation, tookMs, nowMs);
    }
    if (rate) {
      rate.taken += 1;
      const answersMs = ANSWERS_PER_WINDOW * (places?.times[permit.operation]?.bestMs ?? MAX_WINDOW_MS);
      const windowMs = Math.min(MAX_WINDOW_MS, Math.max(MIN_WINDOW_MS, answersMs));
      if (permit.sentMs >= rate.windowMs) grow(rate, nowMs, windowMs);
    }
    if (refusing?.probe !== permit.number) return;
    this.record.refusing = null;
    if (rate) recover(rate, nowMs, refusing);
  }

  #timed(places: Places, operation: string, tookMs: number, nowMs: number): void {
    places.times[operation] ??= { bestMs: tookMs, count: 0, sumMs: 0 };
    places.times[operation].count += 1;
    places.times[operation].sumMs += tookMs;
    const times = Object.values(places.times).filter(({ count }) => count > 0);
    const answers = times.reduce((sum, { count }) => sum + count, 0);
    if (answers < Math.max(MIN_ANSWERS, ANSWERS_PER_PLACE * Math.floor(places.count))) return;
    const sumMs = times.reduce((sum, time) => sum + time.sumMs, 0);
    const bearableMs = times.reduce((sum, { bestMs, count }) => sum + count * slowFrom(bestMs), 0);
    for (const time of times) {
      const meanMs = time.sumMs / time.count;
      // A single mean may be luck. A service that answers one at a time more slowly has become slower for good.
      const weight = places.count < 2 ? 0.5 : meanMs < time.bestMs ? 0.25 : 0;
      Object.assign(time, { bestMs: time.bestMs + weight * (meanMs - time.bestMs), count: 0, sumMs: 0 });
    }
    if (sumMs > bearableMs) shrink(places);
    else if (places.fullest >= Math.floor(places.count)) this.#addPlaces(places, nowMs, bearableMs / sumMs);
    places.fullest = 0;
  }

  /**
   * Adds places. `slack` is the factor by which answers may become slower. If requests queue at the service, the number
   * in flight may grow by the same factor.
   */
  #addPlaces(places: Places, nowMs: number, slack: number): void {
    const { concurrency } = this.#options;
    if (places.ceiling !== null && nowMs >= places.raiseAtMs) {
      places.ceiling = places.ceiling + 1 < concurrency ? places.ceiling + 1 : null;
      places.raiseAtMs = nowMs + places.raiseAfterMs;
      places.raised = true;
    }
    const goal = places.doubling ? 2 * places.count : places.count + 1;
    places.count = Math.min(goal, places.count * slack, places.ceiling ?? concurrency, concurrency);
  }

  /**
   * Keeps the number in flight below this one if hardly any request was ever taken at it or above. Returns true if that
   * alone is the likely cause of a refusal.
   */
  #blamePlaces(level: number, nowMs: number): boolean {
    const { places } = this.record;
    if (!places) return false;
    places.taken = places.taken.map((count) => (count ?? 0) / 2);
    const taken = places.taken.slice(level).reduce<number>((sum, count) => sum + (count ?? 0), 0);
    if (level < 2 || level > (places.ceiling ?? level) || taken >= BLAME_BELOW) return false;
    places.ceiling = level - 1;
    if (places.raised) places.raiseAfterMs = Math.min(MAX_RAISE_MS, 2 * places.raiseAfterMs);
    places.raised = false;
    places.raiseAtMs = nowMs + places.raiseAfterMs;
    places.count = Math.min(places.count, places.ceiling);
    places.doubling = false;
    return level > FEW_IN_FLIGHT;
  }
}

function firstRecord({ rate, concurrency, learned = null }: AdaptiveRateOptions): AdaptiveRateRecord {
  const first = learned === null || learned.limited ? 1 : Math.min(KNOWN_PLACES, learned.concurrency);
  return {
    rate: rate === 'max' ? null : firstRate(rate, learned),
    places: rate === 'max' ? null : firstPlaces(Math.min(concurrency, first)),
    untilMs: 0,
    refusing: null,
    quota: null,
    inFlight: 0,
    lastNumber: 0,
    cutNumber: 0,
  };
}

/** Returns the first rate. If the last run met a limit, it is as after a cut. */
function firstRate(rate: 'auto' | number, learned: LearnedRate | null): SendRate {
  const counts = { climbedMs: 0, nextMs: 0, windowMs: 0, sentInWindow: 0, takenInWindow: 0, sinceMs: null, taken: 0 };
  if (rate !== 'auto') return { ...counts, perSecond: rate, plateau: rate, cap: rate };
  const perSecond = learned?.ratePerSecond ?? START_PER_SECOND;
  if (learned?.limited) return { ...counts, perSecond: CUT * perSecond, plateau: perSecond, cap: null };
  return { ...counts, perSecond: Math.max(START_PER_SECOND, perSecond), plateau: null, cap: null };
}

function firstPlaces(count: number): Places {
  const raise = { ceiling: null, raiseAtMs: 0, raiseAfterMs: FIRST_RAISE_MS, raised: false };
  return { count, doubling: true, fullest: 0, ...raise, taken: [], times: {} };
}

/**
 * Returns the time from which answers count as slow. They are when requests queue up at the service, where they only
 * come closer to a timeout.
 */
const slowFrom = (bestMs: number): number => Math.max(2 * bestMs, bestMs + 250);

function shrink(places: Places): void {
  places.count = Math.max(1, places.count * SHRINK);
  places.doubling = false;
}

function countAnew(rate: SendRate, nowMs: number): void {
  Object.assign(rate, { sinceMs: nowMs, taken: 0 });
  startWindow(rate, nowMs);
}

function startWindow(rate: SendRate, nowMs: number): void {
  Object.assign(rate, { windowMs: nowMs, sentInWindow: 0, takenInWindow: 0 });
}

/** Counts a request that was taken, and raises the rate at the end of a window in which it was used. */
function grow(rate: SendRate, nowMs: number, windowMs: number): void {
  rate.takenInWindow += 1;
  const sinceMs = nowMs - rate.windowMs;
  if (rate.takenInWindow < 2 || sinceMs < windowMs) return;
  const isUsed = rate.sentInWindow >= Math.floor((USED_SHARE * rate.perSecond * sinceMs) / 1000);
  startWindow(rate, nowMs);
  if (!isUsed) return;
  rate.climbedMs += sinceMs;
  const goal = rate.plateau === null ? 2 * rate.perSecond : climbed(rate.plateau, rate.climbedMs);
  rate.perSecond = Math.min(rate.cap ?? goal, Math.max(rate.perSecond, goal));
}

function climbed(plateau: number, climbedMs: number): number {
  const climbMs = Math.max(CLIMB_MS, (1000 * CLIMB_SENDS) / plateau);
  return plateau * (1 + (1 - CUT) * (climbedMs / climbMs - 1) ** 3);
}

/**
 * Reduces the rate after a signal. Where a request was refused, the cut is no deeper than needed: not below what the
 * service has just taken, and not below a harmless rate if refusals are rare. Where the service is overloaded, refusals
 * do harm and the cut is always full.
 */
function cut(rate: SendRate, nowMs: number, isOverload: boolean): void {
  const { perSecond, plateau, taken } = rate;
  const harmless = !isOverload && taken >= RARE_ONE_IN ? HARMLESS_PER_SECOND : 0;
  if (perSecond <= harmless) return;
  const isFirst = plateau === null && !isOverload;
  const tookMs = nowMs - (rate.sinceMs ?? nowMs);
  const isProven = !isFirst && !isOverload && tookMs >= PROOF_MS;
  const proven = isProven ? Math.min(PROVEN_CUT * perSecond, (1000 * taken) / tookMs) : 0;
  const share = isFirst ? FIRST_CUT : CUT;
  settle(rate, Math.max(perSecond * share, proven, harmless), perSecond * (isFirst ? FIRST_PLATEAU : PLATEAU));
}

/**
 * Goes on after a refusal. If the service did not say how long to wait, the refusal is taken to have ended halfway
 * between the last one and now.
 */
function recover(rate: SendRate, nowMs: number, { fromMs, lastMs, wasAsked }: Refusals): void {
  const toMs = wasAsked ? nowMs : (lastMs + nowMs) / 2;
  const took = (1000 * rate.taken) / (toMs - (rate.sinceMs ?? fromMs));
  if (toMs - fromMs >= LONG_REFUSAL_MS && took < rate.perSecond) settle(rate, took * 0.95, took);
  rate.nextMs = nowMs + 1000 / rate.perSecond;
  countAnew(rate, nowMs);
}

function settle(rate: SendRate, perSecond: number, plateau: number): void {
  rate.perSecond = Math.max(MIN_PER_SECOND, perSecond);
  rate.plateau = Math.max(MIN_PER_SECOND, plateau);
  rate.climbedMs = 0;
}
