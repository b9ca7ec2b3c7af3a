import { SrqError } from '../model/errors.ts';
import type { Clock, SharedAccount } from '../model/ports.ts';
import { type Answered, type PaceReply, type PaceRequest, type Rate, takeTurn } from './account-pace.ts';
import type { Exchange } from './exchange.ts';
import type { LearnedPace, PaceAnswer, Ticket, Turn } from './pace.ts';
import { paceAnswer, type Refused, type Turnstile, tooLate } from './turnstile.ts';

/**
 * Between two turns at the pace of the account, at least; and so many times as long as a turn takes: many want one. At most,
 * for a turn may have waited for a store that was away.
 */
const GAP_MS = 50;
const GAP_TURNS = 2;
const LONGEST_GAP_MS = 2_000;
/** Sends that are granted ahead are not in flight yet: there may be so many times as many as may be in flight. */
const PLACES_PER_REQUEST = 8;
/** Another process's answer may have made room. */
const POLL_MS = 100;
/** A pause may have been lengthened, or a process have ended. */
const LONGEST_WAIT_MS = 1_000;
/** A granted send that nobody makes use of is given back. */
const STALE_MS = 250;
/** While anything is in flight the account hears of this process at least so often. */
const BEAT_MS = 5_000;
/** Between two looks for processes that have ended. */
const LOOK_MS = 2_000;
const KEPT_AS = 'pace';
/** In place of the number of a send that needed no grant. */
const UNGRANTED = 0;

interface Waiting {
  readonly operation: string;
  readonly resolve: (ticket: Ticket | null) => void;
  readonly reject: (error: unknown) => void;
}

export interface AccountTurnstileParts {
  readonly account: SharedAccount;
  readonly rate: Rate;
  /** Most requests of this process in flight. */
  readonly concurrency: number;
  readonly learned: LearnedPace | null;
  readonly clock: Clock;
  readonly stopping: AbortSignal;
  readonly random: () => number;
  readonly refused?: Refused | undefined;
}

/**
 * Lets requests through as the one pace of their account allows, whichever process sends them. A few sends are granted
 * ahead at each turn, so that most need not wait for one; when another process is refused, they are given back.
 */
export class AccountTurnstile implements Pick<Turnstile, 'enter' | 'leave' | 'slowDown'> {
  readonly #parts: AccountTurnstileParts;
  #queue: Waiting[] = [];
  /** Granted for their `sentMs`, by the time of the pace. */
  #granted: Ticket[] = [];
  #answered: Answered[] = [];
  #withdrawn: Ticket[] = [];
  #ended: readonly string[] = [];
  #members: readonly string[] = [];
  #turn: Turn | null = null;
  /** Sends need no grant for now. */
  #isFree = false;
  #hasSentFreely = false;
  #refusal: PaceAnswer | null = null;
  #holdMs = 0;
  #slowDown: number | null = null;
  #refusals: number[] = [];
  /** Let through since the last turn, and in flight now. */
  #used = 0;
  #inFlight = 0;
  /** The time of the pace is the monotonic one plus this. */
  #aheadMs = 0;
  #turning: Promise<void> | null = null;
  #isUrgent = false;
  #turnedMs = Number.NEGATIVE_INFINITY;
  #gapMs = 0;
  #lookedMs = Number.NEGATIVE_INFINITY;
  #sleeping: AbortController | null = null;
  #failed: unknown = null;

  constructor(parts: AccountTurnstileParts) {
    this.#parts = parts;
    parts.stopping.addEventListener('abort', () => this.#pump(), { once: true });
    parts.account.onAlarm(KEPT_AS, () => this.#alarmed());
  }

  /** As {@link Turnstile.enter}. Throws `SrqError('log')` as well, once the store of the account is given up. */
  enter(operation: string): Promise<Ticket | null> {
    return new Promise((resolve, reject) => {
      this.#queue.push({ operation, resolve, reject });
      this.#pump();
    });
  }

  leave(ticket: Ticket, exchange: Exchange): void {
    const { clock } = this.#parts;
    const answer = paceAnswer(exchange, clock.nowMs());
    const isRefusal = answer.kind === 'throttled' || answer.kind === 'overloaded';
    if (ticket.number === UNGRANTED) {
      if (isRefusal || answer.pauseMs !== null) this.#refusal ??= answer;
    } else {
      this.#inFlight -= 1;
      this.#answered.push({ ticket, atMs: this.#nowMs(), answer });
    }
    if (isRefusal || (answer.pauseMs ?? 0) > 0) {
      this.#refusals.push(exchange.answer?.status ?? 0);
      this.#alarmed();
    } else {
      this.#pump();
    }
  }

  slowDown(share: number): void {
    this.#slowDown = share;
    this.#alarmed();
  }

  /** Nobody sends for so long, in no process of the account. */
  hold(pauseMs: number): void {
    this.#holdMs = Math.max(this.#holdMs, pauseMs);
    this.#alarmed();
  }

  /** Gives the places of this process back. To be called when nothing is in flight any more. */
  async close(): Promise<void> {
    this.#sleeping?.abort();
    await this.#turning;
    if (this.#turnedMs === Number.NEGATIVE_INFINITY || this.#failed !== null) return;
    this.#withdraw(() => true);
    await this.#ask(true).catch(() => {});
  }

  #nowMs(): number {
    return this.#parts.clock.monotonicMs() + this.#aheadMs;
  }

  /** What was granted before a refusal is asked for again after it. */
  #alarmed(): void {
    this.#isFree = false;
    this.#withdraw(() => true);
    this.#isUrgent = true;
    this.#pump();
  }

  #withdraw(isUnused: (ticket: Ticket) => boolean): void {
    this.#withdrawn.push(...this.#granted.filter(isUnused));
    this.#granted = this.#granted.filter((ticket) => !isUnused(ticket));
  }

  #pump(): void {
    this.#sleeping?.abort();
    this.#sleeping = null;
    this.#endWaiting();
    this.#letThrough();
    if (this.#turning) return;
    const waitMs = Math.min(this.#nextTurnMs(), this.#nextGrantMs());
    if (this.#nextTurnMs() <= 0) this.#turning = this.#takeTurn();
    else if (waitMs < Number.POSITIVE_INFINITY) this.#pumpIn(waitMs);
  }

  #endWaiting(): void {
    const { stopping, clock } = this.#parts;
    if (stopping.aborted) for (const { resolve } of this.#queue.splice(0)) resolve(null);
    if (this.#failed !== null) for (const { reject } of this.#queue.splice(0)) reject(this.#failed);
    if (this.#turn?.is !== 'too-late') return;
    const error = tooLate(this.#turn.waitMs, clock.nowMs());
    this.#turn = null;
    for (const { reject } of this.#queue.splice(0)) reject(error);
  }

  #letThrough(): void {
    const nowMs = this.#nowMs();
    if (this.#isFree) {
      for (const { operation, resolve } of this.#queue.splice(0)) {
        this.#hasSentFreely = true;
        resolve({ number: UNGRANTED, operation, sentMs: nowMs, level: 0 });
      }
    }
    for (let next = this.#queue[0]; next; next = this.#queue[0]) {
      const [ticket] = this.#granted;
      if (!ticket || ticket.sentMs > nowMs) return;
      this.#granted.shift();
      this.#queue.shift();
      this.#used += 1;
      this.#inFlight += 1;
      next.resolve({ ...ticket, operation: next.operation, sentMs: nowMs });
    }
  }

  /** How long until the next granted send that somebody waits for. */
  #nextGrantMs(): number {
    const [ticket] = this.#granted;
    return ticket && this.#queue.length > 0 ? Math.max(1, ticket.sentMs - this.#nowMs()) : Number.POSITIVE_INFINITY;
  }

  /** How long until this process has a reason for another turn. */
  #nextTurnMs(): number {
    const sinceMs = this.#parts.clock.monotonicMs() - this.#turnedMs;
    if (this.#failed !== null) return Number.POSITIVE_INFINITY;
    if (this.#isUrgent && this.#turnedMs > Number.NEGATIVE_INFINITY) return 0;
    const isShort = this.#queue.length > this.#granted.length;
    if (isShort) return Math.max(this.#gapMs, this.#toldMs()) - sinceMs;
    const hasNews = this.#used + this.#answered.length + this.#withdrawn.length + this.#granted.length > 0;
    if (hasNews) return this.#gapMs - sinceMs;
    // Somebody may have come who wishes to be paced.
    if (this.#hasSentFreely) return LONGEST_WAIT_MS - sinceMs;
    return this.#inFlight > 0 ? BEAT_MS - sinceMs : Number.POSITIVE_INFINITY;
  }

  /** How long the last turn has told to wait. */
  #toldMs(): number {
    if (this.#turn?.is === 'later') return Math.min(LONGEST_WAIT_MS, this.#turn.waitMs - this.#gapMs);
    return this.#turn?.is === 'after-answer' && this.#answered.length === 0 ? POLL_MS : 0;
  }

  #pumpIn(waitMs: number): void {
    const sleeping = new AbortController();
    this.#sleeping = sleeping;
    this.#parts.clock.sleep(Math.ceil(waitMs), sleeping.signal).then(() => {
      if (!sleeping.signal.aborted) this.#pump();
    });
  }

  async #takeTurn(): Promise<void> {
    try {
      await this.#lookForEnded();
      await this.#ask(false);
    } catch (error) {
      this.#failed = error instanceof Error ? error : new SrqError('log', String(error));
    }
    this.#turning = null;
    this.#pump();
  }

  async #ask(leaves: boolean): Promise<void> {
    const { account, clock, random, refused } = this.#parts;
    const startedMs = clock.monotonicMs();
    this.#withdraw(({ sentMs }) => this.#queue.length === 0 && sentMs < this.#nowMs() - STALE_MS);
    const request = this.#request(leaves);
    const refusals = this.#refusals.splice(0);
    this.#isUrgent = false;
    const reply = await account.change(KEPT_AS, (kept, wallMs) => takeTurn(kept, wallMs, request, random));
    this.#turnedMs = clock.monotonicMs();
    this.#gapMs = Math.min(LONGEST_GAP_MS, Math.max(GAP_MS, GAP_TURNS * (this.#turnedMs - startedMs)));
    this.#obey(reply);
    for (const http of refusals) refused?.(http, reply.pausedMs);
  }

  #request(leaves: boolean): PaceRequest {
    const { account, rate, concurrency, learned } = this.#parts;
    const places = PLACES_PER_REQUEST * concurrency;
    const wanted = this.#queue.length + this.#used - this.#granted.length;
    const request = {
      run: account.run,
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

  #obey({ nowMs, granted, turn, isFree, members }: PaceReply): void {
    this.#aheadMs = nowMs - this.#parts.clock.monotonicMs();
    this.#members = members;
    this.#turn = turn;
    this.#isFree = isFree && !this.#isUrgent;
    // An alarm that came while the turn was taken is about what it granted, too.
    if (this.#isUrgent) this.#withdrawn.push(...granted);
    else this.#granted.push(...granted);
  }

  async #lookForEnded(): Promise<void> {
    const { account, clock } = this.#parts;
    const others = this.#members.filter((run) => run !== account.run);
    if (others.length === 0 || clock.monotonicMs() - this.#lookedMs < LOOK_MS) return;
    this.#lookedMs = clock.monotonicMs();
    this.#ended = await account.ended(others);
  }
}
