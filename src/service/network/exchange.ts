/**
 * An HTTP answer as received. The names of `headers` are in lower case, and several headers of one name are joined by a
 * comma.
 */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** The body without its content codings, at most 1 MiB. Empty if the codings cannot be undone. */
  readonly body: string;
  /**
   * False if the connection or the deadline cut the answer, if it is longer than 1 MiB or than it says itself, or if
   * its coding is unknown or broken. Such an answer is never proof of anything.
   */
  readonly complete: boolean;
  readonly ms: number;
}

/**
 * The exchange is one call: its answer, or the reason why there is none. `written` decides whether the service may have
 * acted. False means that certainly no byte of the request left this process.
 */
export type Exchange =
  | {
      readonly answer: Answer;
      readonly error: null;
      readonly written: true;
      /**
       * Ends the connection. Whatever is under way on it fails. An answer that is like no other may belong to another call, so
       * that the next answer on its connection would as well.
       */
      readonly distrust?: () => void;
    }
  | {
      readonly answer: null;
      readonly error: Error;
      readonly written: boolean;
      readonly ms: number;
      readonly distrust?: undefined;
    };
