import type { ServiceRequest } from '../lead/service-request.ts';

/** A validated request that waits for a worker. It has no recording. */
interface QueuedRequest {
  readonly key: string;
  /** The row in the file from which it came. */
  readonly row: number;
  readonly request: ServiceRequest;
}

/** A request that this worker has taken. */
export interface TakenRequest extends QueuedRequest {
  /** Whether it is not tried again, because it was tried too often or has waited for too long. */
  readonly isOver: boolean;
  /** Whether another program has changed it in the queue, so that it has another key. */
  readonly isSpoilt: boolean;
}

/** What becomes of a request that a worker had taken: it has left the queue, or is tried again at once, or later. */
export type NextStep = 'done' | 'back' | 'later';

/** The numbers of requests in the queue. */
export interface QueueDepth {
  /** Number of all its requests. */
  readonly total: number;
  /** Number of requests that may be taken now. */
  readonly ready: number;
  /** Number of requests that were put back until later. */
  readonly waiting: number;
  /** Number of requests that workers have taken. */
  readonly inWork: number;
  /** Age in milliseconds of the oldest request that nobody has taken, or 0 if there is none. */
  readonly oldestMs: number;
}

/**
 * The queue holds requests of one account that wait for workers on any machine. A request is in it at most once, by its
 * key. The log, not the queue, ensures that it is sent once. An outcome in the log takes the request off the queue, or puts it
 * back until later if it was not taken. Methods wait for a store that is away, and throw `SrqError('log')` when they give up.
 */
export interface RequestQueue {
  /** Adds requests, and returns how many of them were not in the queue yet. */
  add(requests: readonly QueuedRequest[]): Promise<number>;
  /** Takes the oldest available requests, at most `count`. `hand` has the keys of those that this worker has already. */
  take(count: number, hand: readonly string[]): Promise<TakenRequest[]>;
  /** Gives requests back: at once, or with `isTried` until later, after a delay that grows each time. */
  giveBack(keys: readonly string[], isTried: boolean): Promise<void>;
  /** Takes requests off the queue. */
  drop(keys: readonly string[]): Promise<void>;
  depth(): Promise<QueueDepth>;
  /** Tells whether the queue is empty, including the requests that workers have taken. */
  isEmpty(): Promise<boolean>;
}
