import type { ServiceRequest } from '../lead/service-request.ts';

/** A validated request that waits for a worker. It has no recording. */
export interface QueuedRequest {
  readonly key: string;
  /** The row in the file from which it came. */
  readonly row: number;
  readonly request: ServiceRequest;
}

/** A request that this worker has taken. */
export interface TakenRequest extends QueuedRequest {
  /** Whether the request may be tried again, because it has not been taken and put back too often. */
  readonly mayTryAgain: boolean;
  /** Whether it has waited for too long to be sent. */
  readonly hasExpired: boolean;
  /** Whether the queue holds something else than a request for this key. `request` is empty then. */
  readonly isUnreadable: boolean;
}

/** What a worker decides about a request that it has taken. */
export type JobDecision =
  /** Nothing is left to do, and the request leaves the queue. */
  | { readonly is: 'done' }
  /** The work was not begun, and any worker may take the request at once. */
  | { readonly is: 'back' }
  /** The work failed, and is tried again after a delay that grows each time. */
  | { readonly is: 'later' }
  /** The request is looked at again after this time. */
  | { readonly is: 'moved'; readonly inMs: number };

/** The numbers of requests in the queue. */
export interface QueueDepth {
  /** Number of all its requests. */
  readonly total: number;
  /** Number of requests that may be taken now; null if counting them would take too long. */
  readonly ready: number | null;
  /** Number of requests that were put back until later; null as above. */
  readonly waiting: number | null;
  /** Number of requests that workers have taken. */
  readonly inWork: number;
}

/**
 * The queue holds requests of one account that wait for workers on any machine. A request is in it at most once, by its
 * key, and is held by one worker at a time as far as that can be told. The log, not the queue, ensures that it is sent
 * once. Methods wait for a store that is away, and throw `SrqError('log')` when they give up.
 */
export interface RequestQueue {
  /** Adds requests, and returns how many of them were not in the queue yet. */
  add(requests: readonly QueuedRequest[]): Promise<number>;
  /** Takes the oldest available requests, at most `count`. */
  take(count: number): Promise<TakenRequest[]>;
  /**
   * Applies a decision, and resolves once that is durable. A request that was given to another worker meanwhile is left
   * to it.
   */
  dispose(taken: TakenRequest, disposal: JobDecision): Promise<void>;
  /**
   * Puts back the requests of workers that have ended, or that have not been heard of for `missingMs`. Returns their
   * number.
   */
  reclaim(missingMs: number): Promise<number>;
  depth(): Promise<QueueDepth>;
  /** Tells whether the queue is empty, including the requests that workers have taken. */
  isEmpty(): Promise<boolean>;
}
