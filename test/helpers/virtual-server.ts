import type { Pace } from '../../src/service/pacing/pace.ts';
import type { Admission, RateAnswer } from '../../src/service/pacing/permits.ts';
import { retryAfterMs } from '../../src/service/pacing/retry-after.ts';

/** The reaction of a hidden server to one request. */
export interface Reply {
  readonly status: 200 | 429 | 503;
  /** Time at which the answer leaves the server. */
  readonly atMs: number;
  readonly headers?: Record<string, string>;
}

/** A service whose limits the client cannot see. Requests arrive in order of time. */
export interface HiddenServer {
  arrive(nowMs: number): Reply;
}

export interface Figures {
  readonly sent: number;
  readonly taken: number;
  readonly throttled: number;
  readonly shed: number;
  readonly timedOut: number;
  readonly elapsedMs: number;
  readonly slowestMs: number;
  readonly mostInFlight: number;
  /** The reason if the rate has asked to stop, or null. */
  readonly stopped: Admission | null;
}

export interface Import {
  readonly pace: Pace;
  readonly server: HiddenServer;
  /** Number of requests to be completed. Refused requests are sent again. */
  readonly requests: number;
  readonly random: () => number;
  readonly timeoutMs?: number;
  /** Round-trip time of the network in milliseconds, without jitter. */
  readonly networkMs?: number;
}

/** Returns a generator of numbers evenly distributed in [0, 1), which are the same for the same seed (mulberry32). */
export function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

interface Event {
  readonly atMs: number;
  readonly happen: () => void;
}

/** Future events in the order of time. Nothing waits in real time. */
class Timeline {
  nowMs = 0;
  readonly #events: Event[] = [];

  at(atMs: number, happen: () => void): void {
    let low = 0;
    let high = this.#events.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#events[middle]?.atMs ?? 0) > atMs) low = middle + 1;
      else high = middle;
    }
    this.#events.splice(low, 0, { atMs, happen });
  }

  /** Runs the next event. Returns false if there is none. */
  step(): boolean {
    const next = this.#events.pop();
    if (!next) return false;
    this.nowMs = Math.max(this.nowMs, next.atMs);
    next.happen();
    return true;
  }
}

/** Sends requests as fast as the rate allows until all are done, in virtual time. */
export function sendRows({ pace, server, requests, random, timeoutMs = 120_000, networkMs = 20 }: Import): Figures {
  const time = new Timeline();
  const figures = { sent: 0, taken: 0, throttled: 0, shed: 0, timedOut: 0, elapsedMs: 0, slowestMs: 0 };
  let inFlight = 0;
  let mostInFlight = 0;
  let stopped: Admission | null = null;
  let wakeMs = Number.POSITIVE_INFINITY;
  const oneWayMs = () => (networkMs / 2) * (1 + 0.5 * random());
  const done = () => figures.taken + figures.shed + figures.timedOut;

  const send = () => {
    const ticket = pace.sent(time.nowMs, 'create');
    figures.sent += 1;
    inFlight += 1;
    mostInFlight = Math.max(mostInFlight, inFlight);
    let open = true;
    const settle = (count: 'taken' | 'throttled' | 'shed' | 'timedOut', answer: RateAnswer) => {
      if (!open) return;
      open = false;
      inFlight -= 1;
      figures[count] += 1;
      figures.slowestMs = Math.max(figures.slowestMs, time.nowMs - ticket.sentMs);
      if (done() === requests) figures.elapsedMs = time.nowMs;
      pace.answered(ticket, time.nowMs, answer);
      pump();
    };
    time.at(time.nowMs + timeoutMs, () => settle('timedOut', { kind: 'unanswered', pauseMs: null }));
    time.at(time.nowMs + oneWayMs(), () => {
      const reply = server.arrive(time.nowMs);
      time.at(reply.atMs + oneWayMs(), () => settle(COUNTS[reply.status], answerOf(reply)));
    });
  };
  const pump = () => {
    while (stopped === null && done() + inFlight < requests) {
      const turn = pace.ask(time.nowMs);
      if (turn.is === 'now') send();
      else if (turn.is === 'later') return wake(time.nowMs + Math.ceil(turn.waitMs));
      else if (turn.is === 'too-late') stopped = turn;
      else return;
    }
  };
  const wake = (atMs: number) => {
    if (atMs >= wakeMs && wakeMs > time.nowMs) return;
    wakeMs = atMs;
    time.at(atMs, () => {
      if (wakeMs <= time.nowMs) wakeMs = Number.POSITIVE_INFINITY;
      pump();
    });
  };

  pump();
  while (done() < requests && time.step());
  return { ...figures, mostInFlight, stopped };
}

const COUNTS = { 200: 'taken', 429: 'throttled', 503: 'shed' } as const;
const KINDS = { 200: 'ok', 429: 'throttled', 503: 'overloaded' } as const;

function answerOf(reply: Reply): RateAnswer {
  return { kind: KINDS[reply.status], pauseMs: retryAfterMs(reply.headers ?? {}, reply.atMs) };
}
