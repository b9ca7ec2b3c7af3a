import type { ServiceRequest } from './service-request.ts';

/** A checked request that waits for any worker. It has no recording. */
export interface QueuedRequest {
  readonly key: string;
  /** Of the file it came from. */
  readonly row: number;
  readonly request: ServiceRequest;
}

/** `requests`: to be sent. `doubts`: sent, perhaps taken, to be settled. */
export type Lane = 'requests' | 'doubts';

/** A request that this worker has in hand. */
export interface TakenRequest extends QueuedRequest {
  readonly lane: Lane;
  /** It has not been taken and put back too often. */
  readonly mayTryAgain: boolean;
}

/** What a worker does with a request that it has in hand. */
export type JobDecision =
  /** Nothing is left to do: it leaves the queue. */
  | { readonly is: 'done' }
  /** Not begun: any worker may take it at once. */
  | { readonly is: 'back' }
  /** It did not work: again after a while, which is longer each time. */
  | { readonly is: 'later' }
  | { readonly is: 'moved'; readonly lane: Lane; readonly inMs: number };

export interface LaneDepth {
  /** May be taken now. */
  readonly ready: number;
  /** Put back until later. */
  readonly waiting: number;
  /** In the hands of workers. */
  readonly inWork: number;
}

/**
 * Requests of one account that wait for workers on any machine. A request is in it at most once, by its key, and in the hands
 * of one worker at a time as far as that can be told; that it is sent once is the log's business. Methods wait for a store
 * that is away, and throw `SrqError('log')` where that is given up.
 */
export interface RequestQueue {
  /** Returns how many of them were not in the queue yet. */
  add(requests: readonly QueuedRequest[]): Promise<number>;
  /** The oldest that may be taken, at most `count`. Those that cannot be read any more leave the queue. */
  take(lane: Lane, count: number): Promise<TakenRequest[]>;
  /** Resolves once that is durable. What another worker has been given meanwhile is left to it. */
  dispose(taken: TakenRequest, disposal: JobDecision): Promise<void>;
  /** Gives back what workers have in hand that have ended, or that nobody has heard of for so long. Returns how many. */
  reclaim(missingMs: number): Promise<number>;
  depth(): Promise<Readonly<Record<Lane, LaneDepth>>>;
  /** Whether it holds nothing any more, in hand or not. */
  isEmpty(): Promise<boolean>;
}
