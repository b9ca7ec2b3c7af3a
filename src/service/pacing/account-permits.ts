import type { Clock, SharedAccountState } from '../../request/ports.ts';
import { type TurnReply, type TurnRequest, takeTurn } from './account-rate.ts';
import type { Admission, ChosenRate, LearnedPace, PaceView, Permit, RateAnswer } from './pace.ts';
import type { PermitSource } from './rate-limiter.ts';

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
/**
 * Interval at which a turn is taken while all places are in use, because another process's answer may free one, and while
 * there is something to report, though no request waits for it.
 */
const POLL_MS = 100;
/** Maximum wait until the next turn, because a pause may be extended or a process may end. */
const MAX_WAIT_MS = 1_000;
/** Age at which unused granted sends are given back. */
const STALE_MS = 250;
/** Maximum interval between two turns while anything is in flight. Without a turn the others take the places over. */
const HEARTBEAT_MS = 1_000;
const STATE_NAME = 'pace';

const UNSENT: RateAnswer = { kind: 'unsent', pauseMs: null, headroom: null };

/** The dependencies of `AccountPermits`. */
export interface AccountPermitsDeps {
  readonly state: SharedAccountState;
  readonly rate: ChosenRate;
  /** Maximum number of requests of this process in flight. */
  readonly concurrency: number;
  readonly learned: LearnedPace | null;
  readonly clock: Clock;
  readonly random: () => number;
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
  #inFlight = 0;
  /** What the next turn reports: answers, sends let through, and what the breaker asks for. */
  #answered: TurnRequest['answered'][number][] = [];
  #used = 0;
  #holdMs = 0;
  #slowDown = 1;
  /** Difference between the time of the rate and the monotonic time. */
  #aheadMs = 0;
  #turning: Promise<void> | null = null;
  /** True if a pause or a cut is to be reported, or heard of. */
  #isUrgent = false;
  #turnedMs = Number.NEGATIVE_INFINITY;
  #gapMs = 0;
  #failed: { readonly is: 'failed'; readonly error: unknown } | null = null;
  #isClosed = false;
  /** The pace as of the last turn. */
  #pace: PaceView | null = null;

  constructor(deps: AccountPermitsDeps) {
    this.#deps = deps;
  }

  attach(waiting: () => number, changed: () => void): void {
    this.#waiting = waiting;
    this.#changed = changed;
    this.#deps.state.onAlarm(STATE_NAME, () => this.#alarm());
  }

  ask(nowMs: number): ReturnType<PermitSource['ask']> {
    if (this.#failed) return this.#failed;
    if (this.#denied?.is === 'too-late') return this.#denied;
    const [permit] = this.#granted;
    if (!permit) return { is: 'after-answer' };
    const waitMs = permit.sentMs - this.#aheadMs - nowMs;
    return waitMs > 0 ? { is: 'later', waitMs: Math.max(1, waitMs) } : { is: 'now' };
  }

  sent(nowMs: number, operation: string): Permit {
    const permit = this.#granted.shift();
    if (!permit) throw new Error('a send that was not granted');
    this.#used += 1;
    this.#inFlight += 1;
    return { ...permit, operation, sentMs: nowMs + this.#aheadMs };
  }

  answered(permit: Permit, nowMs: number, answer: RateAnswer): void {
    this.#inFlight -= 1;
    this.#answered.push({ permit, atMs: nowMs + this.#aheadMs, answer });
    const isRefusal = answer.kind === 'throttled' || answer.kind === 'overloaded';
    if (isRefusal || (answer.pauseMs ?? 0) > 0) this.#hurry();
  }

  slowDown(share: number): void {
    this.#slowDown = share;
    this.#hurry();
  }

  /** Stops the sending of all processes of the account for this many milliseconds. */
  hold(pauseMs: number): void {
    this.#holdMs = Math.max(this.#holdMs, pauseMs);
    this.#alarm();
  }

  pace(nowMs: number): PaceView | null {
    if (this.#pace === null || this.#isUrgent) return null;
    return { ...this.#pace, pausedMs: Math.max(0, this.#pace.pausedMs - (nowMs - this.#turnedMs)) };
  }

  /** Takes this process out of the account's rate. Call it when nothing is in flight any more. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#changed();
    await this.#turning;
    if (this.#turnedMs === Number.NEGATIVE_INFINITY || this.#failed) return;
    this.#drop(Number.POSITIVE_INFINITY);
    await this.#ask().catch(() => {});
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
    if (this.#failed || this.#isClosed) return Number.POSITIVE_INFINITY;
    const sinceMs = this.#deps.clock.monotonicMs() - this.#turnedMs;
    const reports = this.#used + this.#answered.length + this.#granted.length;
    if (this.#isUrgent) return 0;
    if (this.#waiting() > this.#granted.length) return Math.max(this.#gapMs, this.#askedWaitMs()) - sinceMs;
    if (reports > 0) return Math.max(this.#gapMs, POLL_MS) - sinceMs;
    return this.#inFlight > 0 ? HEARTBEAT_MS - sinceMs : Number.POSITIVE_INFINITY;
  }

  /** Returns how long the last turn has asked to wait. */
  #askedWaitMs(): number {
    if (this.#denied?.is === 'later') return Math.min(MAX_WAIT_MS, this.#denied.waitMs - this.#gapMs);
    return this.#denied?.is === 'after-answer' && this.#answered.length === 0 ? POLL_MS : 0;
  }

  #alarm(): void {
    this.#hurry();
    this.#changed();
  }

  /** Drops the sends that were granted before a refusal, and takes the next turn at once. */
  #hurry(): void {
    this.#drop(Number.POSITIVE_INFINITY);
    this.#isUrgent = this.#turnedMs > Number.NEGATIVE_INFINITY;
  }

  /** Drops granted sends for times before this one. They are reported, because one of them may be the probe. */
  #drop(beforeMs: number): void {
    for (const permit of this.#granted.filter(({ sentMs }) => sentMs < beforeMs))
      this.#answered.push({ permit, atMs: permit.sentMs, answer: UNSENT });
    this.#granted = this.#granted.filter(({ sentMs }) => sentMs >= beforeMs);
  }

  async #takeTurn(): Promise<void> {
    try {
      await this.#ask();
    } catch (error) {
      this.#failed = { is: 'failed', error };
    }
    this.#turning = null;
    this.#changed();
  }

  async #ask(): Promise<void> {
    const { state, clock, random } = this.#deps;
    const startedMs = clock.monotonicMs();
    if (this.#waiting() === 0) this.#drop(startedMs + this.#aheadMs - STALE_MS);
    const request = this.#request();
    if (this.#isUrgent) this.#pace = null;
    this.#isUrgent = false;
    const reply = await state.change(STATE_NAME, (kept, wallMs) => takeTurn(kept, wallMs, request, random));
    this.#turnedMs = clock.monotonicMs();
    this.#gapMs = Math.min(MAX_GAP_MS, Math.max(GAP_MS, GAP_TURNS * (this.#turnedMs - startedMs)));
    this.#apply(reply);
  }

  #request(): TurnRequest {
    const { state, rate, concurrency, learned } = this.#deps;
    const places = PLACES_PER_REQUEST * concurrency;
    const inFlight = this.#inFlight + this.#granted.length;
    const wanted = Math.min(this.#waiting() + this.#used - this.#granted.length, places - inFlight);
    const request = {
      ...{ run: state.run, rate, places, learned, inFlight, leaves: this.#isClosed },
      ...{ wanted: this.#isClosed ? 0 : wanted, aheadMs: GAP_MS + this.#gapMs },
      ...{ answered: this.#answered, holdMs: this.#holdMs, slowDown: this.#slowDown },
    };
    [this.#answered, this.#used, this.#holdMs, this.#slowDown] = [[], 0, 0, 1];
    return request;
  }

  #apply({ nowMs, granted, denied, ...pace }: TurnReply): void {
    this.#pace = pace;
    this.#aheadMs = nowMs - this.#deps.clock.monotonicMs();
    this.#denied = denied;
    this.#granted.push(...granted);
    // An alarm that arrived during the turn also applies to what the turn has granted.
    if (this.#isUrgent) this.#drop(Number.POSITIVE_INFINITY);
  }
}
