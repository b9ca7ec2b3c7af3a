import { SrqError } from '../../request/errors.ts';
import type { Clock, SharedAccountState } from '../../request/ports.ts';
import { type AnsweredSend, type TurnReply, type TurnRequest, takeTurn } from './account-rate.ts';
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
/** Maximum interval between two turns while anything is in flight. */
const HEARTBEAT_MS = 5_000;
/** Interval at which ended processes are looked for. */
const ENDED_CHECK_MS = 2_000;
const STATE_NAME = 'pace';
/** The permit number of a send that needed no grant. */
const UNGRANTED = 0;

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
 * need not wait for a turn. They are given back when another process is refused.
 */
export class AccountPermits implements PermitSource {
  readonly #deps: AccountPermitsDeps;
  #waiting: () => number = () => 0;
  #changed: () => void = () => {};
  /** Granted sends, each for its `sentMs` by the time of the rate. */
  #granted: Permit[] = [];
  #answered: AnsweredSend[] = [];
  #withdrawn: Permit[] = [];
  #ended: readonly string[] = [];
  #members: readonly string[] = [];
  /** The reason why the last turn did not grant more. */
  #denied: Admission | null = null;
  /** True while sends need no grant. */
  #isFree = false;
  #hasSentFreely = false;
  #refusal: RateAnswer | null = null;
  #holdMs = 0;
  #slowDown: number | null = null;
  #refusals: number[] = [];
  /** Number of sends let through since the last turn, and number in flight. */
  #used = 0;
  #inFlight = 0;
  /** Difference between the time of the rate and the monotonic time. */
  #aheadMs = 0;
  #turning: Promise<void> | null = null;
  #isUrgent = false;
  #turnedMs = Number.NEGATIVE_INFINITY;
  #gapMs = 0;
  #lookedMs = Number.NEGATIVE_INFINITY;
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
    if (this.#isFree) {
      this.#hasSentFreely = true;
      return { is: 'now', permit: { number: UNGRANTED, operation, sentMs: nowMs, level: 0 } };
    }
    const [permit] = this.#granted;
    if (!permit) return { is: 'after-answer' };
    if (permit.sentMs > nowMs) return { is: 'later', waitMs: Math.max(1, permit.sentMs - nowMs) };
    this.#granted.shift();
    this.#used += 1;
    this.#inFlight += 1;
    return { is: 'now', permit: { ...permit, operation, sentMs: nowMs } };
  }

  answered(permit: Permit, answer: RateAnswer, http: number): void {
    if (permit.number === UNGRANTED) {
      if (isRefusal(answer) || answer.pauseMs !== null) this.#refusal = joined(this.#refusal, answer);
    } else {
      this.#inFlight -= 1;
      this.#answered.push({ permit, atMs: this.#nowMs(), answer });
    }
    if (!isRefusal(answer) && (answer.pauseMs ?? 0) <= 0) return;
    this.#refusals.push(http);
    this.#takeAlarm();
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

  /** Gives the places of this process back. Call it when nothing is in flight any more. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#changed();
    await this.#turning;
    if (this.#turnedMs === Number.NEGATIVE_INFINITY || this.#failed !== null) return;
    this.#withdraw(() => true);
    await this.#ask(true).catch(() => {});
  }

  #nowMs(): number {
    return this.#deps.clock.monotonicMs() + this.#aheadMs;
  }

  /** Reacts to a refusal. Sends that were granted before are given back and requested again. */
  #takeAlarm(): void {
    this.#isFree = false;
    this.#withdraw(() => true);
    this.#isUrgent = true;
  }

  #withdraw(isUnused: (permit: Permit) => boolean): void {
    this.#withdrawn.push(...this.#granted.filter(isUnused));
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
    const isShort = this.#waiting() > this.#granted.length;
    if (isShort) return Math.max(this.#gapMs, this.#askedWaitMs()) - sinceMs;
    const hasNews = this.#used + this.#answered.length + this.#withdrawn.length + this.#granted.length > 0;
    if (hasNews) return this.#gapMs - sinceMs;
    // Another process that wants a rate limit may have joined.
    if (this.#hasSentFreely) return MAX_WAIT_MS - sinceMs;
    return this.#inFlight > 0 ? HEARTBEAT_MS - sinceMs : Number.POSITIVE_INFINITY;
  }

  /** Returns how long the last turn has asked to wait. */
  #askedWaitMs(): number {
    if (this.#denied?.is === 'later') return Math.min(MAX_WAIT_MS, this.#denied.waitMs - this.#gapMs);
    return this.#denied?.is === 'after-answer' && this.#answered.length === 0 ? POLL_MS : 0;
  }

  async #takeTurn(): Promise<void> {
    try {
      await this.#lookForEnded();
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
    this.#withdraw(({ sentMs }) => this.#waiting() === 0 && sentMs < this.#nowMs() - STALE_MS);
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
    const wanted = this.#waiting() + this.#used - this.#granted.length;
    const request = {
      run: state.run,
      wishes: { rate, places },
      learned,
      wanted: Math.max(0, Math.min(wanted, places - this.#inFlight - this.#granted.length)),
      aheadMs: GAP_MS + this.#gapMs,
      answered: this.#answered,
      withdrawn: this.#withdrawn,
      refusal: this.#refusal,
      held: this.#inFlight + this.#granted.length,
      ended: this.#ended,
      holdMs: this.#holdMs,
      slowDown: this.#slowDown,
      leaves,
    };
    [this.#answered, this.#withdrawn, this.#ended, this.#used] = [[], [], [], 0];
    [this.#holdMs, this.#slowDown, this.#refusal, this.#hasSentFreely] = [0, null, null, false];
    return request;
  }

  #apply({ nowMs, granted, turn, isFree, members, ratePerSecond, boundPerSecond, pausedMs }: TurnReply): void {
    this.#pace = { ratePerSecond, boundPerSecond, pausedMs };
    this.#aheadMs = nowMs - this.#deps.clock.monotonicMs();
    this.#members = members;
    this.#denied = turn;
    this.#isFree = isFree && !this.#isUrgent;
    // An alarm that arrived during the turn also applies to what the turn has granted.
    if (this.#isUrgent) this.#withdrawn.push(...granted);
    else this.#granted.push(...granted);
  }

  async #lookForEnded(): Promise<void> {
    const { state, clock } = this.#deps;
    const others = this.#members.filter((run) => run !== state.run);
    if (others.length === 0 || clock.monotonicMs() - this.#lookedMs < ENDED_CHECK_MS) return;
    this.#lookedMs = clock.monotonicMs();
    this.#ended = await state.ended(others);
  }
}

/** Joins two answers that refuse or ask for a pause. The longer pause applies, and a refusal counts as one. */
function joined(one: RateAnswer | null, other: RateAnswer): RateAnswer {
  if (one === null) return other;
  const pauseMs = one.pauseMs === null ? other.pauseMs : Math.max(one.pauseMs, other.pauseMs ?? 0);
  return { ...(isRefusal(one) ? one : other), pauseMs };
}
