import { noSentCounts, SENT_STATUSES, type SentCounts, statusOfEvent } from '../../request/log/status.ts';
import type { LogRecord } from '../../request/ports.ts';

const MAX_BUCKETS = 120;
/** Number of histogram steps in which an answer time doubles. With twelve steps, quantiles are right within 3 %. */
const STEPS_PER_DOUBLING = 12;
const STEPS = 21 * STEPS_PER_DOUBLING;

/** The events in one interval of a run. */
export interface Bucket {
  readonly ended: SentCounts;
  /** The histogram of answer times: the number of answers in each step. */
  readonly times: Uint32Array;
  refused: number;
  breaks: number;
  pausedMs: number;
}

/** Divides a run into at most 120 intervals of equal length, which doubles as the run grows, so that memory is bounded. */
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

  /** Counts the outcome of a request and the time that the service took. */
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

  /** Notes that the run was at work at this time. */
  seen(at: string): void {
    this.#at(Date.parse(at));
  }

  #paused(fromMs: number, pauseMs: number): void {
    const toMs = fromMs + pauseMs;
    this.#at(toMs);
    for (const [index, bucket] of this.#buckets.entries()) {
      const beginMs = this.startMs + index * this.widthMs;
      const overlapMs = Math.min(toMs, beginMs + this.widthMs) - Math.max(fromMs, beginMs);
      // The longest overlap is kept, not the sum, because each answer of a burst reports the same pause again.
      if (overlapMs > 0) bucket.pausedMs = Math.min(this.widthMs, Math.max(bucket.pausedMs, overlapMs));
    }
  }

  /**
   * Returns the interval at a time. A time before the start, from a clock that was set back, belongs to the first
   * interval.
   */
  #at(timeMs: number): Bucket {
    this.#startMs ??= timeMs;
    const index = () => Math.max(0, Math.floor((timeMs - this.startMs) / this.widthMs));
    while (index() >= MAX_BUCKETS) this.#merge();
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

/** Returns the time in milliseconds within which this share of the answers came, or null if there were no answers. */
export function quantileMs({ times }: Pick<Bucket, 'times'>, share: number): number | null {
  const total = times.reduce((before, count) => before + count, 0);
  let left = total * share;
  for (const [step, count] of times.entries()) {
    left -= count;
    if (count > 0 && left <= 0) return 2 ** (step / STEPS_PER_DOUBLING) - 1;
  }
  return null;
}

/** Adds up several intervals to one. */
export function sumOf(buckets: readonly Bucket[]): Bucket {
  return buckets.reduce(sum, emptyBucket());
}

function stepOf(ms: number): number {
  return Math.min(STEPS - 1, Math.max(0, Math.round(Math.log2(ms + 1) * STEPS_PER_DOUBLING)));
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
