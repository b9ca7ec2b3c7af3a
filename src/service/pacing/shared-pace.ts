import type { Clock, SharedAccountState } from '../../request/ports.ts';
import type { PaceOptions } from './pace.ts';
import type { Admission, PaceView, Permit, PermitSource, RateAnswer } from './permits.ts';
import { type TurnReply, type TurnRequest, takeTurn } from './turn.ts';

/**
 * Minimum gap between two turns of a process. If turns take long, many processes want one, so the gap grows to
 * `GAP_TURNS` times the length of a turn, but not beyond `MAX_GAP_MS`, because a turn may have waited for an unavailable
 * store.
 */
const GAP_MS = 50;
const GAP_TURNS = 2;
const MAX_GAP_MS = 2_000;
/** Interval of turns while something is to be reported, or while another process's answer may free a place. */
const POLL_MS = 100;
/** Maximum interval while anything waits or is in flight. Without a turn the others take the places over. */
const HEARTBEAT_MS = 1_000;
/** Granted sends per request that may be in flight. Sends that are granted ahead are not in flight yet. */
const PLACES_PER_REQUEST = 8;
/** Age at which unused granted sends are given back. */
const STALE_MS = 250;
const STATE_NAME = 'pace';

const UNSENT: RateAnswer = { kind: 'unsent', pauseMs: null, headroom: null };

/** The dependencies of `SharedPace`. */
export interface SharedPaceDeps extends Required<PaceOptions> {
  readonly state: SharedAccountState;
  readonly clock: Clock;
}

/** What the next turn reports: answers, sends let through, and what the breaker asks for. */
const nothingToReport = () => ({ answered: [] as TurnRequest['answered'][number][], used: 0, holdMs: 0, slowDown: 1 });

/**
 * Gives permits by the pace that all processes of an account share. Each turn grants a few sends ahead, so that most
 * need not wait for a turn. They are dropped when another process is refused.
 */
export class SharedPace implements PermitSource {
  readonly #deps: SharedPaceDeps;
  #changed: () => void = () => {};
  /** Granted sends, each for its `sentMs` by the time of the pace. */
  #granted: Permit[] = [];
  /** The reason why the last turn did not grant more. */
  #denied: Admission | null = null;
  #inFlight = 0;
  #report = nothingToReport();
  /** Difference between the time of the pace and the monotonic time. */
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

  constructor(deps: SharedPaceDeps) {
    this.#deps = deps;
  }

  attach(changed: () => void): void {
    this.#changed = changed;
  }

  /** Admits what is granted and due. If that is not all, it starts a turn once there is a reason for one. */
  ask(nowMs: number, waiting: number): ReturnType<PermitSource['ask']> {
    if (waiting > 0 && this.#failed) return this.#failed;
    if (waiting > 0 && this.#denied?.is === 'too-late') return this.#denied;
    // All that waited have received this answer.
    if (this.#denied?.is === 'too-late') this.#denied = null;
    const [permit] = waiting > 0 ? this.#granted : [];
    const grantedMs = permit ? permit.sentMs - this.#aheadMs - nowMs : Number.POSITIVE_INFINITY;
    if (grantedMs <= 0) return { is: 'now' };
    if (this.#turning) return { is: 'after-answer' };
    const turnMs = this.#nextTurnMs(waiting);
    if (turnMs > 0) return { is: 'later', waitMs: Math.ceil(Math.min(turnMs, grantedMs)) };
    this.#turning = this.#takeTurn(waiting);
    return { is: 'after-answer' };
  }

  sent(nowMs: number, operation: string): Permit {
    const permit = this.#granted.shift();
    if (!permit) throw new Error('a send that was not granted');
    this.#report.used += 1;
    this.#inFlight += 1;
    return { ...permit, operation, sentMs: nowMs + this.#aheadMs };
  }

  answered(permit: Permit, nowMs: number, answer: RateAnswer): void {
    this.#inFlight -= 1;
    this.#report.answered.push({ permit, atMs: nowMs + this.#aheadMs, answer });
    const isRefusal = answer.kind === 'throttled' || answer.kind === 'overloaded';
    if (isRefusal || (answer.pauseMs ?? 0) > 0) this.#dropAll();
  }

  slowDown(share: number): void {
    this.#report.slowDown = share;
  }

  /** Stops the sending of all processes of the account for this many milliseconds. */
  hold(pauseMs: number): void {
    this.#report.holdMs = Math.max(this.#report.holdMs, pauseMs);
    this.#dropAll();
    this.#changed();
  }

  pace(nowMs: number): PaceView | null {
    if (this.#pace === null || this.#isUrgent) return null;
    return { ...this.#pace, pausedMs: Math.max(0, this.#pace.pausedMs - (nowMs - this.#turnedMs)) };
  }

  /** Takes this process out of the account's pace. Call it when nothing is in flight any more. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#changed();
    await this.#turning;
    if (this.#turnedMs === Number.NEGATIVE_INFINITY || this.#failed) return;
    this.#drop(Number.POSITIVE_INFINITY);
    await this.#ask(0).catch(() => {});
  }

  /** Returns the time until this process has a reason for another turn. */
  #nextTurnMs(waiting: number): number {
    if (this.#failed || this.#isClosed) return Number.POSITIVE_INFINITY;
    if (this.#isUrgent) return 0;
    const sinceMs = this.#deps.clock.monotonicMs() - this.#turnedMs;
    const { used, answered } = this.#report;
    if (waiting > this.#granted.length) return Math.max(this.#gapMs, this.#deniedMs()) - sinceMs;
    if (used + answered.length + this.#granted.length > 0) return Math.max(this.#gapMs, POLL_MS) - sinceMs;
    return this.#inFlight > 0 ? HEARTBEAT_MS - sinceMs : Number.POSITIVE_INFINITY;
  }

  /** Returns how long the last turn has asked to wait. A pause may be extended meanwhile, or a process may end. */
  #deniedMs(): number {
    if (this.#denied?.is === 'later') return Math.min(HEARTBEAT_MS, this.#denied.waitMs - this.#gapMs);
    return this.#denied?.is === 'after-answer' && this.#report.answered.length === 0 ? POLL_MS : 0;
  }

  /** Drops the sends that were granted before a refusal, and makes the next turn urgent. */
  #dropAll(): void {
    this.#drop(Number.POSITIVE_INFINITY);
    this.#isUrgent = this.#turnedMs > Number.NEGATIVE_INFINITY;
  }

  /** Drops granted sends for times before this one. They are reported, because one of them may be the probe. */
  #drop(beforeMs: number): void {
    for (const permit of this.#granted.filter(({ sentMs }) => sentMs < beforeMs))
      this.#report.answered.push({ permit, atMs: permit.sentMs, answer: UNSENT });
    this.#granted = this.#granted.filter(({ sentMs }) => sentMs >= beforeMs);
  }

  async #takeTurn(waiting: number): Promise<void> {
    await this.#ask(waiting).catch((error) => {
      this.#failed = { is: 'failed', error };
    });
    this.#turning = null;
    this.#changed();
  }

  async #ask(waiting: number): Promise<void> {
    const { state, clock, random } = this.#deps;
    const startedMs = clock.monotonicMs();
    if (waiting === 0) this.#drop(startedMs + this.#aheadMs - STALE_MS);
    if (this.#isUrgent) this.#pace = null;
    this.#isUrgent = false;
    const request = this.#request(waiting);
    this.#report = nothingToReport();
    const reply = await state.change(STATE_NAME, (kept, wallMs) => takeTurn(kept, wallMs, request, random));
    this.#turnedMs = clock.monotonicMs();
    this.#gapMs = Math.min(MAX_GAP_MS, Math.max(GAP_MS, GAP_TURNS * (this.#turnedMs - startedMs)));
    this.#apply(reply);
  }

  #request(waiting: number): TurnRequest {
    const { state, rate, concurrency, learned } = this.#deps;
    const { used, ...report } = this.#report;
    const places = PLACES_PER_REQUEST * concurrency;
    const inFlight = this.#inFlight + this.#granted.length;
    const wanted = Math.min(waiting + used - this.#granted.length, places - inFlight);
    const own = { run: state.run, rate, places, learned, inFlight, leaves: this.#isClosed };
    return { ...own, ...report, wanted: this.#isClosed ? 0 : wanted, aheadMs: GAP_MS + this.#gapMs };
  }

  #apply({ nowMs, granted, denied, ...pace }: TurnReply): void {
    this.#pace = pace;
    this.#aheadMs = nowMs - this.#deps.clock.monotonicMs();
    this.#denied = denied;
    // Another process was refused meanwhile.
    if (pace.pausedMs > 0) this.#drop(Number.POSITIVE_INFINITY);
    this.#granted.push(...granted);
    // A refusal during the turn also applies to what the turn has granted.
    if (this.#isUrgent) this.#drop(Number.POSITIVE_INFINITY);
  }
}
