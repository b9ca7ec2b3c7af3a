import type { Clock, SharedAccountState } from '../../request/ports.ts';
import { SrqError } from '../../request/words/errors.ts';
import { type TurnReply, type TurnRequest, takeTurn } from './account-rate.ts';
import type { Admission, ChosenRate, LearnedRate, Pace, Permit, RateAnswer } from './adaptive-rate.ts';
import { isRefusal, type PermitAnswer, type PermitSource, type Refused } from './rate-limiter.ts';

/**
 * Minimum gap between two turns of a process. If turns take long, many processes want one, so the gap grows to
 * `GAP_TURNS` times the length of a turn, but not beyond `MAX_GAP_MS`, because a turn may have waited for an unavailable
 * store.
 */
const GAP_MS = 50;
const GAP_TURNS = 2;
const MAX_GAP_MS = 2_000;
/** Granted sends per request that may be in flight. Sends that are granted ahead are not in flight yet. */
const PLACES_PER_REQUEST = 8;
/** Interval at which a turn is taken while all places are in use, because another process's answer may free one. */
const POLL_MS = 100;
/** Maximum wait until the next turn, because a pause may be extended or a process may end. */
const MAX_WAIT_MS = 1_000;
/** Age at which unused granted sends are given back. */
const STALE_MS = 250;
/** Maximum interval between two turns while anything is in flight. Without a turn the others take the places over. */
const HEARTBEAT_MS = 1_000;
const STATE_NAME = 'pace';

/** The dependencies of `AccountPermits`. */
export interface AccountPermitsDeps {
  readonly state: SharedAccountState;
  readonly rate: ChosenRate;
  /** Maximum number of requests of this process in flight. */
  readonly concurrency: number;
  readonly learned: LearnedRate | null;
  readonly clock: Clock;
  readonly random: () => number;
  readonly refused?: Refused | undefined;
}

/**
 * Gives permits by the rate that all processes of an account share. Each turn grants a few sends ahead, so that most
 * need not wait for a turn. They are dropped when another process is refused.
 */
export class AccountPermits implements PermitSource {
  readonly #deps: AccountPermitsDeps;
  #waiting: () => number = () => 0;
  #changed: () => void = () => {};
  /** Granted sends, each for its `sentMs` by the time of the rate. */
  #granted: Permit[] = [];
  /** The reason why the last turn did not grant more. */
  #denied: Admission | null = null;
  /** The permit of all sends while they need no grant. */
  #free: Permit | null = null;
  #inFlight = 0;
  /** What the next turn reports: answers, sends let through, and what the breaker asks for. */
  #answered: TurnRequest['answered'][number][] = [];
  #used = 0;
  #holdMs = 0;
  #slowDown: number | null = null;
  #refusals: number[] = [];
  /** Difference between the time of the rate and the monotonic time. */
  #aheadMs = 0;
  #turning: Promise<void> | null = null;
  #isUrgent = false;
  #turnedMs = Number.NEGATIVE_INFINITY;
  #gapMs = 0;
  #failed: unknown = null;
  #isClosed = false;
  /** The pace as of the last turn. */
  #pace: Pace | null = null;

  constructor(deps: AccountPermitsDeps) {
    this.#deps = deps;
  }

  attach(waiting: () => number, changed: () => void): void {
    this.#waiting = waiting;
    this.#changed = changed;
    this.#deps.state.onAlarm(STATE_NAME, () => {
      this.#takeAlarm();
      changed();
    });
  }

  admit(operation: string): PermitAnswer {
    if (this.#failed !== null) return { is: 'failed', error: this.#failed };
    if (this.#denied?.is === 'too-late') return this.#denied;
    const nowMs = this.#nowMs();
    const permit = this.#free ?? this.#granted[0];
    if (!permit) return { is: 'after-answer' };
    if (permit.sentMs > nowMs) return { is: 'later', waitMs: Math.max(1, permit.sentMs - nowMs) };
    if (!this.#free) {
      this.#granted.shift();
      this.#used += 1;
    }
    this.#inFlight += 1;
    return { is: 'now', permit: { ...permit, operation, sentMs: nowMs } };
  }

  answered(permit: Permit, answer: RateAnswer, http: number): void {
    const asksToWait = isRefusal(answer) || (answer.pauseMs ?? 0) > 0;
    this.#inFlight -= 1;
    if (permit.level > 0 || asksToWait) this.#answered.push({ permit, atMs: this.#nowMs(), answer });
    if (isRefusal(answer)) this.#refusals.push(http);
    if (asksToWait) this.#takeAlarm();
  }

  slowDown(share: number): void {
    this.#slowDown = share;
    this.#takeAlarm();
  }

  pace(): Pace | null {
    if (this.#pace === null) return null;
    const sinceMs = this.#deps.clock.monotonicMs() - this.#turnedMs;
    return { ...this.#pace, pausedMs: Math.max(0, this.#pace.pausedMs - sinceMs) };
  }

  /** Stops the sending of all processes of the account for this many milliseconds. */
  hold(pauseMs: number): void {
    this.#holdMs = Math.max(this.#holdMs, pauseMs);
    this.#takeAlarm();
    this.#changed();
  }

  /** Takes this process out of the account's rate. Call it when nothing is in flight any more. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#changed();
    await this.#turning;
    if (this.#turnedMs === Number.NEGATIVE_INFINITY || this.#failed !== null) return;
    this.#drop(() => true);
    await this.#ask(true).catch(() => {});
  }

  #nowMs(): number {
    return this.#deps.clock.monotonicMs() + this.#aheadMs;
  }

  /** Reacts to a refusal. Sends that were granted before are dropped and requested again. */
  #takeAlarm(): void {
    this.#free = null;
    this.#drop(() => true);
    this.#isUrgent = true;
  }

  /** Drops granted sends. They are reported, because one of them may be the probe. */
  #drop(isUnused: (permit: Permit) => boolean): void {
    for (const permit of this.#granted.filter(isUnused)) {
      this.#answered.push({ permit, atMs: permit.sentMs, answer: UNSENT });
    }
    this.#granted = this.#granted.filter((permit) => !isUnused(permit));
  }

  /** Starts a turn if there is a reason for one. */
  askAgainMs(waitMs: number): number {
    // All waiting requests have received this answer.
    if (this.#denied?.is === 'too-late') this.#denied = null;
    if (this.#turning) return Number.POSITIVE_INFINITY;
    const turnMs = this.#nextTurnMs();
    if (turnMs > 0) return Math.ceil(Math.min(turnMs, waitMs));
    this.#turning = this.#takeTurn();
    return Number.POSITIVE_INFINITY;
  }

  /** Returns the time until this process has a reason for another turn. */
  #nextTurnMs(): number {
    const sinceMs = this.#deps.clock.monotonicMs() - this.#turnedMs;
    if (this.#failed !== null || this.#isClosed) return Number.POSITIVE_INFINITY;
    if (this.#isUrgent && this.#turnedMs > Number.NEGATIVE_INFINITY) return 0;
    if (this.#waiting() > this.#granted.length) return Math.max(this.#gapMs, this.#askedWaitMs()) - sinceMs;
    if (this.#used + this.#answered.length + this.#granted.length > 0) return this.#gapMs - sinceMs;
    return this.#inFlight > 0 ? HEARTBEAT_MS - sinceMs : Number.POSITIVE_INFINITY;
  }

  /** Returns how long the last turn has asked to wait. */
  #askedWaitMs(): number {
    if (this.#denied?.is === 'later') return Math.min(MAX_WAIT_MS, this.#denied.waitMs - this.#gapMs);
    return this.#denied?.is === 'after-answer' && this.#answered.length === 0 ? POLL_MS : 0;
  }

  async #takeTurn(): Promise<void> {
    try {
      await this.#ask(false);
    } catch (error) {
      this.#failed = error instanceof Error ? error : new SrqError('store.unavailable', String(error));
    }
    this.#turning = null;
    this.#changed();
  }

  async #ask(leaves: boolean): Promise<void> {
    const { state, clock, random, refused } = this.#deps;
    const startedMs = clock.monotonicMs();
    if (this.#waiting() === 0) this.#drop(({ sentMs }) => sentMs < this.#nowMs() - STALE_MS);
    const request = this.#request(leaves);
    const refusals = this.#refusals.splice(0);
    this.#isUrgent = false;
    const reply = await state.change(STATE_NAME, (kept, wallMs) => takeTurn(kept, wallMs, request, random));
    this.#turnedMs = clock.monotonicMs();
    this.#gapMs = Math.min(MAX_GAP_MS, Math.max(GAP_MS, GAP_TURNS * (this.#turnedMs - startedMs)));
    this.#apply(reply);
    for (const http of refusals) refused?.(http, reply.pausedMs);
  }

  #request(leaves: boolean): TurnRequest {
    const { state, rate, concurrency, learned } = this.#deps;
    const places = PLACES_PER_REQUEST * concurrency;
    const inFlight = this.#inFlight + this.#granted.length;
    const wanted = Math.min(this.#waiting() + this.#used - this.#granted.length, places - inFlight);
    const request = {
      ...{ run: state.run, rate, places, learned, inFlight, leaves },
      ...{ wanted: Math.max(0, wanted), aheadMs: GAP_MS + this.#gapMs },
      ...{ answered: this.#answered, holdMs: this.#holdMs, slowDown: this.#slowDown },
    };
    [this.#answered, this.#used, this.#holdMs, this.#slowDown] = [[], 0, 0, null];
    return request;
  }

  #apply({ nowMs, granted, denied, free, ratePerSecond, boundPerSecond, pausedMs }: TurnReply): void {
    this.#pace = { ratePerSecond, boundPerSecond, pausedMs };
    this.#aheadMs = nowMs - this.#deps.clock.monotonicMs();
    this.#denied = denied;
    this.#granted.push(...granted);
    this.#free = free;
    // An alarm that arrived during the turn also applies to what the turn has granted.
    if (this.#isUrgent) this.#takeAlarm();
  }
}

const UNSENT: RateAnswer = { kind: 'unsent', pauseMs: null, headroom: null };
