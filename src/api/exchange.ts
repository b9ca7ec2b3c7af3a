/** An HTTP answer as received. `headers` have lower-case names; several of one name are joined by a comma. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** At most 1 MiB, its encodings undone; empty if they cannot be. */
  readonly body: string;
  /**
   * False: the line or the deadline cut it, it is longer than that, or than it says itself, or its encoding is unknown or
   * broken. Such an answer is never proof of anything.
   */
  readonly complete: boolean;
  readonly ms: number;
}

/**
 * One call: an answer, or why there is none. `written` is what decides whether the service may have acted: false means
 * that certainly no byte of the request left this process. `reset` says what may still happen to a request that was written:
 * true means that its connection led to the service itself and was reset, so that this machine delivers no byte of it later.
 */
export type Exchange =
  | { readonly answer: Answer; readonly error: null; readonly written: true }
  | {
      readonly answer: null;
      readonly error: Error;
      readonly written: boolean;
      readonly reset: boolean;
      readonly ms: number;
    };
