import type { ServiceRequest } from './service-request.ts';

/** A validated request that waits for a worker. It has no recording. */
export interface QueuedRequest {
  readonly key: string;
  /** The row in the file from which it came. */
  readonly row: number;
  readonly request: ServiceRequest;
}

/**
 * The lane of a queued request. `requests` holds those to be sent. `doubts` holds those in doubt, which were sent and
 * perhaps taken, and are to be settled.
 */
export type Lane = 'requests' | 'doubts';

/** A request that this worker has taken. */
export interface TakenRequest extends QueuedRequest {
  readonly lane: Lane;
  /** Whether the request may be tried again, because it has not been taken and put back too often. */
  readonly mayTryAgain: boolean;
  /** Whether it has waited for too long to be sent. */
  readonly hasExpired: boolean;
  /** Whether the queue holds something else than a request for this key. `request` is empty then. */
  readonly isUnreadable: boolean;
  /** The ids of the processes that have passed it on. */
  readonly passedBy: readonly number[];
  /** Whether this worker is one of them, so that it need not look again. */
  readonly isPassedOn: boolean;
}

/** What a worker decides about a request that it has taken. */
export type JobDecision =
  /** Nothing is left to do, and the request leaves the queue. */
  | { readonly is: 'done' }
  /** The work was not begun, and any worker may take the request at once. */
  | { readonly is: 'back' }
  /** The work failed, and is tried again after a delay that grows each time. */
  | { readonly is: 'later' }
  | {
      readonly is: 'moved';
      readonly lane: Lane;
      readonly inMs: number;
      /** True if this worker will never have anything to compare the request with, so that another one must settle it. */
      readonly isPassedOn?: boolean;
    };

/** The numbers of requests in one lane. */
export interface LaneDepth {
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
  take(lane: Lane, count: number): Promise<TakenRequest[]>;
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
  /**
   * Tells whether another process lives that has been working for at least `ageMs` and has not passed the request on.
   */
  hasOtherWitness(taken: TakenRequest, ageMs: number): Promise<boolean>;
  depth(): Promise<Readonly<Record<Lane, LaneDepth>>>;
  /** Tells whether the queue is empty, including the requests that workers have taken. */
  isEmpty(): Promise<boolean>;
}
