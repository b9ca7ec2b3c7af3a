import type { LogRecord } from '../../model/ports.ts';
import { noSentCounts, SENT_STATUSES, type SentCounts, statusOfEvent } from '../../model/status.ts';

const MOST_BUCKETS = 120;
/** Answer times are kept as counts by steps of a twelfth of a doubling: quantiles are right within 3 %. */
const STEPS_A_DOUBLING = 12;
const STEPS = 21 * STEPS_A_DOUBLING;

/** What happened in one stretch of a run. */
export interface Bucket {
  readonly ended: SentCounts;
  /** Answers by step of time. */
  readonly times: Uint32Array;
  refused: number;
  breaks: number;
  pausedMs: number;
}

/** A run's course in at most 120 stretches of equal length, which doubles as the run grows: bounded memory. */
export class TimeBuckets {
  widthMs = 1000;
  #startMs: number | null = null;
  #buckets: Bucket[] = [];

  get startMs(): number {
    return this.#startMs ?? 0;
  }

  get buckets(): readonly Bucket[] {
    return this.#buckets;
  }

  /** Counts how a request ended, and the time the service took. */
  ended({ event, at, ms }: Pick<LogRecord, 'event' | 'at' | 'ms'>): void {
    if (event === 'sending' || event === 'licence') return;
    const bucket = this.#at(Date.parse(at));
    bucket.ended[statusOfEvent(event)] += 1;
    if (ms === null) return;
    const step = stepOf(ms);
    bucket.times[step] = (bucket.times[step] ?? 0) + 1;
  }

  refused(at: string, count: number, pauseMs: number): void {
    this.#at(Date.parse(at)).refused += count;
    this.#paused(Date.parse(at), pauseMs);
  }

  broke(at: string, pauseMs: number): void {
    this.#at(Date.parse(at)).breaks += 1;
    this.#paused(Date.parse(at), pauseMs);
  }

  /** The run was at work at this time. */
  seen(at: string): void {
    this.#at(Date.parse(at));
  }

  #paused(fromMs: number, pauseMs: number): void {
    const toMs = fromMs + pauseMs;
    this.#at(toMs);
    for (const [index, bucket] of this.#buckets.entries()) {
      const beginMs = this.startMs + index * this.widthMs;
      const overlapMs = Math.min(toMs, beginMs + this.widthMs) - Math.max(fromMs, beginMs);
      // Each answer of a burst tells of the same pause again.
      if (overlapMs > 0) bucket.pausedMs = Math.min(this.widthMs, Math.max(bucket.pausedMs, overlapMs));
    }
  }

  /** A clock that was set back counts for the first stretch. */
  #at(timeMs: number): Bucket {
    this.#startMs ??= timeMs;
    const index = () => Math.max(0, Math.floor((timeMs - this.startMs) / this.widthMs));
    while (index() >= MOST_BUCKETS) this.#merge();
    while (this.#buckets.length <= index()) this.#buckets.push(emptyBucket());
    return this.#buckets[index()] ?? emptyBucket();
  }

  #merge(): void {
    this.widthMs *= 2;
    const merged: Bucket[] = [];
    for (let at = 0; at < this.#buckets.length; at += 2) {
      const [first = emptyBucket(), second = emptyBucket()] = this.#buckets.slice(at, at + 2);
      merged.push(sum(first, second));
    }
    this.#buckets = merged;
  }
}

/** The time within which this share of the answers came, milliseconds; null if there were none. */
export function quantileMs({ times }: Pick<Bucket, 'times'>, share: number): number | null {
  const total = times.reduce((before, count) => before + count, 0);
  let left = total * share;
  for (const [step, count] of times.entries()) {
    left -= count;
    if (count > 0 && left <= 0) return 2 ** (step / STEPS_A_DOUBLING) - 1;
  }
  return null;
}

/** Several stretches as one. */
export function sumOf(buckets: readonly Bucket[]): Bucket {
  return buckets.reduce(sum, emptyBucket());
}

function stepOf(ms: number): number {
  return Math.min(STEPS - 1, Math.max(0, Math.round(Math.log2(ms + 1) * STEPS_A_DOUBLING)));
}

function emptyBucket(): Bucket {
  return { ended: noSentCounts(), times: new Uint32Array(STEPS), refused: 0, breaks: 0, pausedMs: 0 };
}

function sum(a: Bucket, b: Bucket): Bucket {
  const ended = noSentCounts();
  for (const status of SENT_STATUSES) ended[status] = a.ended[status] + b.ended[status];
  return {
    ended,
    times: a.times.map((count, step) => count + (b.times[step] ?? 0)),
    refused: a.refused + b.refused,
    breaks: a.breaks + b.breaks,
    pausedMs: a.pausedMs + b.pausedMs,
  };
}
