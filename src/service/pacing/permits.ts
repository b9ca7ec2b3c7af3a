/**
 * The rate chosen by the user: adaptive, unlimited except for pauses that the service asks for, or a maximum per
 * second, evenly spaced.
 */
export type ChosenRate = 'auto' | 'max' | number;

/** Tells whether a request may be sent now. */
export type Admission =
  | { readonly is: 'now' }
  /** The caller asks again after this time, or after the next answer if that comes first. */
  | { readonly is: 'later'; readonly waitMs: number }
  /** The caller asks again after the next answer. At least one request is in flight. */
  | { readonly is: 'after-answer' }
  /** The service asks for a pause of over 15 minutes, so the run stops and can be resumed. */
  | { readonly is: 'too-late'; readonly waitMs: number };

/** What a run has learned, as the starting point of the next one. */
export interface LearnedPace {
  readonly ratePerSecond: number;
  /** Maximum number of requests in flight that the service has not refused. */
  readonly concurrency: number;
  /** True if the service has shown where its limit is. */
  readonly limited: boolean;
}

/** What an answer means for the pace. */
export interface RateAnswer {
  /**
   * `ok` means that the work was done, `throttled` 429, `overloaded` 503, and `unanswered` no status. `declined` is any
   * other status: the service may answer so before it does the work, so that its time is not measured. `unsent` says nothing
   * of the service: srq did not send the request, since it had waited too long for its log or its token, or another process
   * was faster.
   */
  readonly kind: 'ok' | 'declined' | 'throttled' | 'overloaded' | 'unanswered' | 'unsent';
  /** The time for which the service asks to send nothing, in Retry-After. */
  readonly pauseMs: number | null;
}
